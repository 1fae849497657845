// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/ram_snapshot.h"

#include <fcntl.h>
#include <sys/ioctl.h>
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

// The same page, PAGEMAP_SCAN of Linux 6.7: runs of pages by category, without an entry for each. Older systems' headers have neither.
struct ScanArguments {
  uint64_t size, flags, start, end, walk_end, runs, max_runs, max_pages, inverted, all_of, any_of, returned;
};
struct ScanRun {
  uint64_t start, end, categories;
};
constexpr unsigned long pagemap_scan = _IOWR('f', 16, ScanArguments);
constexpr uint64_t scan_file = 1 << 2, scan_present = 1 << 3, scan_swapped = 1 << 4;

size_t page_size() {
  static const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

void append(std::vector<RamSnapshot::Piece>& runs, RamSnapshot::Piece run) {
  if (!runs.empty() && runs.back().data() + runs.back().size() == run.data()) {
    runs.back() = RamSnapshot::Piece(runs.back().data(), runs.back().size() + run.size());
  } else {
    runs.push_back(run);
  }
}

[[noreturn]] void fail(std::string_view what) { throw std::runtime_error(fmt::format("snapshot: {}: {}", what, strerror(errno))); }

}  // namespace

RamSnapshot::RamSnapshot(std::vector<Piece> pieces, bool scans) : pieces_(std::move(pieces)), scans_(scans) {
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
  if (!scan(piece, runs)) read_entries(piece, runs);
  return runs;
}

bool RamSnapshot::scan(Piece piece, std::vector<Piece>& runs) const {
  std::array<ScanRun, 512> found;
  const auto start = reinterpret_cast<uintptr_t>(piece.data());
  for (uint64_t at = start, end = start + piece.size(); at < end;) {
    ScanArguments arguments{.size = sizeof(arguments),
                            .start = at,
                            .end = end,
                            .runs = reinterpret_cast<uintptr_t>(found.data()),
                            .max_runs = found.size(),
                            .inverted = scan_file,
                            .all_of = scan_file,
                            .any_of = scan_present | scan_swapped,
                            .returned = scan_present};
    const int count = scans_ ? ioctl(pagemap_, pagemap_scan, &arguments) : -1;
    if (count < 0 || arguments.walk_end <= at) {
      runs.clear();
      return false;
    }
    for (const ScanRun& run : std::span(found).first(static_cast<size_t>(count)))
      append(runs, piece.subspan(run.start - start, run.end - run.start));
    at = arguments.walk_end;
  }
  return true;
}

void RamSnapshot::read_entries(Piece piece, std::vector<Piece>& runs) const {
  std::array<uint64_t, 8192> entries;
  const size_t page = page_size(), count = piece.size() / page;
  const size_t first = reinterpret_cast<uintptr_t>(piece.data()) / page;
  for (size_t at = 0; at < count;) {
    const size_t wanted = std::min(entries.size(), count - at);
    const ssize_t got = pread(pagemap_, entries.data(), wanted * sizeof(uint64_t), static_cast<off_t>((first + at) * sizeof(uint64_t)));
    if (got < 0 && errno == EINTR) continue;
    if (got < static_cast<ssize_t>(sizeof(uint64_t))) fail("reading /proc/self/pagemap");
    for (size_t i = 0; i < static_cast<size_t>(got) / sizeof(uint64_t); i++, at++) {
      if ((entries[i] & (page_present | page_swapped)) != 0 && (entries[i] & page_of_file) == 0)
        append(runs, piece.subspan(at * page, page));
    }
  }
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

void RamSnapshot::unmap_clean(Piece piece) const {
  std::byte* at = piece.data();
  const auto unmap_to = [&](std::byte* end) {
    if (end > at) madvise(at, static_cast<size_t>(end - at), MADV_DONTNEED);
  };
  for (const Piece& run : private_pages(piece)) {
    unmap_to(run.data());
    at = run.data() + run.size();
  }
  unmap_to(piece.data() + piece.size());
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
  for (const Piece& piece : pieces_) {
    value = hash64(piece, value);
    if (mapped_) unmap_clean(piece);
  }
  return value;
}

}  // namespace softgen::debug
