// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/ram_snapshot.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "hw/base/hash.h"

namespace softgen::debug {

namespace {

// Linux, Documentation/admin-guide/mm/pagemap.rst: a qword a page.
constexpr uint64_t page_present = 1ull << 63, page_swapped = 1ull << 62, page_of_file = 1ull << 61;

size_t page_size() {
  static const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

[[noreturn]] void fail(std::string_view what) { throw std::runtime_error(fmt::format("snapshot: {}: {}", what, strerror(errno))); }

}  // namespace

RamSnapshot::RamSnapshot(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {
  size_t total = 0;
  for (const Piece& piece : pieces_) {
    if (reinterpret_cast<uintptr_t>(piece.data()) % page_size() != 0 || piece.size() % page_size() != 0)
      throw std::runtime_error("snapshot: a piece of memory is not made of whole pages");
    total += piece.size();
  }
  pagemap_ = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pagemap_ < 0) fail("/proc/self/pagemap");
  file_ = memfd_create("softgen-snapshot", MFD_CLOEXEC);
  if (file_ < 0 || ftruncate(file_, static_cast<off_t>(total)) != 0) {
    const int reason = errno;
    if (file_ >= 0) close(file_);
    close(pagemap_);
    errno = reason;
    fail("memory for the copy");
  }
}

RamSnapshot::~RamSnapshot() {
  close(file_);
  close(pagemap_);
}

std::vector<RamSnapshot::Piece> RamSnapshot::private_pages(Piece piece) const {
  std::vector<Piece> runs;
  std::array<uint64_t, 8192> entries;
  const size_t page = page_size(), count = piece.size() / page;
  const size_t first = reinterpret_cast<uintptr_t>(piece.data()) / page;
  for (size_t at = 0; at < count;) {
    const size_t wanted = std::min(entries.size(), count - at);
    const ssize_t got = pread(pagemap_, entries.data(), wanted * sizeof(uint64_t), static_cast<off_t>((first + at) * sizeof(uint64_t)));
    if (got < 0 && errno == EINTR) continue;
    if (got < static_cast<ssize_t>(sizeof(uint64_t))) fail("reading /proc/self/pagemap");
    for (size_t i = 0; i < static_cast<size_t>(got) / sizeof(uint64_t); i++, at++) {
      if ((entries[i] & (page_present | page_swapped)) == 0 || (entries[i] & page_of_file) != 0) continue;
      std::byte* start = piece.data() + at * page;
      if (!runs.empty() && runs.back().data() + runs.back().size() == start) {
        runs.back() = Piece(runs.back().data(), runs.back().size() + page);
      } else {
        runs.emplace_back(start, page);
      }
    }
  }
  return runs;
}

void RamSnapshot::store(Piece run, off_t place) const {
  while (!run.empty()) {
    const ssize_t written = pwrite(file_, run.data(), run.size(), place);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("copying memory");
    run = run.subspan(static_cast<size_t>(written));
    place += written;
  }
}

void RamSnapshot::map() const {
  off_t place = 0;
  for (const Piece& piece : pieces_) {
    if (mmap(piece.data(), piece.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file_, place) == MAP_FAILED)
      fail("mapping the copy");
    place += static_cast<off_t>(piece.size());
  }
}

void RamSnapshot::take() {
  taken_ = false;
  off_t place = 0;
  for (const Piece& piece : pieces_) {
    for (const Piece& run : private_pages(piece)) {
      store(run, place + (run.data() - piece.data()));
      if (mapped_ && madvise(run.data(), run.size(), MADV_DONTNEED) != 0) fail("giving pages back");
    }
    place += static_cast<off_t>(piece.size());
  }
  if (!mapped_) map();
  mapped_ = taken_ = true;
}

size_t RamSnapshot::restore(const Changed& changed) {
  if (!taken_) throw std::runtime_error("snapshot: none was taken");
  size_t pages = 0;
  for (const Piece& piece : pieces_) {
    for (const Piece& run : private_pages(piece)) {
      if (madvise(run.data(), run.size(), MADV_DONTNEED) != 0) fail("giving pages back");
      pages += run.size() / page_size();
      changed(run);
    }
  }
  return pages;
}

uint64_t RamSnapshot::hash() const {
  uint64_t value = 0;
  for (const Piece& piece : pieces_) value = hash64(piece, value);
  return value;
}

}  // namespace softgen::debug
