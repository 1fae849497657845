// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/run/ppgtt.h"

#include <errno.h>

#include <atomic>
#include <iterator>
#include <new>

#include "hw/run/bo.h"

namespace softgen::run {
namespace {

constexpr uint64_t page = 4096;
constexpr uint64_t present_writable = 3;  // GEN8_PAGE_PRESENT | GEN8_PAGE_RW
constexpr uint64_t address_mask = 0x7f'ffff'f000;

void store(uint64_t* entry, uint64_t value) { std::atomic_ref(*entry).store(value, std::memory_order_release); }

}  // namespace

Ppgtt::Ppgtt(Arena& arena) : arena_(arena), pml4_(arena.allocate(page)) {
  if (!pml4_) throw std::bad_alloc();
  tables_.push_back(pml4_);
}

Ppgtt::~Ppgtt() {
  for (uint64_t table : tables_) arena_.release(table, page);
}

uint64_t* Ppgtt::entry(uint64_t va, bool create) {
  uint64_t table = pml4_;
  for (unsigned shift : {39u, 30u, 21u}) {
    uint64_t* e = reinterpret_cast<uint64_t*>(arena_.host(table)) + ((va >> shift) & 511);
    if (!(*e & 1)) {
      if (!create) return nullptr;
      const uint64_t next = arena_.allocate(page);
      if (!next) return nullptr;
      tables_.push_back(next);
      store(e, next | present_writable);
    }
    table = *e & address_mask;
  }
  return reinterpret_cast<uint64_t*>(arena_.host(table)) + ((va >> 12) & 511);
}

void Ppgtt::write_range(uint64_t va, uint64_t gpa, uint64_t size, bool present) {
  uint64_t* e = nullptr;
  for (uint64_t offset = 0; offset < size; offset += page, ++e) {
    if (!e || ((va + offset) >> 12 & 511) == 0) e = entry(va + offset, present);
    if (e) store(e, present ? (gpa + offset) | present_writable : 0);
    else if (!present) return;
  }
}

int Ppgtt::bind(const std::shared_ptr<Bo>& bo, Place& place) {
  uint64_t address = place.address;
  if (!place.pinned) {
    address = find(bo->id());
    if (address == ~uint64_t{0}) address = choose(bo->size(), place.high);
    if (address == ~uint64_t{0}) return -ENOSPC;
  }
  if (!bind(address, bo->gpa(), bo->size(), bo->id())) return -ENOMEM;
  place.address = address;
  return 0;
}

bool Ppgtt::bind(uint64_t va, uint64_t gpa, uint64_t size, uint64_t bo_id) {
  if (const auto same = bindings_.find(va); same != bindings_.end() && same->second.bo_id == bo_id) return true;
  unbind_bo(bo_id);
  auto it = bindings_.upper_bound(va);
  if (it != bindings_.begin() && std::prev(it)->first + std::prev(it)->second.size > va) --it;
  while (it != bindings_.end() && it->first < va + size) {
    const uint64_t victim = it->first;
    ++it;
    unbind(victim);
  }
  for (uint64_t offset = 0; offset < size; offset += page * 512)
    if (!entry(va + offset, true)) return false;
  if (!entry(va + size - page, true)) return false;
  write_range(va, gpa, size, true);
  bindings_[va] = {size, gpa, bo_id};
  address_of_[bo_id] = va;
  return true;
}

void Ppgtt::unbind(uint64_t va) {
  const auto it = bindings_.find(va);
  if (it == bindings_.end()) return;
  write_range(va, 0, it->second.size, false);
  address_of_.erase(it->second.bo_id);
  bindings_.erase(it);
}

void Ppgtt::unbind_bo(uint64_t bo_id) {
  const auto it = address_of_.find(bo_id);
  if (it != address_of_.end()) unbind(it->second);
}

uint64_t Ppgtt::find(uint64_t bo_id) const {
  const auto it = address_of_.find(bo_id);
  return it == address_of_.end() ? ~uint64_t{0} : it->second;
}

uint64_t Ppgtt::choose(uint64_t size, bool high) const {
  uint64_t candidate = high ? uint64_t{1} << 32 : page;
  const uint64_t end = high ? uint64_t{1} << 47 : uint64_t{1} << 32;
  auto it = bindings_.lower_bound(candidate);
  if (it != bindings_.begin() && std::prev(it)->first + std::prev(it)->second.size > candidate) --it;
  for (; it != bindings_.end() && it->first < candidate + size; ++it) candidate = it->first + it->second.size;
  return candidate + size <= end ? candidate : ~uint64_t{0};
}

}  // namespace softgen::run
