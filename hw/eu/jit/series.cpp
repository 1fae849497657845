// SPDX-License-Identifier: GPL-2.0-or-later
// The loop around a kernel that runs the threads of a series: one at a time, or two whose operations alternate, so that one thread's
// latencies overlap with the other's.
#include <cstddef>

#include "hw/eu/jit/emitter.h"

namespace softgen::eu::jit {

void Emitter::begin_series() {
  series_.next = ir_.alloca(ir_.ptr);
  series_.constants = ir_.load(ir_.ptr, ir_.address(frame_, offsetof(Frame, series.constants)), 8);
  ir_.store(ir_.load(ir_.ptr, ir_.address(frame_, offsetof(Frame, series.first)), 8), series_.next, 8);
}

void Emitter::start_thread(Value thread) {
  series_.current = thread;
  series_.own = ir_.load(ir_.ptr, ir_.address(thread, offsetof(SeriesThread, own)), 8);
  series_.attributes = ir_.load(ir_.ptr, ir_.address(thread, offsetof(SeriesThread, attributes)), 8);
}

/// Emits the head of the loop over the threads of a series, which contains all other blocks.
void Emitter::next_of_series(Emitter* second) {
  series_.running = ir_.load(ir_.ptr, ir_.address(frame_, offsetof(Frame, series.running)), 8);
  const Value dispatched = ir_.load(ir_.ptr, ir_.address(frame_, offsetof(Frame, series.dispatched)), 8);
  series_.block = ir_.block("thread");
  ir_.jump(series_.block);
  ir_.at(series_.block);
  start_thread(ir_.load(ir_.ptr, series_.next, 8));
  ir_.store(series_.current, series_.running, 8);
  masks_.dispatched =
      variant_.channels ? ir_.c32(variant_.channels) : ir_.load(ir_.i32, ir_.address(series_.current, offsetof(SeriesThread, channels)), 4);
  if (!variant_.channels) ir_.store(masks_.dispatched, dispatched, 4);
  if (second) second->join(*this);
}

/// Sets up this emitter's thread as the successor of `first`'s. If there is none, the first thread is computed twice, and ends once.
void Emitter::join(Emitter& first) {
  series_.next = first.series_.next, series_.block = first.series_.block, series_.constants = first.series_.constants,
  series_.running = first.series_.running;
  masks_.dispatched = first.masks_.dispatched;
  const Value next = ir_.load(ir_.ptr, ir_.address(first.series_.current, offsetof(SeriesThread, next)), 8);
  series_.is_there = ir_.icmp(LLVMIntNE, next, llvm::ConstNull(ir_.ptr));
  start_thread(ir_.select(series_.is_there, next, first.series_.current));
  series_.after_first = first.series_.after_first = ir_.block();
}

/// Emits op n of the second thread, after that of the first.
void Emitter::follow(size_t n) {
  place_.op = n;
  if (graph_.steps[n] == Step::end_of_thread) {
    const Block ends = ir_.block(), was_last = ir_.block();
    ir_.at(series_.after_first);
    ir_.branch(series_.is_there, ends, was_last);
    ir_.at(was_last);
    ir_.ret(ir_.c32(static_cast<uint32_t>(Exit::finished)));
    ir_.at(ends);
    ir_.store(series_.current, series_.running, 8);
    series_.after_first = nullptr;
  }
  op(n);
}

/// Jumps to the second thread's end, to the next thread of the series, or returns.
void Emitter::finish_thread() {
  if (series_.after_first) return ir_.jump(series_.after_first);
  if (variant_.of_series()) {
    const Value next = ir_.load(ir_.ptr, ir_.address(series_.current, offsetof(SeriesThread, next)), 8);
    const Block finished = ir_.block();
    ir_.store(next, series_.next, 8);
    ir_.branch(ir_.icmp(LLVMIntNE, next, llvm::ConstNull(ir_.ptr)), series_.block, finished);
    ir_.at(finished);
  }
  ir_.ret(ir_.c32(static_cast<uint32_t>(Exit::finished)));
}

}  // namespace softgen::eu::jit
