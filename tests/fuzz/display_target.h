// SPDX-License-Identifier: GPL-2.0-or-later
// A display engine: registers change at any time, also between the question for a pipe's size and the drawing of its picture into a block of just
// that size, and while timers run.
#pragma once

#include "tests/fuzz/display_machine.h"

namespace softgen::fuzz {

/// Pixels that end where an inaccessible page begins.
class Canvas {
 public:
  static constexpr size_t pages = 20, bytes = pages * page_size;
  Canvas() {
    area_ = fuzz::detail::map(nullptr, bytes + page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
    if (mprotect(area_ + bytes, page_size, PROT_NONE) != 0) std::abort();
  }
  std::byte* block(size_t size) { return area_ + bytes - size; }

 private:
  std::byte* area_;
};

template <typename Chip>
class DisplayTarget {
 public:
  void run(std::span<const uint8_t> bytes) {
    StateSource in(bytes);
    machine_.reset();
    const unsigned pipe = in.below(Chip::pipes);
    machine_.set_mode(in, pipe);
    for (unsigned n = in.below(12); n; --n) step(in);
    draw(in, pipe);
  }

 private:
  void step(StateSource& in) {
    switch (in.below(8)) {
      case 0:
        machine_.host.now += static_cast<int64_t>(in.number(in.one_in(16) ? 36 : 26));
        machine_.run_timers();
        break;
      case 1: machine_.display.plug(in.below(3), in.one_in(2)); break;
      default: machine_.change_register(in); break;
    }
  }
  void draw(StateSource& in, unsigned pipe) {
    sg_pipe_mode mode;
    machine_.display.mode(pipe, &mode);
    const uint64_t row = uint64_t{mode.width} * 4;
    if (!mode.width || row * mode.height > Canvas::bytes) return;
    for (unsigned n = in.below(4); n; --n) step(in);
    sg_dirty_rect dirty;
    machine_.display.draw(pipe, canvas_.block(row * mode.height), {mode.width, mode.height}, row, in.one_in(2), &dirty);
    if (dirty.x + dirty.width > mode.width || dirty.y + dirty.height > mode.height) std::abort();
  }

  GuardedNowhere nowhere_;
  DisplayMachineOf<Chip> machine_;
  Canvas canvas_;
};

}  // namespace softgen::fuzz
