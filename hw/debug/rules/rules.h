// SPDX-License-Identifier: GPL-2.0-or-later
// The classes of rules, a file each.
#pragma once

#include <span>

#include "hw/debug/check/rule.h"

namespace softgen::debug::check {

std::span<const Rule> encoding_rules();    ///< A
std::span<const Rule> flush_rules();       ///< B: what a PIPE_CONTROL itself must be like
std::span<const Rule> order_rules();       ///< B: what must be flushed before what
std::span<const Rule> submission_rules();  ///< F

}  // namespace softgen::debug::check
