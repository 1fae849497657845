// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/gt/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <type_traits>

#include "hw/eu/program/registers.h"
#include "hw/gt/platforms/all.h"

namespace softgen::gt {

bool fits(const eu::IsaLimits& limits) {
  constexpr size_t flag_registers = std::extent_v<decltype(eu::Registers::flag)>, lanes = std::tuple_size_v<eu::Offsets>;
  constexpr unsigned index_step = 8;  // Program::index_at()
  return limits.registers <= eu::grf_count && limits.register_bytes == sizeof(Grf) && limits.flag_registers <= flag_registers &&
         limits.max_exec_size <= lanes && limits.native_bytes % index_step == 0 && limits.compacted_bytes % index_step == 0;
}

const Parts& parts_of(const defs::Platform& platform) {
  static constexpr const Parts* all[] = {&platforms::kbl, &platforms::icl, &platforms::tgl, &platforms::ilk};
  const auto found = std::ranges::find_if(all, [&](const Parts* parts) { return std::string_view(parts->name) == platform.parts; });
  if (found == std::end(all))
    throw std::invalid_argument(fmt::format("platform {}: there is no list of parts '{}'", platform.name, platform.parts));
  const eu::Isa& isa = (*found)->isa();
  if (!fits(isa.limits()))
    throw std::invalid_argument(fmt::format("platform {}: instruction set '{}' has more than a thread holds", platform.name, isa.name()));
  return **found;
}

}  // namespace softgen::gt
