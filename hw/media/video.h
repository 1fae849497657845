// SPDX-License-Identifier: GPL-2.0-or-later
// A video engine, VCS. Of its units HuC is there in part: its stream copier, which needs no firmware, and one of its firmware's kernels, as far as public
// programs show what it does. All other commands are counted by name, without effect.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hw/iface/engine.h"
#include "hw/media/huc_decoder.h"

namespace softgen::media {

/// HuC's state commands as last executed, and how far a preempted copy came: the engine's part of the context image.
struct HucState {
  static constexpr uint32_t current_version = 1;
  uint32_t version = current_version;
  uint32_t kernel = 0;      ///< the descriptor of the one that is loaded; 0: none
  uint64_t packet = none;   ///< the address of the copy that was preempted
  uint64_t copied = 0;      ///< its bytes so far
  uint64_t stream_out = 0;  ///< nonzero: enabled
  HucStreams streams;
  std::array<uint64_t, HucDecoder::regions> addresses{};

  static constexpr uint64_t none = ~uint64_t{0};
};

class Video final : public Engine {
 public:
  explicit Video(std::unique_ptr<const HucDecoder> decoder) : decoder_(std::move(decoder)) {}

  ExecResult execute(const Packet& packet, EngineEnv& env) override;
  /// Every command is finished when execute() returns.
  ExecResult flush(const FlushRequest&, EngineEnv&) override { return ExecResult::done; }

  size_t context_size() const override;
  void save_context(std::span<std::byte> image) override;
  void restore_context(std::span<const std::byte> image) override;
  void reset_context() override { state_ = {}; }

 private:
  ExecResult copy(const Packet& packet, EngineEnv& env);
  void load_kernel(uint32_t kernel, EngineEnv& env);
  void start_kernel(bool is_last, EngineEnv& env);
  /// The offset of the engine's HUC_STATUS2; 0: it executes no kernels.
  uint32_t status_of(EngineId engine) const;

  const std::unique_ptr<const HucDecoder> decoder_;
  HucState state_;
  std::vector<std::byte> block_;  ///< bytes on their way
};

}  // namespace softgen::media
