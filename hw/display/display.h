// SPDX-License-Identifier: GPL-2.0-or-later
// The display engine: three pipes, power and clocks, ports; what a front end asks of it. docs/display.md.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "hw/display/compositor.h"
#include "hw/display/picture.h"
#include "hw/display/pipe.h"
#include "hw/display/ports.h"
#include "hw/display/power.h"
#include "hw/iface/host_memory.h"
#include "hw/memory/ggtt.h"
#include "softgen/softgen.h"

namespace softgen::display {

class Display {
 public:
  /// Registers its hooks. Bit i of `connected`: a monitor on connector i (DDI B, C, D). `threaded`: frames are composed on a thread.
  Display(mmio::RegisterFile& registers, mmio::Interrupts& interrupts, Host& host, HostMemory& memory, const memory::Ggtt& ggtt,
          uint32_t connected, bool threaded = false);
  ~Display();

  // The display calls of the C ABI (softgen.h), under the front end's lock.
  void mode(unsigned pipe, sg_pipe_mode* mode);
  void refresh(unsigned pipe, bool look);
  void picture_size(unsigned pipe, uint32_t* width, uint32_t* height);
  void draw(unsigned pipe, void* pixels, Picture::Size size, size_t stride, bool full, sg_dirty_rect* dirty);
  bool is_vga();
  void plug(unsigned connector, bool connected) { ports_.plug(connector, connected); }
  /// True when `timer` is one of the display's.
  bool timer_expired(unsigned timer);

  /// Around a change of the memory map: no frame is composed meanwhile.
  void hold_memory() { compositor_.hold_memory(); }
  void release_memory() { compositor_.release_memory(); }

  /// After the register file and the interrupt tree. Monitors stay plugged.
  void reset();
  /// After the register file and the interrupt tree.
  void state(Archive& ar);

 private:
  struct Canvas;
  void attach_misc();
  void pipes_update_rasters();
  void compose(unsigned pipe, bool look, Compositor::Turn& turn);
  void forget_pictures();

  mmio::RegisterFile& registers_;
  Host& host_;
  Power power_;
  Ports ports_;
  PipeServices services_;
  std::array<std::unique_ptr<Pipe>, pipe_count> pipes_;
  std::array<std::unique_ptr<Canvas>, pipe_count> canvases_;
  Compositor compositor_;  ///< last: its thread uses all of the above
};

}  // namespace softgen::display
