// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/symbolic_kernel.h"

#include <cmath>
#include <cstring>
#include <optional>

namespace softgen::render {
namespace {

using eu::Fetch;
using eu::Form;
using eu::Opcode;
using eu::Place;
using eu::RegType;
using Kind = Symbol::Kind;

/// Coordinates are below 2^15 (the drawing rectangle's limit is 16384), so that sums with these are exact floats.
constexpr int32_t max_halves = 1 << 22;
constexpr unsigned dword_bytes = 4;

Symbol constant(double value) {
  if (!(std::abs(2 * value) < max_halves) || 2 * value != std::trunc(2 * value)) return {};
  return {.kind = Kind::constant, .halves = static_cast<int32_t>(2 * value)};
}

bool is_place(const Symbol& s) { return s.kind == Kind::quad_x || s.kind == Kind::quad_y; }

Symbol sum(const Symbol& a, const Symbol& b) {
  if (b.kind != Kind::constant) return a.kind == Kind::constant && is_place(b) ? sum(b, a) : Symbol{};
  if ((a.kind != Kind::constant && !is_place(a)) || a.truncated) return {};
  Symbol result = a;
  result.halves += b.halves;
  return std::abs(result.halves) < max_halves ? result : Symbol{};
}

Symbol product(const Symbol& a, const Symbol& b) {
  const auto is_one = [](const Symbol& s) { return s == constant(1); };
  if (is_one(b) && (is_place(a) || a.kind == Kind::constant)) return a;
  if (is_one(a) && is_place(b)) return b;
  if (a.kind != Kind::constant || b.kind != Kind::constant) return {};
  return constant(static_cast<double>(a.halves) * b.halves / 4);
}

/// Rounded towards zero.
Symbol truncated(Symbol s) {
  if (s.is_whole()) return s;
  if (s.kind == Kind::constant) return constant(s.halves / 2);
  if (!is_place(s)) return {};
  --s.halves;
  s.truncated = true;
  return s;
}

Symbol rounded(const Symbol& s, Opcode how) {
  if (how == Opcode::rndz) return truncated(s);
  return s.is_whole() ? s : Symbol{};
}

/// Whether elements of the type hold the symbol's value; of words, with a coordinate below 2^14.
bool fits(const Symbol& s, RegType type) {
  switch (type) {
    case RegType::f: return true;
    case RegType::d: return s.is_whole() || s.kind == Kind::texel;
    case RegType::ud: return (s.is_whole() || s.kind == Kind::texel) && s.halves >= 0;
    case RegType::w:
    case RegType::uw: return s.is_whole() && s.halves >= 0 && s.halves < 0x8000;
    default: return false;
  }
}

template <typename T>
T read_as(const Grf* registers, size_t byte) {
  T value;
  std::memcpy(&value, reinterpret_cast<const std::byte*>(registers) + byte, sizeof value);
  return value;
}

}  // namespace

/// What the thread started with.
Symbol SymbolicKernel::initial(unsigned at, RegType type) const {
  constexpr unsigned places = sizeof(Grf) + 2 * dword_bytes;
  const unsigned quads = channels_ / 4, size = size_of(type);
  if (at >= places && at < places + quads * dword_bytes && type == RegType::uw)
    return {(at - places) / 2 % 2 ? Kind::quad_y : Kind::quad_x, static_cast<uint8_t>((at - places) / dword_bytes)};
  const size_t first = shared_.first * sizeof(Grf), attributes = first + shared_.constants.size_bytes();
  if (at < first) return {};
  const bool in_constants = at < attributes;
  const std::span<const Grf> from = in_constants ? shared_.constants : shared_.attributes;
  const size_t byte = at - (in_constants ? first : attributes);
  if (byte + size > from.size_bytes()) return {};
  switch (type) {
    case RegType::f: return constant(static_cast<double>(read_as<float>(from.data(), byte)));
    case RegType::d: return constant(read_as<int32_t>(from.data(), byte));
    case RegType::ud: return constant(read_as<uint32_t>(from.data(), byte));
    case RegType::w: return constant(read_as<int16_t>(from.data(), byte));
    case RegType::uw: return constant(read_as<uint16_t>(from.data(), byte));
    default: return {};
  }
}

Symbol SymbolicKernel::load(unsigned at, RegType type, uint8_t reader) const {
  const unsigned size = size_of(type);
  if (at % 2 || size < 2 || at + size > eu::grf_bytes) return {};
  const Word& word = words_[at / 2];
  bool fresh = true, whole = true;
  for (unsigned i = 0; i < size / 2; ++i) {
    fresh &= !words_[at / 2 + i].written;
    whole &= i == 0 || !words_[at / 2 + i].bytes;
  }
  if (fresh) return initial(at, type);
  if (word.bytes != size || !whole || word.floating != is_float(type) || !fits(word.symbol, type)) return {};
  return word.writer == any_channel || word.writer == reader ? word.symbol : Symbol{};
}

void SymbolicKernel::store(unsigned at, unsigned bytes, bool floating, uint8_t writer, const Symbol& symbol) {
  if (at % 2 || at + bytes > eu::grf_bytes) {
    // A part of a word, or the end of the registers.
    if (at < eu::grf_bytes) words_[at / 2] = {.symbol = {}, .bytes = 1, .written = true, .floating = false, .writer = writer};
    return;
  }
  words_[at / 2] = {symbol, static_cast<uint8_t>(bytes), true, floating, writer};
  for (unsigned i = 1; i < bytes / 2; ++i) words_[at / 2 + i] = {.symbol = {}, .bytes = 0, .written = true, .floating = false, .writer = 0};
}

Symbol SymbolicKernel::source(const eu::Op& op, unsigned n, unsigned lane) const {
  const eu::Source& s = op.src[n];
  const auto reader = static_cast<uint8_t>(op.shift + lane);
  Symbol value;
  switch (s.fetch) {
    case Fetch::immediate:
      if (s.lanes && op.kind == eu::LaneKind::i32) value = constant(s.lanes->i[lane]);
      else if (s.lanes && op.kind == eu::LaneKind::f32) value = constant(static_cast<double>(s.lanes->f[lane]));
      break;
    case Fetch::contiguous: value = load(s.base + lane * size_of(s.type), s.type, reader); break;
    case Fetch::scalar: value = load(s.base, s.type, reader); break;
    case Fetch::offsets: value = load((*s.offsets)[lane], s.type, reader); break;
    default: return {};
  }
  if (s.bit_not || ((s.negate || s.abs) && value.kind != Kind::constant)) return {};
  if (s.abs) value.halves = std::abs(value.halves);
  if (s.negate) value.halves = -value.halves;
  return value;
}

Symbol SymbolicKernel::result(const eu::Op& op, unsigned lane) const {
  if (op.saturate || op.cond || op.acc_write) return {};
  const Symbol first = source(op, 0, lane);
  switch (op.opcode) {
    case Opcode::mov: return !is_float(op.dst.type) && first.kind != Kind::texel ? truncated(first) : first;
    case Opcode::rndd:
    case Opcode::rnde:
    case Opcode::rndz: return rounded(first, op.opcode);
    case Opcode::add: return sum(first, source(op, 1, lane));
    case Opcode::mul: return product(first, source(op, 1, lane));
    case Opcode::mad: return sum(product(source(op, 1, lane), source(op, 2, lane)), first);
    default: return {};
  }
}

bool SymbolicKernel::execute(const eu::Op& op) {
  const eu::Instruction& i = *op.instruction;
  const eu::OpcodeInfo* const row = i.info();
  if (!row || op.pred || op.writes_control || op.writes_masks || op.dst.place == Place::indirect) return false;
  if (row->form == Form::nop || row->form == Form::sync) return !i.is_wait();
  if (row->form != Form::basic && row->form != Form::ternary && row->form != Form::math) return false;
  if (op.dst.place == Place::none) return true;
  const unsigned size = size_of(op.dst.type);
  std::array<Symbol, 32> results;
  for (unsigned lane = 0; lane < op.exec_size; ++lane) {
    results[lane] = result(op, lane);
    if (!fits(results[lane], op.dst.type)) results[lane] = {};
  }
  for (unsigned lane = 0; lane < op.exec_size; ++lane) {
    const unsigned channel = op.shift + lane;
    const unsigned at = op.dst.place == Place::contiguous ? op.dst.base + lane * size : (*op.dst.offsets)[lane];
    if ((!op.no_mask && channel >= channels_) || !(op.dst.channels >> lane & 1) || at >= eu::grf_bytes) continue;
    store(at, size, is_float(op.dst.type), op.no_mask ? any_channel : static_cast<uint8_t>(channel), results[lane]);
  }
  return true;
}

void SymbolicKernel::give(unsigned reg, unsigned components) {
  for (unsigned c = 0; c < components; ++c)
    for (unsigned lane = 0; lane < channels_; ++lane)
      store(static_cast<unsigned>((reg + c * (channels_ / 8)) * sizeof(Grf)) + lane * dword_bytes, dword_bytes, false,
            static_cast<uint8_t>(lane), {.kind = Kind::texel, .index = static_cast<uint8_t>(lane), .halves = static_cast<int32_t>(c)});
}

Symbol SymbolicKernel::dword(unsigned reg, unsigned element, unsigned channel) const {
  return load(static_cast<unsigned>(reg * sizeof(Grf)) + element * dword_bytes, RegType::d, static_cast<uint8_t>(channel));
}

}  // namespace softgen::render
