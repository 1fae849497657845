// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/isa/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>

#include "hw/eu/isa/scoreboard.h"

namespace softgen::eu {

namespace {

constexpr std::string_view align1_predicates[16] = {"",       "",       ".anyv",   ".allv",   ".any2h",  ".all2h",  ".any4h", ".all4h",
                                                    ".any8h", ".all8h", ".any16h", ".all16h", ".any32h", ".all32h", ".?14",   ".?15"};
constexpr std::string_view align16_predicates[16] = {"",    "",    ".x",   ".y",   ".z",   ".w",   ".any4h", ".all4h",
                                                     ".?8", ".?9", ".?10", ".?11", ".?12", ".?13", ".?14",   ".?15"};
constexpr std::string_view vertical_strides[16] = {"0", "1", "2", "4", "8", "16", "32", "?", "?", "?", "?", "?", "?", "?", "?", "VxH"};
constexpr std::string_view widths[8] = {"1", "2", "4", "8", "16", "?", "?", "?"};
constexpr std::string_view horizontal_strides[4] = {"0", "1", "2", "4"};

/// A line whose columns are counted, as padding goes by them.
class Printer {
 public:
  Printer(const Isa& isa, const Instruction& instruction, uint32_t offset, std::span<const uint32_t> labels)
      : isa_(isa), i_(instruction), row_(instruction.info()), offset_(offset), labels_(labels) {}

  std::string print() {
    if (!row_) {
      add("*** reserved opcode 0x{:02x};", reserved_code(i_.opcode));
      return text_;
    }
    predicate();
    mnemonic();
    operands();
    if (is_send(*row_)) message();
    pad(64);
    if (row_->form != Form::nop) options();
    add(";");
    return text_;
  }

 private:
  bool is_ternary() const { return row_->form == Form::ternary; }

  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    const size_t before = text_.size();
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    column_ += text_.size() - before;
  }
  /// Text that does not count, as Mesa does it with descriptors.
  void add_uncounted(std::string_view text) { text_ += text; }
  /// At least one space.
  void pad(size_t column) {
    do add(" ");
    while (column_ < column);
  }

  void predicate() {
    if (!i_.pred_control) return;
    const auto& names = i_.access_mode == AccessMode::align1 ? align1_predicates : align16_predicates;
    add("({}f{}.{}{}) ", i_.pred_invert ? '-' : '+', i_.flag_reg, i_.flag_subreg, names[i_.pred_control & 15]);
  }

  void mnemonic() {
    add("{}", row_->name);
    if (i_.saturate && !is_send(*row_)) add(".sat");
    if (i_.debug) add(".breakpoint");
    if (row_->form == Form::math) {
      const auto name = math_function_name(i_.cond_mod);
      add(" {}", name.empty() ? "*reserved*" : name);
    } else if (row_->form == Form::sync) {
      const auto name = sync_function_name(i_.cond_mod);
      add(" {}", name.empty() ? "*reserved*" : name);
    } else if (!is_send(*row_) && i_.cond_mod) {
      conditional_modifier();
    }
    if (row_->form != Form::nop) add("({})", i_.exec_size);
  }

  void conditional_modifier() {
    const auto name = cond_mod_name(i_.cond_mod);
    const bool rounds = isa_.limits().rounds_in_two_steps && static_cast<CondMod>(i_.cond_mod) == CondMod::r;
    add(".{}", rounds ? "r" : name.empty() ? "?" : name);
    const bool writes_flag =
        i_.opcode != Opcode::sel && i_.opcode != Opcode::csel && i_.opcode != Opcode::if_ && i_.opcode != Opcode::while_;
    if (writes_flag) add(".f{}.{}", i_.flag_reg, i_.flag_subreg);
  }

  void operands() {
    switch (row_->form) {
      case Form::branch: branch_targets(); break;
      case Form::jump:
        pad(16);
        source(1);
        break;
      case Form::call:
        pad(16);
        destination();
        pad(32);
        call_target();
        break;
      case Form::ternary:
        if (i_.access_mode == AccessMode::align1) return plain_operands();
        pad(16);
        ternary_destination();
        for (unsigned n = 0; n < 3; n++) {
          pad(32 + 16 * n);
          ternary_source(i_.src[n]);
        }
        break;
      default: plain_operands();
    }
  }

  void plain_operands() {
    if (row_->destinations) pad(16), destination();
    for (unsigned n = 0; n < row_->sources; n++) pad(32 + 16 * n), source(n);
  }

