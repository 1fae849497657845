// SPDX-License-Identifier: GPL-2.0-or-later
// The display engine as the device and its front end see it. Implementations register their hooks when they are made. docs/display.md.
#pragma once

#include <cstdint>
#include <memory>

#include "hw/display/picture.h"
#include "hw/iface/display_events.h"
#include "hw/iface/host.h"
#include "hw/iface/host_memory.h"
#include "hw/memory/ggtt.h"
#include "hw/mmio/interrupts.h"
#include "hw/mmio/register_file.h"
#include "softgen/softgen.h"

namespace softgen::display {

/// What a display is plugged into. All of it outlives the display.
struct DisplayLinks {
  mmio::RegisterFile& registers;
  mmio::Interrupts& interrupts;
  Host& host;
  HostMemory& memory;
  const memory::Ggtt& ggtt;
};

constexpr unsigned max_pipes = 4;

struct DisplayConfig {
  unsigned pipes;          ///< at most max_pipes
  uint32_t connected = 0;  ///< bit i: a monitor on connector i
  bool threaded = false;   ///< frames are composed on a thread
};

class Display : public DisplayEvents {
 public:
  // The display calls of the C ABI (softgen.h), under the front end's lock.
  virtual void mode(unsigned pipe, sg_pipe_mode* mode) = 0;
  virtual void refresh(unsigned pipe, bool look) = 0;
  virtual void picture_size(unsigned pipe, uint32_t* width, uint32_t* height) = 0;
  virtual void draw(unsigned pipe, void* pixels, Picture::Size size, size_t stride, bool full, sg_dirty_rect* dirty) = 0;
  virtual bool is_vga() = 0;
  virtual void plug(unsigned connector, bool connected) = 0;
  /// The monitor's hot-plug line pulses without a change, as a loose contact's does.
  virtual void pulse(unsigned /*connector*/) {}
  /// True when `timer` is one of the display's.
  virtual bool timer_expired(unsigned timer) = 0;

  /// Around a change of the memory map: no frame is composed meanwhile.
  virtual void hold_memory() = 0;
  virtual void release_memory() = 0;

  /// After the register file and the interrupt tree. Monitors stay plugged.
  virtual void reset() = 0;
  /// After the register file and the interrupt tree.
  virtual void state(Archive& ar) = 0;
};

using MakeDisplay = std::unique_ptr<Display> (*)(const DisplayLinks& links, const DisplayConfig& config);

}  // namespace softgen::display
