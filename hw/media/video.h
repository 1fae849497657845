// SPDX-License-Identifier: GPL-2.0-or-later
// A video engine, VCS. MFX and HCP: their state packets are kept until the next picture, and objects go to the codec of the picture's standard, whose frames
// SFC may take over. HuC is there in part: its stream copier, which needs no firmware, and one of its firmware's kernels, as far as public programs show what it does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hw/iface/engine.h"
#include "hw/media/codec.h"
#include "hw/media/huc_decoder.h"
#include "hw/media/packet_store.h"
#include "hw/media/sfc/decoded.h"
#include "hw/media/sfc_states.h"
#include "hw/media/video_packets.h"

namespace softgen::media {

/// HuC's state commands as last executed, how far a preempted copy came, and SFC's packets: the engine's part of the context image.
struct VideoState {
  static constexpr uint32_t current_version = 3;
  uint32_t version = current_version;
  uint32_t kernel = 0;      ///< the descriptor of the one that is loaded; 0: none
  uint64_t packet = none;   ///< the address of the copy that was preempted
  uint64_t copied = 0;      ///< its bytes so far
  uint64_t stream_out = 0;  ///< nonzero: enabled
  HucStreams streams;
  std::array<uint64_t, HucDecoder::regions> addresses{};
  SfcStates sfc;

  static constexpr uint64_t none = ~uint64_t{0};
};

class Video final : public Engine {
 public:
  /// `packets` null: MFX's and HCP's packets are counted, without effect. `pool` null: codecs use the engine's thread alone.
  Video(std::unique_ptr<const HucDecoder> decoder, std::unique_ptr<const VideoPackets> packets, WorkerPool* pool)
      : decoder_(std::move(decoder)), packets_(std::move(packets)), pool_(pool), scaled_(pool) {}

  ExecResult execute(const Packet& packet, EngineEnv& env) override;
  /// Ends the picture: all of it is in memory then.
  ExecResult flush(const FlushRequest&, EngineEnv& env) override { return close_picture(env); }
  /// From the packet that selects its codec on: its state is in no context image either.
  bool in_picture() const override { return codec_ && (selected_ || codec_->is_open()); }

  size_t context_size() const override;
  void save_context(std::span<std::byte> image) override;
  void restore_context(std::span<const std::byte> image) override;
  void reset_context() override;

 private:
  ExecResult select(const Packet& packet, EngineEnv& env);
  ExecResult control(const Packet& packet, EngineEnv& env);
  ExecResult object(const Packet& packet, EngineEnv& env);
  ExecResult close_picture(EngineEnv& env);
  void drop_picture();
  /// The picture's first object: whether SFC takes it over.
  void begin_scaling();
  /// A compressed picture's lines are stored as they are: their codes say so.
  void code_picture(EngineEnv& env) const;
  /// After a call of the codec: its picture is dropped, or goes on, or has ended.
  ExecResult settle(ExecResult result, EngineEnv& env);
  ExecResult copy(const Packet& packet, EngineEnv& env);
  void load_kernel(uint32_t kernel, EngineEnv& env);
  void start_kernel(bool is_last, EngineEnv& env);
  /// The offset of the engine's HUC_STATUS2; 0: it executes no kernels.
  uint32_t status_of(EngineId engine) const;

  const std::unique_ptr<const HucDecoder> decoder_;
  const std::unique_ptr<const VideoPackets> packets_;
  WorkerPool* const pool_;
  PacketStore store_;
  std::array<std::array<std::unique_ptr<Codec>, 2>, standards> codecs_;  ///< by standard and direction, made when first selected
  Codec* codec_ = nullptr;                                               ///< the picture's; null: none is selected, or it is not there
  bool selected_ = false;                                                ///< codec_ awaits the picture's first object
  PipeMode mode_{};                                                      ///< the picture's
  sfc::DecodedFrame scaled_;
  VideoState state_;
  std::vector<std::byte> block_;  ///< bytes on their way
};

}  // namespace softgen::media
