// SPDX-License-Identifier: GPL-2.0-or-later
// A generation's registers, by its traits.
#pragma once

#include <type_traits>

#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/defs/register.h"
#include "hw/defs/registers/registers.h"

namespace softgen::defs {

template <class G>
const RegisterSet& registers_of() {
  if constexpr (std::is_same_v<G, Gen9>) return gen9::registers;
  else if constexpr (std::is_same_v<G, Gen11>) return gen11::registers;
  else if constexpr (std::is_same_v<G, Gen12>) return gen12::registers;
}

}  // namespace softgen::defs
