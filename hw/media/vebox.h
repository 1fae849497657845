// SPDX-License-Identifier: GPL-2.0-or-later
// The video enhancement engine, VECS. It converts the tiling of surfaces (VEBOX_TILING_CONVERT) and enhances pictures (VEB_DI_IECP), which SFC then scales,
// as the platform's decoder says; all else is counted by name, without effect.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hw/iface/engine.h"
#include "hw/media/vebox_decoder.h"

namespace softgen {
class WorkerPool;
}

namespace softgen::media {

/// The last VEBOX_SURFACE_STATE of each surface, VEBOX_STATE, SFC's packets, and how far a preempted packet came: the engine's part of the context image.
struct VeboxState {
  static constexpr uint32_t current_version = 4;
  uint32_t version = current_version;
  uint32_t strips = 0;     ///< strips or bands that are done of what is at `packet`
  uint64_t packet = none;  ///< its address
  VeboxDecoder::SurfaceStates surfaces{};
  VeboxDecoder::ModeState modes{};
  SfcStates sfc{};

  static constexpr uint64_t none = ~uint64_t{0};
};

class Vebox final : public Engine {
 public:
  /// No decoder (null): no command has an effect, and contexts have no state. No pool (null): all in order.
  explicit Vebox(std::unique_ptr<const VeboxDecoder> decoder, WorkerPool* pool = nullptr) : decoder_(std::move(decoder)), pool_(pool) {}

  ExecResult execute(const Packet& packet, EngineEnv& env) override;
  /// Every command is finished when execute() returns.
  ExecResult flush(const FlushRequest&, EngineEnv&) override { return ExecResult::done; }

  size_t context_size() const override;
  void save_context(std::span<std::byte> image) override;
  void restore_context(std::span<const std::byte> image) override;
  void reset_context() override { state_ = {}; }

 private:
  ExecResult convert(const Packet& packet, EngineEnv& env);
  ExecResult enhance(const Packet& packet, EngineEnv& env);
  ExecResult enhance_and_scale(const Packet& packet, EngineEnv& env);

  std::unique_ptr<const VeboxDecoder> decoder_;
  WorkerPool* pool_;
  VeboxState state_;
  std::vector<std::byte> block_;  ///< rows of a strip, at most 2 MiB
};

}  // namespace softgen::media
