// SPDX-License-Identifier: GPL-2.0-or-later
// Command transport buffers (i915 gt/uc/abi/guc_communication_ctb_abi.h): rings of messages in memory, one to the GuC and one to the host. The reader owns
// the head, the writer the tail, both in dwords; either side reports an error in the descriptor's status, which ends the traffic.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "hw/base/archive.h"
#include "hw/defs/guc_abi.h"
#include "hw/guc/messages.h"
#include "hw/memory/view.h"

namespace softgen::guc {

/// Where a buffer is: GGTT addresses, bytes.
struct CtbPlace {
  uint64_t descriptor = 0, buffer = 0;
  uint32_t bytes = 0;

  /// Chosen: no driver has more (xe 128 KiB). It bounds what one interrupt of the host makes the GuC do.
  static constexpr uint32_t max_bytes = 256 << 10;
  /// Both are whole, in memory of the GuC, and of a size that the ABI has.
  bool fits(const AddressRange& memory) const;
  void state(Archive& archive);
};

/// A message: fence and HXG dwords.
struct CtbMessage {
  uint32_t fence = 0, count = 0;
  std::array<uint32_t, defs::guc::ctb_dwords.mask()> dwords{};

  std::span<const uint32_t> hxg() const { return std::span(dwords).first(count); }
};

/// What both sides of a buffer have: its place, how far this side is, and whether it is in use.
class Ctb {
 public:
  explicit Ctb(uint32_t own_index) : own_index_(own_index) {}
  /// Begins where the descriptor says. False: the descriptor has an index beyond the buffer.
  bool open(memory::View& ggtt, const CtbPlace& place);
  void close() { open_ = false; }
  bool is_open() const { return open_; }
  void state(Archive& archive);

 protected:
  uint32_t size() const { return place_.bytes / 4; }
  uint64_t dword(uint32_t index) const { return place_.buffer + uint64_t{index} * 4; }
  uint32_t advanced(uint32_t index, uint32_t by) const { return (index + by) % size(); }
  /// Ends the traffic with a bit of the descriptor's status.
  void fail(memory::View& ggtt, defs::guc::CtbStatus status);
  /// The traffic has ended, or the other side has changed this side's index: then it does.
  bool is_disturbed(memory::View& ggtt);

  CtbPlace place_;
  uint32_t own_ = 0;  ///< this side's index
  bool open_ = false;

 private:
  const uint32_t own_index_;  ///< where it is in the descriptor
};

class CtbReader : public Ctb {
 public:
  CtbReader() : Ctb(defs::guc::ctb_head) {}
  /// Dwords that wait. 0 also when the traffic has ended.
  uint32_t available(memory::View& ggtt);
  /// The next message, of `available` dwords that wait, which become fewer. False: there is none, or it is nonsense.
  bool next(memory::View& ggtt, uint32_t& available, CtbMessage& message);
};

class CtbWriter : public Ctb {
 public:
  CtbWriter() : Ctb(defs::guc::ctb_tail) {}
  /// False: the traffic has ended, for want of room, too.
  bool send(memory::View& ggtt, uint32_t fence, std::span<const uint32_t> hxg);
};

}  // namespace softgen::guc
