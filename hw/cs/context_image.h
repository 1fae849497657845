// SPDX-License-Identifier: GPL-2.0-or-later
// The logical ring context image (hw/defs/context.h says which dword of page 1 keeps which register):
//
//   page 0          per-process hardware status page: the driver's and post-sync writes; restore and save leave it alone
//   page 1          MI_LOAD_REGISTER_IMM lists: the ring context (loaded always) and the engine context (not with restore inhibit). Behind
//                   the documented lists: those of render's other registers (hw/cs/image_layout.h)
//   page 1 + 0x800  (copy, video, video enhance) or page 2 (render): StateHeader, then the plugged Engine's own bytes
#pragma once

#include <cstdint>
#include <span>

#include "hw/defs/context.h"

namespace softgen::cs {

constexpr uint32_t image_page = defs::context_page;  ///< bytes; page 1 starts here

/// What precedes the engine's bytes.
struct StateHeader {
  static constexpr uint32_t magic_value = 0x78437367;  // "gsCx"
  static constexpr uint32_t version_value = 1;
  uint32_t magic = 0;
  uint32_t version = 0;
  uint32_t engine_bytes = 0;
  uint32_t set_predicate = 0;  ///< MI_SET_PREDICATE's mode in force
  uint32_t reserved[12] = {};
};
static_assert(sizeof(StateHeader) == 64);

/// Byte offset of StateHeader from the LRCA, and bytes from there to the end of the image.
constexpr uint32_t state_offset(const defs::ContextLayout& layout) { return image_page + layout.list_dwords * 4; }
constexpr uint32_t state_room(const defs::ContextLayout& layout) { return layout.pages * image_page - state_offset(layout); }

/// Writes MI_LOAD_REGISTER_IMM headers and register offsets of all documented lists to the first ContextLayout::documented_dwords dwords of
/// page 1; values and the space between the lists become zero.
/// `flags`: more bits of the headers.
void write_image_frame(std::span<uint32_t> page, const defs::ContextLayout& layout, uint32_t mmio_base, uint32_t flags = 0);

/// Header of an MI_LOAD_REGISTER_IMM of `count` registers as hardware saves it.
constexpr uint32_t lri_header(uint32_t count, bool force_posted = true) {
  return 0x1100'0000u | (force_posted ? 0x1000u : 0) | (2 * count - 1);
}
/// The most that its DWord Length, eight bits, can say.
constexpr uint32_t lri_max_registers = 128;
constexpr uint32_t mi_batch_buffer_end = 0x0500'0000;

}  // namespace softgen::cs
