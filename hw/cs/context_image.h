// SPDX-License-Identifier: GPL-2.0-or-later
// The logical ring context image: which dword of page 1 keeps which register (KBL PRM vol 3, "Register/State Context"; SKL PRM vol 7,
// "Register State Context"; i915 gt/intel_lrc.c gen9_rcs_offsets, gen9_xcs_offsets).
//
//   page 0          per-process hardware status page: the driver's and post-sync writes; restore and save leave it alone
//   page 1          MI_LOAD_REGISTER_IMM lists. Dwords below 0x50 are the ring context (loaded always), the others the engine context
//                   (not with restore inhibit). Behind the documented lists: those of render's other registers (hw/cs/image_layout.h)
//   page 1 + 0x800  (copy, video, video enhance) or page 2 (render): StateHeader, then the plugged Engine's own bytes
#pragma once

#include <cstdint>
#include <span>

#include "hw/defs/command.h"

namespace softgen::cs {

enum class Load : uint8_t {
  value,   ///< as is
  masked,  ///< a masked write; saved with all mask bits set
  never,   ///< saved only
};

struct ImageSlot {
  uint16_t dword;  ///< of the register's offset in page 1; its value is the next dword
  uint16_t reg;    ///< relative to the engine's base
  Load load = Load::value;
};

constexpr uint32_t image_page = 0x1000;             ///< bytes; page 1 starts here
constexpr uint32_t image_context_control_dword = 0x02;
constexpr uint32_t image_tail_dword = 0x06;         ///< RING_TAIL belongs to the driver: saving must not undo its update
constexpr uint32_t image_ring_control_dword = 0x0a;
constexpr uint32_t image_timestamp_dword = 0x22;
constexpr uint32_t ring_context_dwords = 0x50;
constexpr uint32_t documented_dwords = 0xb0;        ///< end of the lists that all engines have

/// Dwords of page 1 that lists may take: all of it, or up to StateHeader.
constexpr uint32_t list_dwords(defs::EngineClass engine) { return engine == defs::EngineClass::render ? 0x400 : 0x200; }

/// Documented slots, sorted by dword.
std::span<const ImageSlot> image_slots(defs::EngineClass engine);

/// What stands in front of the engine's bytes.
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
uint32_t state_offset(defs::EngineClass engine);
uint32_t state_room(defs::EngineClass engine);
/// Bytes of the whole image.
uint32_t image_size(defs::EngineClass engine);

/// Writes MI_LOAD_REGISTER_IMM headers and register offsets of all documented lists to the first documented_dwords dwords of page 1;
/// values and the space between the lists become zero.
void write_image_frame(std::span<uint32_t> page, defs::EngineClass engine, uint32_t mmio_base);

/// Header of an MI_LOAD_REGISTER_IMM of `count` registers as hardware saves it (Force Posted).
constexpr uint32_t lri_header(uint32_t count) { return 0x1100'1000u | (2 * count - 1); }
/// The most that its DWord Length, eight bits, can say.
constexpr uint32_t lri_max_registers = 128;
constexpr uint32_t mi_batch_buffer_end = 0x0500'0000;

}  // namespace softgen::cs
