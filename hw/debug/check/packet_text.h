// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "hw/defs/command.h"

namespace softgen::debug::check {

/// A command in one line: its name, and its fields that are not zero, by the tables of hw/defs.
std::string packet_text(const defs::Command& command, std::span<const uint32_t> dwords);

}  // namespace softgen::debug::check
