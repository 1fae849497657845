// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/vme/vme.h"

#include <algorithm>

namespace softgen::vme {
void answer(const Message& message, ThreadEnv&) { std::fill(message.response.begin(), message.response.end(), Grf{}); }
}  // namespace softgen::vme
