// SPDX-License-Identifier: GPL-2.0-or-later
// Where a context's objects are for its batches. Guarded by the driver's lock.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hw/run/fence.h"

namespace softgen::run {

class Bo;

/// What an entry of EXECBUFFER2 says of an object's place.
struct Place {
  bool pinned = false;     ///< at `address`, and nowhere else
  bool high = false;       ///< beyond 4 GiB is all right
  uint64_t address = 0;    ///< without sign; page aligned
  uint64_t alignment = 0;  ///< bytes, a power of two; 0: a page
};

class AddressSpace {
 public:
  AddressSpace() = default;
  virtual ~AddressSpace() = default;
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  /// Bytes.
  virtual uint64_t size() const = 0;
  /// Guest physical address of the first table, which a context's image names; 0: the global one.
  virtual uint64_t root() const = 0;
  /// A call of EXECBUFFER2 places its objects from here on: none of them makes room for another.
  virtual void begin() {}
  /// Binds an object, if it is not; `place.address` becomes where it is. 0, -EINVAL, -ENOMEM (no memory for tables) or -ENOSPC.
  virtual int bind(const std::shared_ptr<Bo>& bo, Place& place) = 0;
  /// After -ENOSPC: what work the bound objects are in.
  virtual std::vector<FencePtr> pending() const { return {}; }
  /// Unbinds all that no work uses. False: there was nothing.
  virtual bool evict_idle() { return false; }
};

}  // namespace softgen::run
