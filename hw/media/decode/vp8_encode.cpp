// SPDX-License-Identifier: GPL-2.0-or-later
// VP8's encoder packets: SKL PRM vol 2a, MFX_VP8_*; what they hold: i965-va-driver (gen8_mfc.c, i965_encoder_vp8.c) and iHD (codechal_encode_vp8.cpp), and
// what their kernels write.
#include <algorithm>

#include "hw/base/log.h"
#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/defs/registers/registers.h"
#include "hw/media/decode/mfx_surface.h"
#include "hw/media/decode/pak.h"
#include "hw/media/vp8/vp8_codec.h"
#include "hw/media/vp8_encode/quantizer.h"
#include "hw/media/vp8_encode/vp8_encode_codec.h"

namespace softgen::media {
namespace vp8 {
namespace {

using defs::CommandId;

/// Bytes of an object's vectors.
constexpr uint32_t vector_bytes = 64;
/// MB Type of inter prediction: 16x16, then the parts of split vectors.
constexpr uint32_t whole_block = 0, max_type = 4;

template <class G>
class PacketDecoder final : public Vp8EncodePackets {
  using Picture = typename G::MFX_VP8_PIC_STATE;
  using Config = typename G::MFX_VP8_ENCODER_CFG;
  using Buffers = typename G::MFX_VP8_BSP_BUF_BASE_ADDR_STATE;
  using Surface = typename G::MFX_SURFACE_STATE;
  using Object = typename G::MFX_VP8_PAK_OBJECT;

 public:
  FrameParams frame(const PacketStore& state) const override {
    FrameParams frame = shared_->frame(state);
    const auto picture = Picture::unpack(state.get(CommandId::MFX_VP8_PIC_STATE));
    if (frame.load_segments || frame.store_segments) unimplemented("MFX_VP8_PIC_STATE", "encode: streams of segment ids");
    const auto delta = [](uint32_t magnitude, uint32_t sign) { return sign ? -static_cast<int>(magnitude) : static_cast<int>(magnitude); };
    const IndexDeltas deltas{.y1_dc = delta(picture.y1dc_qindex_delta, picture.y1dc_qindex_delta_sign),
                             .y2_dc = delta(picture.y2dc_qindex_delta, picture.y2dc_qindex_delta_sign),
                             .y2_ac = delta(picture.y2ac_qindex_delta, picture.y2ac_qindex_sign),
                             .uv_dc = delta(picture.uvdc_qindex_delta, picture.uvdc_qindex_delta_sign),
                             .uv_ac = delta(picture.uvac_qindex_delta, picture.uvac_qindex_delta_sign)};
    const uint32_t index[segments] = {picture.segment0_qindex, picture.segment1_qindex, picture.segment2_qindex, picture.segment3_qindex};
    for (unsigned i = 0; i < segments; ++i) frame.quantizer[i] = quantizer_of(static_cast<int>(index[i]), deltas);
    return frame;
  }

  FrameSurfaces surfaces(const PacketStore& state) const override { return shared_->surfaces(state); }

  FrameSurfaces source(const PacketStore& state) const override {
    const typename G::MFX_PIPE_BUF_ADDR_STATE::View buffers(state.get(CommandId::MFX_PIPE_BUF_ADDR_STATE));
    FrameSurfaces set = shared_->surfaces(state);
    const unsigned index = mfx_source_surface<G>(state);
    // Beyond its own size the source's last samples are repeated.
    const typename Surface::View surface(state.get(Surface::id, index));
    const auto width = std::min(set.luma.width, static_cast<uint32_t>(surface.width()) + 1);
    const auto height = std::min(set.luma.height, static_cast<uint32_t>(surface.height()) + 1);
    static_cast<PictureLayout&>(set) = mfx_layout<G>(state, width, height, index);
    set.destination = strip_canonical(buffers.original_uncompressed_picture_source_address());
    return set;
  }

