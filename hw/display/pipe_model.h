// SPDX-License-Identifier: GPL-2.0-or-later
// The registers of a pipe that take effect at vertical blank, and what differs between the pipes of chips.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "hw/display/color.h"
#include "hw/display/compose.h"
#include "hw/display/display.h"
#include "hw/display/plane.h"
#include "hw/display/size_limits.h"
#include "hw/mmio/register_file.h"

namespace softgen::display {

constexpr unsigned max_planes = 7, scaler_count = 2, max_tables = 3;

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

/// Of planes with colour stages of their own.
struct PlaneColorRegs {
  uint32_t color_ctl = 0, cus_ctl = 0;
  CscRegs input_csc;
  bool operator==(const PlaneColorRegs&) const = default;
};

/// PLANE_CC_VAL: a pixel of the plane's format.
using PlaneClearColor = std::array<uint32_t, 2>;

struct PipeState {
  std::array<PlaneRegs, max_planes> planes;
  std::array<PlaneClearColor, max_planes> clear_colors{};
  std::array<PlaneColorRegs, max_planes> plane_colors;
  CursorRegs cursor;
  std::array<ScalerRegs, scaler_count> scalers;
  PipeRegs regs;
  CscRegs output_csc;
};

/// A look-up table behind an index and a data register.
struct TableRow {
  uint32_t (*index)(uint32_t pipe);
  uint32_t (*data)(uint32_t pipe);
  reg::Bits value, increment;  ///< of the index register
  uint32_t mask;               ///< of the data register
  std::span<uint32_t> (*entries)(Palettes& palettes);
};

/// How TRANS_DDI_FUNC_CTL names a DDI.
struct DdiSelect {
  reg::Bits bits;
  unsigned first;  ///< the code of DDI A
};

struct PipeModel {
  unsigned pipes;  ///< at most max_pipes
  unsigned planes;
  unsigned (*scalers)(unsigned pipe);
  Limits limits;
  DdiSelect ddi_select;
  std::array<unsigned, 3> connectors;  ///< the DDI of each
  /// What the CRC of each source is of: bit i: plane i; show_all: the pipe's output.
  std::array<uint32_t, 8> crc_taps;
  std::optional<reg::Bits> halved;   ///< of PIPE_MISC: chroma is halved both ways (YCbCr 4:2:0), and so is the port's clock
  std::span<const TableRow> tables;  ///< at most max_tables; the first is PAL_PREC_DATA
  /// False: it is not shown by itself.
  bool (*decode_plane)(const PipeState& state, unsigned plane, PlaneView& out);
  /// Colour stages, after the layers are there.
  void (*decode_color)(const PipeState& state, Scene& scene);
  /// Null: there are none.
  void (*read_plane_color)(const mmio::RegisterFile& registers, unsigned pipe, unsigned plane, PlaneColorRegs& out);
  void (*read_output_csc)(const mmio::RegisterFile& registers, unsigned pipe, CscRegs& out);
  PlaneClearColor (*read_clear_color)(const mmio::RegisterFile& registers, unsigned pipe, unsigned plane);
};

/// Of Pipe::show(): planes from bit 0 on.
constexpr uint32_t show_cursor = 1u << 31, show_all = ~0u;
constexpr uint32_t show_plane(unsigned i) { return 1u << i; }

}  // namespace softgen::display
