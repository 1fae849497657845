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

namespace {

constexpr uint32_t contiguous = 16;  ///< SeriesThread::row of squares in Y tiles

/// Pixels row by row, as indices of pixels quad by quad. The same permutation leads back.
constexpr std::array<int, 16> by_rows = {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15};
constexpr std::array<int, 16> in_order = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

}  // namespace

/// The same instructions as unorm8() of pixel_colors.cpp: the second operand is the result when the first is NaN.
Value Emitter::saturated(Value floats) {
  const unsigned n = Ir::size(floats);
  const Value zero = ir_.splat_float(0, n), one = ir_.splat_float(1, n);
  const Value v = ir_.select(ir_.fcmp(LLVMRealOGT, floats, zero), floats, zero);
  return ir_.select(ir_.fcmp(LLVMRealOLT, v, one), v, one);
}

Value Emitter::color_codes(Value floats) {
  const unsigned n = Ir::size(floats);
  const Value rounded =
      ir_.intrinsic("llvm.fma", {ir_.vec(ir_.f32, n)}, {saturated(floats), ir_.splat_float(255, n), ir_.splat_float(0x1.8p23f, n)});
  return ir_.and_(ir_.as_ints(rounded), ir_.splat_int(ir_.i32, 255, n));
}

Value Emitter::series_field(Type type, size_t offset) {
  return ir_.load(type, ir_.address(series_.current, offset), type == ir_.i32 ? 4 : 8);
}

/// Calls `whole`(address) for squares of 64 adjacent bytes, and `row`(y, address) for all rows of others. With vectors of eight always the latter.
template <typename Whole, typename Row>
void Emitter::at_square(Whole&& whole, Row&& row) {
  Value at = series_field(ir_.ptr, offsetof(SeriesThread, target));
  const Value bytes = series_field(ir_.i32, offsetof(SeriesThread, row));
  const Block done = ir_.block();
  if (lanes_ == 16) {
    const Block one = ir_.block(), four = ir_.block();
    ir_.branch(ir_.icmp(LLVMIntEQ, bytes, ir_.c32(contiguous)), one, four);
    ir_.at(one);
    whole(at);
    ir_.jump(done);
    ir_.at(four);
  }
  for (unsigned y = 0; y < 4; y++) {
    if (y) at = ir_.plus(at, ir_.zext(bytes, ir_.i64));
    row(y, at);
  }
  ir_.jump(done);
  ir_.at(done);
}

Emitter::Square Emitter::load_colors() {
  const Type wide = ir_.vec(ir_.i32, 16), four = ir_.vec(ir_.i32, 4);
  std::array<Value, 4> row{};
  std::array<Value, 2> half{};
  Value whole = nullptr, joined = nullptr;
  Block whole_in = nullptr, rows_in = nullptr;
  at_square(
      [&](Value at) {
        whole = ir_.load_volatile(wide, at, 16);
        whole_in = ir_.here();
      },
      [&](unsigned y, Value at) {
        row[y] = ir_.load_volatile(four, at, 16);
        if (y % 2) half[y / 2] = ir_.shuffle(row[y - 1], row[y], std::span(in_order).first(8));
        if (y == 3 && lanes_ == 16) joined = ir_.shuffle(half[0], half[1], in_order);
        rows_in = ir_.here();
      });
  if (lanes_ == 16) return {ir_.shuffle(ir_.phi(whole, whole_in, joined, rows_in), nullptr, by_rows)};
  const auto first = std::span(by_rows).first(8);
  return {ir_.shuffle(half[0], nullptr, first), ir_.shuffle(half[1], nullptr, first)};
}

void Emitter::store_colors(const Square& words) {
  const bool wide = words.size() == 1;
  at_square([&](Value at) { ir_.store_volatile(ir_.shuffle(words[0], nullptr, by_rows), at, 16); },
            [&](unsigned y, Value at) {
              const auto row = std::span(by_rows).subspan(4 * (wide ? y : y % 2), 4);
              ir_.store_volatile(ir_.shuffle(wide ? words[0] : words[y / 2], nullptr, row), at, 16);
            });
}

Value Emitter::blend_factor(Value codes, unsigned number, Value source_alpha, Value destination_alpha) {
  const unsigned n = Ir::size(source_alpha);
  const auto field = [&](size_t offset) {
    const size_t at = offsetof(ColorCodes, factors) + number * sizeof(ColorCodes::Factor) + offset;
    return ir_.splat(ir_.load(ir_.f32, ir_.address(codes, at), 4), n);
  };
  const Type type = ir_.vec(ir_.f32, n);
  const Value sum = ir_.intrinsic(
      "llvm.fma", {type}, {field(offsetof(ColorCodes::Factor, source_alpha)), source_alpha, field(offsetof(ColorCodes::Factor, constant))});
  return ir_.intrinsic("llvm.fma", {type}, {field(offsetof(ColorCodes::Factor, destination_alpha)), destination_alpha, sum});
}

