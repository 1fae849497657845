// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/tgl/dekel.h"

#include <algorithm>
#include <utility>

#include "hw/display/pll.h"
#include "hw/display/tgl/power.h"

namespace softgen::display {

namespace field = reg::field;

namespace {

constexpr uint32_t aperture_bytes = reg::DKL_PHY(1) - reg::DKL_PHY(0);
/// Of the PLL's registers and the microcontroller's (i915 display/intel_dkl_phy_regs.h: offsets from 0x2000 on).
constexpr unsigned pll_bank = 2;

}  // namespace

DekelPhys::DekelPhys(mmio::RegisterFile& registers, std::function<void()> changed)
    : registers_(registers), changed_(std::move(changed)), values_(ports * banks * bank_dwords) {
  registers.on_read(reg::DKL_PHY(0), ports * aperture_bytes, [this](uint32_t offset) {
    const unsigned bank = bank_of(offset);
    MutexLock lock(mutex_);
    return values_[index(offset, bank)];
  });
  registers.on_write(reg::DKL_PHY(0), ports * aperture_bytes, [this](uint32_t offset, uint32_t value) {
    const unsigned bank = bank_of(offset);
    {
      MutexLock lock(mutex_);
      values_[index(offset, bank)] = value;
    }
    if (bank == pll_bank) changed_();
  });
  reset();
}

size_t DekelPhys::index(uint32_t offset, unsigned bank) {
  const uint32_t from = offset - reg::DKL_PHY(0);
  return (from / aperture_bytes * banks + bank) * bank_dwords + from % aperture_bytes / sizeof(uint32_t);
}

unsigned DekelPhys::bank_of(uint32_t offset) const {
  constexpr reg::Bits bytes[4] = {field::HIP_INDEX_REG_BANK_0, field::HIP_INDEX_REG_BANK_1, field::HIP_INDEX_REG_BANK_2,
                                  field::HIP_INDEX_REG_BANK_3};
  const unsigned port = (offset - reg::DKL_PHY(0)) / aperture_bytes;
  return bytes[port % 4].of(registers_.peek(reg::HIP_INDEX_REG(port / 4)));
}

uint32_t DekelPhys::get(uint32_t offset) const {
  MutexLock lock(mutex_);
  return values_[index(offset, pll_bank)];
}

uint64_t DekelPhys::hz(unsigned port) const {
  const uint32_t div0 = get(reg::DKL_PLL_DIV0(port)), bias = get(reg::DKL_PLL_BIAS(port));
  const uint32_t hsclkctl = get(reg::DKL_CLKTOP2_HSCLKCTL(port));
  return type_c_pll_hz(
      tgl_reference_hz,
      {.predivider = field::DKL_PLL_DIV0_FEEDBACK_PREDIVIDER.of(div0),
       .feedback = field::DKL_PLL_DIV0_FEEDBACK_DIVIDER_INTEGER.of(div0),
       .fraction = field::DKL_PLL_BIAS_FRACTION_ENABLE.of(bias) ? field::DKL_PLL_BIAS_FEEDBACK_DIVIDER_FRACTION.of(bias) : 0,
       .hsdiv = field::DKL_CLKTOP2_HSCLKCTL_HSDIV_RATIO.of(hsclkctl),
       .dsdiv = field::DKL_CLKTOP2_HSCLKCTL_DSDIV_RATIO.of(hsclkctl)});
}

// The microcontrollers are well: i915 warns else (icl_tc_phy_aux_power_well_enable).
void DekelPhys::reset() {
  MutexLock lock(mutex_);
  std::ranges::fill(values_, 0);
  for (unsigned port = 0; port < ports; port++) values_[index(reg::DKL_CMN_UC_DW27(port), pll_bank)] = field::DKL_CMN_UC_DW27_HEALTH.mask();
}

void DekelPhys::state(Archive& ar) {
  MutexLock lock(mutex_);
  ar.section("display.dekel", 1);
  ar.bytes(std::as_writable_bytes(std::span(values_)));
}

}  // namespace softgen::display
