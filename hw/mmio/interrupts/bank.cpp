// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/mmio/interrupts/bank.h"

#include <bit>
#include <utility>

#include "hw/base/log.h"

namespace softgen::mmio {

void InterruptBank::post(unsigned source, Events events) {
  collapsing_[source] |= events;
  if (events & open_[source]) signal(source);
}

void InterruptBank::set_open(unsigned source, Events open) {
  const Events unmasked = open & ~open_[source];
  open_[source] = open;
  if (collapsing_[source] & unmasked) signal(source);
}

void InterruptBank::signal(unsigned source) { (snapshot_ ? secondary_ : pending_) |= 1u << source; }

uint32_t InterruptBank::unmasked() const {
  uint32_t found = 0;
  for (unsigned source = 0; source < sources; ++source)
    if (collapsing_[source] & open_[source]) found |= 1u << source;
  return found;
}

uint32_t InterruptBank::read() {
  snapshot_ = pending_;
  return pending_;
}

// What software cleared without serving it is not lost: its events are still in the collapsing registers.
bool InterruptBank::clear(uint32_t bits) {
  const uint32_t cleared = pending_ & bits;
  pending_ &= ~bits;
  if (pending_ || !cleared) return false;
  snapshot_ = 0;
  pending_ = std::exchange(secondary_, 0) | unmasked();
  return pending_ != 0;
}

std::optional<InterruptBank::Events> InterruptBank::select(uint32_t selector) {
  const uint32_t shown = snapshot_ ? snapshot_ : pending_;
  if (!std::has_single_bit(selector) || !(selector & shown) || served_) {
    guest_error("interrupt selector", "{:#x} of {:#x}{}", selector, shown, served_ ? " while another is in service" : "");
    return std::nullopt;
  }
  const auto source = static_cast<unsigned>(std::countr_zero(selector));
  const Events taken = collapsing_[source] & open_[source];
  collapsing_[source] &= ~taken;
  served_ = true;
  return taken;
}

bool InterruptBank::has_only(uint32_t known, Events events) const {
  if ((pending_ | secondary_ | snapshot_) & ~known) return false;
  for (unsigned source = 0; source < sources; ++source)
    if (collapsing_[source] & ~(known >> source & 1 ? events : 0)) return false;
  return true;
}

// Before version 4 it was kept only whether there is a snapshot.
void InterruptBank::state(Archive& archive, uint32_t version) {
  archive.value(collapsing_);
  archive.value(pending_);
  archive.value(secondary_);
  if (version >= 4) {
    archive.value(snapshot_);
  } else {
    bool taken = false;
    archive.value(taken);
    snapshot_ = taken ? pending_ : 0;
  }
  archive.value(served_);
}

}  // namespace softgen::mmio
