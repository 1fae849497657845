// SPDX-License-Identifier: GPL-2.0-or-later
// Video motion estimation: what SFID 8 (VME: integer search) and SFID 13 (CRE: skip and intra check, fractional refinement) answer. docs/vme.md.
// It has no state, so all host threads of an engine send at the same time.
#pragma once

#include "hw/iface/message_target.h"

namespace softgen::vme {

/// Answers the message. What is illegal in it, or missing here, is counted, and the answer has zeros then.
void answer(const Message& message, ThreadEnv& env);

}  // namespace softgen::vme
