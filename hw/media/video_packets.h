// SPDX-License-Identifier: GPL-2.0-or-later
// What the packets that frame a picture say, without any generation's layouts, and the interface that makes it of packets. Implementations are in decode/.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "hw/iface/engine.h"
#include "hw/media/codec.h"

namespace softgen::media {

enum class Standard : uint8_t { mpeg2, vc1, avc, jpeg, vp8, hevc, vp9 };
constexpr size_t standards = 7;

/// MFX_PIPE_MODE_SELECT, HCP_PIPE_MODE_SELECT.
struct PipeMode {
  Standard standard;
  bool encode = false;
};

/// VD_CONTROL_STATE.
struct PipeControl {
  bool flushes = false;  ///< the picture's samples are to be in memory
  bool locks = false;    ///< for a picture that several engines decode
};

/// A picture's surface whose lines have codes in the control surface that the aux map finds (docs/surface.md). Tiled in Y.
struct CodedTarget {
  uint64_t base = 0;
  uint32_t pitch = 0, rows = 0;
};

class VideoPackets {
 public:
  virtual ~VideoPackets() = default;
  /// Puts what the last picture has come to where drivers read it (iHD codechal_decoder.cpp: registers stored behind each picture).
  virtual void write_status(PipeMode mode, const PictureStatus& status, EngineEnv& env) const = 0;
  /// None: a standard or mode that is not there (counted).
  virtual std::optional<PipeMode> pipe_mode(const Packet& packet) const = 0;
  /// None: the picture is not compressed.
  virtual std::optional<CodedTarget> coded_target(PipeMode mode, const PacketStore& state) const = 0;
  virtual PipeControl control(const Packet& packet) const = 0;
  /// Of a state packet of which there are several per picture (surfaces, matrices, tables, reference lists, segments): which one; else 0.
  virtual unsigned index_of(const Packet& packet) const = 0;
  /// Null: not built yet.
  virtual std::unique_ptr<Codec> make_codec(PipeMode mode, WorkerPool* pool) const = 0;
};

/// Index of an HCP_QM_STATE: size 0 (4x4) to 3, prediction 0 (intra) or 1, colour 0 to 2.
constexpr unsigned hcp_matrix(unsigned size, unsigned prediction, unsigned color) { return size * 8 + prediction * 4 + color; }

/// By a generation's traits (defs::Gen9, Gen11, Gen12).
template <class G>
std::unique_ptr<const VideoPackets> make_video_packets();

}  // namespace softgen::media
