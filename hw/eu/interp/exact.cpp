// SPDX-License-Identifier: GPL-2.0-or-later
// Integer operations computed without overflow: whatever saturates, uses an accumulator, or is not worth a vector.
#include <algorithm>
#include <array>
#include <bit>

#include "hw/eu/interp/access.h"
#include "hw/eu/interp/execute.h"

namespace softgen::eu {

namespace {

uint32_t low32(Int128 v) { return static_cast<uint32_t>(v); }

/// First bit from the most significant end: for signed values, the first that differs from the sign. -1: none.
Int128 find_high(Int128 value, bool with_sign) {
  uint32_t bits = low32(value);
  if (with_sign && static_cast<int32_t>(bits) < 0) bits = ~bits;
  return bits ? std::countl_zero(bits) : Int128{0xffffffff};
}

uint32_t reverse(uint32_t v) {
  uint32_t r = 0;
  for (unsigned n = 0; n < 32; n++) r |= (v >> n & 1) << (31 - n);
  return r;
}

/// bfe: `width` bits of `value` from bit `offset` (SKL PRM vol 7, "Bit Field Extract").
Int128 extract(uint32_t width, uint32_t offset, uint32_t value, bool with_sign) {
  width &= 31;
  offset &= 31;
  if (!width) return 0;
  if (offset + width < 32) value <<= 32 - width - offset;
  const unsigned down = offset + width < 32 ? 32 - width : offset;
  return with_sign ? Int128{static_cast<int32_t>(value) >> down} : Int128{value >> down};
}

/// The value in the width of its type, as unsigned.
Int128 as_unsigned(Int128 v, RegType type) { return v & ((Int128{1} << size_of(type) * 8) - 1); }

/// What shr shifts zeros into. A signed qword comes with its sign in a 65th bit: so Mesa's lower_sub_sat halves it, and passes on the chip
/// (fs-subtractSaturate-int64 is not among the failures of src/intel/ci/iris-kbl-fails.txt).
Int128 shifted_value(Int128 v, RegType type) { return type == RegType::q ? v & ((Int128{1} << 65) - 1) : as_unsigned(v, type); }

/// a + b * c modulo 2^128: products of qwords with a sign of their own reach beyond it, and no destination shows those bits.
Int128 multiply_add(Int128 a, Int128 b, Int128 c) {
  using Unsigned = unsigned __int128;
  return static_cast<Int128>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b) * static_cast<Unsigned>(c));
}

/// `value` in the width of its type, turned left by `count` modulo that width.
Int128 rotated(Int128 value, RegType type, unsigned count) {
  const unsigned width = size_of(type) * 8;
  const auto bits = static_cast<uint64_t>(as_unsigned(value, type));
  count %= width;
  return static_cast<Int128>(as_unsigned(Int128{bits << count | bits >> (width - count)}, type));
}

/// The sum of the products of four bytes each.
Int128 dot_product(Int128 b, RegType b_type, Int128 c, RegType c_type) {
  const auto byte = [](Int128 v, RegType type, unsigned n) {
    const auto bits = static_cast<uint8_t>(low32(v) >> 8 * n);
    return is_signed(type) ? int{static_cast<int8_t>(bits)} : int{bits};
  };
  int sum = 0;
  for (unsigned n = 0; n < 4; n++) sum += byte(b, b_type, n) * byte(c, c_type, n);
  return sum;
}

Int128 one(const Op& op, Int128 a, Int128 b, Int128 c) {
  const RegType type = op.src[0].type;
  switch (op.opcode) {
    case Opcode::mov:
    case Opcode::movi: return a;
    case Opcode::add: return a + b;
    case Opcode::mul: return multiply_add(0, op.splits_first ? a & 0xffff : a, b);
    case Opcode::mad: return multiply_add(a, b, c);
    case Opcode::avg: return (a + b + 1) >> 1;
    case Opcode::shl: return static_cast<Int128>(static_cast<unsigned __int128>(a) << (static_cast<unsigned>(b) & op.shift_mask));
    case Opcode::shr: return shifted_value(a, type) >> (static_cast<unsigned>(b) & op.shift_mask);
    case Opcode::asr: return a >> (static_cast<unsigned>(b) & op.shift_mask);
    case Opcode::dp4a: return a + dot_product(b, op.src[1].type, c, op.src[2].type);
    case Opcode::rol: return rotated(a, type, static_cast<unsigned>(b));
    case Opcode::ror: return rotated(a, type, -static_cast<unsigned>(b));
    case Opcode::lzd: return std::countl_zero(low32(a));
    case Opcode::fbh: return find_high(a, is_signed(type));
    case Opcode::fbl: return low32(a) ? Int128{std::countr_zero(low32(a))} : Int128{0xffffffff};
    case Opcode::cbit: return std::popcount(static_cast<uint32_t>(as_unsigned(a, type)));
    case Opcode::bfrev: return reverse(low32(a));
    case Opcode::bfe: return extract(low32(a), low32(b), low32(c), is_signed(op.dst.type));
    case Opcode::bfi1: return low32(((Int128{1} << (low32(a) & 31)) - 1) << (low32(b) & 31));
    // The inserted value is moved up to the mask's lowest bit (Mesa nir_opcodes.py, bfi, which iris sends as this instruction).
    case Opcode::bfi2: {
      const uint32_t mask = low32(a);
      const uint32_t moved = mask ? low32(b) << std::countr_zero(mask) : 0;
      return Int128{(moved & mask) | (low32(c) & ~mask)};
    }
    default: return 0;
  }
}