  void target(std::string_view name, int32_t distance) {
    add("{}: ", name);
    const uint32_t to = offset_ + static_cast<uint32_t>(distance);
    const auto found = std::lower_bound(labels_.begin(), labels_.end(), to);
    if (found != labels_.end() && *found == to) add(" LABEL{}", found - labels_.begin());
    else add(" {}", distance);
  }

  void branch_targets() {
    pad(16);
    if (isa_.limits().mask_stacks) {
      constexpr int unit = 8;
      add("Jump: {}", i_.jip / unit);
      return add(" Pop: {}", i_.pop_count);
    }
    if (i_.src[0].file == RegFile::grf) return source(0);
    target("JIP", i_.jip);
    if (row_->has('u')) {
      pad(38);
      target("UIP", i_.uip);
    }
  }

  void call_target() {
    if (i_.src[1].file == RegFile::imm) i_.opcode == Opcode::call ? target("JIP", i_.jip) : add("0x{:08x}", static_cast<uint32_t>(i_.jip));
    else source(1);
  }

  void reg(const Operand& o) {
    const unsigned registers = isa_.limits().registers;
    if (isa_.limits().message_registers && o.file == RegFile::grf && o.reg >= registers) return add("m{}", o.reg - registers);
    if (o.file != RegFile::arf) return add("{}{}", o.file == RegFile::grf ? "g" : "m", o.reg);
    const unsigned n = o.reg & 15;
    switch (static_cast<Arf>(o.reg & 0xf0)) {
      case Arf::null: return add("null");
      case Arf::address: return add("a{}", n);
      case Arf::accumulator: return add("acc{}", n);
      case Arf::flag: return add("f{}", n);
      case Arf::channel_enable: return add("mask{}", n);
      case Arf::mask_stack:
        if (isa_.limits().mask_stacks) return add("ms{}", n);
        break;
      case Arf::stack_pointer: return add("{}{}", isa_.limits().mask_stacks ? "msd" : "sp", n);
      case Arf::state: return add("sr{}", n);
      case Arf::control: return add("cr{}", n);
      case Arf::notification: return add("n{}", n);
      case Arf::ip: return add("ip");
      case Arf::thread_dependency: return add("tdr0");
      case Arf::timestamp: return add("tm{}", n);
    }
    add("ARF{}", o.reg);
  }

  /// acc2 to acc9, as IGA names them.
  void special_accumulator(unsigned n) { n < 8 ? add(".mme{}", n) : add(".nomme"); }

  static bool has_no_region(const Operand& o) { return o.is_arf(Arf::ip) || o.is_arf(Arf::thread_dependency); }

  void indirect(const Operand& o, bool byte_subreg) {
    add("g[a0");
    if (o.addr_subreg) add(".{}", byte_subreg ? o.addr_subreg / size_of(o.type) : o.addr_subreg);
    if (o.addr_imm) add(" {}", o.addr_imm);
    add("]");
  }

  void write_mask(uint8_t mask) {
    if (mask == 15) return;
    add(".");
    for (unsigned c = 0; c < 4; c++)
      if (mask >> c & 1) add("{}", "xyzw"[c]);
  }

  void swizzle(uint8_t s) {
    const unsigned x = s & 3;
    if (s == x * 0x55) return add(".{}", "xyzw"[x]);
    if (s == 0xe4) return;
    add(".");
    for (unsigned c = 0; c < 4; c++) add("{}", "xyzw"[s >> 2 * c & 3]);
  }

  void destination() {
    const Operand& d = i_.dst;
    const bool split = row_->form == Form::split_send;
    const RegType type = split ? RegType::ud : d.type;
    if (d.indirect) {
      indirect(d, false);
    } else {
      reg(d);
      if (has_no_region(d)) return;
      if (i_.special_accumulators) special_accumulator(d.writemask);
      if (d.subreg) add(".{}", split ? d.subreg / 16u : d.subreg / size_of(type));
    }
    if (!split) add("<{}>", horizontal_strides[d.hstride & 3]);
    if (!split && i_.access_mode == AccessMode::align16) write_mask(d.writemask);
    add("{}", info(type).name);
  }

  void ternary_destination() {
    reg(i_.dst);
    if (i_.dst.subreg) add(".{}", i_.dst.subreg / size_of(i_.dst.type));
    add("<1>");
    write_mask(i_.dst.writemask);
    add("{}", info(i_.dst.type).name);
  }

