// SPDX-License-Identifier: GPL-2.0-or-later
// The loop around a kernel that runs the threads of a series: one at a time, or two whose operations alternate, so that what waits for its own
// last result does not wait alone.
#include <cstddef>

#include "hw/eu/jit/emitter.h"

namespace softgen::eu::jit {

void Emitter::begin_series() {
  series_alloca_ = ir_.alloca(ir_.ptr);
  constants_ = ir_.load(ir_.ptr, ir_.address(frame_, offsetof(Frame, constants)), 8);
  ir_.store(ir_.load(ir_.ptr, ir_.address(frame_, offsetof(Frame, series)), 8), series_alloca_, 8);
}

void Emitter::start_thread(Value thread) {
  current_ = thread;
  own_ = ir_.load(ir_.ptr, ir_.address(thread, offsetof(SeriesThread, own)), 8);
  attributes_ = ir_.load(ir_.ptr, ir_.address(thread, offsetof(SeriesThread, attributes)), 8);
}

/// The threads of a series are a loop around all other blocks.
void Emitter::next_of_series(Emitter* beside) {
  running_ = ir_.load(ir_.ptr, ir_.address(frame_, offsetof(Frame, running)), 8);
  const Value dispatched = ir_.load(ir_.ptr, ir_.address(frame_, offsetof(Frame, dispatched)), 8);
  series_block_ = ir_.block("thread");
  ir_.jump(series_block_);
  ir_.at(series_block_);
  start_thread(ir_.load(ir_.ptr, series_alloca_, 8));
  ir_.store(current_, running_, 8);
  dispatched_ =
      variant_.channels ? ir_.c32(variant_.channels) : ir_.load(ir_.i32, ir_.address(current_, offsetof(SeriesThread, channels)), 4);
  if (!variant_.channels) ir_.store(dispatched_, dispatched, 4);
  if (beside) beside->join(*this);
}

/// As the thread behind that of `first`. Where there is none, that one is worked on twice, and ends once.
void Emitter::join(Emitter& first) {
  series_alloca_ = first.series_alloca_, series_block_ = first.series_block_, constants_ = first.constants_, running_ = first.running_;
  dispatched_ = first.dispatched_;
  const Value next = ir_.load(ir_.ptr, ir_.address(first.current_, offsetof(SeriesThread, next)), 8);
  is_there_ = ir_.icmp(LLVMIntNE, next, llvm::ConstNull(ir_.ptr));
  start_thread(ir_.select(is_there_, next, first.current_));
  behind_first_ = first.behind_first_ = ir_.block();
}

/// Op n, behind that of the first thread.
void Emitter::follow(size_t n) {
  at_ = n;
  if (graph_.steps[n] == Step::end_of_thread) {
    const Block ends = ir_.block(), was_last = ir_.block();
    ir_.at(behind_first_);
    ir_.branch(is_there_, ends, was_last);
    ir_.at(was_last);
    ir_.ret(ir_.c32(static_cast<uint32_t>(Exit::finished)));
    ir_.at(ends);
    ir_.store(current_, running_, 8);
    behind_first_ = nullptr;
  }
  op(n);
}

/// The one beside it, the next one of the series, or the end.
void Emitter::finish_thread() {
  if (behind_first_) return ir_.jump(behind_first_);
  if (variant_.of_series()) {
    const Value next = ir_.load(ir_.ptr, ir_.address(current_, offsetof(SeriesThread, next)), 8);
    const Block finished = ir_.block();
    ir_.store(next, series_alloca_, 8);
    ir_.branch(ir_.icmp(LLVMIntNE, next, llvm::ConstNull(ir_.ptr)), series_block_, finished);
    ir_.at(finished);
  }
  ir_.ret(ir_.c32(static_cast<uint32_t>(Exit::finished)));
}

}  // namespace softgen::eu::jit
