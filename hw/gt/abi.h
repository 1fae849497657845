// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "hw/base/failure_log.h"
#include "hw/gt/device.h"
#include "softgen/softgen.h"

namespace softgen::gt {

/// The device of a handle of the C ABI, for the parts of it that observers implement (hw/debug).
Device& device_of(sg_device* dev);
/// Its log: the host's, or where the host gave none that of the thread that made the device.
Log& log_of(sg_device* dev);

/// sg_device_new(), with the compiler of its kernels; null: one of its own.
sg_device* new_device(const sg_config& config, std::shared_ptr<eu::Compiler> compiler, const sg_host_ops& ops, char** error);

}  // namespace softgen::gt
