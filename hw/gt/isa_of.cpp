// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/gt/isa_of.h"

#include <fmt/format.h>

#include <stdexcept>

namespace softgen::gt {

const eu::Isa& isa_of(const defs::Platform& platform) {
  if (const eu::Isa* isa = eu::find_isa(std::string_view(platform.instruction_set))) return *isa;
  throw std::invalid_argument(fmt::format("platform {}: there is no instruction set '{}'", platform.name, platform.instruction_set));
}

}  // namespace softgen::gt
