// SPDX-License-Identifier: GPL-2.0-or-later
// Test data of this folder: rows of tab-separated text.
#pragma once

#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace softgen::eu::test {

/// Rows "first TAB second" of a file in tests/unit/eu/data; lines that start with # are left out. Throws when there is no row.
inline std::vector<std::pair<std::string, std::string>> rows(const std::string& name) {
  std::ifstream file(std::string(EU_TEST_DATA) + "/" + name);
  std::vector<std::pair<std::string, std::string>> result;
  for (std::string line; std::getline(file, line);) {
    const size_t tab = line.find('\t');
    if (line.empty() || line[0] == '#' || tab == std::string::npos) continue;
    result.emplace_back(line.substr(0, tab), line.substr(tab + 1));
  }
  if (result.empty()) throw std::runtime_error("no test data in " + name);
  return result;
}

inline std::vector<std::byte> from_hex(std::string_view text) {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
  return bytes;
}

}  // namespace softgen::eu::test