  void modifiers(const Operand& o) {
    if (o.negate) add("{}", row_->has('n') && !isa_.limits().logic_negates ? '~' : '-');
    if (o.abs) add("(abs)");
  }

  void source(unsigned n) {
    const Operand& s = i_.src[n];
    if (row_->form == Form::split_send) return payload(s);
    if (s.file == RegFile::imm) return immediate(s.type);
    modifiers(s);
    if (s.indirect) {
      indirect(s, false);
    } else {
      reg(s);
      if (has_no_region(s)) return;
      if (i_.special_accumulators) special_accumulator(s.swizzle);
      const bool scalar_of_three = is_ternary() && !s.vstride && !s.hstride;
      if (s.subreg || scalar_of_three) add(".{}", s.subreg / size_of(s.type));
    }
    if (i_.access_mode == AccessMode::align1) {
      add("<{},{},{}>", vertical_strides[s.vstride & 15], widths[s.width & 7], horizontal_strides[s.hstride & 3]);
    } else {
      add("<{}>", vertical_strides[s.vstride & 15]);
      swizzle(s.swizzle);
    }
    add("{}", info(s.type).name);
  }

  void payload(const Operand& s) {
    if (s.indirect) {
      indirect(s, true);
    } else {
      Operand shown = s;
      if (&s == &i_.src[0] && (i_.opcode == Opcode::sends || i_.opcode == Opcode::sendsc)) shown.file = RegFile::grf;
      reg(shown);
      if (s.subreg) add(".1");
    }
    add("UD");
  }

  void ternary_source(const Operand& s) {
    modifiers(s);
    reg(s);
    if (s.subreg || s.replicate) add(".{}", s.subreg / size_of(s.type));
    add("{}", s.replicate ? "<0,1,0>" : "<4,4,1>");
    if (!s.replicate) swizzle(s.swizzle);
    add("{}", info(s.type).name);
  }

  void immediate(RegType type) {
    const auto low = static_cast<uint32_t>(i_.imm);
    switch (type) {
      case RegType::uq: return add("0x{:016x}UQ", i_.imm);
      case RegType::q: return add("0x{:016x}Q", i_.imm);
      case RegType::ud: return add("0x{:08x}UD", low);
      case RegType::d: return add("{}D", static_cast<int32_t>(low));
      case RegType::uw: return add("0x{:04x}UW", low & 0xffff);
      case RegType::w: return add("{}W", static_cast<int16_t>(low));
      case RegType::uv: return add("0x{:08x}UV", low);
      case RegType::v: return add("0x{:08x}V", low);
      case RegType::hf: return add("0x{:04x}HF", low & 0xffff);
      case RegType::f:
        add("0x{:x}F", low);
        pad(48);
        return add(" /* {}F */", general(std::bit_cast<float>(low)));
      case RegType::df:
        add("0x{:016x}DF", i_.imm);
        pad(48);
        return add("/* {}DF */", general(std::bit_cast<double>(i_.imm)));
      case RegType::vf: {
        add("0x{:x}VF", low);
        pad(48);
        const auto part = [&](unsigned n) { return general(restricted_float(static_cast<uint8_t>(low >> 8 * n))); };
        return add("/* [{}F, {}F, {}F, {}F]VF */", part(0), part(1), part(2), part(3));
      }
      default: return add("*reserved immediate*");
    }
  }
  static std::string general(double value) { return fmt::format("{:g}", value); }

  void message() {
    if (row_->form == Form::split_send) {
      pad(64);
      i_.descriptor_in_register ? add("a0<0>UD") : add_uncounted(fmt::format("0x{:08x}", i_.descriptor));
      pad(80);
      if (!i_.ex_descriptor_in_register) add_uncounted(fmt::format("0x{:08x}", i_.ex_descriptor));
      else if (i_.ex_descriptor_subreg) add("a0.{}<0>UD", i_.ex_descriptor_subreg);
      else add("a0<0>UD");
    } else if (i_.descriptor_in_register) {
      pad(48);
      source(1);
    } else {
      pad(48);
      add_uncounted(fmt::format("0x{:08x}", i_.descriptor | (i_.end_of_thread ? 0x80000000u : 0)));
    }
    function();
  }

