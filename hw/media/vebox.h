// SPDX-License-Identifier: GPL-2.0-or-later
// The video enhancement engine, VECS. It converts the tiling of surfaces (VEBOX_TILING_CONVERT); all else is counted by name, without effect.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hw/iface/engine.h"
#include "hw/media/vebox_decoder.h"

namespace softgen::media {

/// The last VEBOX_SURFACE_STATE of each surface, and how far a preempted conversion came: the engine's part of the context image.
struct VeboxState {
  static constexpr uint32_t current_version = 1;
  uint32_t version = current_version;
  uint32_t strips = 0;     ///< that are done of the conversion at `packet`
  uint64_t packet = none;  ///< its address
  std::array<VeboxDecoder::SurfaceState, VeboxDecoder::surfaces> surfaces{};

  static constexpr uint64_t none = ~uint64_t{0};
};

class Vebox final : public Engine {
 public:
  /// Null: no command has an effect, and contexts have no state.
  explicit Vebox(std::unique_ptr<const VeboxDecoder> decoder) : decoder_(std::move(decoder)) {}

  ExecResult execute(const Packet& packet, EngineEnv& env) override;
  /// Every command is finished when execute() returns.
  ExecResult flush(const FlushRequest&, EngineEnv&) override { return ExecResult::done; }

  size_t context_size() const override;
  void save_context(std::span<std::byte> image) override;
  void restore_context(std::span<const std::byte> image) override;
  void reset_context() override { state_ = {}; }

 private:
  ExecResult convert(const Packet& packet, EngineEnv& env);

  std::unique_ptr<const VeboxDecoder> decoder_;
  VeboxState state_;
  std::vector<std::byte> block_;  ///< rows of a strip, at most 2 MiB
};

}  // namespace softgen::media
