// SPDX-License-Identifier: GPL-2.0-or-later
// The copy engine: all 2D commands of BCS (KBL PRM vol 11, Blitter; hw/defs/gen9/blt.def, gen12/blt.def), and those that Ironlake's render streamer takes
// (hw/defs/gen5/blt.def).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "hw/blitter/blit.h"
#include "hw/iface/engine.h"

namespace softgen::blitter {

/// What XY_SETUP_* leave for XY_PIXEL_BLT, XY_SCANLINES_BLT and XY_TEXT_*, as they stood in the ring, and how
/// far a preempted blit came. It is the engine's part of the context image.
struct ContextState {
  static constexpr uint32_t current_version = 1;
  enum SetupKind : uint32_t { none, color_pattern, mono_pattern };

  uint32_t version = current_version;
  uint32_t kind = none;
  std::array<uint32_t, 10> setup{};
  std::array<int16_t, 4> clip{};  ///< x1, y1, x2, y2
  uint64_t progress = 0;          ///< block rows done of the blit that was preempted
};

/// Bits of BCS_SWCTRL 0x22200: which operands of legacy commands marked as tiled are Y, not X (KBL PRM vol 2c, BCS_SWCTRL).
struct TiledAsY {
  bool source = false, destination = false;
};

/// decode() of hw/blitter/decode.h for one generation.
using Decode = std::optional<Blit> (*)(const Packet& packet, TiledAsY tiled_as_y, memory::View& view, ContextState& state, bool& known);

class Blitter final : public Engine {
 public:
  /// `swizzles`: bit 6 of addresses in tiles is (surface::Tiling::swizzled_x).
  explicit Blitter(Decode decode, bool swizzles = false) : decode_(decode), swizzles_(swizzles) {}

  ExecResult execute(const Packet& packet, EngineEnv& env) override;
  /// Blits of a few rows and up to a kilobyte, and state commands.
  std::optional<ExecResult> execute_short(const Packet& packet, EngineEnv& env) override;
  /// Every command is finished when execute() returns.
  ExecResult flush(const FlushRequest&, EngineEnv&) override { return ExecResult::done; }

  size_t context_size() const override { return 256; }
  void save_context(std::span<std::byte> image) override;
  void restore_context(std::span<const std::byte> image) override;
  void reset_context() override { state_ = {}; }

  /// See BlitRunner.
  void set_stream_from(uint64_t bytes) { runner_.set_stream_from(bytes); }

 private:
  /// The blit of `packet`, if it draws.
  std::optional<Blit> read(const Packet& packet, EngineEnv& env);
  ExecResult draw(const Blit& blit, EngineEnv& env);

  const Decode decode_;
  const bool swizzles_;
  ContextState state_;
  BlitRunner runner_;
};

}  // namespace softgen::blitter
