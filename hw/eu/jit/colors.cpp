// SPDX-License-Identifier: GPL-2.0-or-later
// Inlined render target writes of 4x4 pixels whose address the pixel stage has stored in the SeriesThread; the same bits as
// hw/render/pixel_colors.cpp (SKL PRM vol 7, "Render Target Write"). Other messages are sent.
#include <cstddef>

#include "hw/eu/interp/execute.h"
#include "hw/eu/jit/emitter.h"

namespace softgen::eu::jit {

/// Finds a SIMD16 write of one source to target 0 that ends a thread of a series. `first`: the first register of each component, which has two.
bool Emitter::find_colors(size_t n, Components& first) const {
  static const Thread no_thread{};
  constexpr unsigned length = 8;
  if (!variant_.of_series() || variant_.channels != 0xffff || numbers_[n] == ~0u || graph_.steps[n] != Step::end_of_thread) return false;
  const SendForm form = send_form(no_thread, ops_[n]);
  const MessageOp& m = form.op;
  if (!form.valid || m.kind != MessageKind::render_target_write || ops_[n].exec_size != 16) return false;
  if (m.header || !m.is_plain() || m.simd != 16 || m.replicated || m.high_slots || m.binding.index != 0 ||
      form.payload.count + form.second.count != length || form.payload.count % 2)
    return false;
  for (unsigned c = 0; c < first.size(); c++)
    first[c] = 2 * c < form.payload.count ? form.payload.first + 2 * c : form.second.first + 2 * c - form.payload.count;
  return true;
}

/// The same instructions as unorm8() of pixel_colors.cpp: the second operand is the result when the first is NaN.
Value Emitter::color_codes(Value floats) {
  const unsigned n = Ir::size(floats);
  const Value zero = ir_.splat_float(0, n), one = ir_.splat_float(1, n);
  Value v = ir_.select(ir_.fcmp(LLVMRealOGT, floats, zero), floats, zero);
  v = ir_.select(ir_.fcmp(LLVMRealOLT, v, one), v, one);
  const Value rounded = ir_.intrinsic("llvm.fma", {ir_.vec(ir_.f32, n)}, {v, ir_.splat_float(255, n), ir_.splat_float(0x1.8p23f, n)});
  return ir_.and_(ir_.as_ints(rounded), ir_.splat_int(ir_.i32, 255, n));
}

/// `words`: 16 pixels, quad by quad.
void Emitter::store_colors(std::span<const Value> words) {
  constexpr std::array<std::array<int, 4>, 4> rows = {{{0, 1, 4, 5}, {2, 3, 6, 7}, {8, 9, 12, 13}, {10, 11, 14, 15}}};
  const bool wide = words.size() == 1;
  Value at = ir_.load(ir_.ptr, ir_.address(series_.current, offsetof(SeriesThread, target)), 8);
  const Value row = ir_.zext(ir_.load(ir_.i32, ir_.address(series_.current, offsetof(SeriesThread, row)), 4), ir_.i64);
  for (unsigned y = 0; y < 4; y++) {
    if (y) at = ir_.plus(at, row);
    ir_.store_volatile(ir_.shuffle(wide ? words[0] : words[y / 2], nullptr, rows[wide ? y : y % 2]), at, 16);
  }
}

void Emitter::write_colors(size_t n, const Components& first, Value mask) {
  std::array<std::vector<Value>, 4> channels;
  for (unsigned c = 0; c < 4; c++) channels[c] = row_values(first[c], 2);
  active();
  const Value null = llvm::ConstNull(ir_.ptr), codes = ir_.load(ir_.ptr, answer_field(n, offsetof(DirectAnswer, colors)), 8);
  Value open = ir_.icmp(LLVMIntNE, codes, null);
  open = ir_.and_(open, ir_.icmp(LLVMIntNE, ir_.load(ir_.ptr, ir_.address(series_.current, offsetof(SeriesThread, target)), 8), null));
  open = ir_.and_(open, is_at(offsetof(memory::View::Clock, epoch), ir_.address(frame_, offsetof(Frame, series.epoch))));
  open = ir_.and_(open, is_at(offsetof(memory::View::Clock, generation), ir_.address(frame_, offsetof(Frame, series.generation))));
  if (!full(ops_[n], mask)) open = ir_.and_(open, ir_.icmp(LLVMIntEQ, ir_.and_(mask, ir_.c32(0xffff)), ir_.c32(0xffff)));
  const Block writes = ir_.block(), sends = ir_.block();
  ir_.branch(open, writes, sends);
  ir_.at(writes);
  std::vector<Value> words(channels[0].size());
  for (unsigned c = 0; c < 4; c++) {
    const Value shift = ir_.load(ir_.i32, ir_.address(codes, offsetof(ColorCodes, shift) + 4 * c), 4);
    const Value kept = c == 3 ? ir_.load(ir_.i32, ir_.address(codes, offsetof(ColorCodes, alpha)), 4) : nullptr;
    for (size_t k = 0; k < words.size(); k++) {
      const unsigned lanes = Ir::size(channels[c][k]);
      Value code = color_codes(ir_.as_floats(channels[c][k]));
      if (kept) code = ir_.and_(code, ir_.splat(kept, lanes));
      code = ir_.shl(code, ir_.splat(shift, lanes));
      words[k] = c ? ir_.or_(words[k], code) : code;
    }
  }
  store_colors(words);
  count_answer(n);
  finish_thread();
  ir_.at(sends);
}

}  // namespace softgen::eu::jit
