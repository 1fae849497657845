// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/ilk/link.h"

#include <utility>

#include "hw/display/follow.h"

namespace softgen::display {

namespace field = reg::field;

namespace {

// Training Pattern, of both ends.
constexpr uint32_t pattern_1 = 0, pattern_2 = 1;

}  // namespace

IlkLink::IlkLink(mmio::RegisterFile& registers, std::function<void()> changed) : registers_(registers) {
  registers_.on_write(reg::FDI_PLL_BIOS_0, [changed = std::move(changed)](uint32_t, uint32_t) { changed(); });
  // A forced detection of an analogue monitor ends at once: there is none.
  registers_.on_write(reg::PCH_ADPA, [this](uint32_t at, uint32_t) { registers_.clear_bits(at, field::PCH_ADPA_FORCE_TRIGGER.mask()); });
  for (unsigned pipe = 0; pipe < pipes; pipe++) {
    attach_training(pipe);
    attach_infoframes(pipe);
    follow(registers_, reg::PCH_TRANSCONF(pipe), field::PCH_TRANSCONF_ENABLE, field::PCH_TRANSCONF_STATE);
  }
}

// intel_fdi.c, intel_fdi_pll_freq_update: (Feedback Clock + 2) * 100 MHz is the bit clock, ten bits a symbol.
uint64_t IlkLink::port_clock(unsigned) const {
  return (uint64_t{field::FDI_PLL_BIOS_0_FEEDBACK_CLOCK.of(registers_.peek(reg::FDI_PLL_BIOS_0))} + 2) * 10'000'000;
}

void IlkLink::attach_training(unsigned pipe) {
  for (const uint32_t offset : {reg::FDI_TX_CTL(pipe), reg::FDI_RX_CTL(pipe)})
    registers_.on_write(offset, [this, pipe](uint32_t, uint32_t) { train(pipe); });
}

/// While both ends send and expect the same pattern, the receiver locks at once.
void IlkLink::train(unsigned pipe) {
  const uint32_t sender = registers_.peek(reg::FDI_TX_CTL(pipe)), receiver = registers_.peek(reg::FDI_RX_CTL(pipe));
  const uint32_t pattern = field::FDI_TX_CTL_TRAINING_PATTERN.of(sender);
  if (!field::FDI_TX_CTL_ENABLE.of(sender) || !field::FDI_RX_CTL_ENABLE.of(receiver) || !field::FDI_RX_CTL_PLL_ENABLE.of(receiver) ||
      pattern != field::FDI_RX_CTL_TRAINING_PATTERN.of(receiver))
    return;
  uint32_t locked = 0;
  if (pattern == pattern_1) locked = field::FDI_RX_IIR_BIT_LOCK.mask();
  if (pattern == pattern_2) locked = field::FDI_RX_IIR_SYMBOL_LOCK.mask();
  registers_.set_bits(reg::FDI_RX_IIR(pipe), locked & ~registers_.peek(reg::FDI_RX_IMR(pipe)));
}

void IlkLink::attach_infoframes(unsigned pipe) {
  registers_.on_read(reg::TVIDEO_DIP_DATA(pipe), [this, pipe](uint32_t) {
    MutexLock lock(mutex_);
    return *take_dword(pipe);
  });
  registers_.on_write(reg::TVIDEO_DIP_DATA(pipe), [this, pipe](uint32_t, uint32_t value) {
    MutexLock lock(mutex_);
    *take_dword(pipe) = value;
  });
}

/// The dword that TVIDEO_DIP_CTL points to; it then points to the next of the same infoframe.
uint32_t* IlkLink::take_dword(unsigned pipe) {
  const uint32_t control = registers_.peek(reg::TVIDEO_DIP_CTL(pipe)), at = field::TVIDEO_DIP_CTL_ACCESS_ADDRESS.of(control);
  registers_.poke(reg::TVIDEO_DIP_CTL(pipe), field::TVIDEO_DIP_CTL_ACCESS_ADDRESS.with(control, at + 1));
  return &sent_[pipe][field::TVIDEO_DIP_CTL_BUFFER_SELECT.of(control)][at];
}

void IlkLink::reset() {
  MutexLock lock(mutex_);
  sent_ = {};
}

void IlkLink::state(Archive& ar) {
  MutexLock lock(mutex_);
  ar.section("display.link", 1);
  for (Infoframes& of_pipe : sent_)
    for (auto& infoframe : of_pipe)
      for (uint32_t& dword : infoframe) ar.value(dword);
}

std::unique_ptr<Clocks> ilk_link(mmio::RegisterFile& registers, std::function<void()> changed) {
  return std::make_unique<IlkLink>(registers, std::move(changed));
}

}  // namespace softgen::display
