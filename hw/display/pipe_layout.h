// SPDX-License-Identifier: GPL-2.0-or-later
// Where a pipe's registers are, and how they are read: universal_layout.h from Gen9 on, ilk/layout.h for Ironlake.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hw/defs/registers/registers.h"
#include "hw/display/clocks.h"
#include "hw/display/compose.h"
#include "hw/display/infoframe.h"
#include "hw/display/plane.h"
#include "hw/mmio/register_file.h"

namespace softgen::display {

constexpr unsigned scaler_count = 2;  ///< the most that a pipe has

/// What registers of outputs and of pipes mean by their bits per channel.
constexpr unsigned bits_per_channel(uint32_t code) {
  constexpr unsigned depth[8] = {8, 10, 6, 12, 8, 8, 8, 8};
  return depth[code];
}

struct ScalerRegs {
  uint32_t ctrl = 0, position = 0, size = 0;
  bool operator==(const ScalerRegs&) const = default;
};

/// The pipe's own.
struct PipeRegs {
  uint32_t source_size = 0, gamma_mode = 0, misc = 0, bottom = 0;
  CscRegs csc;
  bool operator==(const PipeRegs&) const = default;
};

struct RegisterSpan {
  uint32_t offset, bytes = 4;
};

/// The registers of one pipe, by what an access to them does.
struct PipeOffsets {
  struct Plane {
    std::vector<RegisterSpan> registers;
    uint32_t arm;   ///< a write of it makes the plane's registers take effect together, at the next vertical blank
    uint32_t live;  ///< reads as the address that is shown
  };
  struct Enable {
    uint32_t offset;
    reg::Bits enable, state;  ///< the latter follows what the raster does
  };
  struct Crc {
    uint32_t control, result;
    reg::Bits enable, source;
  };
  Enable enable;
  std::vector<RegisterSpan> raster;   ///< beside `enable`: what the raster's size and clock come from
  std::vector<RegisterSpan> own;      ///< PipeRegs but the conversion
  std::vector<RegisterSpan> shown;    ///< change what is shown at once
  std::vector<uint32_t> counters;     ///< PIPE_SCANLINE and so on, as far as there are
  std::vector<Plane> planes;          ///< from the bottom up
  uint32_t cursor_arm, cursor_live;   ///< as Plane::arm and ::live
  std::vector<uint32_t> scaler_arms;  ///< likewise, by scaler
  uint32_t csc_mode, interrupt_mask;  ///< the former arms the conversion
  Crc crc;
};

/// What a scaler does.
struct ScalerUse {
  unsigned user;  ///< 0: the pipe's output, i + 1: plane i
  Window window;  ///< what it scales to
};

/// Without state. Every function reads the registers as they are now.
class PipeLayout {
 public:
  virtual PipeOffsets offsets(unsigned pipe) const = 0;

  virtual bool interlaced(const mmio::RegisterFile& registers, unsigned pipe) const = 0;
  /// Hz; 0: none. `clocks`: the chip's.
  virtual uint64_t pixel_clock(const mmio::RegisterFile& registers, const Clocks& clocks, unsigned pipe) const = 0;
  /// The port whose output is on and shows the pipe (0: A).
  virtual std::optional<unsigned> shown_port(const mmio::RegisterFile& registers, unsigned pipe) const = 0;
  /// By how many lines PIPE_SCANLINE is behind the raster.
  virtual uint32_t scanline_lag(const mmio::RegisterFile& registers, unsigned pipe) const = 0;
  virtual SinkRange sink_range(const mmio::RegisterFile& registers, unsigned pipe) const = 0;

  /// All but PipeRegs::csc.
  virtual PipeRegs read_own(const mmio::RegisterFile& registers, unsigned pipe) const = 0;
  virtual PlaneRegs read_plane(const mmio::RegisterFile& registers, unsigned pipe, unsigned plane) const = 0;
  virtual CursorRegs read_cursor(const mmio::RegisterFile& registers, unsigned pipe) const = 0;
  virtual CursorPalette read_cursor_palette(const mmio::RegisterFile& registers, unsigned pipe) const = 0;
  virtual ScalerRegs read_scaler(const mmio::RegisterFile& registers, unsigned pipe, unsigned scaler) const = 0;
  /// Palettes that are registers, not behind an index, but for the legacy one.
  virtual void read_palettes(const mmio::RegisterFile& registers, unsigned pipe, Palettes& out) const = 0;

  /// Whether a plane with these registers is shown; takes a new address without waiting for the blank.
  virtual bool plane_on(const PlaneRegs& regs) const = 0;
  virtual bool flips_at_once(const PlaneRegs& regs) const = 0;
  /// Nothing: it is off.
  virtual std::optional<ScalerUse> decode_scaler(const ScalerRegs& regs) const = 0;
  /// Depth of the output, and the colour where no plane is.
  virtual void decode_output(const PipeRegs& regs, Frame& out) const = 0;

 protected:
  ~PipeLayout() = default;
};

}  // namespace softgen::display
