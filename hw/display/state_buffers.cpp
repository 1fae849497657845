// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/state_buffers.h"

#include <algorithm>
#include <cstring>

#include "hw/base/bits.h"
#include "hw/base/log.h"

namespace softgen::display {

namespace field = reg::field;

namespace {

enum class Opcode : uint8_t {
  noop = 0,
  mmio_write = 1,
  wait_usec = 2,
  wait_scanline = 3,
  wait_vblanks = 4,
  wait_dsl_in = 5,
  wait_dsl_out = 6,
  interrupt = 7,
  indexed_write = 9,
  poll = 10,
};

// Instructions. i915 display/intel_dsb.c, DSB_OPCODE_* and DSB_*_SHIFT.
constexpr uint32_t instruction_bytes = 8, tail_alignment = 64;
constexpr reg::Bits opcode_bits{31, 24}, byte_enable_bits{23, 20}, register_bits{19, 0};
/// A window of lines: the lower one in bits 19:0 of 64, the upper one above.
constexpr uint32_t line_bits = 20, line_mask = (1u << line_bits) - 1;
constexpr uint32_t all_bytes = 0xf;

// Chosen: a turn is far longer than any list of i915's (a palette is 2 K words, two per step), and takes about a millisecond; the others of the front
// end's lock get as much.
constexpr uint32_t turn_budget = 4096;
constexpr int64_t pause_ns = 1'000'000, microsecond_ns = 1000;

/// Pipes' and transcoders' registers, and the colour stages': what it can write. i915 display/intel_dsb.c names "pipe, plane, and transcoder Data Island
/// Packet registers", and writes TRANS_PUSH (intel_vrr.c) as well.
bool reachable(uint32_t offset) {
  constexpr uint32_t page = 0x1000;
  constexpr uint32_t colors = reg::CSC_COEFF(0) / page * page, colors_end = (reg::PRE_CSC_GAMC_DATA(max_pipes - 1) / page + 1) * page;
  constexpr uint32_t transcoders = reg::TRANS_HTOTAL(0), pipes_end = reg::PIPE_SCANLINE(max_pipes);
  return offset % sizeof(uint32_t) == 0 && ((offset >= colors && offset < colors_end) || (offset >= transcoders && offset < pipes_end));
}

}  // namespace

StateBuffers::StateBuffers(PipeServices& services, std::span<const std::unique_ptr<Pipe>> pipes, HostMemory& memory,
                           const memory::Ggtt& ggtt)
    : services_(services), pipes_(pipes), view_(memory, nullptr) {
  view_.set_space(memory::AddressSpace::ggtt(ggtt));
  for (unsigned pipe = 0; pipe < pipes_.size(); pipe++)
    for (unsigned id = 0; id < per_pipe; id++) attach(pipe, id);
}

void StateBuffers::attach(unsigned pipe, unsigned id) {
  services_.registers.on_write(reg::DSB_TAIL(pipe, id), [this, pipe, id](uint32_t, uint32_t) {
    const uint32_t control = services_.registers.peek(reg::DSB_CTRL(pipe, id));
    if (field::DSB_CTRL_DSB_ENABLE.of(control) && !field::DSB_CTRL_HALT.of(control)) request(pipe, id, Request::start);
  });
  services_.registers.on_write(reg::DSB_CTRL(pipe, id), [this, pipe, id](uint32_t, uint32_t) {
    const uint32_t control = services_.registers.peek(reg::DSB_CTRL(pipe, id));
    if (!field::DSB_CTRL_DSB_ENABLE.of(control) || field::DSB_CTRL_HALT.of(control)) request(pipe, id, Request::stop);
  });
}

void StateBuffers::request(unsigned pipe, unsigned id, Request what) {
  {
    MutexLock lock(mutex_);
    requests_[pipe * per_pipe + id] = what;
  }
  run();
}

void StateBuffers::run() {
  {
    MutexLock lock(mutex_);
    again_ = true;
    if (running_) return;
    running_ = true;
  }
  budget_ = turn_budget;
  for (bool more = true; more;) {
    {
      MutexLock lock(mutex_);
      more = again_ && budget_ > 0;
      again_ = false;
      if (!more) running_ = false;
    }
    if (!more) break;
    for (unsigned pipe = 0; pipe < pipes_.size(); pipe++)
      for (unsigned id = 0; id < per_pipe; id++) advance(pipe, id);
    for (unsigned pipe = 0; pipe < pipes_.size(); pipe++) set_alarm(pipe);
  }
}

/// Does what software asked of it. Whether it is busy now.
bool StateBuffers::take_request(unsigned pipe, unsigned id) {
  Request what;
  {
    MutexLock lock(mutex_);
    what = std::exchange(requests_[pipe * per_pipe + id], Request::none);
  }
  if (what == Request::stop) finish(pipe, id);
  if (what == Request::start && !buffer(pipe, id).busy) start(pipe, id);
  return buffer(pipe, id).busy;
}

// A TAIL that is written meanwhile only moves the end.
void StateBuffers::start(unsigned pipe, unsigned id) {
  auto& registers = services_.registers;
  const uint32_t head = registers.peek(reg::DSB_HEAD(pipe, id)), tail = registers.peek(reg::DSB_TAIL(pipe, id));
  if (head % instruction_bytes || tail % tail_alignment || head > tail)
    return guest_error("a display state buffer that is not aligned, or ends before it begins", "HEAD {:#x} TAIL {:#x}", head, tail);
  Buffer& b = buffer(pipe, id);
  b = {.busy = true, .at = head};
  registers.set_bits(reg::DSB_CTRL(pipe, id), field::DSB_CTRL_STATUS_BUSY.mask());
  const uint32_t control = registers.peek(reg::DSB_CTRL(pipe, id));
  if (field::DSB_CTRL_WAIT_FOR_LINE_IN_RANGE.of(control)) unimplemented("DSB_CTRL wait for a line", "DSB_CTRL {:#x}", control);
  if (field::DSB_CTRL_WAIT_FOR_VERTICAL_BLANK.of(control)) set_wait(pipe, b, Wait::frame, 1);
}

void StateBuffers::finish(unsigned pipe, unsigned id) {
  buffer(pipe, id).busy = false;
  services_.registers.clear_bits(reg::DSB_CTRL(pipe, id), field::DSB_CTRL_STATUS_BUSY.mask());
}

void StateBuffers::advance(unsigned pipe, unsigned id) {
  while (take_request(pipe, id) && budget_ > 0) {
    Buffer& b = buffer(pipe, id);
    services_.registers.poke(reg::DSB_CURRENT_HEAD(pipe, id), b.at);
    if (waits(pipe, id)) return;
    if (!b.words && b.at >= services_.registers.peek(reg::DSB_TAIL(pipe, id))) return finish(pipe, id);
    budget_--;
    if (b.words) {
      write_words(pipe, id);
    } else {
      execute(pipe, id);
    }
  }
}

/// Waits of the raster of a pipe that is off are over when software says that waits may be skipped.
bool StateBuffers::waits(unsigned pipe, unsigned id) {
  Buffer& b = buffer(pipe, id);
  if (b.wait == Wait::none) return false;
  bool over;
  if (b.wait == Wait::time || b.wait == Wait::poll) {
    over = services_.host.clock_ns() >= b.until;
  } else {
    PipesLock lock(services_);
    const Pipe::Beam beam = pipes_[pipe]->beam();
    const bool inside = beam.line >= b.lower && beam.line <= b.upper;
    if (!beam.running) {
      over = field::DSB_CHICKEN_SKIP_WAITS_ENABLE.of(services_.registers.peek(reg::DSB_CHICKEN(pipe, id)));
    } else if (b.wait == Wait::frame) {
      over = static_cast<int32_t>(beam.frame - b.frame) >= 0;
    } else {
      over = inside == (b.wait == Wait::line_in);
    }
  }
  if (over) b.wait = Wait::none;
  return !over;
}

void StateBuffers::set_wait(unsigned pipe, Buffer& b, Wait wait, uint32_t data) {
  b.wait = wait;
  if (wait == Wait::time) {
    b.until = services_.host.clock_ns() + data * microsecond_ns;
  } else if (wait == Wait::frame) {
    PipesLock lock(services_);
    b.frame = pipes_[pipe]->beam().frame + std::min(data, 0x7fff'ffffu);
  }
}

std::optional<StateBuffers::Instruction> StateBuffers::fetch(unsigned pipe, unsigned id, uint32_t address) {
  const std::byte* bytes = view_.piece(address, instruction_bytes);
  if (!bytes) {
    guest_error("a display state buffer in memory that is not mapped", "{:#x}", address);
    raise(pipe, id, field::DSB_INTERRUPT_GTT_FAULT_INTERRUPT_STATUS, field::DSB_INTERRUPT_GTT_FAULT_INTERRUPT_ENABLE);
    finish(pipe, id);
    return {};
  }
  Instruction instruction;
  std::memcpy(&instruction, bytes, sizeof(instruction));
  return instruction;
}

void StateBuffers::execute(unsigned pipe, unsigned id) {
  Buffer& b = buffer(pipe, id);
  const std::optional<Instruction> instruction = fetch(pipe, id, b.at);
  if (!instruction) return;
  b.at += instruction_bytes;
  execute(pipe, id, *instruction);
}

void StateBuffers::execute(unsigned pipe, unsigned id, Instruction instruction) {
  Buffer& b = buffer(pipe, id);
  const auto [data, control] = instruction;
  const auto opcode = static_cast<Opcode>(opcode_bits.of(control));
  switch (opcode) {
    case Opcode::noop: break;
    case Opcode::mmio_write: write(register_bits.of(control), data, byte_enable_bits.of(control)); break;
    case Opcode::wait_usec: set_wait(pipe, b, Wait::time, data); break;
    case Opcode::wait_scanline: {
      PipesLock lock(services_);
      const Pipe::Beam beam = pipes_[pipe]->beam();
      b.wait = Wait::time;
      b.until = services_.host.clock_ns() + int64_t{std::min(data, line_mask)} * beam.line_ns;
      break;
    }
    case Opcode::wait_vblanks: set_wait(pipe, b, Wait::frame, data); break;
    case Opcode::wait_dsl_in:
    case Opcode::wait_dsl_out: {
      const uint64_t window = data | uint64_t{control & line_mask} << 32;
      b.lower = static_cast<uint32_t>(window) & line_mask, b.upper = static_cast<uint32_t>(window >> line_bits) & line_mask;
      b.wait = opcode == Opcode::wait_dsl_in ? Wait::line_in : Wait::line_out;
      break;
    }
    case Opcode::interrupt:
      raise(pipe, id, field::DSB_INTERRUPT_PROGRAMMED_INTERRUPT_STATUS, field::DSB_INTERRUPT_PROGRAMMED_INTERRUPT_ENABLE);
      break;
    case Opcode::indexed_write: b.words = data, b.target = register_bits.of(control); break;
    case Opcode::poll: poll(pipe, id, instruction); break;
    default:
      guest_error("a display state buffer's instruction that does not exist", "{:#x} {:#x}", data, control);
      finish(pipe, id);
      break;
  }
}

void StateBuffers::write(uint32_t offset, uint32_t value, uint32_t byte_enables) {
  if (!reachable(offset)) return guest_error("a display state buffer cannot write this register", "{:#x}", offset);
  if (byte_enables == all_bytes) return services_.registers.write(offset, value);
  for (uint32_t i = 0; i < sizeof(value); i++)
    if (byte_enables >> i & 1) services_.registers.write(offset + i, uint64_t{value >> 8 * i & 0xff}, 1);
}

/// Two words of an indexed write, or its last one with its padding.
void StateBuffers::write_words(unsigned pipe, unsigned id) {
  Buffer& b = buffer(pipe, id);
  if (b.at >= services_.registers.peek(reg::DSB_TAIL(pipe, id))) {
    b.words = 0;
    return guest_error("an indexed write of a display state buffer goes past its end", "TAIL {:#x}", b.at);
  }
  const std::optional<Instruction> words = fetch(pipe, id, b.at);
  if (!words) return;
  b.at += instruction_bytes;
  write(b.target, words->data, all_bytes);
  if (b.words > 1) write(b.target, words->control, all_bytes);
  b.words -= std::min(b.words, 2u);
}

// DSB_POLLFUNC says how often and after what time it looks again. An error does not end the list.
void StateBuffers::poll(unsigned pipe, unsigned id, Instruction instruction) {
  Buffer& b = buffer(pipe, id);
  auto& registers = services_.registers;
  const uint32_t function = registers.peek(reg::DSB_POLLFUNC(pipe, id)), mask = registers.peek(reg::DSB_POLLMASK(pipe, id));
  const uint32_t offset = register_bits.of(instruction.control);
  if (!field::DSB_POLLFUNC_POLL_ENABLE.of(function)) return;
  const bool first = b.polls == 0;
  if (!reachable(offset)) {
    guest_error("a display state buffer cannot read this register", "{:#x}", offset);
  } else if ((registers.read(offset) & mask) == (instruction.data & mask)) {
    b.polls = 0;
    return;
  }
  b.polls = first ? field::DSB_POLLFUNC_POLL_COUNT.of(function) + 1 : b.polls;
  if (--b.polls == 0)
    return raise(pipe, id, field::DSB_INTERRUPT_POLL_ERROR_INTERRUPT_STATUS, field::DSB_INTERRUPT_POLL_ERROR_INTERRUPT_ENABLE);
  b.at -= instruction_bytes;
  b.wait = Wait::poll;
  b.until = services_.host.clock_ns() + field::DSB_POLLFUNC_POLL_WAIT.of(function) * microsecond_ns;
}

void StateBuffers::raise(unsigned pipe, unsigned id, reg::Bits status, reg::Bits enable) {
  const uint32_t offset = reg::DSB_INTERRUPT(pipe, id);
  services_.registers.set_bits(offset, status.mask());
  if (!enable.of(services_.registers.peek(offset))) return;
  services_.interrupts.post(pipe, mmio::pipe_event::state_buffer(id));
  services_.interrupts.deliver();
}

/// The pipe's timer is set to when the first of its buffers can go on.
void StateBuffers::set_alarm(unsigned pipe) {
  bool asked = false;  // of what a turn has no time left for
  {
    MutexLock lock(mutex_);
    for (unsigned id = 0; id < per_pipe; id++) asked |= requests_[pipe * per_pipe + id] != Request::none;
  }
  PipesLock lock(services_);
  const int64_t now = services_.host.clock_ns();
  const Pipe::Beam beam = pipes_[pipe]->beam();
  Pipe::Alarm alarm;
  const auto at = [&](int64_t time) { alarm.time = alarm.time < 0 ? time : std::min(alarm.time, time); };
  if (asked) at(now + pause_ns);
  for (unsigned id = 0; id < per_pipe; id++) {
    const Buffer& b = buffer(pipe, id);
    if (!b.busy) continue;
    if (b.wait == Wait::none) {
      at(now + pause_ns);
    } else if (b.wait == Wait::time || b.wait == Wait::poll) {
      at(b.until);
    } else if (b.wait == Wait::frame || !beam.running) {
      alarm.blank = true;
    } else {
      at(now + beam.until_line(b.wait == Wait::line_in ? b.lower : b.upper + 1));
    }
  }
  pipes_[pipe]->set_alarm(alarm);
}

void StateBuffers::reset() {
  buffers_ = {};
  MutexLock lock(mutex_);
  requests_ = {};
}

void StateBuffers::state(Archive& ar) {
  ar.section("display.state_buffers", 1);
  for (Buffer& b : std::span(buffers_).first(pipes_.size() * per_pipe)) {
    auto wait = static_cast<uint8_t>(b.wait);
    ar.value(b.busy);
    ar.value(wait);
    for (uint32_t* v : {&b.at, &b.frame, &b.lower, &b.upper, &b.words, &b.target, &b.polls}) ar.value(*v);
    ar.value(b.until);
    if (!ar.reading()) continue;
    if (wait > static_cast<uint8_t>(Wait::poll) || b.at % instruction_bytes || b.until < 0)
      return ar.fail("a display state buffer of the saved state is in no state that it can be in");
    b.wait = static_cast<Wait>(wait);
  }
  if (!ar.reading()) return;
  for (unsigned pipe = 0; pipe < pipes_.size(); pipe++) set_alarm(pipe);
}

}  // namespace softgen::display
