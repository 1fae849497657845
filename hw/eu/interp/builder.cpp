// SPDX-License-Identifier: GPL-2.0-or-later
// Instruction to Op: where operands lie, which lanes they become, which kernel works on them.
#include <algorithm>

#include "hw/eu/interp/access.h"
#include "hw/eu/interp/execute.h"

namespace softgen::eu {

namespace {

struct ArfSpan {
  size_t offset;
  unsigned size;  ///< bytes; 0: reads as null
};

ArfSpan arf_span(const Operand& o) {
  const unsigned n = o.reg & 15;
  switch (static_cast<Arf>(o.reg & 0xf0)) {
    case Arf::address: return {offsetof(Registers, address), n ? 0u : 32u};
    case Arf::accumulator: return {offsetof(Registers, acc) + n * 32, n < 2 ? 64 - n * 32 : 0};
    case Arf::flag: return {offsetof(Registers, flag) + n * 4, n < 2 ? 8 - n * 4 : 0};
    case Arf::channel_enable: return {offsetof(Registers, channel_enable), 4};
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

uint16_t arf_offset(const Operand& o, unsigned relative, unsigned size, bool writes) {
  const ArfSpan span = arf_span(o);
  if (relative + size <= span.size) return static_cast<uint16_t>(span.offset + relative);
  return static_cast<uint16_t>(writes ? offsetof(Registers, sink) : offsetof(Registers, null));
}

uint16_t operand_offset(const Operand& o, unsigned relative, unsigned size, bool writes) {
  if (o.file == RegFile::arf) return arf_offset(o, relative, size, writes);
  return static_cast<uint16_t>(((o.reg & 127u) * 32 + relative) & (grf_bytes - 1));
}

bool dynamic_arf(const Operand& o) {
  return o.is_arf(Arf::ip) || o.is_arf(Arf::timestamp) || o.is_arf(Arf::channel_enable);
}

RegType unsigned_of(unsigned size) {
  return size == 8 ? RegType::uq : size == 4 ? RegType::ud : size == 2 ? RegType::uw : RegType::ub;
}

const KernelTable& table() { return kernels(); }

/// Types the opcode's row has. What else hardware would make of an operand, nobody says.
bool types_fit(const Instruction& i, const OpcodeInfo& row) {
  if (row.destinations && !i.dst.is_null() && !allows(row.dst_types, i.dst.type)) return false;
  for (unsigned n = 0; n < row.sources; n++)
    if (!i.src[n].is_null() && !is_packed_vector(i.src[n].type) && !allows(row.src_types, i.src[n].type)) return false;
  return true;
}

Kernel kernel_of(LaneKind kind, KernelOp op) {
  const auto n = static_cast<unsigned>(op);
  switch (kind) {
    case LaneKind::i32: return table().i32[n];
    case LaneKind::i64: return table().i64[n];
    case LaneKind::f32: return table().f32[n];
    case LaneKind::f64: return table().f64[n];
    case LaneKind::exact: break;
  }
  return nullptr;
}

const CompareKernel* compares(LaneKind kind, bool with_sign) {
  switch (kind) {
    case LaneKind::i32: return with_sign ? table().compare_i32 : table().compare_u32;
    case LaneKind::i64: return with_sign ? table().compare_i64 : table().compare_u64;
    case LaneKind::f32: return table().compare_f32;
    case LaneKind::f64: return table().compare_f64;
    case LaneKind::exact: break;
  }
  return nullptr;
}

}  // namespace

const Offsets* OpBuilder::keep(const Offsets& offsets) {
  for (auto it = pool_.rbegin(); it != pool_.rend() && it - pool_.rbegin() < 32; ++it)
    if (**it == offsets) return it->get();
  pool_.push_back(std::make_unique<Offsets>(offsets));
  return pool_.back().get();
}

void OpBuilder::controls(uint32_t offset) {
  op_.opcode = i_.opcode;
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
  const bool ternary = i_.info()->form == Form::ternary;
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
  const bool one = std::all_of(relative.begin(), relative.begin() + op_.exec_size, [](unsigned r) { return r == 0; });
  bool packed = op_.exec_size > 1;
  for (unsigned n = 0; n < op_.exec_size; n++) packed = packed && relative[n] == n * size;

  Offsets offsets;
  if (o.indirect) {
    for (unsigned n = 0; n < 32; n++) offsets[n] = static_cast<uint16_t>(relative[n]);
    s.offsets = keep(offsets);
    s.addr_subreg = o.addr_subreg;
    s.addr_imm = o.addr_imm;
    s.row = static_cast<uint8_t>(width_elements(o.width & 7));
    s.fetch = o.vstride == vstride_indirect && !op_.align16 ? Fetch::indirect_vx : Fetch::indirect;
    return;
  }
  const bool whole_acc = o.is_arf(Arf::accumulator) && o.subreg + op_.exec_size * size <= arf_span(o).size;
  const bool direct = o.file == RegFile::grf || whole_acc;
  s.base = operand_offset(o, o.subreg, size, false);
  if (one) {
    s.fetch = Fetch::scalar;
  } else if (packed && direct) {
    s.fetch = Fetch::contiguous;
  } else {
    for (unsigned n = 0; n < 32; n++) offsets[n] = operand_offset(o, o.subreg + relative[n], size, false);
    s.offsets = keep(offsets);
    s.fetch = Fetch::offsets;
  }
}

void OpBuilder::source(unsigned n) {
  const Operand& o = i_.src[n];
  Source& s = op_.src[n];
  s.type = o.type == RegType::invalid ? RegType::ud : o.type;
  const bool logic = i_.info()->has('n');
  s.bit_not = logic && o.negate;
  s.negate = !logic && o.negate;
  s.abs = !logic && o.abs && is_signed(s.type);
  if (o.file == RegFile::imm) {
    s.fetch = Fetch::immediate;
    s.constant = i_.imm;
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
  d.type = o.type == RegType::invalid ? RegType::ud : o.type;
  if (o.is_null()) return;
  const unsigned size = size_of(d.type);
  const bool align16 = op_.align16 || i_.info()->form == Form::ternary;
  const unsigned stride = align16 ? 1 : std::max(1u, hstride_elements(o.hstride));
  if (align16)
    for (unsigned n = 0; n < 32; n++)
      if (!(o.writemask >> n % 4 & 1)) d.channels &= ~(1u << n);
  Offsets offsets;
  if (o.indirect) {
    for (unsigned n = 0; n < 32; n++) offsets[n] = static_cast<uint16_t>(n * stride * size);
    d.offsets = keep(offsets);
    d.addr_subreg = o.addr_subreg;
    d.addr_imm = o.addr_imm;
    d.place = Place::indirect;
    return;
  }
  op_.writes_control = o.is_arf(Arf::control);
  op_.to_accumulator = o.is_arf(Arf::accumulator);
  const bool whole_acc = o.is_arf(Arf::accumulator) && o.subreg + op_.exec_size * size <= arf_span(o).size;
  if (stride == 1 && (o.file == RegFile::grf || whole_acc)) {
    d.base = operand_offset(o, o.subreg, size, true);
    d.place = Place::contiguous;
    return;
  }
  for (unsigned n = 0; n < 32; n++) offsets[n] = operand_offset(o, o.subreg + n * stride * size, size, true);
  d.offsets = keep(offsets);
  d.place = Place::offsets;
}

bool OpBuilder::float_sources() const {
  for (unsigned n = 0; n < op_.sources; n++)
    if (is_float(op_.src[n].type) && !(n && op_.src[n].fetch == Fetch::none)) return true;
  return false;
}

bool OpBuilder::any_source(RegType type) const {
  for (unsigned n = 0; n < op_.sources; n++)
    if (op_.src[n].type == type && !(n && op_.src[n].fetch == Fetch::none)) return true;
  return false;
}

bool OpBuilder::modified() const {
  return std::any_of(op_.src, op_.src + op_.sources, [](const Source& s) { return s.negate || s.abs || s.bit_not; });
}

bool OpBuilder::touches_accumulator() const { return op_.acc_write || i_.dst.is_arf(Arf::accumulator); }

/// i32 where 32 bits hold all of it, else i64.
LaneKind OpBuilder::wrapping_kind() const {
  bool wide = size_of(op_.dst.type) == 8;
  for (unsigned n = 0; n < op_.sources; n++) wide = wide || size_of(op_.src[n].type) == 8;
  return wide ? LaneKind::i64 : LaneKind::i32;
}

void OpBuilder::use(KernelOp op) {
  op_.kernel = kernel_of(op_.kind, op);
  op_.execute = execute_kernel;
}

/// Values that are only moved: the same bits as unsigned integers.
void OpBuilder::raw_types(bool with_destination) {
  for (unsigned n = 0; n < op_.sources; n++)
    if (!is_packed_vector(op_.src[n].type)) op_.src[n].type = unsigned_of(size_of(op_.src[n].type));
  if (with_destination) op_.dst.type = unsigned_of(size_of(op_.dst.type));
}

void OpBuilder::choose_mov() {
  const RegType from = op_.src[0].type, to = op_.dst.type;
  const bool plain = !modified() && !op_.saturate && !op_.cond && !touches_accumulator();
  if (plain && from == to) {
    // A raw move keeps denormals and NaN as they are.
    raw_types(true);
    op_.kind = wrapping_kind();
  } else if (is_float(from)) {
    op_.kind = from == RegType::df || to == RegType::df ? LaneKind::f64 : LaneKind::f32;
    op_.flush = true;
    if (op_.kind == LaneKind::f32) return use(KernelOp::copy);
  } else if (op_.saturate || (is_float(to) && (from == RegType::uq || (from == RegType::q && modified()))) ||
             touches_accumulator() || op_.cond == 8) {
    return choose_exact();
  } else {
    op_.kind = is_float(to) ? LaneKind::i64 : wrapping_kind();
  }
  use(KernelOp::copy);
}

void OpBuilder::choose_sel() {
  const bool same = op_.src[0].type == op_.src[1].type && op_.src[0].type == op_.dst.type;
  op_.execute = execute_select;
  const bool with_sign = is_signed(op_.src[0].type);
  if (!op_.cond && same && !modified() && !op_.saturate) {
    raw_types(true);
    op_.kind = wrapping_kind();
    return;
  }
  if (float_sources()) {
    op_.kind = any_source(RegType::df) || op_.dst.type == RegType::df ? LaneKind::f64 : LaneKind::f32;
    op_.flush = op_.cond != 0;
  } else if (same && !modified() && !op_.saturate) {
    op_.kind = wrapping_kind();
    if (op_.kind == LaneKind::i32 && size_of(op_.src[0].type) < 4) op_.compare = compares(op_.kind, true);
  } else {
    op_.kind = LaneKind::exact;
  }
  if (!op_.compare) op_.compare = compares(op_.kind, with_sign);
}

void OpBuilder::choose_cmp() {
  op_.execute = execute_compare;
  if (float_sources()) {
    op_.kind = any_source(RegType::df) ? LaneKind::f64 : LaneKind::f32;
    op_.flush = true;
    op_.compare = compares(op_.kind, true);
    return;
  }
  const RegType a = op_.src[0].type, b = op_.src[1].type;
  const unsigned largest = std::max(size_of(a), size_of(b));
  if (largest == 8) {
    const bool same_sign = is_signed(a) == is_signed(b) && !modified();
    op_.kind = same_sign ? LaneKind::i64 : LaneKind::exact;
    op_.compare = compares(op_.kind, is_signed(a));
  } else if (largest == 4 && (modified() || is_signed(a) != is_signed(b))) {
    op_.kind = LaneKind::i64;
    op_.compare = compares(op_.kind, true);
  } else {
    op_.kind = LaneKind::i32;
    op_.compare = compares(op_.kind, largest < 4 || is_signed(a));
  }
}

void OpBuilder::choose_logic(KernelOp op) {
  // Floats are bits here; narrow integers are extended as their type says.
  for (unsigned n = 0; n < op_.sources; n++)
    if (is_float(op_.src[n].type)) op_.src[n].type = unsigned_of(size_of(op_.src[n].type));
  if (is_float(op_.dst.type)) op_.dst.type = unsigned_of(size_of(op_.dst.type));
  op_.kind = wrapping_kind();
  use(op);
}

void OpBuilder::choose_shift() {
  op_.shift_mask = size_of(op_.dst.type) == 8 || size_of(op_.src[0].type) == 8 ? 63 : 31;
  const RegType value = op_.src[0].type;
  const bool modified_value = op_.src[0].negate || op_.src[0].abs;
  if (op_.saturate || op_.cond == 8 || touches_accumulator() || modified_value) return choose_exact();
  if (i_.opcode == Opcode::shr && is_signed(value) && size_of(value) != 4) return choose_exact();
  op_.kind = wrapping_kind();
  // 32 significant bits in 64-bit lanes: a logical shift needs zeros above them.
  if (i_.opcode == Opcode::shr && op_.kind == LaneKind::i64 && value == RegType::d) return choose_exact();
  if (i_.opcode == Opcode::shl) return use(KernelOp::shl);
  use(i_.opcode == Opcode::asr && is_signed(value) ? KernelOp::asr : KernelOp::shr);
}

void OpBuilder::choose_exact() {
  op_.kind = LaneKind::exact;
  op_.execute = execute_exact;
}

void OpBuilder::choose_float(KernelOp op) {
  // A fused sum of halves would be rounded twice by way of float; by way of double it is not.
  const bool fused_half = op == KernelOp::mad && op_.dst.type == RegType::hf && !any_source(RegType::f);
  op_.kind = any_source(RegType::df) || fused_half ? LaneKind::f64 : LaneKind::f32;
  op_.flush = true;
  use(op);
}

void OpBuilder::choose_arithmetic(KernelOp op) {
  if (float_sources()) return choose_float(op);
  if (op_.saturate || op_.cond == 8 || touches_accumulator() || is_float(op_.dst.type)) return choose_exact();
  op_.kind = wrapping_kind();
  use(op);
}

void OpBuilder::choose() {
  switch (i_.opcode) {
    case Opcode::mov: case Opcode::movi: return choose_mov();
    case Opcode::sel: return choose_sel();
    case Opcode::csel:
      op_.kind = LaneKind::f32;
      op_.compare = compares(op_.kind, true);
      op_.execute = execute_select;
      return;
    case Opcode::cmp: case Opcode::cmpn: return choose_cmp();
    case Opcode::and_: return choose_logic(KernelOp::and_);
    case Opcode::or_: return choose_logic(KernelOp::or_);
    case Opcode::xor_: return choose_logic(KernelOp::xor_);
    case Opcode::not_: return choose_logic(KernelOp::not_);
    case Opcode::shl: case Opcode::shr: case Opcode::asr: return choose_shift();
    case Opcode::add: return choose_arithmetic(KernelOp::add);
    case Opcode::mul: return choose_arithmetic(KernelOp::mul);
    case Opcode::mad: return float_sources() ? choose_float(KernelOp::mad) : choose_exact();
    case Opcode::lrp:
      choose_float(KernelOp::rest);
      op_.execute = execute_lrp;
      return;
    case Opcode::frc: return choose_float(KernelOp::frc);
    case Opcode::rndu: return choose_float(KernelOp::rndu);
    case Opcode::rndd: return choose_float(KernelOp::rndd);
    case Opcode::rnde: return choose_float(KernelOp::rnde);
    case Opcode::rndz: return choose_float(KernelOp::rndz);
    case Opcode::mac:
      if (!float_sources()) return choose_exact();
      choose_float(KernelOp::mad);
      op_.execute = execute_mac;
      return;
    case Opcode::avg: case Opcode::mach: case Opcode::lzd: case Opcode::fbh: case Opcode::fbl: case Opcode::cbit:
    case Opcode::addc: case Opcode::subb: case Opcode::sad2: case Opcode::sada2: case Opcode::bfrev: case Opcode::bfe:
    case Opcode::bfi1: case Opcode::bfi2:
      return choose_exact();
    case Opcode::dp4: case Opcode::dph: case Opcode::dp3: case Opcode::dp2:
      choose_float(KernelOp::copy);
      op_.execute = execute_dot;
      return;
    case Opcode::line: case Opcode::pln:
      choose_float(KernelOp::pln);
      op_.execute = execute_line;
      return;
    case Opcode::math:
      op_.kind = float_sources() ? (any_source(RegType::df) ? LaneKind::f64 : LaneKind::f32) : LaneKind::i64;
      op_.flush = true;
      op_.cond = 0;
      op_.execute = execute_math;
      return;
    case Opcode::madm:
      op_.kind = any_source(RegType::df) ? LaneKind::f64 : LaneKind::f32;
      op_.execute = execute_madm;
      return;
    case Opcode::wait: op_.execute = execute_wait; return;
    case Opcode::nop: op_.execute = execute_nop; return;
    case Opcode::send: case Opcode::sendc: case Opcode::sends: case Opcode::sendsc: op_.execute = execute_send; return;
    case Opcode::jmpi: op_.execute = execute_jmpi; return;
    case Opcode::if_: op_.execute = execute_if; return;
    case Opcode::else_: op_.execute = execute_else; return;
    case Opcode::endif: case Opcode::join: op_.execute = execute_endif; return;
    case Opcode::while_: op_.execute = execute_while; return;
    case Opcode::break_: case Opcode::cont: case Opcode::halt: op_.execute = execute_break; return;
    case Opcode::goto_: op_.execute = execute_goto; return;
    case Opcode::brd: case Opcode::brc: op_.execute = execute_branch; return;
    case Opcode::call: case Opcode::calla: op_.execute = execute_call; return;
    case Opcode::ret: op_.execute = execute_ret; return;
    case Opcode::illegal: case Opcode::smov: op_.execute = execute_illegal; return;
  }
}

void OpBuilder::attach() {
  for (unsigned n = 0; n < op_.sources; n++) {
    Source& s = op_.src[n];
    s.load = load_for(s.type, op_.kind);
    if (!s.load) {
      op_.execute = execute_illegal;
      continue;
    }
    const bool plain = !s.negate && !s.abs && !s.bit_not;
    const bool same = op_.kind == LaneKind::f32   ? s.type == RegType::f
                      : op_.kind == LaneKind::f64 ? s.type == RegType::df
                                                  : op_.kind != LaneKind::exact && !is_float(s.type) &&
                                                        size_of(s.type) == (op_.kind == LaneKind::i32 ? 4u : 8u);
    s.in_place = plain && same && s.fetch == Fetch::contiguous;
    s.splat = plain && same && s.fetch == Fetch::scalar && size_of(s.type) == 4;
    if (s.fetch == Fetch::immediate || s.fetch == Fetch::none) {
      constants_.push_back(std::make_unique<Lanes>());
      s.load(Registers(), s, 32, *constants_.back());
      s.lanes = constants_.back().get();
      apply_modifiers(*constants_.back(), s, op_.kind, 32);
    }
  }
  op_.dst.store = store_for(op_.dst.type);
  op_.finish = finish_for(op_.kind, op_.dst.type, op_.saturate, op_.flush);
  op_.result = result_kind(op_.dst.type);
  const bool dwords = op_.kind == LaneKind::f32 ? op_.dst.type == RegType::f
                                                : op_.kind == LaneKind::i32 && size_of(op_.dst.type) == 4 && !is_float(op_.dst.type);
  op_.store_32 = dwords && op_.dst.place == Place::contiguous;
  op_.settle_32 = op_.finish && op_.kind == LaneKind::f32 && op_.dst.type == RegType::f;
  op_.straight = op_.store_32 && op_.exec_size >= 8 && !op_.acc_write && !op_.to_accumulator && op_.dst.channels == 0xffffffff;
  const unsigned bytes = op_.exec_size * 4u;
  for (unsigned n = 0; n < op_.sources; n++) {
    const Source& s = op_.src[n];
    const bool overlaps = s.in_place && s.base != op_.dst.base && s.base < op_.dst.base + bytes && op_.dst.base < s.base + bytes;
    op_.straight = op_.straight && !overlaps;
  }
  op_.flag_compare = compares(op_.result, is_signed(op_.dst.type) || size_of(op_.dst.type) < 4);
}

Op OpBuilder::build(uint32_t offset) {
  controls(offset);
  const OpcodeInfo* row = i_.info();
  op_.execute = execute_illegal;
  if (!row || i_.exec_size > 32) return op_;
  switch (row->form) {
    case Form::basic: case Form::math: case Form::ternary:
      if (!types_fit(i_, *row)) return op_;
      for (unsigned n = 0; n < row->sources; n++) source(n);
      if (row->destinations) destination();
      choose();
      if (i_.opcode != Opcode::wait && op_.execute != execute_illegal) attach();
      break;
    default: choose();
  }
  return op_;
}

}  // namespace softgen::eu
