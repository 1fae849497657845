// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/run/global_space.h"

#include <errno.h>

#include <algorithm>

#include "hw/run/bo.h"

namespace softgen::run {
namespace {

constexpr uint64_t page = 4096;

/// Work that is queued or runs with it. None: it is idle.
std::vector<FencePtr> work_of(const Bo& bo) {
  std::vector<FencePtr> fences;
  const auto add = [&](const FencePtr& fence) {
    if (fence && !FenceClock::get().signalled(fence)) fences.push_back(fence);
  };
  add(bo.last_write);
  std::ranges::for_each(bo.last_reads, add);
  return fences;
}

}  // namespace

int GlobalSpace::bind(const std::shared_ptr<Bo>& bo, Place& place) {
  const uint64_t alignment = place.alignment ? place.alignment : page;
  if (alignment & (alignment - 1)) return -EINVAL;
  if (place.pinned && (place.address >= size() || bo->size() > size() - place.address)) return -EINVAL;
  if (bo->size() > size() || alignment > size()) return -ENOSPC;
  const auto bound = bindings_.find(bo->id());
  if (bound != bindings_.end()) {
    Binding& binding = bound->second;
    const bool fits = place.pinned ? binding.address == place.address : binding.address % alignment == 0;
    if (fits) {
      binding.used = call_;
      place.address = binding.address;
      return 0;
    }
    if (!may_go(binding)) return -ENOSPC;
    unbind(bound);
  }
  drop_dead();
  const auto pages = static_cast<uint32_t>(bo->size() / page);
  place.alignment = alignment;
  if (const int error = place.pinned ? bind_at(*bo, pages, place) : bind_anywhere(*bo, pages, place)) return error;
  bindings_[bo->id()] = {bo, static_cast<uint32_t>(place.address), pages, call_};
  return 0;
}

int GlobalSpace::bind_anywhere(const Bo& bo, uint32_t pages, Place& place) {
  const auto alignment = static_cast<uint32_t>(std::max(place.alignment, page) / page);
  do {
    if (const auto address = ggtt_.map(bo.gpa(), pages, alignment)) return place.address = *address, 0;
  } while (evict_oldest());
  return -ENOSPC;
}

int GlobalSpace::bind_at(const Bo& bo, uint32_t pages, const Place& place) {
  for (auto it = bindings_.begin(); it != bindings_.end();) {
    const Binding& other = it->second;
    const bool overlaps = other.address < place.address + bo.size() && place.address < other.address + other.pages * page;
    if (overlaps && !may_go(other)) return -ENOSPC;
    it = overlaps ? unbind(it) : std::next(it);
  }
  return ggtt_.map_at(static_cast<uint32_t>(place.address), bo.gpa(), pages) ? 0 : -ENOSPC;
}

/// Entries of objects that are gone; work keeps its objects.
void GlobalSpace::drop_dead() {
  for (auto it = bindings_.begin(); it != bindings_.end();) it = it->second.bo.expired() ? unbind(it) : std::next(it);
}

bool GlobalSpace::may_go(const Binding& binding) const {
  const std::shared_ptr<Bo> bo = binding.bo.lock();
  return !bo || (binding.used != call_ && work_of(*bo).empty());
}

GlobalSpace::Bindings::iterator GlobalSpace::unbind(Bindings::iterator binding) {
  ggtt_.unmap(binding->second.address, binding->second.pages);
  return bindings_.erase(binding);
}

bool GlobalSpace::evict_oldest() {
  auto oldest = bindings_.end();
  for (auto it = bindings_.begin(); it != bindings_.end(); ++it)
    if (may_go(it->second) && (oldest == bindings_.end() || it->second.used < oldest->second.used)) oldest = it;
  if (oldest == bindings_.end()) return false;
  unbind(oldest);
  return true;
}

std::vector<FencePtr> GlobalSpace::pending() const {
  std::vector<FencePtr> all;
  for (const auto& [id, binding] : bindings_)
    if (const std::shared_ptr<Bo> bo = binding.bo.lock()) std::ranges::move(work_of(*bo), std::back_inserter(all));
  return all;
}

bool GlobalSpace::evict_idle() {
  ++call_;
  const size_t before = bindings_.size();
  for (auto it = bindings_.begin(); it != bindings_.end();) it = may_go(it->second) ? unbind(it) : std::next(it);
  return bindings_.size() != before;
}

}  // namespace softgen::run
