// SPDX-License-Identifier: GPL-2.0-or-later
// What the kernel side of softgen-run must know of a chip, where chips differ. As in regs.h, a driver's view, apart from the model's tables.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "softgen/softgen.h"

namespace softgen::run {

struct OaUnit;

struct EngineInfo {
  const char* name;
  uint16_t uapi_class;  ///< I915_ENGINE_CLASS_*
  uint32_t mmio;
  uint32_t irq_register;  ///< Gen9: the first of ISR, IMR, IIR, IER; Gen11: the mask register
  unsigned irq_shift;
  uint32_t context_pages;
  uint32_t reset;  ///< its bit of GDRST
};
inline constexpr unsigned run_engines = 4;  ///< RCS0, BCS0, VCS0, VECS0: in the order of I915_ENGINE_CLASS_*

/// The device's registers.
class Registers {
 public:
  explicit Registers(sg_device* device) : device_(device) {}
  void write(uint32_t offset, uint32_t value) const { sg_bar0_write(device_, offset, value, 4); }
  uint32_t read(uint32_t offset) const { return static_cast<uint32_t>(sg_bar0_read(device_, offset, 4)); }

 private:
  sg_device* const device_;
};

/// What an entry of the context status buffer says of the list that was submitted last.
struct Switch {
  bool taken;  ///< it runs
  bool idle;   ///< it has ended
};

struct Chip {
  std::string_view platform;
  EngineInfo engines[run_engines];
  std::span<const uint32_t> forcewake;  ///< request registers
  uint32_t run_lists;                   ///< a write of RING_MODE
  unsigned csb_entries;
  unsigned csb_write;                                 ///< dword of the status page with the index of the last entry
  uint32_t csb_pointers;                              ///< a write of the register that resets both pointers
  std::span<const uint32_t> open_to_batches;          ///< values of FORCE_TO_NONPRIV of the render engine
  std::span<const uint32_t> render_list, other_list;  ///< registers behind those of the ring in the first list of a context's image
  bool coherent_ggtt;
  bool enables_64k_pages;  ///< by GAMW_ECO_DEV_RW_IA (i915 gt/intel_gtt.c, gtt_write_workarounds); later chips have another register there
  /// Everything unmasked but the engines, everything enabled.
  void (*enable_interrupts)(const Registers& registers);
  /// `heard`: the engine's interrupts that reach us.
  void (*hear)(const Registers& registers, const EngineInfo& engine, uint32_t heard);
  /// Answers a message of the device: what is pending is cleared.
  void (*acknowledge)(const Registers& registers);
  /// An entry of the status buffer.
  Switch (*read_entry)(uint32_t low, uint32_t high);
  /// Upper half of the descriptor of a context with this number.
  uint32_t (*context_id)(uint32_t number);
  /// One context. `id`: the upper half of its descriptor.
  void (*submit)(const Registers& registers, const EngineInfo& engine, uint32_t descriptor, uint32_t id);
  const OaUnit* oa;
};

/// Null: softgen-run has no driver for it.
const Chip* chip_of(std::string_view platform);

}  // namespace softgen::run
