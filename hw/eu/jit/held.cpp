// SPDX-License-Identifier: GPL-2.0-or-later
// Results that are not merged with the values of inactive channels yet. An operation of all active channels keeps its vector unmerged, and
// the next operation of the same channels uses that. It is merged before other channels are read and at the end of the block. Without this
// each operation under a mask would canonicalize and blend, which doubles its code.
#include <algorithm>

#include "hw/eu/jit/emitter.h"

namespace softgen::eu::jit {

/// Channels of group k of an op that is executed by all active channels; none for other ops.
Channels Emitter::running_channels(const Op& op, unsigned k) {
  // The predicate of sel chooses; it does not mask.
  if (op.no_mask || (op.pred && !(op.opcode == Opcode::sel && !op.cond))) return {};
  const unsigned lanes = lanes_of(op);
  return {active(), op.shift + lanes * k, lanes};
}

bool Emitter::is_held(unsigned s, const Channels& by) const {
  return slots_[s].held && by.active && held_[slots_[s].held - 1].channels == by;
}

/// Stores `v` to slot `s` (with sixteen lanes to the next one, too) in the channels of `where`; the other channels keep their values.
void Emitter::hold(unsigned s, Value v, Value where, uint8_t raw, const Channels& channels) {
  const unsigned count = channels.lanes / 8;
  bool again = true;
  for (unsigned n = s; n < s + count; n++) again = again && slots_[n].held == s + 1 && held_[s].channels == channels;
  if (!again) {
    for (unsigned n = s; n < s + count; n++) slot(n);
    uint8_t common = raw_both;
    for (unsigned n = s; n < s + count; n++) common &= slots_[n].raw;
    for (unsigned n = s; n < s + count; n++) canonicalize_now(n, static_cast<uint8_t>(live_after(n) & ~common));
    held_[s] = {count == 2 ? pair(s) : slot(s), where, channels, common};
  }
  for (unsigned n = s; n < s + count; n++) slots_[n].held = 0;
  bool entered[2];
  for (unsigned n = 0; n < count; n++) {
    entered[n] = slots_[s + n].entered;
    slots_[s + n].carried &= raw;
  }
  if (count == 2) set_pair(s, v, raw);
  else set_slot(s, v, raw);
  for (unsigned n = 0; n < count; n++) {
    slots_[s + n].entered = entered[n];
    slots_[s + n].held = static_cast<uint16_t>(s + 1);
  }
}

/// `live`: raw flags that may be observed.
void Emitter::merge_held(unsigned s, uint8_t live) {
  if (!slots_[s].held) return;
  const unsigned first = slots_[s].held - 1u;
  const Held& held = held_[first];
  const unsigned count = held.channels.lanes / 8;
  uint8_t common = held.raw;
  for (unsigned n = first; n < first + count; n++) {
    slots_[n].held = 0;
    common &= slots_[n].raw;
  }
  for (unsigned n = first; n < first + count; n++) canonicalize_now(n, static_cast<uint8_t>(live & ~common));
  Value under = held.under;
  if (const auto surplus = static_cast<uint8_t>(held.raw & ~common & live)) under = ir_.as_ints(canonical_value(under, surplus));
  const Value over = count == 2 ? pair(first) : slots_[first].value;
  // As floats, so that LLVM folds the select into a masked operation.
  const Value merged = ir_.as_ints(ir_.select(held.where, ir_.as_floats(over), ir_.as_floats(under)));
  bool entered[2];
  for (unsigned n = 0; n < count; n++) entered[n] = slots_[first + n].entered;
  if (count == 2) set_pair(first, merged, common);
  else set_slot(first, merged, common);
  for (unsigned n = 0; n < count; n++) slots_[first + n].entered = entered[n];
}

/// At the end of a block; `end`: its last op.
void Emitter::merge_all_held(size_t end) {
  for (unsigned s = 0; s < slot_count; s++) {
    if (!slots_[s].held) continue;
    uint8_t live = raw_both;
    if (known_) {
      live = known_->raw.live_after(end, s);
      if (held_[slots_[s].held - 1].channels.lanes == 16) live |= known_->raw.live_after(end, s + 1);
    }
    merge_held(s, live);
  }
}

}  // namespace softgen::eu::jit
