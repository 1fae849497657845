// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/run/findings.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

namespace softgen::run {

namespace fs = std::filesystem;

FindingsFolder::FindingsFolder() {
  std::string name = (fs::temp_directory_path() / "softgen-check-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error(std::string("no temporary folder can be made: ") + std::strerror(errno));
  path_ = name;
}

FindingsFolder::~FindingsFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

size_t FindingsFolder::collect(const std::string& json) const {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_)) files.push_back(entry.path());
  std::ranges::sort(files);
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  size_t count = 0;
  for (const fs::path& file : files) {
    nlohmann::ordered_json report = nlohmann::ordered_json::parse(std::ifstream(file), nullptr, false);
    if (!report.is_object() || !report.contains("findings")) continue;  // a process that was killed while it wrote
    count += report["findings"].size();
    nlohmann::ordered_json node = {{"process", file.stem().string()}};
    node.update(report);
    all.push_back(std::move(node));
  }
  if (json.empty()) return count;
  std::ofstream out(json);
  out << all.dump(1) << "\n";
  if (!out.flush()) throw std::runtime_error("cannot write " + json);
  return count;
}

}  // namespace softgen::run
