// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/universal_layout.h"

namespace softgen::display {

namespace field = reg::field;

PipeOffsets UniversalLayout::offsets(unsigned pipe) const {
  PipeOffsets out{
      .enable = {reg::TRANS_CONF(pipe), field::TRANS_CONF_TRANSCODER_ENABLE, field::TRANS_CONF_TRANSCODER_STATE},
      .raster = {{reg::TRANS_HTOTAL(pipe)},
                 {reg::TRANS_VTOTAL(pipe)},
                 {reg::TRANS_VBLANK(pipe)},
                 {reg::TRANS_DDI_FUNC_CTL(pipe)},
                 {reg::TRANS_LINKM1(pipe)},
                 {reg::TRANS_LINKN1(pipe)}},
      .own = {{reg::PIPE_SRCSZ(pipe)}, {reg::PIPE_MISC(pipe)}, {reg::PIPE_BOTTOM_COLOR(pipe)}, {reg::GAMMA_MODE(pipe)}},
      .shown = {{reg::VIDEO_DIP_CTL(pipe)}, {reg::CUR_PAL(pipe, 0), 16}, {reg::LGC_PALETTE(pipe, 0), 1024}, {reg::PAL_GC_MAX(pipe, 0), 12}},
      .counters = {reg::PIPE_SCANLINE(pipe), reg::PIPE_FRMCNT(pipe), reg::PIPE_FLIPCNT(pipe), reg::PIPE_FRMTMSTMP(pipe),
                   reg::PIPE_FLIPTMSTMP(pipe)},
      .planes = {},
      .cursor_arm = reg::CUR_BASE(pipe),
      .cursor_live = reg::CUR_SURFLIVE(pipe),
      .scaler_arms = {},
      .csc_mode = reg::CSC_MODE(pipe),
      .interrupt_mask = reg::DE_PIPE_IMR(pipe),
      .crc = {reg::PIPE_CRC_CTL(pipe), reg::PIPE_CRC_RES(pipe, 0), field::PIPE_CRC_CTL_ENABLE_PIPE_CRC,
              field::PIPE_CRC_CTL_PIPE_CRC_SOURCE}};
  for (unsigned i = 0; i < planes_; i++) {
    const uint32_t first = reg::PLANE_CTL(pipe, i);
    out.planes.push_back({{{first, reg::PLANE_OFFSET(pipe, i) + 4 - first}, {reg::PLANE_AUX_DIST(pipe, i), 8}},
                          reg::PLANE_SURF(pipe, i),
                          reg::PLANE_SURFLIVE(pipe, i)});
  }
  for (unsigned i = 0; i < scaler_count; i++) out.scaler_arms.push_back(reg::PS_WIN_SZ(pipe, i));
  return out;
}

bool UniversalLayout::interlaced(const mmio::RegisterFile& registers, unsigned pipe) const {
  const uint32_t mode = field::TRANS_CONF_INTERLACED_MODE.of(registers.peek(reg::TRANS_CONF(pipe)));
  return mode == 3 || mode == 1;
}

uint64_t UniversalLayout::pixel_clock(const mmio::RegisterFile& registers, const Clocks& clocks, unsigned pipe) const {
  const uint32_t function = registers.peek(reg::TRANS_DDI_FUNC_CTL(pipe));
  if (!field::TRANS_DDI_FUNC_CTL_TRANS_DDI_FUNCTION_ENABLE.of(function)) return 0;
  const std::optional<unsigned> port = driven_port(registers, pipe);
  const uint64_t symbol_clock = port ? clocks.port_clock(*port) : 0;
  uint64_t clock = symbol_clock;
  switch (field::TRANS_DDI_FUNC_CTL_TRANS_DDI_MODE_SELECT.of(function)) {
    case 0: clock = hdmi_pixel_clock_hz(symbol_clock, bits_per_channel(field::TRANS_DDI_FUNC_CTL_BITS_PER_COLOR.of(function))); break;
    case 2:
    case 3:
      clock = dp_pixel_clock_hz(symbol_clock, field::TRANS_LINKM1_LINK_M_VALUE.of(registers.peek(reg::TRANS_LINKM1(pipe))),
                                field::TRANS_LINKN1_LINK_N_VALUE.of(registers.peek(reg::TRANS_LINKN1(pipe))));
      break;
    default: break;
  }
  if (halved_ && halved_->of(registers.peek(reg::PIPE_MISC(pipe)))) clock *= 2;
  return clock / (field::TRANS_MULT_MULTIPLIER.of(registers.peek(reg::TRANS_MULT(pipe))) + 1);
}

std::optional<unsigned> UniversalLayout::driven_port(const mmio::RegisterFile& registers, unsigned pipe) const {
  const uint32_t function = registers.peek(reg::TRANS_DDI_FUNC_CTL(pipe)), code = select_.bits.of(function);
  if (!field::TRANS_DDI_FUNC_CTL_TRANS_DDI_FUNCTION_ENABLE.of(function) || code < select_.first) return {};
  return code - select_.first;
}

std::optional<unsigned> UniversalLayout::shown_port(const mmio::RegisterFile& registers, unsigned pipe) const {
  const std::optional<unsigned> port = driven_port(registers, pipe);
  return port && field::DDI_BUF_CTL_DDI_BUFFER_ENABLE.of(registers.peek(reg::DDI_BUF_CTL(*port))) ? port : std::nullopt;
}

uint32_t UniversalLayout::scanline_lag(const mmio::RegisterFile& registers, unsigned pipe) const {
  const bool tmds = field::TRANS_DDI_FUNC_CTL_TRANS_DDI_MODE_SELECT.of(registers.peek(reg::TRANS_DDI_FUNC_CTL(pipe))) <= 1;
  return tmds ? 2 : 1;
}

SinkRange UniversalLayout::sink_range(const mmio::RegisterFile& registers, unsigned pipe) const {
  return display::sink_range(registers, pipe);
}

PipeRegs UniversalLayout::read_own(const mmio::RegisterFile& registers, unsigned pipe) const {
  return {.source_size = registers.peek(reg::PIPE_SRCSZ(pipe)),
          .gamma_mode = registers.peek(reg::GAMMA_MODE(pipe)),
          .misc = registers.peek(reg::PIPE_MISC(pipe)),
          .bottom = registers.peek(reg::PIPE_BOTTOM_COLOR(pipe)),
          .csc = {}};
}

PlaneRegs UniversalLayout::read_plane(const mmio::RegisterFile& registers, unsigned pipe, unsigned plane) const {
  const auto get = [&](uint32_t (*offset)(uint32_t, uint32_t)) { return registers.peek(offset(pipe, plane)); };
  return {.ctl = get(reg::PLANE_CTL),
          .stride = get(reg::PLANE_STRIDE),
          .pos = get(reg::PLANE_POS),
          .size = get(reg::PLANE_SIZE),
          .keyval = get(reg::PLANE_KEY_VAL),
          .keymsk = get(reg::PLANE_KEY_MSK),
          .surf = get(reg::PLANE_SURF),
          .keymax = get(reg::PLANE_KEY_MAX),
          .offset = get(reg::PLANE_OFFSET),
          .aux_dist = get(reg::PLANE_AUX_DIST),
          .aux_offset = get(reg::PLANE_AUX_OFFSET)};
}

CursorRegs UniversalLayout::read_cursor(const mmio::RegisterFile& registers, unsigned pipe) const {
  return {.ctl = registers.peek(reg::CUR_CTL(pipe)),
          .base = registers.peek(reg::CUR_BASE(pipe)),
          .pos = registers.peek(reg::CUR_POS(pipe)),
          .fbc_ctl = registers.peek(reg::CUR_FBC_CTL(pipe))};
}

CursorPalette UniversalLayout::read_cursor_palette(const mmio::RegisterFile& registers, unsigned pipe) const {
  CursorPalette palette;
  for (unsigned i = 0; i < palette.size(); i++) palette[i] = registers.peek(reg::CUR_PAL(pipe, i)) & 0xffffff;
  return palette;
}

ScalerRegs UniversalLayout::read_scaler(const mmio::RegisterFile& registers, unsigned pipe, unsigned scaler) const {
  return {.ctrl = registers.peek(reg::PS_CTRL(pipe, scaler)),
          .position = registers.peek(reg::PS_WIN_POS(pipe, scaler)),
          .size = registers.peek(reg::PS_WIN_SZ(pipe, scaler))};
}

void UniversalLayout::read_palettes(const mmio::RegisterFile& registers, unsigned pipe, Palettes& out) const {
  for (unsigned i = 0; i < out.gc_max.size(); i++) out.gc_max[i] = registers.peek(reg::PAL_GC_MAX(pipe, i));
}

bool UniversalLayout::plane_on(const PlaneRegs& regs) const { return field::PLANE_CTL_PLANE_ENABLE.of(regs.ctl); }

bool UniversalLayout::flips_at_once(const PlaneRegs& regs) const { return field::PLANE_CTL_ASYNC_ADDRESS_UPDATE_ENABLE.of(regs.ctl); }

std::optional<ScalerUse> UniversalLayout::decode_scaler(const ScalerRegs& regs) const {
  if (!field::PS_CTRL_ENABLE_SCALER.of(regs.ctrl)) return {};
  return ScalerUse{.user = field::PS_CTRL_SCALER_BINDING.of(regs.ctrl),
                   .window = {static_cast<int32_t>(field::PS_WIN_POS_X_POSITION.of(regs.position)),
                              static_cast<int32_t>(field::PS_WIN_POS_Y_POSITION.of(regs.position)), field::PS_WIN_SZ_X_SIZE.of(regs.size),
                              field::PS_WIN_SZ_Y_SIZE.of(regs.size)}};
}

void UniversalLayout::decode_output(const PipeRegs& regs, Frame& out) const {
  out.bottom = {widen10(field::PIPE_BOTTOM_COLOR_RED_BOTTOM_COLOR.of(regs.bottom)),
                widen10(field::PIPE_BOTTOM_COLOR_GREEN_BOTTOM_COLOR.of(regs.bottom)),
                widen10(field::PIPE_BOTTOM_COLOR_BLUE_BOTTOM_COLOR.of(regs.bottom)), 0xffff};
  out.bits_per_channel = bits_per_channel(field::PIPE_MISC_DITHERING_BPC.of(regs.misc));
}

}  // namespace softgen::display
