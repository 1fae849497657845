// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/run/own_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace softgen::run {
namespace {

/// A row of /proc/self/maps (proc(5)), cut to the range that was asked for.
struct Mapping {
  uint64_t start, end;
  int protection;  ///< PROT_*
  bool shared;
};

std::vector<Mapping> mappings_of(uint64_t start, uint64_t end) {
  std::vector<Mapping> found;
  const std::unique_ptr<FILE, int (*)(FILE*)> maps(std::fopen("/proc/self/maps", "re"), std::fclose);
  char line[512];
  bool whole = true;  // the line before ended: this is no rest of a long path
  while (maps && std::fgets(line, sizeof line, maps.get())) {
    const bool begins = std::exchange(whole, std::string_view(line).ends_with('\n'));
    unsigned long from = 0, to = 0;
    char flags[5] = {};
    if (!begins || std::sscanf(line, "%lx-%lx %4s", &from, &to, flags) != 3 || to <= start) continue;
    if (from >= end) break;
    const int protection = (flags[0] == 'r' ? PROT_READ : 0) | (flags[1] == 'w' ? PROT_WRITE : 0) | (flags[2] == 'x' ? PROT_EXEC : 0);
    found.push_back({std::max<uint64_t>(from, start), std::min<uint64_t>(to, end), protection, flags[3] == 's'});
  }
  return found;
}

bool covers(const std::vector<Mapping>& mappings, uint64_t start, uint64_t end, int wanted) {
  for (const Mapping& m : mappings) {
    if (m.start != start || (m.protection & wanted) != wanted) return false;
    start = m.end;
  }
  return start == end;
}

bool write_all(int fd, const std::byte* from, uint64_t size) {
  for (uint64_t done = 0; done < size;) {
    const ssize_t n = pwrite(fd, from + done, size - done, static_cast<off_t>(done));
    if (n <= 0) return false;
    done += static_cast<uint64_t>(n);
  }
  return true;
}

bool share_private(const Mapping& m, std::byte* memory, std::byte* copy) {
  const uint64_t size = m.end - m.start;
  const int fd = memfd_create("softgen-userptr", MFD_CLOEXEC);
  if (fd < 0) return false;
  const bool done = write_all(fd, memory, size) && mmap(copy, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED &&
                    mmap(memory, size, m.protection, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED;
  close(fd);
  return done;
}

/// mremap(2): with an old size of 0, the pages of a shared mapping get a second one.
bool share_shared(const Mapping& m, std::byte* memory, std::byte* copy) {
  return mremap(memory, 0, m.end - m.start, MREMAP_MAYMOVE | MREMAP_FIXED, copy) != MAP_FAILED;
}

}  // namespace

bool share_memory(void* memory, uint64_t size, bool write, void* copy) {
  auto* const from = static_cast<std::byte*>(memory);
  auto* const to = static_cast<std::byte*>(copy);
  const auto start = reinterpret_cast<uint64_t>(memory);
  const std::vector<Mapping> mappings = mappings_of(start, start + size);
  if (!covers(mappings, start, start + size, PROT_READ | (write ? PROT_WRITE : 0))) return false;
  for (const Mapping& m : mappings) {
    const uint64_t at = m.start - start;
    if (!(m.shared ? share_shared : share_private)(m, from + at, to + at)) return false;
  }
  return true;
}

}  // namespace softgen::run
