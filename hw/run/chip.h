// SPDX-License-Identifier: GPL-2.0-or-later
// What the kernel side of softgen-run must know of a chip, where chips differ. As in regs.h, a driver's view, apart from the model's tables.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "softgen/softgen.h"

namespace softgen::run {

class Submission;
struct SubmissionHost;
struct OaUnit;

struct EngineInfo {
  const char* name = nullptr;  ///< null: the chip has none of the class
  uint16_t uapi_class = 0;     ///< I915_ENGINE_CLASS_*
  uint32_t mmio = 0;
  uint32_t irq_register = 0;  ///< Gen9: the first of ISR, IMR, IIR, IER; Gen11: the mask register
  unsigned irq_shift = 0;
  uint32_t context_pages = 0;  ///< 0: it keeps nothing of a context
  uint32_t reset = 0;          ///< its bit of GDRST
  uint64_t capabilities = 0;   ///< I915_VIDEO_CLASS_CAPABILITY_*, I915_VIDEO_AND_ENHANCE_CLASS_CAPABILITY_*
};
inline constexpr unsigned run_engines = 4;  ///< RCS0, BCS0, VCS0, VECS0: in the order of I915_ENGINE_CLASS_*

/// The global table, behind BAR0.
struct GlobalTable {
  uint64_t window;  ///< offset of the first entry
  uint32_t pages;
  unsigned entry_bytes;
  uint64_t (*entry)(uint64_t gpa);  ///< of a page there
  uint32_t flush;                   ///< a register that is written after entries; 0: the last entry is read back instead
  bool has_scratch;                 ///< entries of pages that are not mapped refer to a scratch page; else they are 0
};

/// The device's registers.
class Registers {
 public:
  explicit Registers(sg_device* device) : device_(device) {}
  void write(uint32_t offset, uint32_t value) const { sg_bar0_write(device_, offset, value, 4); }
  uint32_t read(uint32_t offset) const { return static_cast<uint32_t>(sg_bar0_read(device_, offset, 4)); }
  void write_entry(const GlobalTable& table, uint32_t page, uint64_t value) const {
    sg_bar0_write(device_, table.window + uint64_t{table.entry_bytes} * page, value, table.entry_bytes);
  }
  uint64_t read_entry(const GlobalTable& table, uint32_t page) const {
    return sg_bar0_read(device_, table.window + uint64_t{table.entry_bytes} * page, table.entry_bytes);
  }

 private:
  sg_device* const device_;
};

/// What i915 answers programs that ask (i915_getparam.c), and what follows from it.
struct Uapi {
  bool own_tables;            ///< each context has an address space of its own; else all share the global table's
  unsigned relocation_bytes;  ///< of an address that EXECBUFFER2 writes
  bool llc, coherent_ggtt;
  bool schedules;       ///< requests have priorities
  bool topology;        ///< slices and EUs are reported
  bool huc;             ///< there is one, or could be
  bool secure_batches;  ///< I915_EXEC_SECURE, for root
  int fences;
  int reset;              ///< I915_PARAM_HAS_GPU_RESET: 1: of the GT; 2: of an engine
  int context_isolation;  ///< bit: I915_ENGINE_CLASS_*
};

struct Chip {
  std::string_view parts;  ///< of the platforms that it drives: defs::Platform::parts
  EngineInfo engines[run_engines];
  std::span<const uint32_t> forcewake;  ///< request registers
  GlobalTable global_table;
  bool enables_64k_pages;  ///< by GAMW_ECO_DEV_RW_IA (i915 gt/intel_gtt.c, gtt_write_workarounds); later chips have another register there
  Uapi uapi;
  /// Everything unmasked but the engines, everything enabled.
  void (*enable_interrupts)(const Registers& registers);
  /// Answers a message of the device: what is pending is cleared.
  void (*acknowledge)(const Registers& registers);
  std::unique_ptr<Submission> (*submission)(const SubmissionHost& host);
  const OaUnit* oa;  ///< null: there is none

  bool has(unsigned engine) const { return engine < run_engines && engines[engine].name; }
};

/// Null: softgen-run has no driver for it.
const Chip* chip_of(std::string_view parts);

}  // namespace softgen::run
