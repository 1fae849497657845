// SPDX-License-Identifier: GPL-2.0-or-later
// Instruction to Op: where operands lie. Their lanes and kernels: choice.cpp.
#include <algorithm>
#include <optional>

#include "hw/eu/program/handlers.h"

namespace softgen::eu {

namespace {

struct ArfSpan {
  size_t offset;
  unsigned size;  ///< bytes; 0: reads as null
};

/// `masks`: of a set with mask stacks.
ArfSpan arf_span(const Operand& o, bool masks) {
  const unsigned n = o.reg & 15;
  switch (static_cast<Arf>(o.reg & 0xf0)) {
    case Arf::address: return {offsetof(Registers, address), n ? 0u : 32u};
    case Arf::accumulator:
      if (o.type == RegType::nf) return {offsetof(Registers, native) + n * 64, n < 2 ? 128 - n * 64 : 0};
      return {offsetof(Registers, acc) + n * 32, n < 2 ? 64 - n * 32 : 0};
    case Arf::flag: return {offsetof(Registers, flag) + n * 4, n < 2 ? 8 - n * 4 : 0};
    case Arf::channel_enable: return {offsetof(Registers, channel_enable), masks ? 8u : 4u};
    case Arf::mask_stack: break;
    case Arf::stack_pointer: return {offsetof(Registers, stack_pointer), 32};
    case Arf::state: return {offsetof(Registers, state) + n * 16, n < 2 ? 32 - n * 16 : 0};
    case Arf::control: return {offsetof(Registers, control), n ? 0u : 32u};
    case Arf::notification: return {offsetof(Registers, notification), 32};
    case Arf::ip: return {offsetof(Registers, ip), 4};
    case Arf::thread_dependency: return {offsetof(Registers, dependency), 32};
    case Arf::timestamp: return {offsetof(Registers, timestamp), 32};
    case Arf::null: break;
  }
  return {0, 0};
}

uint16_t arf_offset(const Operand& o, unsigned relative, unsigned size, bool writes, bool masks) {
  const ArfSpan span = arf_span(o, masks);
  if (relative + size <= span.size) return static_cast<uint16_t>(span.offset + relative);
  return static_cast<uint16_t>(writes ? offsetof(Registers, sink) : offsetof(Registers, null));
}

/// Of a destination in the message registers; beyond them nothing is written. `halves_apart`: its second eight channels are four registers on.
uint16_t message_register_offset(const Operand& o, unsigned relative, unsigned size, bool halves_apart) {
  constexpr unsigned half = 32, apart = 4 * 32;
  if (halves_apart) relative = relative / half * apart + relative % half;
  const unsigned offset = o.reg * 32u + relative;
  return static_cast<uint16_t>(offset + size <= (grf_count + guard_count) * 32 ? offset : offsetof(Registers, sink));
}

uint16_t operand_offset(const Operand& o, unsigned relative, unsigned size, bool writes, bool masks) {
  if (o.file == RegFile::arf) return arf_offset(o, relative, size, writes, masks);
  return static_cast<uint16_t>(((o.reg & 127u) * 32 + relative) & (grf_bytes - 1));
}

bool dynamic_arf(const Operand& o) {
  return o.is_arf(Arf::ip) || o.is_arf(Arf::timestamp) || o.is_arf(Arf::channel_enable) || o.is_arf(Arf::stack_pointer);
}

/// NF has double precision here.
RegType computed_type(RegType type) { return type == RegType::invalid ? RegType::ud : type == RegType::nf ? RegType::df : type; }

/// Types the opcode's row has. What hardware does with others is not documented.
bool types_fit(const IsaLimits& limits, const Instruction& i, const OpcodeInfo& row) {
  if (row.destinations && !i.dst.is_null() && !takes(limits, row, row.dst_types, i.dst.type)) return false;
  for (unsigned n = 0; n < row.sources; n++)
    if (!i.src[n].is_null() && !is_packed_vector(i.src[n].type) && !takes(limits, row, row.src_types, i.src[n].type)) return false;
  return true;
}

/// The halves of a compressed instruction have registers of their own: the first one's number has bit 0 set for the second one, so that an odd register is
/// of both; a region of one element is, too. An address is followed by the second half's. What is narrower than the destination's elements lies side by side
/// (Mesa's pixel positions: add(16) of F and g<8,8,1>UW). intel-vaapi-driver shaders/h264/mc: intra_Header.inc ("must be an odd numbered GRF register"),
/// intra_pred_16x16_Y.asm ("to trick EU to use YP_1.%2 for 2nd instruction"), intra_Pred_Chroma.asm and SetHWScoreboard.asm (addresses).
bool has_halves(const Instruction& i) {
  constexpr uint8_t compressed = 2;
  return i.compression == compressed && i.exec_size >= 16;
}
bool has_register_halves(const Instruction& i, const Operand& o) {
  if (!has_halves(i) || o.indirect || o.file != RegFile::grf || (width_elements(o.width & 7) == 1 && o.vstride == 0)) return false;
  const bool goes_on =
      i.exec_size == 16 && !i.dst.is_null() && size_of(computed_type(o.type)) < size_of(computed_type(i.dst.type)) && o.hstride;
  return !goes_on;
}
constexpr unsigned register_bytes = 32;

/// The same number as F; none: a denormal, which the thread's mode may flush, an infinity or a NaN.
std::optional<uint32_t> widened(uint16_t half) {
  const uint32_t sign = uint32_t{half & 0x8000u} << 16, exponent = half >> 10 & 31, fraction = half & 0x3ff;
  if (exponent == 31 || (!exponent && fraction)) return std::nullopt;
  // The exponents' biases: 15, 127.
  return sign | (exponent ? (exponent + 112) << 23 | fraction << 13 : 0);
}

}  // namespace

const Offsets* OpBuilder::keep(const Offsets& offsets) {
  for (auto it = pool_.rbegin(); it != pool_.rend() && it - pool_.rbegin() < 32; ++it)
    if (*it == offsets) return &*it;
  return &pool_.emplace_back(offsets);
}

void OpBuilder::controls(uint32_t offset) {
  op_.opcode = limits_.shr_keeps_sign && i_.opcode == Opcode::shr && is_signed(i_.src[0].type) ? Opcode::asr : i_.opcode;
  op_.exec_size = std::min<uint8_t>(i_.exec_size, 32);
  op_.groups = static_cast<uint8_t>((op_.exec_size + 7) / 8);
  op_.shift = static_cast<uint8_t>(i_.channel_offset() & 31);
  op_.cond = i_.cond_mod;
  op_.pred = i_.pred_control;
  op_.pred_invert = i_.pred_invert;
  op_.align16 = i_.access_mode == AccessMode::align16;
  op_.no_mask = i_.no_mask;
  op_.saturate = i_.saturate;
  op_.acc_write = i_.acc_write && i_.info() && !i_.info()->has('b');
  if (limits_.accumulates_always)
    op_.acc_write = accumulates_ && i_.opcode >= Opcode::add && i_.opcode <= Opcode::pln && !i_.dst.is_arf(Arf::accumulator);
  op_.flag_halves = limits_.flag_registers == 1;
  op_.of_vectors = limits_.vector_kernels;
  op_.splits_first = limits_.splits_first_factor && (i_.opcode == Opcode::mul || i_.opcode == Opcode::mach) &&
                     size_of(i_.src[0].type) == 4 && size_of(i_.src[1].type) == 4 && !is_float(i_.src[0].type);
  op_.flag_bit = static_cast<uint8_t>(i_.flag_reg * 32 + i_.flag_subreg * 16);
  op_.lanes_mask = op_.exec_size == 32 ? 0xffffffffu : (1u << op_.exec_size) - 1;
  op_.offset = offset;
  op_.next_offset = offset + i_.size();
  op_.instruction = &i_;
  op_.sources = i_.info() ? i_.info()->sources : 0;
}

/// Offsets of the elements from the operand's origin, by channel.
void OpBuilder::region(Source& s, const Operand& o) {
  const unsigned size = size_of(o.type);
  std::array<unsigned, 32> relative{};
  const bool ternary = op_.align16 && i_.info()->form == Form::ternary;
  // A channel reads its own accumulator, also where the region says a scalar: Mesa's lower_sub_sat relies on it (brw_fs.cpp), and piglit's
  // subtractSaturate tests pass on the chip.
  const bool by_channel = o.is_arf(Arf::accumulator) && !o.indirect && !op_.align16 && o.vstride == 0 && o.width == 0;
  for (unsigned n = 0; n < 32; n++) {
    if (by_channel) {
      relative[n] = n * size;
    } else if (ternary) {
      relative[n] = o.replicate ? 0 : (n / 4 * 4 + (o.swizzle >> 2 * (n % 4) & 3)) * size;
    } else if (op_.align16) {
      relative[n] = (n / 4 * vstride_elements(o.vstride & 7) + (o.swizzle >> 2 * (n % 4) & 3)) * size;
    } else {
      const unsigned width = width_elements(o.width & 7), row = o.vstride == vstride_indirect ? 0 : n / width;
      const unsigned v = o.vstride == vstride_indirect ? 0 : vstride_elements(o.vstride & 7);
      relative[n] = (row * v + n % width * hstride_elements(o.hstride)) * size;
    }
  }
  const unsigned half = op_.exec_size / 2u;
  const bool by_addresses = has_halves(i_) && o.indirect && o.vstride != vstride_indirect;
  if (by_addresses || has_register_halves(i_, o))
    for (unsigned n = half; n < op_.exec_size; n++) relative[n] = relative[n - half] + (by_addresses || o.reg % 2 ? 0 : register_bytes);
  const bool one = std::all_of(relative.begin(), relative.begin() + op_.exec_size, [](unsigned r) { return r == 0; });
  bool packed = op_.exec_size > 1;
  for (unsigned n = 0; n < op_.exec_size; n++) packed = packed && relative[n] == n * size;

  Offsets offsets;
  if (o.indirect) {
    for (unsigned n = 0; n < 32; n++) offsets[n] = static_cast<uint16_t>(relative[n]);
    s.offsets = keep(offsets);
    s.addr_subreg = o.addr_subreg;
    s.addr_imm = o.addr_imm;
    s.row = static_cast<uint8_t>(by_addresses ? half : width_elements(o.width & 7));
    s.fetch = by_addresses || (o.vstride == vstride_indirect && !op_.align16) ? Fetch::indirect_vx : Fetch::indirect;
    return;
  }
  const bool whole_acc = o.is_arf(Arf::accumulator) && o.subreg + op_.exec_size * size <= arf_span(o, limits_.mask_stacks).size;
  const bool direct = o.file == RegFile::grf || whole_acc;
  s.base = operand_offset(o, o.subreg, size, false, limits_.mask_stacks);
  if (one) {
    s.fetch = Fetch::scalar;
  } else if (packed && direct) {
    s.fetch = Fetch::contiguous;
  } else {
    for (unsigned n = 0; n < 32; n++) offsets[n] = operand_offset(o, o.subreg + relative[n], size, false, limits_.mask_stacks);
    s.offsets = keep(offsets);
    s.fetch = Fetch::offsets;
  }
}

void OpBuilder::source(unsigned n) {
  const Operand& o = i_.src[n];
  Source& s = op_.src[n];
  s.type = computed_type(o.type);
  const bool logic = i_.info()->has('n') && !limits_.logic_negates;
  s.bit_not = logic && o.negate;
  s.negate = !logic && o.negate;
  s.abs = !logic && o.abs && is_signed(s.type);
  if (o.file == RegFile::imm) {
    s.fetch = Fetch::immediate;
    s.constant = i_.imm;
    // Mesa writes HF constants into mads of F (Gfx11 and later), which are computed in F.
    const bool among_floats = i_.opcode == Opcode::mad && i_.src[1].type == RegType::f;
    if (const auto wide = widened(static_cast<uint16_t>(i_.imm)); s.type == RegType::hf && among_floats && wide) {
      s.type = RegType::f;
      s.constant = *wide;
    }
    // The elements are words side by side, and a channel takes that which stands where the channel is in the destination. The manual wants the
    // destination's to be words as well (SKL PRM vol 7, "Immediate"); IGC has dwords take every other element.
    if (s.type == RegType::v || s.type == RegType::uv) {
      const unsigned stride = op_.align16 ? 1 : std::max(1u, hstride_elements(i_.dst.hstride));
      s.step = static_cast<uint8_t>(std::max(1u, size_of(i_.dst.type == RegType::invalid ? RegType::ud : i_.dst.type) * stride / 2));
    }
    s.negate = s.abs = s.bit_not = false;
    return;
  }
  if (o.is_null()) return;
  op_.reads_dynamic = op_.reads_dynamic || dynamic_arf(o);
  region(s, o);
}

void OpBuilder::destination() {
  const Operand& o = i_.dst;
  Destination& d = op_.dst;
  d.type = computed_type(o.type);
  if (o.is_null()) return;
  const unsigned size = size_of(d.type);
  const unsigned stride = op_.align16 ? 1 : std::max(1u, hstride_elements(o.hstride));
  if (op_.align16)
    for (unsigned n = 0; n < 32; n++)
      if (!(o.writemask >> n % 4 & 1)) d.channels &= ~(1u << n);
  Offsets offsets;
  const unsigned half = op_.exec_size / 2u, half_bytes = half * stride * size;
  // From the destination's beginning.
  const auto place = [&](unsigned n) {
    const bool second = has_halves(i_) && n >= half;
    return second ? (o.indirect ? 0 : std::max(register_bytes, half_bytes)) + (n - half) * stride * size : n * stride * size;
  };
  if (o.indirect) {
    for (unsigned n = 0; n < 32; n++) offsets[n] = static_cast<uint16_t>(place(n));
    if (has_halves(i_)) d.row = static_cast<uint8_t>(half);
    d.offsets = keep(offsets);
    d.addr_subreg = o.addr_subreg;
    d.addr_imm = o.addr_imm;
    d.place = Place::indirect;
    return;
  }
  op_.writes_control = o.is_arf(Arf::control);
  op_.to_accumulator = o.is_arf(Arf::accumulator) && o.type != RegType::nf;
  op_.writes_masks = limits_.mask_stacks && o.is_arf(Arf::channel_enable);
  if (op_.writes_masks) op_.reads_dynamic = true;  // what it does not write stays
  const bool whole_acc = o.is_arf(Arf::accumulator) && o.subreg + op_.exec_size * size <= arf_span(o, limits_.mask_stacks).size;
  const bool in_one_piece = stride == 1 && (whole_acc || !has_halves(i_) || half_bytes >= register_bytes);
  if (limits_.message_registers && o.file == RegFile::grf && o.reg >= grf_count) {
    for (unsigned n = 0; n < 32; n++) offsets[n] = message_register_offset(o, o.subreg + place(n), size, i_.interleaved_halves);
    const bool inside = o.reg * 32u + o.subreg + op_.exec_size * size <= (grf_count + guard_count) * 32;
    d.place = in_one_piece && !i_.interleaved_halves && inside ? Place::contiguous : Place::offsets;
    if (d.place == Place::contiguous) d.base = offsets[0];
    else d.offsets = keep(offsets);
    return;
  }
  if (in_one_piece && (o.file == RegFile::grf || whole_acc)) {
    d.base = operand_offset(o, o.subreg, size, true, limits_.mask_stacks);
    d.place = Place::contiguous;
    return;
  }
  for (unsigned n = 0; n < 32; n++)
    offsets[n] = operand_offset(o, o.subreg + (whole_acc ? n * stride * size : place(n)), size, true, limits_.mask_stacks);
  d.offsets = keep(offsets);
  d.place = Place::offsets;
}

/// src0 of a send, which is moved to the first message register, and the channels that extended math answers.
void OpBuilder::message_operands() {
  if (op_.align16)
    for (unsigned n = 0; n < 32; n++)
      if (!(i_.dst.writemask >> n % 4 & 1)) op_.dst.channels &= ~(1u << n);
  const Operand& o = i_.src[0];
  if (o.is_null() || o.type == RegType::invalid || o.file == RegFile::reserved || o.file == RegFile::imm) return;
  source(0);
  op_.kind = is_float(o.type) ? LaneKind::f32 : LaneKind::i32;
  op_.src[0].load = load_for(op_.src[0].type, op_.kind);
}

/// Single program flow of sets with mask stacks jumps by adding to ip (Mesa brw_eu_emit.c, convert_IF_ELSE_to_ADD).
void OpBuilder::choose_to_ip() {
  const bool adds = limits_.mask_stacks && i_.opcode == Opcode::add;
  op_.execute = i_.opcode == Opcode::mov || adds ? execute_to_ip : execute_illegal;
}

Op OpBuilder::build(uint32_t offset) {
  controls(offset);
  const OpcodeInfo* row = i_.info();
  op_.execute = execute_illegal;
  if (!row || i_.exec_size > 32) return op_;
  switch (row->form) {
    case Form::basic:
    case Form::math:
    case Form::ternary:
      if (choose_mask_flow()) break;
      if (!types_fit(limits_, i_, *row)) return op_;
      for (unsigned n = 0; n < row->sources; n++) source(n);
      if (row->destinations) destination();
      choose();
      if (i_.opcode != Opcode::wait && op_.execute != execute_illegal) attach();
      if (row->destinations && i_.dst.is_arf(Arf::ip)) choose_to_ip();
      break;
    case Form::send:
      op_.message_registers = static_cast<uint8_t>(limits_.message_registers);
      if (op_.message_registers) message_operands();
      choose();
      break;
    default: choose();
  }
  return op_;
}

}  // namespace softgen::eu
