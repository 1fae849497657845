// SPDX-License-Identifier: GPL-2.0-or-later
// Where Ironlake's pipes have their registers.
#pragma once

#include "hw/display/pipe_layout.h"

namespace softgen::display {

constexpr unsigned ilk_primary = 0, ilk_sprite = 1, ilk_planes = 2;

class IlkLayout final : public PipeLayout {
 public:
  PipeOffsets offsets(unsigned pipe) const override;
  bool interlaced(const mmio::RegisterFile& registers, unsigned pipe) const override;
  uint64_t pixel_clock(const mmio::RegisterFile& registers, const Clocks& clocks, unsigned pipe) const override;
  std::optional<unsigned> shown_port(const mmio::RegisterFile& registers, unsigned pipe) const override;
  uint32_t scanline_lag(const mmio::RegisterFile&, unsigned) const override { return 1; }
  SinkRange sink_range(const mmio::RegisterFile& registers, unsigned pipe) const override;
  PipeRegs read_own(const mmio::RegisterFile& registers, unsigned pipe) const override;
  /// Of the sprite: aux_dist is DVSLINOFF, aux_offset DVSSCALE. The primary plane has no place, size and keys.
  PlaneRegs read_plane(const mmio::RegisterFile& registers, unsigned pipe, unsigned plane) const override;
  CursorRegs read_cursor(const mmio::RegisterFile& registers, unsigned pipe) const override;
  CursorPalette read_cursor_palette(const mmio::RegisterFile&, unsigned) const override { return {}; }
  ScalerRegs read_scaler(const mmio::RegisterFile& registers, unsigned pipe, unsigned scaler) const override;
  void read_palettes(const mmio::RegisterFile& registers, unsigned pipe, Palettes& out) const override;
  bool plane_on(const PlaneRegs& regs) const override;
  bool flips_at_once(const PlaneRegs& regs) const override;
  std::optional<ScalerUse> decode_scaler(const ScalerRegs& regs) const override;
  void decode_output(const PipeRegs& regs, Frame& out) const override;
};

}  // namespace softgen::display
