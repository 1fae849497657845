// SPDX-License-Identifier: GPL-2.0-or-later
// Products of dwords as compilers write them for EUs that multiply by words only (IGC on Tiger Lake): `mul acc0, a, low word of b` and
// `mach d, a, b`, which gives the low dword of a times b. Their code is one multiplication.
#pragma once

#include <vector>

#include "hw/eu/program/program.h"

namespace softgen::eu::jit {

struct Products {
  std::vector<bool> mach;  ///< by op: the second of such a pair
  bool alone = false;      ///< no other op reads the accumulators, so that what the first leaves there is not observable
};

/// `leaders`: by op, a block starts there.
Products find_products(const Program& program, const std::vector<bool>& leaders);

}  // namespace softgen::eu::jit
