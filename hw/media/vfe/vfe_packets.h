// SPDX-License-Identifier: GPL-2.0-or-later
// What the packets and states of Ironlake's media pipeline say, without layouts. Implementation: ../decode/vfe.cpp. All values are in range where a comment
// states one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "hw/iface/engine.h"
#include "hw/iface/message_target.h"
#include "hw/media/bsd/it_data.h"
#include "hw/media/codec.h"
#include "hw/media/mpeg2/slice_parser.h"

namespace softgen::media::vfe {

/// How VFE processes an object's data before it starts threads (VFE_STATE, VFE Mode).
enum class Mode : uint8_t { generic, vld, is, avc_mc, avc_it, reserved };

/// VFE_STATE. Addresses are graphics addresses.
struct VfeState {
  Mode mode = Mode::generic;
  bool children = false;
  unsigned entries = 0, entry_rows = 1;  ///< of VFE's region of the URB: at most 127; 1 to 512
  unsigned max_threads = 1;              ///< 1 to 128
  uint64_t descriptors = 0;              ///< of the interface descriptor 0
  uint64_t extended = 0;                 ///< of the mode's extended state; 0: there is none
  uint32_t scratch_base = 0;             ///< from general_state
  uint32_t scratch_bytes = 0;            ///< per thread; 0: none
};

/// An interface descriptor: a kernel and what its threads get.
struct Descriptor {
  uint64_t address = 0;  ///< its own
  uint32_t kernel = 0;   ///< offset from the instruction base
  bool single_program_flow = false, alternate_float = false;
  unsigned constant_offset = 0, constant_length = 0;  ///< registers of the CS unit's entry, at most 63 each
  uint32_t samplers = 0, binding_table = 0;           ///< offsets from the general and the surface state base
};

/// MEDIA_OBJECT or MEDIA_OBJECT_EX.
struct MediaObject {
  unsigned descriptor = 0;  ///< of MEDIA_OBJECT; modes with a remap table have their own
  Indirect indirect;
  std::span<const uint32_t> inline_data;  ///< the packet's
};

/// The extended state of mode avc_it. Offsets of registers count from behind the inline data.
struct AvcItState {
  std::array<uint8_t, 16> remap{};        ///< the descriptor of each kind of macroblock (AvcItKind)
  bool vectors = false, weights = false;  ///< go to inter macroblocks' threads
  unsigned weight_register = 0, residual_register = 0;
  std::optional<unsigned> residual_dword;  ///< where residuals begin in the data; none: behind what is before them
};

/// What VFE's remap table tells apart; the order of i965_media_h264.c's kernels.
enum class AvcItKind : uint8_t { intra16, intra8, intra4, pcm, inter };

/// What mode avc_it has to know of a macroblock.
struct AvcItMacroblock {
  AvcItKind kind = AvcItKind::intra16;
  bool transform8 = false;
  uint8_t pattern = 0;  ///< bsd::ItMacroblock's
};

/// A message that starts a thread: its descriptor, and the registers of the URB that it begins with.
struct SpawnedThread {
  uint64_t descriptor = 0;
  unsigned first_register = 0, registers = 0;  ///< at most 1023; 1 to 64
};

/// A message that opens registers of its sender to others.
struct GatewayOpening {
  unsigned first = 0, count = 0;  ///< at most 255; a power of two up to 128
  uint16_t key = 0;
};

/// A message with `bytes` of its first dwords for another thread's gateway.
struct Forwarded {
  uint16_t recipient = 0, key = 0;
  unsigned offset = 0, bytes = 0;  ///< at most 8191; 1, 2, 4, 8 or 16, or 0: a reserved length
};

/// The extended state of mode VLD. Its picture's size is what a slice can name: VFE gets no width of rows; a slice ends within its own row.
struct VldState {
  mpeg2::PictureParams picture;
  std::array<uint8_t, 16> remap{};  ///< descriptors by class of prediction
};

/// Inline data of an object in mode VLD.
struct VldSlice {
  mpeg2::SliceParams params;
  uint8_t first_bit = 0;
};

/// What a thread learns of its macroblock besides the levels.
struct VldMacroblock {
  const mpeg2::PictureParams& picture;
  bool field_dct = false;
  uint8_t scale_code = 0, pattern = 0;
  uint32_t x = 0, y = 0;                                 ///< luma samples, of the field in field pictures
  std::array<std::array<mpeg2::Vector, 2>, 2> vector{};  ///< [first, second][forward, backward]
  std::array<std::array<uint8_t, 2>, 2> select{};        ///< the field, by the same indices
};

class VfePackets {
 public:
  virtual ~VfePackets() = default;
  virtual VfeState state(const StatePackets& state, const ShaderBases& bases, memory::View& view) const = 0;
  virtual uint64_t descriptor_address(const VfeState& state, unsigned index) const = 0;
  virtual Descriptor descriptor(uint64_t address, memory::View& view) const = 0;
  virtual MediaObject object(const Packet& packet, const ShaderBases& bases) const = 0;
  virtual VldState vld(const VfeState& state, memory::View& view) const = 0;
  virtual VldSlice slice(const MediaObject& object, const mpeg2::PictureParams& picture) const = 0;
  virtual Grf macroblock(const VldMacroblock& mb) const = 0;

  virtual AvcItState avc_it_state(const VfeState& state, memory::View& view) const = 0;
  virtual AvcItMacroblock avc_it_macroblock(std::span<const uint32_t> inline_data) const = 0;
  virtual const bsd::CoefficientLayout& coefficients() const = 0;

  /// What sr0.0 of the thread in a slot of the chip has in its low word, and messages name it by.
  virtual uint16_t thread_id(unsigned slot) const = 0;
  virtual SpawnedThread spawned_thread(const Grf& header) const = 0;
  virtual GatewayOpening gateway_opening(const Grf& header) const = 0;
  virtual Forwarded forwarded(const Grf& header) const = 0;
};

/// Of Gen5 (defs::Gen5).
template <class G>
std::unique_ptr<const VfePackets> make_vfe_packets();

}  // namespace softgen::media::vfe