/// The accumulator as an integer operation of this type sees it.
Int128 accumulator(const Thread& thread, RegType type, unsigned channel) {
  const unsigned size = size_of(type);
  if (thread.acc_size == size) return thread.acc_wide[channel & 63];
  Source s;
  s.type = type;
  s.fetch = Fetch::scalar;
  s.base = static_cast<uint16_t>(offsetof(Registers, acc) + channel * size);
  Lanes lanes;
  load_for(type, LaneKind::exact)(thread.regs, s, 1, lanes);
  return lanes.x[0];
}

/// Whether the type the accumulator is seen in is wider than the sources: W sources accumulate in W channels of 33 bits.
RegType accumulator_type(const Op& op) {
  const RegType s = op.src[0].type;
  if (size_of(s) >= 2) return is_packed_vector(s) ? RegType::w : s;
  return is_signed(s) ? RegType::w : RegType::uw;
}

void set_accumulator(Thread& thread, RegType type, unsigned channel, Int128 value) {
  const unsigned size = size_of(type);
  if (thread.acc_size != size) {
    // Channels not written yet keep what a read would have seen.
    const unsigned count = 64 / size;
    for (unsigned n = 0; n < count; n++) thread.acc_wide[n] = static_cast<int64_t>(accumulator(thread, type, n));
    thread.acc_size = static_cast<uint8_t>(size);
  }
  thread.acc_wide[channel & 63] = static_cast<int64_t>(value);
  Destination d;
  d.place = Place::contiguous;
  d.base = static_cast<uint16_t>(offsetof(Registers, acc) + channel * size);
  Lanes lanes;
  if (size == 8) lanes.q[0] = static_cast<int64_t>(value);
  else lanes.i[0] = static_cast<int32_t>(value);
  store_for(type)(thread.regs, d, 1, 1, lanes);
}

/// mach: src1's upper word times src0 (or src0's times src1: splits_first) joins what mul left in the accumulator; the result is the upper dword (SKL PRM vol 7,
/// "Multiply Accumulate High"), or the lower one, and the accumulator stays.
void multiply_high(Thread& thread, const Op& op, uint32_t mask, const Lanes* in, Lanes& r) {
  std::array<int64_t, 32> whole;
  const Lanes &split = in[op.splits_first ? 0 : 1], &factor = in[op.splits_first ? 1 : 0];
  for (unsigned n = 0; n < op.exec_size; n++) {
    const Int128 high = (split.x[n] >> 16) << 16;
    whole[n] = static_cast<int64_t>(multiply_add(accumulator(thread, op.src[0].type, n), factor.x[n], high));
    const auto low = static_cast<uint32_t>(whole[n]);
    if (op.instruction->low_product) r.x[n] = is_signed(op.dst.type) ? Int128{static_cast<int32_t>(low)} : Int128{low};
    else r.x[n] = is_signed(op.dst.type) ? Int128{whole[n] >> 32} : Int128{static_cast<uint64_t>(whole[n]) >> 32};
  }
  if (op.instruction->low_product) return;
  for (unsigned n = 0; n < op.exec_size; n++)
    if (mask >> n & 1) set_accumulator(thread, op.dst.type, n, whole[n]);
}

/// In what addc and subb add: dwords, but where all operands are narrower words.
RegType carry_type(const Op& op) {
  const bool dwords = std::max({size_of(op.dst.type), size_of(op.src[0].type), size_of(op.src[1].type)}) == 4;
  return dwords ? RegType::ud : RegType::uw;
}

void carry(Thread& thread, const Op& op, uint32_t mask, const Lanes* in, Lanes& r) {
  const bool subtract = op.opcode == Opcode::subb;
  const RegType type = carry_type(op);
  for (unsigned n = 0; n < op.exec_size; n++) {
    const Int128 a = as_unsigned(in[0].x[n], type), b = as_unsigned(in[1].x[n], type);
    r.x[n] = op.saturate ? (subtract ? a - b : a + b) : as_unsigned(subtract ? a - b : a + b, type);
    const bool out = subtract ? a < b : (a + b) >> size_of(type) * 8 != 0;
    if (mask >> n & 1) set_accumulator(thread, type, n, out);
  }
}

