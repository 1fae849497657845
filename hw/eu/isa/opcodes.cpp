// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/isa/opcodes.h"

#include <iterator>

namespace softgen::eu {

namespace {
constexpr OpcodeInfo rows[] = {
#define EU_OPCODE(id, name, ndst, nsrc, form, dst, src, flags) {Opcode::id, name, ndst, nsrc, Form::form, dst, src, flags},
#include "hw/eu/isa/opcodes.inc"
#undef EU_OPCODE
};

constexpr char letter(RegType type) {
  switch (type) {
    case RegType::ub:
    case RegType::b: return 'B';
    case RegType::uw:
    case RegType::w:
    case RegType::uv:
    case RegType::v: return 'W';
    case RegType::ud:
    case RegType::d: return 'D';
    case RegType::uq:
    case RegType::q: return 'Q';
    case RegType::hf: return 'H';
    case RegType::f:
    case RegType::vf: return 'F';
    case RegType::df: return 'L';
    case RegType::nf: return 'N';
    case RegType::invalid: break;
  }
  return '?';
}
}  // namespace

std::span<const OpcodeInfo> opcodes() { return rows; }

const OpcodeInfo* find_opcode(Opcode opcode) {
  const auto n = static_cast<unsigned>(opcode);
  return n < std::size(rows) ? &rows[n] : nullptr;
}

bool allows(std::string_view letters, RegType type) { return letters.find(letter(type)) != std::string_view::npos; }

std::string_view math_function_name(unsigned function) {
  static constexpr std::string_view names[16] = {"", "inv",  "log", "exp",       "sqrt",   "rsq",    "sin",  "cos",
                                                 "", "fdiv", "pow", "intdivmod", "intdiv", "intmod", "invm", "rsqrtm"};
  return function < 16 ? names[function] : std::string_view();
}

std::string_view sync_function_name(unsigned function) {
  switch (static_cast<SyncFunction>(function)) {
    case SyncFunction::nop: return "nop";
    case SyncFunction::allrd: return "allrd";
    case SyncFunction::allwr: return "allwr";
    case SyncFunction::bar: return "bar";
    case SyncFunction::host: return "host";
  }
  return {};
}

std::string_view cond_mod_name(unsigned cond_mod) {
  static constexpr std::string_view names[16] = {"", "z", "nz", "g", "ge", "l", "le", "", "o", "u"};
  return cond_mod < 16 ? names[cond_mod] : std::string_view();
}

}  // namespace softgen::eu
