// SPDX-License-Identifier: GPL-2.0-or-later
// The registers of a pipe that take effect at vertical blank, and what differs between the pipes of chips.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "hw/display/color.h"
#include "hw/display/compose.h"
#include "hw/display/display.h"
#include "hw/display/pipe_layout.h"
#include "hw/display/plane.h"
#include "hw/display/size_limits.h"
#include "hw/mmio/register_file.h"

namespace softgen::display {

constexpr unsigned max_planes = 7, max_tables = 3;

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

struct PipeModel {
  unsigned pipes;  ///< at most max_pipes
  unsigned planes;
  unsigned (*scalers)(unsigned pipe);
  Limits limits;
  const PipeLayout& layout;
  std::array<unsigned, 3> connectors;  ///< the port of each
  /// What the CRC of each source is of: bit i: plane i; show_all: the pipe's output.
  std::array<uint32_t, 8> crc_taps;
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
