// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/memory/flat_memory.h"

#include <algorithm>

#include "hw/base/bits.h"

namespace softgen::memory {
namespace {

constexpr uint64_t pages_per_word = 64;

uint64_t word_count(uint64_t bytes) { return (bytes / FlatMemory::page_size + pages_per_word - 1) / pages_per_word; }

}  // namespace

void FlatMemory::add(uint64_t gpa, uint64_t size, void* host, bool readonly) {
  const uint64_t skip = align_up(gpa, page_size) - gpa;
  if (size < skip + page_size) return;
  const uint64_t whole = align_down(size - skip, page_size);
  gpa += skip;
  remove(gpa, whole);
  const auto at = std::upper_bound(staged_.begin(), staged_.end(), gpa, [](uint64_t a, const Region& r) { return a < r.gpa; });
  staged_.insert(at, {gpa, whole, static_cast<std::byte*>(host) + skip, readonly});
}

void FlatMemory::remove(uint64_t gpa, uint64_t size) {
  const uint64_t end = gpa + size;
  std::vector<Region> kept;
  kept.reserve(staged_.size() + 1);
  for (const Region& r : staged_) {
    if (r.end() <= gpa || r.gpa >= end) {
      kept.push_back(r);
      continue;
    }
    // A page that is half gone is gone.
    if (r.gpa < gpa) {
      const uint64_t left = align_down(gpa - r.gpa, page_size);
      if (left) kept.push_back({r.gpa, left, r.host, r.readonly});
    }
    if (r.end() > end) {
      const uint64_t from = align_up(end - r.gpa, page_size);
      if (from < r.size) kept.push_back({r.gpa + from, r.size - from, r.host + from, r.readonly});
    }
  }
  staged_ = std::move(kept);
}

void FlatMemory::commit() {
  regions_ = staged_;
  // Pages written but not yet synced are not lost: a map change while logging makes all of them count as
  // written.
  const bool logging = log_on_.load();
  dirty_.clear();
  if (logging) {
    allocate_log();
    for (size_t i = 0; i < regions_.size(); ++i)
      if (!regions_[i].readonly)
        for (uint64_t page = 0; page < regions_[i].size / page_size; ++page)
          dirty_[i].words[page / pages_per_word].fetch_or(uint64_t{1} << page % pages_per_word, std::memory_order_relaxed);
  }
  advance_epoch();
}

void FlatMemory::allocate_log() {
  dirty_.resize(regions_.size());
  for (size_t i = 0; i < regions_.size(); ++i) dirty_[i].words = std::make_unique<std::atomic<uint64_t>[]>(word_count(regions_[i].size));
}

void FlatMemory::dirty_log(bool on) {
  dirty_.clear();
  if (on) allocate_log();
  log_on_.store(on);
  advance_epoch();
}

void FlatMemory::dirty_sync(uint64_t gpa, uint64_t size, const std::function<void(uint64_t, uint64_t)>& dirty) {
  if (!log_on_.load()) return;
  const uint64_t end = gpa + size;
  for (size_t i = 0; i < regions_.size(); ++i) {
    const Region& r = regions_[i];
    const uint64_t from = std::max(r.gpa, align_down(gpa, page_size));
    const uint64_t to = std::min(r.end(), align_up(end, page_size));
    uint64_t run = 0;  // bytes of the run that ends at `at`
    uint64_t at = from;
    for (; at < to; at += page_size) {
      const uint64_t page = (at - r.gpa) / page_size;
      auto& word = dirty_[i].words[page / pages_per_word];
      const uint64_t mask = uint64_t{1} << page % pages_per_word;
      const bool was = word.load(std::memory_order_relaxed) & mask;
      if (was) word.fetch_and(~mask, std::memory_order_relaxed);
      if (was) {
        run += page_size;
      } else if (run) {
        dirty(at - run, run);
        run = 0;
      }
    }
    if (run) dirty(at - run, run);
  }
  advance_epoch();
}

const FlatMemory::Region* FlatMemory::find(uint64_t gpa) const {
  auto it = std::upper_bound(regions_.begin(), regions_.end(), gpa, [](uint64_t a, const Region& r) { return a < r.gpa; });
  if (it == regions_.begin()) return nullptr;
  --it;
  return gpa < it->end() ? &*it : nullptr;
}

HostSpan FlatMemory::resolve(uint64_t gpa, Access access) {
  const Region* r = find(gpa);
  if (!r || (access == Access::write && r->readonly)) return {};
  return {r->host + (gpa - r->gpa), r->end() - gpa};
}

void FlatMemory::mark_dirty(uint64_t gpa, uint64_t size) {
  if (!log_on_.load(std::memory_order_relaxed) || size == 0) return;
  for (uint64_t at = align_down(gpa, page_size); at < gpa + size; at += page_size) {
    const Region* r = find(at);
    if (!r) continue;
    const uint64_t page = (at - r->gpa) / page_size;
    dirty_[static_cast<size_t>(r - regions_.data())].words[page / pages_per_word].fetch_or(uint64_t{1} << page % pages_per_word,
                                                                                           std::memory_order_relaxed);
  }
}

}  // namespace softgen::memory
