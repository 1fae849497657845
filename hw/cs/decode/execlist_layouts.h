// SPDX-License-Identifier: GPL-2.0-or-later
// What the forms of execlist submission have different numbers of.
#pragma once

#include "hw/cs/execlists.h"
#include "hw/cs/submission/status_buffer.h"

namespace softgen::cs {

struct ExeclistLayout {
  unsigned elements;  ///< of a list
  uint32_t enable;    ///< bits of RING_MODE: any of them selects execlists
  StatusBuffer::Layout buffer;
  uint64_t (*entry)(const ContextSwitch& event);  ///< of the status buffer
};

extern const ExeclistLayout elsp_layout, elsq_gen11_layout, elsq_gen12_layout;

}  // namespace softgen::cs
