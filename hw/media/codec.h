// SPDX-License-Identifier: GPL-2.0-or-later
// The seam between the video engine (Video: which packets there are, and when a picture begins and ends) and the codecs behind them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "hw/base/worker_pool.h"
#include "hw/iface/engine.h"
#include "hw/media/frame/picture_sink.h"
#include "hw/media/packet_store.h"

namespace softgen::media {

/// What a picture has come to: the engine puts it into the status registers (media-map 1.0.2) when the picture is whole.
struct PictureStatus {
  uint32_t errors = 0;            ///< MFD_ERROR_STATUS or HCP's: nonzero when a slice broke; which bits is chosen: bit 0
  uint32_t blocks = 0;            ///< of the picture: macroblocks, coding tree blocks, superblocks, MCUs
  uint32_t concealed_blocks = 0;  ///< of them, those that no slice has decoded
};

/// Counts a picture that is whole (Work::video_*).
void count_picture(const PictureStatus& status);

/// One standard, decode or encode. Lives as long as the engine; keeps its tables and scratch memory from picture to picture, but nothing that
/// changes a result: what a later picture needs is in guest memory.
class Codec {
 public:
  virtual ~Codec() = default;
  /// A packet that starts work (slice, scan, frame: *_BSD_OBJECT). `state` has the picture's state packets so far. Long work polls env.stop.aborting()
  /// at least once per row of blocks and returns aborted. Bad streams are concealed, never a fault.
  virtual ExecResult object(const Packet& packet, const PacketStore& state, EngineEnv& env) = 0;
  /// The picture has begun and its last object has not come: contexts are not switched then, since the blocks' side information is in host memory.
  virtual bool is_open() const { return false; }
  /// Ends the picture if it is open: what is missing is concealed, loop filters run, and the surface has all of it. A picture whose slices are flushed one by
  /// one (VDEnc) stays open until the last.
  virtual ExecResult close(const PacketStore& state, EngineEnv& env) = 0;
  /// Drops the picture: a reset, another context.
  virtual void drop() {}
  /// Of the last picture.
  virtual PictureStatus status() const { return {}; }
  /// What may take pictures over; null: they go to their surfaces alone.
  void set_sink(PictureSink* sink) { sink_ = sink; }

 protected:
  bool goes_to_surface() const { return !sink_ || sink_->keeps_surface(); }
  /// For decoders that hand over what they would not have on the host else.
  bool is_taken_over() const { return sink_ && sink_->is_awaiting(); }
  /// At the end of a picture. Decoders that never do, and pictures that are only a field, are not taken over.
  void hand_over(const HostPicture& picture, EngineEnv& env) {
    if (sink_) sink_->take(picture, env);
  }

 private:
  PictureSink* sink_ = nullptr;
};

/// What codecs keep alike. `packets`: what a generation's packets say; pool: null for codecs of one thread.
template <class Packets>
class PacketCodec : public Codec {
 public:
  explicit PacketCodec(std::unique_ptr<const Packets> packets, WorkerPool* pool = nullptr) : packets_(std::move(packets)), pool_(pool) {}

  bool is_open() const final { return open_; }
  void drop() override { open_ = false; }
  PictureStatus status() const final { return status_; }

 protected:
  const std::unique_ptr<const Packets> packets_;
  WorkerPool* const pool_;
  bool open_ = false;  ///< stays false where a packet is a picture
  PictureStatus status_;
};

/// Reads an object's bytes from graphics memory: [address, address + bytes), as far as they are below `bound` (0: there is none); the rest is left out.
/// At most max_object_bytes; fewer when work is to be dropped. The copy is what is parsed: the guest may change its memory meanwhile.
constexpr uint32_t max_object_bytes = 64u << 20;
std::span<uint8_t> read_object(EngineEnv& env, uint64_t address, uint32_t bytes, uint64_t bound, std::vector<uint8_t>& buffer);

/// Where an object's bytes are.
struct Indirect {
  uint64_t address = 0, bound = 0;  ///< bound 0: there is none
  uint32_t bytes = 0;
};
inline std::span<uint8_t> read_object(EngineEnv& env, const Indirect& from, std::vector<uint8_t>& buffer) {
  return read_object(env, from.address, from.bytes, from.bound, buffer);
}

}  // namespace softgen::media
