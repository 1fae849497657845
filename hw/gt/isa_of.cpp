// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/gt/isa_of.h"

#include <fmt/format.h>

#include <stdexcept>
#include <tuple>
#include <type_traits>

#include "hw/eu/program/registers.h"

namespace softgen::gt {

bool fits(const eu::IsaLimits& limits) {
  constexpr size_t flag_registers = std::extent_v<decltype(eu::Registers::flag)>, lanes = std::tuple_size_v<eu::Offsets>;
  constexpr unsigned index_step = 8;  // Program::index_at()
  return limits.registers <= eu::grf_count && limits.register_bytes == sizeof(Grf) && limits.flag_registers <= flag_registers &&
         limits.max_exec_size <= lanes && limits.native_bytes % index_step == 0 && limits.compacted_bytes % index_step == 0;
}

const eu::Isa& isa_of(const defs::Platform& platform) {
  const eu::Isa* isa = eu::find_isa(std::string_view(platform.instruction_set));
  if (!isa)
    throw std::invalid_argument(fmt::format("platform {}: there is no instruction set '{}'", platform.name, platform.instruction_set));
  if (!fits(isa->limits()))
    throw std::invalid_argument(fmt::format("platform {}: instruction set '{}' has more than a thread holds", platform.name, isa->name()));
  return *isa;
}

}  // namespace softgen::gt
