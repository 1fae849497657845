// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/ilk/layout.h"

#include <array>

namespace softgen::display {

namespace field = reg::field;

namespace {

/// A digital port of the PCH.
struct Port {
  unsigned port;  ///< 1: B
  uint32_t offset;
  reg::Bits enable, transcoder;
};

constexpr std::array<Port, 3> ports = {{{1, reg::PCH_HDMIB, field::PCH_HDMIB_ENABLE, field::PCH_HDMIB_TRANSCODER_SELECT},
                                        {2, reg::PCH_HDMIC, field::PCH_HDMIC_ENABLE, field::PCH_HDMIC_TRANSCODER_SELECT},
                                        {3, reg::PCH_HDMID, field::PCH_HDMID_ENABLE, field::PCH_HDMID_TRANSCODER_SELECT}}};

// plane_on() is asked of both.
static_assert(field::DSPCNTR_ENABLE.mask() == field::DVSCNTR_ENABLE.mask());

}  // namespace

PipeOffsets IlkLayout::offsets(unsigned pipe) const {
  const uint32_t primary = reg::DSPCNTR(pipe), sprite = reg::DVSCNTR(pipe);
  PipeOffsets out{
      .enable = {reg::PIPECONF(pipe), field::PIPECONF_ENABLE, field::PIPECONF_STATE},
      .raster = {{reg::TRANS_HTOTAL(pipe)},
                 {reg::TRANS_VTOTAL(pipe)},
                 {reg::TRANS_VBLANK(pipe)},
                 {reg::TRANS_LINKM1(pipe)},
                 {reg::TRANS_LINKN1(pipe)},
                 {reg::FDI_TX_CTL(pipe)}},
      .own = {{reg::PIPE_SRCSZ(pipe)}, {reg::PIPECONF(pipe)}},
      .shown = {{reg::LGC_PALETTE(pipe, 0), 1024},
                {reg::PREC_PALETTE(pipe, 0), 4096},
                {reg::PREC_PIPEGCMAX(pipe, 0), 12},
                {reg::PCH_TRANSCONF(pipe)},
                {reg::PCH_DPLL(pipe)}},
      .counters = {reg::PIPE_SCANLINE(pipe), reg::PIPE_FRMCNT(pipe), reg::PIPE_FLIPCNT(pipe)},
      .planes = {{{{primary, reg::DSPTILEOFF(pipe) + 4 - primary}}, reg::DSPSURF(pipe), reg::DSPSURFLIVE(pipe)},
                 {{{sprite, reg::DVSTILEOFF(pipe) + 4 - sprite}, {reg::DVSSCALE(pipe)}}, reg::DVSSURF(pipe), reg::DVSSURFLIVE(pipe)}},
      .cursor_arm = reg::CURBASE(pipe),
      .cursor_live = reg::CURSURFLIVE(pipe),
      .scaler_arms = {reg::PF_WIN_SZ(pipe)},
      .csc_mode = reg::CSC_MODE_ILK(pipe),
      .interrupt_mask = reg::DEIMR,
      .crc = {reg::PIPE_CRC_CTL_ILK(pipe), reg::PIPE_CRC_RES_1_ILK(pipe), field::PIPE_CRC_CTL_ILK_ENABLE, field::PIPE_CRC_CTL_ILK_SOURCE}};
  for (const Port& port : ports) out.shown.push_back({port.offset});
  return out;
}

// All codes but 0 are interlaced (i915 i915_reg.h, PIPECONF_INTERLACE_*_ILK).
bool IlkLayout::interlaced(const mmio::RegisterFile& registers, unsigned pipe) const {
  return field::PIPECONF_INTERLACE.of(registers.peek(reg::PIPECONF(pipe))) != 0;
}

// i915 display/intel_display.c, ilk_pch_clock_get and intel_dotclock_calculate. The PLL at the sender's end is always on.
uint64_t IlkLayout::pixel_clock(const mmio::RegisterFile& registers, const Clocks& clocks, unsigned pipe) const {
  return dp_pixel_clock_hz(clocks.port_clock(0), field::TRANS_LINKM1_LINK_M_VALUE.of(registers.peek(reg::TRANS_LINKM1(pipe))),
                           field::TRANS_LINKN1_LINK_N_VALUE.of(registers.peek(reg::TRANS_LINKN1(pipe))));
}

std::optional<unsigned> IlkLayout::shown_port(const mmio::RegisterFile& registers, unsigned pipe) const {
  const bool linked = field::FDI_TX_CTL_ENABLE.of(registers.peek(reg::FDI_TX_CTL(pipe))) &&
                      field::FDI_RX_CTL_ENABLE.of(registers.peek(reg::FDI_RX_CTL(pipe))) &&
                      field::PCH_DPLL_VCO_ENABLE.of(registers.peek(reg::PCH_DPLL(pipe))) &&
                      field::PCH_TRANSCONF_ENABLE.of(registers.peek(reg::PCH_TRANSCONF(pipe)));
  if (!linked) return {};
  for (const Port& port : ports) {
    const uint32_t value = registers.peek(port.offset);
    if (port.enable.of(value) && port.transcoder.of(value) == pipe) return port.port;
  }
  return {};
}

// PIPECONF makes a limited range out of the full one (i915 ilk_set_pipeconf), and the monitor undoes it: neither is modelled.
SinkRange IlkLayout::sink_range(const mmio::RegisterFile&, unsigned) const { return SinkRange::full; }

PipeRegs IlkLayout::read_own(const mmio::RegisterFile& registers, unsigned pipe) const {
  return {.source_size = registers.peek(reg::PIPE_SRCSZ(pipe)), .gamma_mode = registers.peek(reg::PIPECONF(pipe)), .csc = {}};
}

PlaneRegs IlkLayout::read_plane(const mmio::RegisterFile& registers, unsigned pipe, unsigned plane) const {
  if (plane == ilk_primary)
    return {.ctl = registers.peek(reg::DSPCNTR(pipe)),
            .stride = registers.peek(reg::DSPSTRIDE(pipe)),
            .surf = registers.peek(reg::DSPSURF(pipe)),
            .offset = registers.peek(reg::DSPTILEOFF(pipe)),
            .aux_dist = registers.peek(reg::DSPLINOFF(pipe))};
  return {.ctl = registers.peek(reg::DVSCNTR(pipe)),
          .stride = registers.peek(reg::DVSSTRIDE(pipe)),
          .pos = registers.peek(reg::DVSPOS(pipe)),
          .size = registers.peek(reg::DVSSIZE(pipe)),
          .keyval = registers.peek(reg::DVSKEYVAL(pipe)),
          .keymsk = registers.peek(reg::DVSKEYMSK(pipe)),
          .surf = registers.peek(reg::DVSSURF(pipe)),
          .keymax = registers.peek(reg::DVSKEYMAX(pipe)),
          .offset = registers.peek(reg::DVSTILEOFF(pipe)),
          .aux_dist = registers.peek(reg::DVSLINOFF(pipe)),
          .aux_offset = registers.peek(reg::DVSSCALE(pipe))};
}

CursorRegs IlkLayout::read_cursor(const mmio::RegisterFile& registers, unsigned pipe) const {
  return {.ctl = registers.peek(reg::CURCNTR(pipe)), .base = registers.peek(reg::CURBASE(pipe)), .pos = registers.peek(reg::CURPOS(pipe))};
}

ScalerRegs IlkLayout::read_scaler(const mmio::RegisterFile& registers, unsigned pipe, unsigned) const {
  return {.ctrl = registers.peek(reg::PF_CTL(pipe)),
          .position = registers.peek(reg::PF_WIN_POS(pipe)),
          .size = registers.peek(reg::PF_WIN_SZ(pipe))};
}

void IlkLayout::read_palettes(const mmio::RegisterFile& registers, unsigned pipe, Palettes& out) const {
  for (unsigned i = 0; i < out.precise.size(); i++) out.precise[i] = registers.peek(reg::PREC_PALETTE(pipe, i));
  for (unsigned i = 0; i < out.gc_max.size(); i++) out.gc_max[i] = registers.peek(reg::PREC_PIPEGCMAX(pipe, i));
}

bool IlkLayout::plane_on(const PlaneRegs& regs) const { return field::DSPCNTR_ENABLE.of(regs.ctl); }

bool IlkLayout::flips_at_once(const PlaneRegs& regs) const { return field::DSPCNTR_ASYNC_FLIP.of(regs.ctl); }

std::optional<ScalerUse> IlkLayout::decode_scaler(const ScalerRegs& regs) const {
  if (!field::PF_CTL_ENABLE.of(regs.ctrl)) return {};
  return ScalerUse{
      .user = 0,
      .window = {static_cast<int32_t>(field::PF_WIN_POS_X.of(regs.position)), static_cast<int32_t>(field::PF_WIN_POS_Y.of(regs.position)),
                 field::PF_WIN_SZ_WIDTH.of(regs.size), field::PF_WIN_SZ_HEIGHT.of(regs.size)}};
}

void IlkLayout::decode_output(const PipeRegs& regs, Frame& out) const {
  out.bits_per_channel = bits_per_channel(field::PIPECONF_BPC.of(regs.gamma_mode));
}

}  // namespace softgen::display
