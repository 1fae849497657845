// SPDX-License-Identifier: GPL-2.0-or-later
// What the packets that frame a picture say, without any generation's layouts, and the interface that makes it of packets. Implementations are in decode/.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "hw/defs/ids.h"
#include "hw/iface/engine.h"
#include "hw/media/codec.h"
#include "hw/media/sfc/job.h"
#include "hw/media/sfc_states.h"
#include "hw/surface/tiling.h"

namespace softgen::media {

enum class Standard : uint8_t { mpeg2, vc1, avc, jpeg, vp8, hevc, vp9 };
constexpr size_t standards = 7;
/// HCP's; the others are MFX's.
constexpr bool is_hcp(Standard standard) { return standard == Standard::hevc || standard == Standard::vp9; }

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

/// The surface that a picture is decoded into: luma, then chroma.
struct PictureTarget {
  uint64_t base = 0;
  uint32_t pitch = 0;              ///< bytes
  uint32_t width = 0, height = 0;  ///< samples of luma, whole blocks perhaps
  uint32_t chroma_row = 0;         ///< where chroma begins, in rows of `pitch`
  surface::Tiling tiling = surface::Tiling::linear;
  bool interleaved = false;  ///< pairs of Cb and Cr for 2x2 samples of luma (NV12, P010); else it is not known here
  bool wide = false;         ///< 16 bits per sample (P010)
  bool coded = false;        ///< its lines have codes in the control surface that the aux map finds (docs/surface.md)
};

class VideoPackets {
 public:
  virtual ~VideoPackets() = default;
  /// Puts what the last picture has come to where drivers read it (iHD codechal_decoder.cpp: registers stored behind each picture).
  virtual void write_status(PipeMode mode, const PictureStatus& status, EngineEnv& env) const = 0;
  /// None: a standard or mode that is not there (counted).
  virtual std::optional<PipeMode> pipe_mode(const Packet& packet) const = 0;
  virtual PictureTarget target(PipeMode mode, const PacketStore& state) const = 0;
  virtual PipeControl control(const Packet& packet) const = 0;
  /// Of a state packet of which there are several per picture (surfaces, matrices, tables, reference lists, segments): which one; else 0.
  virtual unsigned index_of(const Packet& packet) const = 0;
  /// What SFC's packets of a frame that has started say, of a picture of that mode. None: it is wrong or not there (counted).
  virtual std::optional<sfc::Job> scaling(const SfcStates& states, PipeMode mode) const = 0;
  /// Null: not built yet.
  virtual std::unique_ptr<Codec> make_codec(PipeMode mode, WorkerPool* pool) const = 0;
};

/// What the objects of a picture refer to: a PacketStore keeps it until the next one begins.
bool is_picture_state(defs::CommandId id);
/// A slice, scan, frame or macroblock: work for a codec.
bool is_picture_object(defs::CommandId id);

/// Index of an HCP_QM_STATE: size 0 (4x4) to 3, prediction 0 (intra) or 1, colour 0 to 2.
constexpr unsigned hcp_matrix(unsigned size, unsigned prediction, unsigned color) { return size * 8 + prediction * 4 + color; }

/// By a generation's traits (defs::Gen9, Gen11, Gen12).
template <class G>
std::unique_ptr<const VideoPackets> make_video_packets();

}  // namespace softgen::media
