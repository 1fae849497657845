// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "hw/gt/device.h"
#include "softgen/softgen.h"

namespace softgen::gt {

/// The device of a handle of the C ABI, for the parts of it that observers implement (hw/debug).
Device& device_of(sg_device* dev);

}  // namespace softgen::gt
