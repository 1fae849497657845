// SPDX-License-Identifier: GPL-2.0-or-later
// MPEG-2's packets: SKL PRM vol 2a, MFX_MPEG2_PIC_STATE, MFD_MPEG2_BSD_OBJECT; which references the addresses are: i965-va-driver,
// mpeg2_set_reference_surfaces, and iHD, CodechalDecodeRefAddrIndex.
#include <algorithm>

#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/defs/ids.h"
#include "hw/media/decode/mfx_surface.h"
#include "hw/media/decode/mpeg2_coding.h"
#include "hw/media/mpeg2/mpeg2_codec.h"

namespace softgen::media {
namespace {

using namespace mpeg2;
using defs::CommandId;

/// Default matrices, raster order (ISO/IEC 13818-2, 6.3.11): a driver need not load them.
constexpr std::array<uint8_t, 64> default_intra = {8,  16, 19, 22, 26, 27, 29, 34, 16, 16, 22, 24, 27, 29, 34, 37, 19, 22, 26, 27, 29, 34,
                                                   34, 38, 22, 22, 26, 27, 29, 34, 37, 40, 22, 26, 27, 29, 32, 35, 40, 48, 26, 27, 29, 32,
                                                   35, 40, 48, 58, 26, 27, 29, 34, 38, 46, 56, 69, 27, 29, 35, 38, 46, 56, 69, 83};
constexpr uint8_t default_non_intra = 16;

template <class G>
class PacketDecoder final : public Mpeg2Packets {
 public:
  PictureParams picture(const PacketStore& state) const override {
    const auto packet = G::MFX_MPEG2_PIC_STATE::unpack(state.get(CommandId::MFX_MPEG2_PIC_STATE));
    PictureParams picture = picture_coding(packet);
    picture.width = std::min(packet.frame_width_in_mbs + 1, max_blocks);
    picture.height = std::min(packet.frame_height_in_mbs + 1, max_blocks);
    if (!picture.is_frame()) picture.height = (picture.height + 1) / 2;
    picture.concealment_motion_vectors = packet.concealment_mv;
    picture.matrix[0] = matrix(state, 0), picture.matrix[1] = matrix(state, 1);
    return picture;
  }

  SurfaceSet surfaces(const PacketStore& state) const override {
    using Addresses = typename G::MFX_PIPE_BUF_ADDR_STATE;
    const typename Addresses::View addresses(state.get(CommandId::MFX_PIPE_BUF_ADDR_STATE));
    const typename G::MFX_MPEG2_PIC_STATE::View picture(state.get(CommandId::MFX_MPEG2_PIC_STATE));
    SurfaceSet set{mfx_layout<G>(state, std::min(picture.frame_width_in_mbs() + 1, max_blocks) * 16,
                                 std::min(picture.frame_height_in_mbs() + 1, max_blocks) * 16)};
    const typename G::MFX_PIPE_MODE_SELECT::View mode(state.get(CommandId::MFX_PIPE_MODE_SELECT));
    set.destination = mode.post_deblocking_output_enable() && !mode.pre_deblocking_output_enable()
                          ? addresses.post_deblocking_destination_address()
                          : addresses.pre_deblocking_destination_address();
    for (unsigned parity = 0; parity < 2; ++parity)
      for (unsigned direction = 0; direction < 2; ++direction)
        set.reference[direction][parity] = addresses.reference_picture_address(parity * 2 + direction);
    return set;
  }

  SliceObject slice(const Packet& packet, const PacketStore& state, const PictureParams& picture) const override {
    const auto object = G::MFD_MPEG2_BSD_OBJECT::unpack(packet.dwords);
    SliceObject found{mfx_indirect<G>(state, object.indirect_bsd_data_start_address, object.indirect_bsd_data_length)};
    const auto& data = object.inline_data;
    found.first_bit = static_cast<uint8_t>(data.first_mb_bit_offset);
    found.slice.first = data.slice_vertical_position * picture.width + data.slice_horizontal_position;
    const uint32_t next = data.next_slice_vertical_position * picture.width + data.next_slice_horizontal_position;
    found.slice.end = next > found.slice.first ? next : picture.width * picture.height;
    found.slice.scale_code = static_cast<uint8_t>(data.quantizer_scale_code);
    return found;
  }

 private:
  static std::array<uint8_t, 64> matrix(const PacketStore& state, unsigned index) {
    std::array<uint8_t, 64> values = default_intra;
    if (index) values.fill(default_non_intra);
    if (!state.has(CommandId::MFX_QM_STATE, index)) return values;
    const auto packet = G::MFX_QM_STATE::unpack(state.get(CommandId::MFX_QM_STATE, index));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint8_t>(packet.forward_quantizer_matrix[i]);
    return values;
  }
};

}  // namespace

template <class G>
std::unique_ptr<const Mpeg2Packets> mpeg2::make_packets() {
  return std::make_unique<PacketDecoder<G>>();
}

template std::unique_ptr<const Mpeg2Packets> mpeg2::make_packets<defs::Gen9>();
template std::unique_ptr<const Mpeg2Packets> mpeg2::make_packets<defs::Gen11>();
template std::unique_ptr<const Mpeg2Packets> mpeg2::make_packets<defs::Gen12>();

template <class G>
std::unique_ptr<Codec> make_mpeg2_codec(WorkerPool* pool) {
  return std::make_unique<Mpeg2Codec>(make_packets<G>(), pool);
}

template std::unique_ptr<Codec> make_mpeg2_codec<defs::Gen9>(WorkerPool* pool);
template std::unique_ptr<Codec> make_mpeg2_codec<defs::Gen11>(WorkerPool* pool);
template std::unique_ptr<Codec> make_mpeg2_codec<defs::Gen12>(WorkerPool* pool);

}  // namespace softgen::media