/// added_word() of pixel_colors.cpp. `colors`: floats; `old`: the pixels there.
Value Emitter::blended(Value codes, const std::array<Value, 4>& colors, Value old) {
  const unsigned n = Ir::size(old);
  const Type floats = ir_.vec(ir_.f32, n);
  const auto word_of = [&](size_t offset) { return ir_.splat(ir_.load(ir_.i32, ir_.address(codes, offset), 4), n); };
  const Value byte = ir_.splat_int(ir_.i32, 255, n), alpha_stored = word_of(offsetof(ColorCodes, alpha));
  std::array<Value, 4> shift, there, source;
  for (unsigned c = 0; c < 4; c++) {
    shift[c] = word_of(offsetof(ColorCodes, shift) + 4 * c);
    source[c] = saturated(colors[c]);
    Value code = ir_.and_(ir_.lshr(old, shift[c]), byte);
    if (c == 3) code = ir_.or_(code, ir_.xor_(alpha_stored, byte));
    // surface::unorm8(): the first product is exact.
    const Value value = ir_.sitofp(code, floats);
    there[c] =
        ir_.intrinsic("llvm.fma", {floats}, {value, ir_.splat_float(0x1.01p-8f, n), ir_.fmul(value, ir_.splat_float(0x1.010102p-24f, n))});
  }
  const auto factor = [&](unsigned number) { return blend_factor(codes, number, source[3], there[3]); };
  Value own = factor(ColorCodes::source), other = factor(ColorCodes::destination), word = nullptr;
  for (unsigned c = 0; c < 4; c++) {
    if (c == 3) own = factor(ColorCodes::alpha_source), other = factor(ColorCodes::alpha_destination);
    Value code = color_codes(ir_.fadd(ir_.fmul(source[c], own), ir_.fmul(there[c], other)));
    if (c == 3) code = ir_.and_(code, alpha_stored);
    code = ir_.shl(code, shift[c]);
    word = c ? ir_.or_(word, code) : code;
  }
  const Value keep = word_of(offsetof(ColorCodes, keep));
  return ir_.or_(ir_.and_(old, keep), ir_.and_(word, ir_.not_(keep)));
}

void Emitter::store_blended(Value codes, const Channels4& channels) {
  Square words = load_colors();
  for (size_t k = 0; k < words.size(); k++) {
    std::array<Value, 4> colors;
    for (unsigned c = 0; c < 4; c++) colors[c] = ir_.as_floats(channels[c][k]);
    words[k] = blended(codes, colors, words[k]);
  }
  store_colors(words);
}

void Emitter::store_coded(Value codes, const Channels4& channels) {
  Square words(channels[0].size());
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
}

void Emitter::write_colors(size_t n, const Components& first, Value mask) {
  Channels4 channels;
  for (unsigned c = 0; c < 4; c++) channels[c] = row_values(first[c], 2);
  active();
  const Value null = llvm::ConstNull(ir_.ptr), codes = ir_.load(ir_.ptr, answer_field(n, offsetof(DirectAnswer, colors)), 8);
  Value open = ir_.icmp(LLVMIntNE, codes, null);
  open = ir_.and_(open, ir_.icmp(LLVMIntNE, series_field(ir_.ptr, offsetof(SeriesThread, target)), null));
  open = ir_.and_(open, is_at(offsetof(memory::View::Clock, epoch), ir_.address(frame_, offsetof(Frame, series.epoch))));
  open = ir_.and_(open, is_at(offsetof(memory::View::Clock, generation), ir_.address(frame_, offsetof(Frame, series.generation))));
  if (!full(ops_[n], mask)) open = ir_.and_(open, ir_.icmp(LLVMIntEQ, ir_.and_(mask, ir_.c32(0xffff)), ir_.c32(0xffff)));
  const Block writes = ir_.block(), blends = ir_.block(), replaces = ir_.block(), sends = ir_.block();
  ir_.branch(open, writes, sends);
  ir_.at(writes);
  const Value mixes = ir_.load(ir_.i32, ir_.address(codes, offsetof(ColorCodes, blends)), 4);
  ir_.branch(ir_.icmp(LLVMIntNE, mixes, ir_.c32(0)), blends, replaces);
  for (const bool mixed : {true, false}) {
    ir_.at(mixed ? blends : replaces);
    if (mixed) store_blended(codes, channels);
    else store_coded(codes, channels);
    count_answer(n);
    finish_thread();
  }
  ir_.at(sends);
}

}  // namespace softgen::eu::jit
