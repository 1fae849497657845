// SPDX-License-Identifier: GPL-2.0-or-later
// What the checker has found in the processes of one softgen-run.
#pragma once

#include <filesystem>
#include <string>

namespace softgen::run {

/// A folder of its own, in which each process leaves its findings; it ends with the object.
class FindingsFolder {
 public:
  FindingsFolder();
  ~FindingsFolder();
  FindingsFolder(const FindingsFolder&) = delete;
  FindingsFolder& operator=(const FindingsFolder&) = delete;

  std::string path() const { return path_.string(); }
  /// All processes' findings as an array of {"process": id, …sg_check_report()}, written to `json` unless that is empty. Returns how many findings
  /// there are. Throws std::runtime_error.
  size_t collect(const std::string& json) const;

 private:
  std::filesystem::path path_;
};

}  // namespace softgen::run
