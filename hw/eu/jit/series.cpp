// SPDX-License-Identifier: GPL-2.0-or-later
// The loop around a kernel that runs the threads of a series: one at a time, or two whose operations alternate, so that one thread's
// latencies overlap with the other's.
#include <cstddef>
#include <span>
#include <vector>

#include "hw/eu/jit/emitter.h"

namespace softgen::eu::jit {

/// Whether op n is a plane of attributes that no op has changed: its coefficients are read as doubles, which are made once for all threads of an object.
bool Emitter::reads_wide(size_t n) const {
  const Op& op = ops_[n];
  const SeriesLayout& layout = variant_.series;
  if (!variant_.of_series() || variant_.alternate || op.opcode != Opcode::pln || !graph_.reached[n] || op.src[0].negate || op.src[0].abs)
    return false;
  const unsigned s = op.src[0].base / 32;
  return op.src[0].base % 16 == 0 && s >= layout.attributes && s < layout.end && n < graph_.untouched_until[s];
}

/// Room for the attributes that some op reads as doubles.
void Emitter::place_wide() {
  for (size_t n = 0; n < ops_.size(); n++) {
    if (!reads_wide(n)) continue;
    Value& wide = series_.wide[ops_[n].src[0].base / 32];
    if (!wide) wide = ir_.alloca(ir_.vec(ir_.f64, 8));
    if (!series_.wide_from) series_.wide_from = ir_.alloca(ir_.ptr);
  }
  if (series_.wide_from) ir_.store(llvm::ConstNull(ir_.ptr), series_.wide_from, 8);
}

/// Widens the current thread's attributes, unless the thread before had the same.
void Emitter::start_wide() {
  if (!series_.wide_from) return;
  const Block widens = ir_.block(), done = ir_.block();
  ir_.branch(ir_.icmp(LLVMIntNE, series_.attributes, ir_.load(ir_.ptr, series_.wide_from, 8)), widens, done);
  ir_.at(widens);
  ir_.store(series_.attributes, series_.wide_from, 8);
  for (unsigned s = 0; s < grf_count; s++) {
    if (!series_.wide[s]) continue;
    const Value floats = ir_.load(ir_.vec(ir_.f32, 8), start_address(32 * s), 32);
    ir_.store(ir_.fpext(floats, ir_.vec(ir_.f64, 8)), series_.wide[s], 64);
  }
  ir_.jump(done);
  ir_.at(done);
}

void Emitter::begin_series() {
  series_.next = ir_.alloca(ir_.ptr);
  series_.constants = ir_.load(ir_.ptr, ir_.address(frame_, offsetof(Frame, series.constants)), 8);
  ir_.store(ir_.load(ir_.ptr, ir_.address(frame_, offsetof(Frame, series.first)), 8), series_.next, 8);
}

void Emitter::start_thread(Value thread) {
  series_.current = thread;
  series_.own = ir_.load(ir_.ptr, ir_.address(thread, offsetof(SeriesThread, own)), 8);
  series_.attributes = ir_.load(ir_.ptr, ir_.address(thread, offsetof(SeriesThread, attributes)), 8);
  if (variant_.of_planes()) start_barycentrics();
  start_wide();
}

/// W of some pixels: the reciprocal of their values of plane 0, `sum`, or the one of all pixels if there is one.
Value Emitter::w_of(Value planes, Value sum) {
  const unsigned n = Ir::size(sum);
  const Block same = ir_.block(), each = ir_.block(), done = ir_.block();
  const Value is_same = ir_.load(ir_.i32, ir_.address(planes, offsetof(BarycentricPlanes, same_w)), 4);
  ir_.branch(ir_.icmp(LLVMIntNE, is_same, ir_.c32(0)), same, each);
  ir_.at(same);
  const Value one = ir_.splat(ir_.load(ir_.f32, ir_.address(planes, offsetof(BarycentricPlanes, w)), 4), n);
  ir_.jump(done);
  ir_.at(each);
  const Value divided = ir_.fdiv(ir_.splat_float(1, n), sum);
  ir_.jump(done);
  ir_.at(done);
  return ir_.phi(one, same, divided, each);
}

/// Computes the current thread's barycentrics if it has planes, else loads them: the same bits as center_planes() of hw/render/pixel_centers.cpp.
void Emitter::start_barycentrics() {
  const Type grf = ir_.vec(ir_.i32, 8);
  const Block computes = ir_.block(), loads = ir_.block(), done = ir_.block();
  const Value planes = series_field(ir_.ptr, offsetof(SeriesThread, planes));
  ir_.branch(ir_.icmp(LLVMIntNE, planes, llvm::ConstNull(ir_.ptr)), computes, loads);
  // In vectors of `lanes_`: i and j of them, in the order of the registers.
  const unsigned vectors = 16 / lanes_;
  std::vector<Value> computed, loaded;
  ir_.at(computes);
  for (unsigned v = 0; v < vectors; v++) {
    const auto value = [&](unsigned plane) {
      const size_t at = offsetof(BarycentricPlanes, steps) + (plane * size_t{16} + v * lanes_) * sizeof(float);
      const Value steps = ir_.load(ir_.vec(ir_.f32, lanes_), ir_.address(planes, at), 4 * lanes_);
      const Value there = ir_.load(ir_.f32, ir_.address(series_.current, offsetof(SeriesThread, corner) + plane * sizeof(float)), 4);
      return ir_.fadd(ir_.splat(there, lanes_), steps);
    };
    const Value w = w_of(planes, value(0));
    for (const unsigned plane : {1u, 2u}) computed.push_back(ir_.as_ints(ir_.fmul(value(plane), w)));
  }
  const Block computed_in = ir_.here();
  ir_.jump(done);
  ir_.at(loads);
  const auto own = [&](unsigned n) { return ir_.load(grf, ir_.address(series_.own, (first_barycentric + n) * 32), 32); };
  for (unsigned n = 0; n < 2 * vectors; n++) loaded.push_back(vectors == 1 ? ir_.shuffle(own(n), own(n + 2), both_halves) : own(n));
  ir_.jump(done);
  ir_.at(done);
  for (unsigned n = 0; n < 2 * vectors; n++) loaded[n] = ir_.phi(computed[n], computed_in, loaded[n], loads);
  for (unsigned n = 0; n < barycentric_registers; n++)
    series_.barycentrics[n] = vectors == 2 ? loaded[n] : ir_.shuffle(loaded[n % 2], nullptr, std::span(both_halves).subspan(n / 2 * 8, 8));
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
