// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/memory/view.h"

#include <algorithm>

#include "hw/base/log.h"

namespace softgen::memory {
namespace {

// A page, and as much after it: an access must not cross a page's end; one that does reads zeros.
alignas(View::page_size) const std::byte zeros[2 * View::page_size] = {};
const std::atomic<uint64_t> unchanging{1};
std::atomic<uint64_t> views{0};
View::Nowhere test_nowhere;

}  // namespace

View::View(HostMemory& memory, FaultSink* sink, EngineId engine)
    : memory_(memory), sink_(sink), engine_(engine), generation_(&unchanging), number_(++views), tlb_{} {}

void View::set_nowhere(const Nowhere& pages) { test_nowhere = pages; }

void View::set_space(const AddressSpace& space) {
  if (space == space_) return;
  space_ = space;
  generation_ = space.generation ? space.generation : &unchanging;
  seen_ = generation_->load(std::memory_order_acquire);
  invalidate();
}

void View::invalidate() {
  ++round_;
  stamp_ += uint64_t{1} << vpn_bits;
  if (stamp_) return;
  // The stamp wrapped: tags of its last round could match again.
  for (auto& side : tlb_) side.fill({});
  for (auto& side : runs_) side.fill({});
  stamp_ = uint64_t{1} << vpn_bits;
}

void View::revalidate() {
  // Read before walking: a change during the walk is seen at the next access.
  epoch_ = memory_.epoch();
  seen_ = generation_->load(std::memory_order_acquire);
  invalidate();
}

HostSpan View::pages_of(const Translation& t, Access access) {
  const HostSpan span = memory_.resolve(t.gpa, access);
  return {span.data, span.data ? std::min(t.run, align_down(span.size, page_size)) : 0};
}

void View::note_write(uint64_t gpa, std::byte* first, uint64_t size) {
  memory_.mark_dirty(gpa, size);
  if (sink_) sink_->before_write(first, size);
}

std::byte* View::miss(uint64_t vpn, Access access) {
  Run& run = runs_[static_cast<size_t>(access)][vpn / max_run % runs_[0].size()];
  if (run.stamp != stamp_ || vpn - run.first >= run.pages) {
    const uint64_t va = vpn << 12;
    const Translation t = translate(space_, memory_, va, (max_run - vpn % max_run) * page_size);
    if (!t.valid && !t.null) return fault(vpn, access, t.fault);
    if (t.null) {
      if (access == Access::read) ++null_reads_;
      return nowhere(access);
    }
    if (access == Access::write && !t.writable) {
      guest_error("write to a read-only page");
      return nowhere(access);
    }
    const HostSpan span = pages_of(t, access);
    if (!span.size) return fault(vpn, access, FaultType::invalid_pte);
    run = {stamp_, vpn, span.size / page_size, t.gpa, span.data};
  }
  const uint64_t offset = (vpn - run.first) * page_size;
  std::byte* const page = run.host + offset;
  if (access == Access::write) note_write(run.gpa + offset, page, page_size);
  Entry& entry = tlb_[static_cast<size_t>(access)][(vpn ^ vpn >> tlb_bits) & ((1u << tlb_bits) - 1)];
  entry = {stamp_ | vpn, page};
  return page;
}

std::byte* View::fault(uint64_t vpn, Access access, FaultType type) {
  ++faults_;
  if (sink_) sink_->fault({vpn << 12, type, access, space_.kind == AddressSpace::Kind::ggtt, engine_});
  return nowhere(access);
}

std::byte* View::nowhere(Access access) {
  if (test_nowhere.zeros) [[unlikely]] {
    if (access == Access::read) return const_cast<std::byte*>(test_nowhere.zeros);
    std::memset(test_nowhere.dropped, 0, page_size);
    return test_nowhere.dropped;
  }
  if (access == Access::read) return const_cast<std::byte*>(zeros);  // callers of Access::read get it as const
  constexpr uint64_t alignment = 64;
  // As with zeros: a page more than may be written.
  if (!dropped_) dropped_ = std::make_unique<std::byte[]>(2 * page_size + alignment);
  auto* const page = reinterpret_cast<std::byte*>(align_up(reinterpret_cast<uintptr_t>(dropped_.get()), uintptr_t{alignment}));
  std::memset(page, 0, page_size);
  return page;
}

const std::byte* View::piece(uint64_t va, uint64_t size) {
  const uint64_t start = va & ~(page_size - 1), end = align_up(va + size, page_size);
  const std::byte* first = nullptr;
  // By runs, not by pages: a texture may have half a million of them.
  for (uint64_t at = start; at < end;) {
    const Translation t = translate(space_, memory_, strip_canonical(at), end - at);
    if (!t.valid) return nullptr;
    const HostSpan span = pages_of(t, Access::read);
    if (!span.size) return nullptr;
    if (!first) first = span.data;
    if (span.data != first + (at - start)) return nullptr;
    at += span.size;
  }
  return first ? first + (va - start) : nullptr;
}

View::Stretch View::stretch(uint64_t va, uint64_t max_bytes, Access access) {
  stamp();
  const Translation t = translate(space_, memory_, align_down(va, page_size), max_bytes);
  if (!t.valid || (access == Access::write && !t.writable)) return {};
  const HostSpan span = pages_of(t, access);
  if (!span.size) return {};
  if (access == Access::write) note_write(t.gpa, span.data, span.size);
  return {span.data, span.size, epoch_, seen_};
}

std::vector<uint64_t> View::translated(size_t max_pages) const {
  std::vector<uint64_t> pages;
  constexpr uint64_t vpn_mask = (uint64_t{1} << vpn_bits) - 1;
  for (const auto& side : tlb_)
    for (const Entry& entry : side)
      if ((entry.tag & ~vpn_mask) == stamp_) pages.push_back((entry.tag & vpn_mask) << 12);
  std::ranges::sort(pages);
  pages.erase(std::unique(pages.begin(), pages.end()), pages.end());  // clang 14 does not take std::ranges::unique's answer
  if (pages.size() > max_pages) pages.resize(max_pages);
  return pages;
}

void View::read(uint64_t va, void* dst, uint64_t size) {
  auto* to = static_cast<std::byte*>(dst);
  while (size) {
    uint64_t left;
    const std::byte* from = at(va, left);
    const uint64_t n = std::min(size, left);
    std::memcpy(to, from, n);
    va += n, to += n, size -= n;
  }
}

void View::write(uint64_t va, const void* src, uint64_t size) {
  const auto* from = static_cast<const std::byte*>(src);
  while (size) {
    uint64_t left;
    std::byte* to = at_for_write(va, left);
    const uint64_t n = std::min(size, left);
    std::memcpy(to, from, n);
    va += n, from += n, size -= n;
  }
}

void View::fill(uint64_t va, uint8_t byte, uint64_t size) {
  while (size) {
    uint64_t left;
    std::byte* to = at_for_write(va, left);
    const uint64_t n = std::min(size, left);
    std::memset(to, byte, n);
    va += n, size -= n;
  }
}

}  // namespace softgen::memory
