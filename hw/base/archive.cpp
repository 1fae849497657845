// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/base/archive.h"

#include <fmt/format.h>

namespace softgen {

void Archive::fail(std::string_view why) {
  if (error_.empty()) error_ = why;
}

void Archive::raw(std::span<std::byte> block) {
  if (failed() || block.empty()) return;  // an empty span may have no address
  if (!reading_) {
    output_.insert(output_.end(), block.begin(), block.end());
    return;
  }
  if (input_.size() < block.size()) {
    fail("the saved state ends too early");
    return;
  }
  std::memcpy(block.data(), input_.data(), block.size());
  input_ = input_.subspan(block.size());
}

uint32_t Archive::section(std::string_view name, uint32_t version) {
  std::string found(name);
  uint32_t length = count(static_cast<uint32_t>(name.size()), 64);
  found.resize(length);
  raw(std::as_writable_bytes(std::span(found.data(), found.size())));
  uint32_t found_version = version;
  value(found_version);
  if (failed()) return version;
  if (found != name) {
    fail(fmt::format("the saved state has no section '{}' where one is due", name));
  } else if (found_version == 0 || found_version > version) {
    fail(fmt::format("section '{}' of the saved state has version {}, at most {} is known", name, found_version, version));
  }
  return failed() ? version : found_version;
}

void Archive::blob(std::vector<std::byte>& block, size_t limit) {
  uint32_t size = count(static_cast<uint32_t>(block.size()), static_cast<uint32_t>(limit));
  if (failed()) return;
  if (reading_) {
    if (input_.size() < size) return fail("the saved state ends too early");
    block.resize(size);
  }
  raw(block);
}

uint32_t Archive::count(uint32_t n, uint32_t limit) {
  uint32_t found = n;
  value(found);
  if (failed()) return 0;
  if (found > limit) {
    fail(fmt::format("a count in the saved state is {}, at most {} can be", found, limit));
    return 0;
  }
  return found;
}

}  // namespace softgen
