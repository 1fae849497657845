// SPDX-License-Identifier: GPL-2.0-or-later
// The interrupt tree from Gen11 on with a host that records its line, and a driver that serves it as i915 does.
#pragma once

#include <memory>
#include <vector>

#include "hw/mmio/interrupts/gen11.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/mmio/hosts.h"

namespace softgen::mmio {

inline constexpr uint32_t enable = 0x8000'0000, valid = 0x8000'0000;

/// What i915 writes at gen11_irq_postinstall, and its handler (i915_irq.c, gt/intel_gt_irq.c).
struct InterruptDriver {
  RegisterFile& regs;

  uint32_t read(uint32_t offset) { return regs.read(offset); }
  void write(uint32_t offset, uint32_t value) { regs.write(offset, value); }
  void install() {
    for (const uint32_t offset : {reg::RENDER_COPY_INTR_ENABLE, reg::VCS_VECS_INTR_ENABLE}) write(offset, 0x0909'0909);
    for (const uint32_t offset : {reg::RCS0_RSVD_INTR_MASK, reg::BCS_RSVD_INTR_MASK}) write(offset, ~0x0909'0000u);
    for (const uint32_t offset : {reg::VCS_INTR_MASK(0), reg::VCS_INTR_MASK(1), reg::VECS_INTR_MASK}) write(offset, ~0x0909'0909u);
    for (unsigned pipe = 0; pipe < 3; ++pipe) {
      write(reg::DE_PIPE_IMR(pipe), ~1u);
      write(reg::DE_PIPE_IER(pipe), 1);
    }
    write(reg::DISPLAY_INT_CTL, enable);
    write(reg::GFX_MSTR_IRQ, enable);
  }
  /// gen11_gt_engine_identity()
  uint32_t identity(unsigned word, unsigned source) {
    write(reg::IIR_REG_SELECTOR(word), 1u << source);
    const uint32_t value = read(reg::INTR_IDENTITY_REG(word));
    write(reg::INTR_IDENTITY_REG(word), valid);
    return value;
  }
  /// Serves one word of GT_INTR_DW: the identities, in the order of their sources.
  std::vector<uint32_t> serve(unsigned word) {
    std::vector<uint32_t> identities;
    const uint32_t sources = read(reg::GT_INTR_DW(word));
    for (unsigned source = 0; source < 32; ++source)
      if (sources >> source & 1) identities.push_back(identity(word, source));
    write(reg::GT_INTR_DW(word), sources);
    return identities;
  }
};

/// The tree of Ice Lake, or (`set`) of Tiger Lake.
struct InterruptRig {
  explicit InterruptRig(const defs::RegisterSet& set = defs::gen11::registers)
      : regs(set),
        owned(&set == &defs::gen12::registers ? gen12_interrupts(regs, host) : gen11_interrupts(regs, host)),
        tree(*owned),
        driver{regs} {
    quiet_log();
  }
  LineHost host;
  RegisterFile regs;
  std::unique_ptr<Interrupts> owned;
  Interrupts& tree;
  InterruptDriver driver;

  uint32_t read(uint32_t offset) { return regs.read(offset); }
  void write(uint32_t offset, uint32_t value) { regs.write(offset, value); }
};

}  // namespace softgen::mmio