  void function() {
    text_ += '\n';
    column_ = 0;
    pad(16);
    add_uncounted("            ");
    const auto name = isa_.sfid_name(i_.sfid());
    add("{} MsgDesc:", name.empty() ? "*reserved*" : name);
    if (i_.descriptor_in_register) {
      add(" indirect");
    } else {
      const std::string text = isa_.describe_message(i_.sfid(), i_.descriptor);
      const MessageFields fields = isa_.message_fields(i_.descriptor);
      add(" {}{}mlen {}", text, text.empty() ? "" : " ", fields.length);
    }
    if (row_->form == Form::split_send && !i_.ex_descriptor_in_register) add(" ex_mlen {}", isa_.extended_message_length(i_.ex_descriptor));
    if (!i_.descriptor_in_register) add(" rlen {}", isa_.message_fields(i_.descriptor).response_length);
  }

  void channels() {
    if (i_.exec_size < 8 || i_.nib_control) add(" {}N", i_.qtr_control * 2 + i_.nib_control + 1);
    else if (i_.exec_size == 8) add(" {}Q", i_.qtr_control + 1);
    else if (i_.exec_size == 16) add(" {}H", i_.qtr_control / 2 + 1);
  }

  void options() {
    add("{{ {}", i_.access_mode == AccessMode::align1 ? "align1" : "align16");
    if (i_.no_mask) add(" WE_all");
    if (i_.no_dd_clear || i_.no_dd_check)
      add(" {}{}{}", i_.no_dd_clear ? "NoDDClr" : "", i_.no_dd_clear && i_.no_dd_check ? "," : "", i_.no_dd_check ? "NoDDChk" : "");
    channels();
    add("{}", scoreboard_text(i_));
    if (i_.compacted) add(" compacted");
    if (i_.thread_control) add(" {}", i_.thread_control == 1 ? "atomic" : i_.thread_control == 2 ? "switch" : "*reserved*");
    if (i_.acc_write) add(" {}", row_->has('b') ? "BranchCtrl" : "AccWrEnable");
    if (i_.end_of_thread) add(" EOT");
    add(" }}");
  }

  const Isa& isa_;
  const Instruction& i_;
  const OpcodeInfo* row_;
  uint32_t offset_;
  std::span<const uint32_t> labels_;
  std::string text_;
  size_t column_ = 0;
};

std::vector<uint32_t> branch_labels(std::span<const Line> lines) {
  std::vector<uint32_t> labels;
  for (const Line& line : lines) {
    const OpcodeInfo* row = line.instruction.info();
    if (!row || line.instruction.src[0].file == RegFile::grf) continue;
    if (row->form == Form::branch || (line.instruction.opcode == Opcode::call && line.instruction.src[1].file == RegFile::imm))
      labels.push_back(line.offset + static_cast<uint32_t>(line.instruction.jip));
    if (row->has('u')) labels.push_back(line.offset + static_cast<uint32_t>(line.instruction.uip));
  }
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

std::string hex_bytes(std::span<const std::byte> bytes) {
  std::string text;
  for (size_t n = 0; n < 16; n++)
    n < bytes.size() ? fmt::format_to(std::back_inserter(text), "{:02x} ", static_cast<unsigned>(bytes[n]))
                     : fmt::format_to(std::back_inserter(text), "   ");
  return text + ' ';
}

}  // namespace

std::string print(const Isa& isa, const Instruction& instruction, uint32_t offset, std::span<const uint32_t> labels) {
  return Printer(isa, instruction, offset, labels).print();
}

std::string disassemble(const Isa& isa, std::span<const std::byte> code, const PrintOptions& options) {
  const std::vector<Line> lines = walk(isa, code);
  const std::vector<uint32_t> labels = options.labels ? branch_labels(lines) : std::vector<uint32_t>();
  std::string text;
  for (const Line& line : lines) {
    const auto label = std::lower_bound(labels.begin(), labels.end(), line.offset);
    if (label != labels.end() && *label == line.offset) text += fmt::format("\nLABEL{}:\n", label - labels.begin());
    if (options.offsets) text += fmt::format("0x{:08x}: ", options.base + line.offset);
    if (options.hex) text += hex_bytes(code.subspan(line.offset, line.instruction.size()));
    text += print(isa, line.instruction, line.offset, labels);
    if (options.check) {
      if (const std::string why = isa.validate(line.instruction); !why.empty()) text += " // ILLEGAL: " + why;
    }
    text += '\n';
  }
  return text;
}

}  // namespace softgen::eu
