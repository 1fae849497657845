// SPDX-License-Identifier: GPL-2.0-or-later
// Guest memory for tests in which no access may stray: each guest page is a mapping of its own between two inaccessible pages, so that one
// byte beyond a page is a SIGSEGV, also where the next guest page follows. (One contiguous array would show a stray access at its two ends
// only.)
//
//   IsolatedMemory memory(64);
//   memory.write(0x2000, bytes);   // the state that every run starts from
//   memory.keep();
//   …run…; memory.restore();       // copies back the pages that were written, and no others
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <span>
#include <system_error>
#include <vector>

#include "hw/iface/host_memory.h"
#include "hw/memory/view.h"

namespace softgen::fuzz {

constexpr uint64_t page_size = 4096;

namespace detail {

[[noreturn]] inline void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

inline std::byte* map(void* at, size_t size, int protection, int flags, int fd = -1, off_t offset = 0) {
  void* const to = mmap(at, size, protection, flags, fd, offset);
  if (to == MAP_FAILED) fail("mmap");
  return static_cast<std::byte*>(to);
}

}  // namespace detail

/// `pages` pages, each between two inaccessible pages.
class GuardedPages {
 public:
  explicit GuardedPages(size_t pages) : size_((2 * pages + 1) * page_size) {
    fd_ = memfd_create("softgen-test", MFD_CLOEXEC);
    if (fd_ < 0 || ftruncate(fd_, static_cast<off_t>(pages * page_size)) != 0) detail::fail("memfd");
    // One mapping of all pages for the test itself, and the isolated ones over a reserved range.
    all_ = detail::map(nullptr, pages * page_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd_);
    area_ = detail::map(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
    for (size_t i = 0; i < pages; ++i)
      detail::map(page(i), page_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd_,
                  static_cast<off_t>(i * page_size));
    pages_ = pages;
  }
  ~GuardedPages() {
    munmap(area_, size_);
    munmap(all_, pages_ * page_size);
    close(fd_);
  }
  GuardedPages(const GuardedPages&) = delete;
  GuardedPages& operator=(const GuardedPages&) = delete;

  std::byte* page(size_t i) const { return area_ + (2 * i + 1) * page_size; }
  /// The same pages mapped contiguously, for the test's own accesses.
  std::span<std::byte> all() const { return {all_, pages_ * page_size}; }
  size_t count() const { return pages_; }
  void protect(size_t i, int protection) {
    if (mprotect(page(i), page_size, protection) != 0) detail::fail("mprotect");
  }

 private:
  int fd_ = -1;
  size_t size_, pages_ = 0;
  std::byte *all_ = nullptr, *area_ = nullptr;
};

/// Guest physical memory [0, pages * 4096), and nothing beyond. Runs are one page long. Any thread may resolve and mark pages.
class IsolatedMemory final : public HostMemory {
 public:
  explicit IsolatedMemory(size_t pages)
      : memory_(pages), kept_(pages * page_size), read_only_(pages), written_(std::make_unique<std::atomic<bool>[]>(pages)), list_(pages) {}

  uint64_t size() const { return memory_.count() * page_size; }

  /// ROM from now on: not written by the guest, and a write that is tried all the same is a SIGSEGV.
  void make_read_only(size_t page) {
    memory_.protect(page, PROT_READ);
    read_only_[page] = 1;
    advance_epoch();
  }

  /// The test's own accesses. Writes count as written pages.
  std::span<const std::byte> all() const { return memory_.all(); }
  std::byte* for_write(uint64_t gpa, uint64_t bytes) {
    mark_dirty(gpa, bytes);
    return memory_.all().subspan(gpa, bytes).data();
  }
  void write(uint64_t gpa, std::span<const std::byte> bytes) {
    if (!bytes.empty()) std::memcpy(for_write(gpa, bytes.size()), bytes.data(), bytes.size());
  }
  template <typename T>
  void store(uint64_t gpa, const T& value) {
    std::memcpy(for_write(gpa, sizeof value), &value, sizeof value);
  }

  /// What memory holds now is what restore() brings back.
  void keep() {
    std::ranges::copy(memory_.all(), kept_.begin());
    forget();
  }
  /// Pages written since keep() or restore(), in the order of their first write.
  std::span<const uint32_t> written() const { return {list_.data(), std::min<size_t>(count_, list_.size())}; }
  /// What keep() has seen.
  std::span<const std::byte> kept() const { return kept_; }
  /// In time proportional to written(). No other thread may be using the memory.
  void restore() {
    for (const uint32_t page : written()) std::memcpy(memory_.all().data() + page * page_size, kept_.data() + page * page_size, page_size);
    forget();
  }

  HostSpan resolve(uint64_t gpa, Access access) override {
    const uint64_t page = gpa / page_size;
    if (page >= memory_.count() || (access == Access::write && read_only_[page])) return {};
    return {memory_.page(page) + gpa % page_size, page_size - gpa % page_size};
  }
  void mark_dirty(uint64_t gpa, uint64_t bytes) override {
    for (uint64_t page = gpa / page_size; page * page_size < gpa + bytes && page < memory_.count(); ++page)
      if (!written_[page].exchange(true, std::memory_order_relaxed)) list_[count_++] = static_cast<uint32_t>(page);
  }

 private:
  void forget() {
    for (const uint32_t page : written()) written_[page] = false;
    count_ = 0;
    // TLBs have pages that need not be marked again.
    advance_epoch();
  }

  GuardedPages memory_;
  std::vector<std::byte> kept_;
  std::vector<uint8_t> read_only_;
  std::unique_ptr<std::atomic<bool>[]> written_;
  std::vector<uint32_t> list_;
  std::atomic<uint32_t> count_{0};
};

/// As long as it lives, what views read and write where no memory is lies between inaccessible pages, too. One at a time.
class GuardedNowhere {
 public:
  GuardedNowhere() {
    pages_.protect(0, PROT_READ);
    memory::View::set_nowhere({pages_.page(0), pages_.page(1)});
  }
  ~GuardedNowhere() { memory::View::set_nowhere({}); }

 private:
  GuardedPages pages_{2};
};

}  // namespace softgen::fuzz
