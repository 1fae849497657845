// SPDX-License-Identifier: GPL-2.0-or-later
// The lists of parts, one file each.
#pragma once

#include "hw/gt/parts.h"

namespace softgen::gt::platforms {

extern const Parts icl, ilk, kbl, tgl;

}  // namespace softgen::gt::platforms
