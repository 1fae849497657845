// SPDX-License-Identifier: GPL-2.0-or-later
// One half of the GT's interrupts, up to 32 sources (TGL PRM vol 13, "Interrupt Aggregating Logic"):
//
//   collapsing register   a source's events that its class's enable let through. Those that its mask lets through make one event of the second level,
//                         the others stay until they are unmasked
//   second level          GT_INTR_DW. From its reading until it is wholly cleared new events go to secondary storage, which then takes its place
//   shared IIR            INTR_IDENTITY_REG: what IIR_REG_SELECTOR selected, until software clears Data Valid
//
// The owner's mutex guards it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "hw/base/archive.h"

namespace softgen::mmio {

class InterruptBank {
 public:
  static constexpr unsigned sources = 32;
  using Events = uint16_t;

  /// Events of a source that its class's enable let through.
  void post(unsigned source, Events events);
  /// The mask lets these events of the source through from now on.
  void set_open(unsigned source, Events open);

  /// GT_INTR_DW as software reads it: a snapshot for what follows.
  uint32_t read();
  /// Software writes ones. True: it went to zero and is set again.
  bool clear(uint32_t bits);
  /// Software asks for a source: the events that it takes from it. Nothing for what the manual forbids: not one source, one that GT_INTR_DW did
  /// not show when it was read, or while another is in service.
  std::optional<Events> select(uint32_t selector);
  /// Data Valid was cleared.
  void end_service() { served_ = false; }

  bool pending() const { return pending_ != 0; }
  /// Sources that have been loaded are among these, and events among those; the masks are not saved. `version`: of the tree's section.
  void state(Archive& archive, uint32_t version);
  bool has_only(uint32_t known, Events events) const;

 private:
  void signal(unsigned source);
  /// The sources with events that are not masked.
  uint32_t unmasked() const;

  std::array<Events, sources> collapsing_{}, open_{};
  uint32_t pending_ = 0, secondary_ = 0;
  uint32_t snapshot_ = 0;  ///< what software has read and serves
  bool served_ = false;    ///< the shared IIR is valid
};

}  // namespace softgen::mmio
