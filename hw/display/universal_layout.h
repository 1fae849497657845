// SPDX-License-Identifier: GPL-2.0-or-later
// Pipes with universal planes, transcoders that drive DDIs, and scalers: from Gen9 on. SKL PRM vol 2c; i915 display/skl_universal_plane.c.
#pragma once

#include "hw/display/pipe_layout.h"

namespace softgen::display {

/// How TRANS_DDI_FUNC_CTL names a DDI.
struct DdiSelect {
  reg::Bits bits;
  unsigned first;  ///< the code of DDI A
};

class UniversalLayout final : public PipeLayout {
 public:
  /// `planes`: of a pipe. `halved`: of PIPE_MISC, if it has it: chroma is halved both ways (YCbCr 4:2:0), and so is the port's clock.
  constexpr UniversalLayout(DdiSelect select, unsigned planes, std::optional<reg::Bits> halved = {})
      : select_(select), planes_(planes), halved_(halved) {}

  PipeOffsets offsets(unsigned pipe) const override;
  bool interlaced(const mmio::RegisterFile& registers, unsigned pipe) const override;
  uint64_t pixel_clock(const mmio::RegisterFile& registers, const Clocks& clocks, unsigned pipe) const override;
  std::optional<unsigned> shown_port(const mmio::RegisterFile& registers, unsigned pipe) const override;
  uint32_t scanline_lag(const mmio::RegisterFile& registers, unsigned pipe) const override;
  SinkRange sink_range(const mmio::RegisterFile& registers, unsigned pipe) const override;
  PipeRegs read_own(const mmio::RegisterFile& registers, unsigned pipe) const override;
  PlaneRegs read_plane(const mmio::RegisterFile& registers, unsigned pipe, unsigned plane) const override;
  CursorRegs read_cursor(const mmio::RegisterFile& registers, unsigned pipe) const override;
  CursorPalette read_cursor_palette(const mmio::RegisterFile& registers, unsigned pipe) const override;
  ScalerRegs read_scaler(const mmio::RegisterFile& registers, unsigned pipe, unsigned scaler) const override;
  void read_palettes(const mmio::RegisterFile& registers, unsigned pipe, Palettes& out) const override;
  bool plane_on(const PlaneRegs& regs) const override;
  bool flips_at_once(const PlaneRegs& regs) const override;
  std::optional<ScalerUse> decode_scaler(const ScalerRegs& regs) const override;
  void decode_output(const PipeRegs& regs, Frame& out) const override;

 private:
  /// The DDI that the transcoder drives (0: A).
  std::optional<unsigned> driven_port(const mmio::RegisterFile& registers, unsigned pipe) const;

  const DdiSelect select_;
  const unsigned planes_;
  const std::optional<reg::Bits> halved_;
};

}  // namespace softgen::display
