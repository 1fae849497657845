// SPDX-License-Identifier: GPL-2.0-or-later
// RCS's side of position-only shading: POCS has the context as long as RCS has it.
#include "hw/base/log.h"
#include "hw/cs/position/link.h"
#include "hw/cs/streamer.h"

namespace softgen::cs {

// POCS takes the context's id from RCS; its image is another (ICL PRM vol 9, "Context Submission and LRCA for POSH").
void Streamer::begin_position() {
  PositionLink* const position = core_.links().position;
  if (!position || core_.halted() || stop().aborting() || !(core_.get(reg::ctx_control) & reg::posh_enabled)) return;
  namespace field = softgen::reg::field;
  const uint32_t lrca = field::RING_ELSP_LOGICAL_RING_CONTEXT_ADDRESS.mask(), image = reg::posh_context.in_place(core_.get(reg::posh_lrca));
  position->begin({(core_.context().low & ~lrca) | image, core_.context().high});
}

bool Streamer::position_left() {
  PositionLink* const position = core_.links().position;
  return !position || position->leave();
}

bool Streamer::position_rests() {
  PositionLink* const position = core_.links().position;
  return !position || !position->active() || position->rests();
}

void Streamer::position_stays() {
  if (PositionLink* const position = core_.links().position; position && position->active()) position->stay();
}

void Streamer::position_follows() {
  position_stays();
  if (PositionLink* const position = core_.links().position) position->tail_moved();
}

void Streamer::position_ends() {
  if (PositionLink* const position = core_.links().position; position && position->active()) position->end();
}

// POCS has no error interrupt: software finds RCS hanging, and resets both.
void Streamer::hang_with_position() {
  if (core_.halted() || !core_.links().position->failed()) return;
  guest_error("position-only streamer hangs", "{} hangs with it until both are reset", name_of(config().id));
  core_.error(reg::error_instruction, EngineCore::Error::fatal);
}

}  // namespace softgen::cs
