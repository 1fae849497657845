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

#include "hw/eu/isa/gen12/isa.h"
#include "hw/eu/isa/gen9/isa.h"

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

struct CapturedKernel {
  const Isa& isa;
  std::string name;
  std::vector<std::byte> code;
};

/// Of Kaby Lake, then of Tiger Lake.
inline std::vector<CapturedKernel> captured_kernels() {
  std::vector<CapturedKernel> kernels;
  for (const auto& [name, hex] : rows("kernels.txt")) kernels.push_back({gen9_isa(), name, from_hex(hex)});
  for (const auto& [name, hex] : rows("gen12_kernels.txt")) kernels.push_back({gen12_isa(), "tgl " + name, from_hex(hex)});
  return kernels;
}

inline CapturedKernel captured_kernel(const std::string& name) {
  for (const CapturedKernel& kernel : captured_kernels())
    if (kernel.name == name) return kernel;
  throw std::runtime_error("no kernel " + name);
}

}  // namespace softgen::eu::test