/// sad2, sada2: pairs of channels; the even one gets the sum of both absolute differences.
uint32_t absolute_differences(Thread& thread, const Op& op, uint32_t mask, const Lanes* in, Lanes& r) {
  for (unsigned n = 0; n < op.exec_size; n += 2) {
    Int128 sum = op.opcode == Opcode::sada2 ? accumulator(thread, accumulator_type(op), n) : 0;
    for (unsigned k = n; k < n + 2; k++) {
      const Int128 d = in[0].x[k] - in[1].x[k];
      sum += d < 0 ? -d : d;
    }
    r.x[n] = sum;
    if (n + 1 < 32) r.x[n + 1] = 0;
  }
  return mask & 0x55555555u;
}

/// A right shift of an accumulator in words sees all of its bits, and shifts its sign in: iHD's composition kernels so bring sums of products of words,
/// which may be negative, back to words (shr.sat).
bool shifts_wide_words(const Thread& thread, const Op& op) {
  const Operand& source = op.instruction->src[0];
  return (op.opcode == Opcode::shr || op.opcode == Opcode::asr) && source.is_arf(Arf::accumulator) && !source.negate && !source.abs &&
         size_of(source.type) == 2 && thread.acc_size == 2;
}

/// The first channel of acc0 (acc1 follows) that a source of words reads.
unsigned first_word(const Operand& accumulator) { return ((accumulator.reg & 1) * 32u + accumulator.subreg) / 2; }

/// The first channel of the accumulator that an integer operation takes and gives without naming it. Of sets with mask stacks acc1 stands for acc0 where the
/// destination is acc1, and in the second half of a pair of 16 words (i965-va-driver, shaders/h264/mc/interpolate_C_4x4.asm).
unsigned implicit_channel(const Thread& thread, const Op& op) {
  constexpr uint8_t second_half = 1;
  const Instruction& i = *op.instruction;
  const bool named = i.dst.is_arf(Arf::accumulator) && (i.dst.reg & 1), second = i.compression == second_half && op.exec_size == 16;
  const bool upper = (named || second) && thread.program()->isa().limits().mask_stacks;
  return upper ? 32 / size_of(accumulator_type(op)) : 0;
}

}  // namespace

Next execute_exact(Thread& thread, const Op& op, RunState& state) {
  uint32_t mask = execution_mask(thread, op);
  if (!mask) return Next::advance;
  Lanes in[3], result;
  for (unsigned n = 0; n < op.sources; n++) load_source(thread, op, n, state.mode, in[n]);
  switch (op.opcode) {
    case Opcode::mach: multiply_high(thread, op, mask, in, result); break;
    case Opcode::addc:
    case Opcode::subb: carry(thread, op, mask, in, result); break;
    case Opcode::sad2:
    case Opcode::sada2: mask = absolute_differences(thread, op, mask, in, result); break;
    case Opcode::mac: {
      const RegType type = accumulator_type(op);
      const unsigned first = implicit_channel(thread, op);
      for (unsigned n = 0; n < op.exec_size; n++) result.x[n] = multiply_add(accumulator(thread, type, first + n), in[0].x[n], in[1].x[n]);
      break;
    }
    case Opcode::shr:
    case Opcode::asr:
      if (shifts_wide_words(thread, op)) {
        const unsigned first = first_word(op.instruction->src[0]);
        for (unsigned n = 0; n < op.exec_size; n++)
          result.x[n] = Int128{thread.acc_wide[(first + n) & 63]} >> (static_cast<unsigned>(in[1].x[n]) & op.shift_mask);
        break;
      }
      [[fallthrough]];
    default:
      for (unsigned n = 0; n < op.exec_size; n++) result.x[n] = one(op, in[0].x[n], in[1].x[n], in[2].x[n]);
  }
  for (unsigned n = op.exec_size; n < op.groups * 8u; n++) result.x[n] = 0;

  Lanes exact = result;
  const bool own = op.opcode == Opcode::mach || op.opcode == Opcode::addc || op.opcode == Opcode::subb;
  const bool to_acc = op.to_accumulator && !is_float(op.dst.type);
  const bool float_acc = !own && is_float(op.dst.type);
  retire(thread, op, state.mode, mask, result, retire_flags | (float_acc ? retire_accumulator : retire_keep_wide));
  if (own || is_float(op.dst.type) || !(to_acc || op.acc_write)) return Next::advance;
  // The integer accumulator keeps more bits than the destination shows.
  const unsigned first = to_acc ? (op.instruction->dst.reg & 15u) * 32 / size_of(op.dst.type) : implicit_channel(thread, op);
  for (unsigned n = 0; n < op.exec_size; n++) {
    if (!(mask >> n & 1)) continue;
    Int128 value = exact.x[n];
    if (op.saturate) value = size_of(op.dst.type) == 8 ? result.q[n] : is_signed(op.dst.type) ? Int128{result.i[n]} : Int128{result.u[n]};
    set_accumulator(thread, op.dst.type, first + n, value);
  }
  return Next::advance;
}

}  // namespace softgen::eu
