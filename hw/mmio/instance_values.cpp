// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/mmio/instance_values.h"

#include <utility>

namespace softgen::mmio {

std::optional<uint32_t> InstanceValues::find(uint32_t offset, unsigned instance) const {
  if (empty()) return std::nullopt;
  MutexLock lock(mutex_);
  const auto found = values_.find(key(offset, instance));
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

void InstanceValues::set(uint32_t offset, unsigned instance, uint32_t value) {
  MutexLock lock(mutex_);
  values_[key(offset, instance)] = value;
  empty_.store(false, std::memory_order_release);
}

void InstanceValues::update(uint32_t offset, const std::function<uint32_t(uint32_t)>& next) {
  if (empty()) return;
  MutexLock lock(mutex_);
  const auto end = values_.lower_bound(key(offset, max_instances));
  for (auto at = values_.lower_bound(key(offset, 0)); at != end; ++at) at->second = next(at->second);
}

void InstanceValues::drop(uint32_t offset) {
  if (empty()) return;
  MutexLock lock(mutex_);
  values_.erase(values_.lower_bound(key(offset, 0)), values_.lower_bound(key(offset, max_instances)));
  empty_.store(values_.empty(), std::memory_order_release);
}

void InstanceValues::clear() {
  MutexLock lock(mutex_);
  values_.clear();
  empty_.store(true, std::memory_order_release);
}

void InstanceValues::state(Archive& archive, const std::function<bool(uint32_t offset, unsigned instance)>& valid) {
  constexpr uint32_t limit = 1 << 16;
  if (archive.reading()) clear();
  MutexLock lock(mutex_);
  const uint32_t n = archive.count(static_cast<uint32_t>(values_.size()), limit);
  if (!archive.reading()) {
    for (const auto& entry : values_) {
      auto [place, value] = std::pair<uint32_t, uint32_t>(entry);
      archive.value(place);
      archive.value(value);
    }
    return;
  }
  for (uint32_t i = 0; i < n && !archive.failed(); ++i) {
    uint32_t place = 0, value = 0;
    archive.value(place);
    archive.value(value);
    if (archive.failed()) break;
    if (!valid(place / max_instances, place % max_instances))
      return archive.fail("an instance of a register in the saved state is not there");
    values_[place] = value;
  }
  empty_.store(values_.empty(), std::memory_order_release);
}

}  // namespace softgen::mmio
