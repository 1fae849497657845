// SPDX-License-Identifier: GPL-2.0-or-later
// The address space of a chip without tables per process: all contexts' objects are in the global table, beside the driver's own memory. An object is
// bound at its first use, and stays until its memory is gone or its place is needed (i915 gem/i915_gem_execbuffer.c, i915_gem_evict.c).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "hw/run/address_space.h"
#include "hw/run/ggtt.h"

namespace softgen::run {

class GlobalSpace final : public AddressSpace {
 public:
  explicit GlobalSpace(Ggtt& ggtt) : ggtt_(ggtt) {}

  uint64_t size() const override { return ggtt_.size(); }
  uint64_t root() const override { return 0; }
  void begin() override { ++call_; }
  int bind(const std::shared_ptr<Bo>& bo, Place& place) override;
  std::vector<FencePtr> pending() const override;
  bool evict_idle() override;

 private:
  struct Binding {
    std::weak_ptr<Bo> bo;
    uint32_t address = 0, pages = 0;
    uint64_t used = 0;  ///< number of the call that used it last
  };
  using Bindings = std::map<uint64_t, Binding>;

  int bind_anywhere(const Bo& bo, uint32_t pages, Place& place);
  int bind_at(const Bo& bo, uint32_t pages, const Place& place);
  void drop_dead();
  bool may_go(const Binding& binding) const;
  Bindings::iterator unbind(Bindings::iterator binding);
  bool evict_oldest();

  Ggtt& ggtt_;
  Bindings bindings_;  ///< by object
  uint64_t call_ = 0;
};

}  // namespace softgen::run
