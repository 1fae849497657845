// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/run/ggtt.h"

#include <iterator>
#include <new>

namespace softgen::run {
namespace {

constexpr uint64_t page = 4096;

}  // namespace

// Page 0 is never allocated: a batch's null pointer refers to no object.
Ggtt::Ggtt(const GlobalTable& table, Registers registers, Arena& arena)
    : table_(table), registers_(registers), arena_(arena), free_{{1, table.pages - 1}} {
  if (!table_.has_scratch) return;
  const uint64_t scratch = arena_.allocate(page);
  if (!scratch) throw std::bad_alloc();
  unused_ = table_.entry(scratch);
  for (uint32_t i = 0; i < table_.pages; ++i) store(i, unused_);
}

void Ggtt::store(uint32_t page, uint64_t entry) const { registers_.write_entry(table_, page, entry); }

void Ggtt::write(uint32_t first, uint32_t pages, uint64_t gpa) {
  for (uint32_t i = 0; i < pages; ++i) store(first + i, table_.entry(gpa + page * i));
  if (table_.flush) registers_.write(table_.flush, 1);
  else registers_.read_entry(table_, first + pages - 1);
}

void Ggtt::take(std::map<uint32_t, uint32_t>::iterator range, uint32_t first, uint32_t pages) {
  const uint32_t start = range->first, end = start + range->second;
  free_.erase(range);
  if (first > start) free_[start] = first - start;
  if (end - first > pages) free_[first + pages] = end - first - pages;
}

std::optional<uint32_t> Ggtt::map(uint64_t gpa, uint32_t pages, uint32_t alignment) {
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    const uint32_t start = it->first, end = start + it->second;
    const uint64_t first = (uint64_t{start} + alignment - 1) / alignment * alignment;
    if (first > end || end - first < pages) continue;
    take(it, static_cast<uint32_t>(first), pages);
    write(static_cast<uint32_t>(first), pages, gpa);
    return static_cast<uint32_t>(first) << 12;
  }
  return std::nullopt;
}

bool Ggtt::map_at(uint32_t address, uint64_t gpa, uint32_t pages) {
  const uint32_t first = address >> 12;
  auto it = free_.upper_bound(first);
  if (it == free_.begin()) return false;
  --it;
  if (uint64_t{first} + pages > uint64_t{it->first} + it->second) return false;
  take(it, first, pages);
  write(first, pages, gpa);
  return true;
}

void Ggtt::unmap(uint32_t address, uint32_t pages) {
  const uint32_t first = address >> 12;
  for (uint32_t i = 0; i < pages; ++i) store(first + i, unused_);
  uint32_t start = first, count = pages;
  const auto after = free_.lower_bound(first);
  if (after != free_.begin() && std::prev(after)->first + std::prev(after)->second == first) {
    start = std::prev(after)->first;
    count += std::prev(after)->second;
  }
  if (after != free_.end() && after->first == first + pages) {
    count += after->second;
    free_.erase(after);
  }
  free_[start] = count;
}

GgttMemory Ggtt::allocate(uint32_t pages, uint32_t alignment) {
  GgttMemory memory{.gpa = arena_.allocate(page * pages), .pages = pages};
  if (!memory.gpa) throw std::bad_alloc();
  const auto address = map(memory.gpa, pages, alignment);
  if (!address) {
    arena_.release(memory.gpa, page * pages);
    throw std::bad_alloc();
  }
  memory.address = *address;
  return memory;
}

void Ggtt::free(const GgttMemory& memory) {
  unmap(memory.address, memory.pages);
  arena_.release(memory.gpa, page * memory.pages);
}

}  // namespace softgen::run
