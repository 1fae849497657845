// SPDX-License-Identifier: GPL-2.0-or-later
// A program's GPU address space: four-level page tables with 4 KiB pages (i915 gt/gen8_ppgtt.c has the layout).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "hw/run/address_space.h"
#include "hw/run/arena.h"

namespace softgen::run {

class Ppgtt final : public AddressSpace {
 public:
  /// Throws std::bad_alloc when the arena is full.
  explicit Ppgtt(Arena& arena);
  ~Ppgtt() override;

  uint64_t size() const override { return uint64_t{1} << 48; }
  uint64_t root() const override { return pml4_; }
  int bind(const std::shared_ptr<Bo>& bo, Place& place) override;

  struct Binding {
    uint64_t size;
    uint64_t gpa;
    uint64_t bo_id;
  };

  /// Maps [gpa, gpa + size) at `va` (48 bits, page aligned). Whatever was bound in that range is unbound first. False: no memory for tables.
  bool bind(uint64_t va, uint64_t gpa, uint64_t size, uint64_t bo_id);
  void unbind(uint64_t va);
  /// Unbinds all of one buffer object.
  void unbind_bo(uint64_t bo_id);
  /// Address at which the buffer is bound, or ~0.
  uint64_t find(uint64_t bo_id) const;
  /// A free range for clients that leave the choice to the kernel (no EXEC_OBJECT_PINNED); below 4 GiB unless `high`. ~0: none.
  uint64_t choose(uint64_t size, bool high) const;

 private:
  uint64_t* entry(uint64_t va, bool create);
  void write_range(uint64_t va, uint64_t gpa, uint64_t size, bool present);

  Arena& arena_;
  uint64_t pml4_ = 0;
  std::vector<uint64_t> tables_;
  std::map<uint64_t, Binding> bindings_;     // by address
  std::map<uint64_t, uint64_t> address_of_;  // buffer -> address
};

}  // namespace softgen::run
