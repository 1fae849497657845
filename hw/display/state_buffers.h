// SPDX-License-Identifier: GPL-2.0-or-later
// Display state buffers (DSB): three per pipe. Each runs a list of register writes and waits out of the GGTT, from HEAD to TAIL. i915
// display/intel_dsb.c, of Linux 6.12.
//
// They run where they are started (a write of TAIL), and go on in the timer of their pipe. A wait is a time or a vertical blank at which
// that timer is set; nothing spins. What one turn may run is bounded, for all buffers together, so that a list of any length, or lists that
// start each other, only take a part of the front end's time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "hw/base/archive.h"
#include "hw/base/mutex.h"
#include "hw/display/pipe.h"
#include "hw/memory/view.h"

namespace softgen::display {

class StateBuffers {
 public:
  /// All of it outlives this.
  StateBuffers(PipeServices& services, std::span<const std::unique_ptr<Pipe>> pipes, HostMemory& memory, const memory::Ggtt& ggtt);

  /// Runs what can run now. Called with no lock held, after time has passed.
  void run();

  void reset();
  void state(Archive& ar);

 private:
  static constexpr unsigned per_pipe = mmio::pipe_event::state_buffers;
  enum class Wait : uint8_t { none, time, frame, line_in, line_out, poll };
  enum class Request : uint8_t { none, start, stop };
  /// One of them. Only the thread that runs them uses it.
  struct Buffer {
    bool busy = false;
    Wait wait = Wait::none;
    uint32_t at = 0;                 ///< GGTT address of the instruction
    uint32_t frame = 0;              ///< of Wait::frame: the pipe's frame counter
    uint32_t lower = 0, upper = 0;   ///< of Wait::line_*
    int64_t until = 0;               ///< of Wait::time and poll
    uint32_t words = 0, target = 0;  ///< an indexed write that goes on: words left, register
    uint32_t polls = 0;              ///< left
  };
  struct Instruction {
    uint32_t data, control;
  };
  void attach(unsigned pipe, unsigned id);
  void request(unsigned pipe, unsigned id, Request what);
  bool take_request(unsigned pipe, unsigned id);
  void start(unsigned pipe, unsigned id);
  void finish(unsigned pipe, unsigned id);
  void advance(unsigned pipe, unsigned id);
  bool waits(unsigned pipe, unsigned id);
  void set_wait(unsigned pipe, Buffer& buffer, Wait wait, uint32_t data);
  void execute(unsigned pipe, unsigned id);
  void execute(unsigned pipe, unsigned id, Instruction instruction);
  void write(uint32_t offset, uint32_t value, uint32_t byte_enables);
  void write_words(unsigned pipe, unsigned id);
  void poll(unsigned pipe, unsigned id, Instruction instruction);
  void raise(unsigned pipe, unsigned id, reg::Bits status, reg::Bits enable);
  std::optional<Instruction> fetch(unsigned pipe, unsigned id, uint32_t address);
  void set_alarm(unsigned pipe);
  Buffer& buffer(unsigned pipe, unsigned id) { return buffers_[pipe * per_pipe + id]; }

  PipeServices& services_;
  std::span<const std::unique_ptr<Pipe>> pipes_;
  memory::View view_;
  std::array<Buffer, max_pipes * per_pipe> buffers_;
  uint32_t budget_ = 0;  ///< instructions and words of this turn that are left
  Mutex mutex_;
  std::array<Request, max_pipes * per_pipe> requests_ SG_GUARDED_BY(mutex_){};
  bool running_ SG_GUARDED_BY(mutex_) = false;  ///< a thread runs them
  bool again_ SG_GUARDED_BY(mutex_) = false;    ///< and has to look at all of them once more
};

}  // namespace softgen::display