  FrameOutput output(const PacketStore& state) const override {
    const typename Config::View config(state.get(CommandId::MFX_VP8_ENCODER_CFG));
    const typename Buffers::View buffers(state.get(CommandId::MFX_VP8_BSP_BUF_BASE_ADDR_STATE));
    const typename Picture::View picture(state.get(CommandId::MFX_VP8_PIC_STATE));
    if (config.max_frame_bit_count_rate_control_enable() || config.min_frame_bit_count_rate_control_enable() ||
        config.max_intra_mb_bit_count_check_enable() || config.max_inter_mb_bit_count_check_enable())
      unimplemented("MFX_VP8_ENCODER_CFG", "limits of sizes have no effect: a frame is coded once");
    FrameOutput out;
    out.header = {.count = static_cast<uint32_t>(config.frame_header_bit_count()),
                  .tokens_at = static_cast<uint32_t>(config.frame_header_bin_buffer_token_update_pointer()),
                  .vectors_at = static_cast<uint32_t>(config.frame_header_bin_buffer_mv_update_pointer())};
    out.header_address = strip_canonical(buffers.frame_header_address());
    out.probabilities = strip_canonical(buffers.coeff_probs_stream_in_surface_address());
    out.counts_bits = config.bitstream_statistics_output_enable();
    if (config.token_statistics_output_enable() || out.counts_bits)
      out.statistics = strip_canonical(buffers.token_statistics_surface_address());
    out.target = {.address = strip_canonical(buffers.final_frame_address()) + buffers.final_frame_byte_offset(),
                  .bound = pak_target<G>(state).bound};
    out.partitions = 1u << static_cast<unsigned>(picture.log2_num_of_partition());
    out.shown = config.show_frame(), out.version = static_cast<uint8_t>(config.bitstream_format_version());
    out.discards = config.final_bitstream_output_disable() || config.compressed_bitstream_output_disable();
    out.width = static_cast<uint16_t>(config.horizontal_size_code()), out.height = static_cast<uint16_t>(config.vertical_size_code());
    return out;
  }

  PakObject object(const Packet& packet, const PacketStore& state) const override {
    const Object object = Object::unpack(packet.dwords);
    PakObject out;
    out.x = object.mb_x, out.y = object.mb_y;
    out.drops = object.skip_mb;
    out.block.segment = static_cast<uint8_t>(object.segment_id);
    if (object.intra_mb) {
      set_intra(object, out.block);
      return out;
    }
    out.block.reference = static_cast<Reference>(std::min(object.reference_picture_select, 2u) + 1);
    if (object.mb_type > max_type) unimplemented("MFX_VP8_PAK_OBJECT", "MB type {}", object.mb_type);
    else if (object.mb_type != whole_block) out.block.mode = Mode::split, out.block.partition = static_cast<uint8_t>(object.mb_type - 1);
    if (object.enable_inline_mv_data) unimplemented("MFX_VP8_PAK_OBJECT", "inline vectors");
    const typename G::MFX_IND_OBJ_BASE_ADDR_STATE::View base(state.get(CommandId::MFX_IND_OBJ_BASE_ADDR_STATE));
    out.vectors = {.address = strip_canonical(base.mfx_indirect_mv_object_address()) + object.indirect_pak_mv_data_start_address_offset,
                   .bound = strip_canonical(base.mfx_indirect_mv_object_upper_bound()),
                   .bytes = std::min(object.indirect_pak_mv_data_length, vector_bytes)};
    return out;
  }

  void report(EngineEnv& env, uint32_t bytes, bool is_cut) const override {
    const BoxRegisters box = box_registers<G>(env.engine);
    env.registers.poke(box.vp8_bytes, bytes);
    env.registers.poke(box.vp8_image_status, is_cut);
  }

 private:
  static void set_intra(const Object& object, Macroblock& block) {
    block.reference = Reference::intra;
    block.mode = object.mb_type ? Mode::by_block : static_cast<Mode>(object.block_mode[0] & 3);
    block.uv_mode = static_cast<Mode>(object.mb_uv_mode);
    for (unsigned i = 0; i < 16; ++i)
      block.block_mode[i] = object.block_mode[i] < block_modes ? static_cast<BlockMode>(object.block_mode[i]) : BlockMode::dc;
  }

  const std::unique_ptr<const Vp8Packets> shared_ = make_vp8_packets<G>();
};

}  // namespace
}  // namespace vp8

template <class G>
std::unique_ptr<Codec> make_vp8_encoder(WorkerPool* pool) {
  return std::make_unique<Vp8Encoder>(std::make_unique<vp8::PacketDecoder<G>>(), pool);
}

template std::unique_ptr<Codec> make_vp8_encoder<defs::Gen9>(WorkerPool* pool);
template std::unique_ptr<Codec> make_vp8_encoder<defs::Gen11>(WorkerPool* pool);
template std::unique_ptr<Codec> make_vp8_encoder<defs::Gen12>(WorkerPool* pool);

}  // namespace softgen::media
