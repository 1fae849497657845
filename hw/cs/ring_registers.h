// SPDX-License-Identifier: GPL-2.0-or-later
// The ring part of a cursor, from and to the registers TAIL, HEAD, START and CTL.
#pragma once

#include "hw/cs/engine_core.h"
#include "hw/cs/parser.h"

namespace softgen::cs {

inline void load_ring(const EngineCore& core, Cursor::Ring& ring) {
  ring.start = reg::ring_start.in_place(core.get(reg::start));
  ring.size = (reg::ring_pages.of(core.get(reg::ctl)) + 1) * 4096;
  ring.set_head(core.get(reg::head));
  ring.set_tail(core.get(reg::tail));
}

inline void store_head(EngineCore& core, const Cursor::Ring& ring) { core.set(reg::head, ring.head_register()); }

}  // namespace softgen::cs
