// SPDX-License-Identifier: GPL-2.0-or-later
// Commands that a batch in PPGTT (a user's) may not execute: they become no-ops (SKL PRM vol 2a, "User Mode Privileged Commands"). Which
// registers it may write is mmio::RegisterFile::is_nonpriv_writable.
#pragma once

#include "hw/iface/engine.h"

namespace softgen::cs {

/// Whether a non-privileged batch must not execute the command at all. Commands that are only partly privileged (post-sync writes of
/// PIPE_CONTROL and MI_FLUSH_DW, register loads) answer false and check in their own place.
bool is_privileged(const Packet& packet);

}  // namespace softgen::cs
