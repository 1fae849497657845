// SPDX-License-Identifier: GPL-2.0-or-later
// The encoder's packets for H.264: SKL PRM vol 2a, VDENC_* and MFX_AVC_*; what they hold: iHD media driver, codechal_vdenc_avc.cpp.
#include <algorithm>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/media/avc/avc_packets.h"
#include "hw/media/avc_encode/avc_encode_codec.h"
#include "hw/media/decode/avc_pak.h"
#include "hw/media/decode/box_registers.h"
#include "hw/media/decode/mfx_surface.h"
#include "hw/media/decode/pak.h"
#include "hw/mmio/register_file.h"

namespace softgen::media {
namespace avc {
namespace {

using defs::CommandId;

template <class G>
class EncodeDecoder final : public AvcEncodePackets {
  using Select = typename G::MFX_PIPE_MODE_SELECT;
  using Surface = typename G::MFX_SURFACE_STATE;
  using Slice = typename G::MFX_AVC_SLICE_STATE;

 public:
  std::optional<EncodePicture> picture(const PacketStore& store) const override {
    const typename Select::View mode(store.get(CommandId::MFX_PIPE_MODE_SELECT));
    EncodePicture out;
    out.by_objects = !is_vdenc(store);
    out.state = packets_->picture(store);
    const PictureParams& params = out.state.params;
    if (params.field() || params.mbaff || params.monochrome) {
      unimplemented("MFX_AVC_IMG_STATE", "encode: fields or monochrome");
      return std::nullopt;
    }
    const typename G::MFX_PIPE_BUF_ADDR_STATE::View buffers(store.get(CommandId::MFX_PIPE_BUF_ADDR_STATE));
    out.filtered = mode.post_deblocking_output_enable();
    if (!out.filtered && !mode.pre_deblocking_output_enable()) out.state.destination = 0;
    out.source = surface(store, Surface::SurfaceID::MFX_SOURCE_INPUT_PICTURE, buffers.original_uncompressed_picture_source_address());
    if (mode.scaled_surface_enable())
      out.scaled =
          surface(store, Surface::SurfaceID::MFX_RECONSTRUCTED_SCALED_REFERENCE_PICTURE, buffers.scaled_reference_surface_address());
    if (!out.by_objects) vdenc(store, out);
    return has_source(store) ? std::optional(out) : std::nullopt;
  }

  bool is_header(const Packet& object) const override { return object.command->id == CommandId::MFX_PAK_INSERT_OBJECT; }

  // Seen of iHD 23.1.1: it inserts FFmpeg's slice header 0b 88 80 40 0f (first_mb_in_slice 22) as 08 80 40 0f: one bit stands where ue(22) was. In the first
  // slice of a picture it is ue(0). Headers of PAK objects' slices are whole.
  HeaderBits header(const Packet& packet, const PacketStore& store, const PictureParams& picture) const override {
    using Insert = typename G::MFX_PAK_INSERT_OBJECT;
    const typename Insert::View object(packet.dwords);
    const typename Slice::View slice(store.get(Slice::id));
    std::optional<uint32_t> first_mb;
    if (is_vdenc(store) && object.slice_header_indicator() == Insert::SliceHeaderIndicator::SLICE_HEADER)
      first_mb = slice.slice_vertical_position() * picture.width_mbs + slice.slice_horizontal_position();
    return {pak_insertion<G>(packet), first_mb};
  }

  std::optional<SliceParams> slice(const Packet& packet, const PacketStore& store, const PictureParams& picture) const override {
    SliceParams params = packets_->slice_params(store, picture);
    if (params.type == SliceType::b) {
      unimplemented("MFX_AVC_SLICE_STATE", "VDEnc: B slice");
      return std::nullopt;
    }
    const typename G::VDENC_WALKER_STATE::View walker(packet.dwords);
    const typename Slice::View state(store.get(Slice::id));
    const uint32_t count = picture.width_mbs * picture.height_mbs();
    params.first_mb = walker.mb_lcu_start_y_position() * picture.width_mbs + walker.mb_lcu_start_x_position();
    params.next_mb = walker.next_slice_mb_lcu_start_y_position() * picture.width_mbs + walker.next_slice_mb_lcu_start_x_position();
    if (state.last_slice_group() || params.next_mb > count) params.next_mb = count;
    if (params.first_mb < params.next_mb) return params;
    guest_error("VDENC_WALKER_STATE", "slice from macroblock {} to {} of {}", params.first_mb, params.next_mb, count);
    return std::nullopt;
  }

  std::optional<SliceParams> pak_slice(const PacketStore& store, const PictureParams& picture) const override {
    SliceParams params = packets_->slice_params(store, picture);
    params.next_mb = picture.width_mbs * picture.height_mbs();
    if (params.first_mb < params.next_mb) return params;
    guest_error("MFX_AVC_SLICE_STATE", "slice from macroblock {} of {}", params.first_mb, params.next_mb);
    return std::nullopt;
  }

  bool is_macroblock(const Packet& object) const override { return object.command->id == CommandId::MFC_AVC_PAK_OBJECT; }

  PakMacroblock macroblock(const Packet& packet, const PacketStore& store, SliceType slice, EngineEnv& env) const override {
    return pak_macroblock<G>(packet, store, slice, env);
  }

  bool is_last_slice(const PacketStore& store) const override { return typename Slice::View(store.get(Slice::id)).last_slice_group(); }

  bool protects_slice_data(const PacketStore& store) const override {
    return typename Slice::View(store.get(Slice::id)).emulation_byte_slice_insert_enable();
  }

  EncodeTarget target(const PacketStore& store) const override {
    return {pak_target<G>(store), typename Slice::View(store.get(Slice::id)).indirect_pak_bse_data_start_address(),
            typename G::MFX_AVC_IMG_STATE::View(store.get(CommandId::MFX_AVC_IMG_STATE)).load_bitstream_pointer_per_slice()};
  }

  void report(EngineEnv& env, const EncodeReport& report) const override {
    report_coded<G>(env, report.bytes, report.bits, report.is_cut);
    const BoxRegisters box = box_registers<G>(env.engine);
    env.registers.poke(box.mfc_slice_bytes, report.bytes);
    env.registers.poke(box.mfc_qp_count, report.qp);
    env.registers.poke(box.mfc_slices, report.slices);
  }

 private:
  static bool is_vdenc(const PacketStore& store) {
    return typename Select::View(store.get(CommandId::MFX_PIPE_MODE_SELECT)).vdenc_mode() == Select::VDEncMode::VM_VDENC_MODE;
  }

  static EncodeSurface surface(const PacketStore& store, typename Surface::SurfaceID id, uint64_t base) {
    const auto index = static_cast<unsigned>(id);
    const typename Surface::View v(store.get(Surface::id, index));
    return {mfx_layout<G>(store, v.width() + 1, v.height() + 1, index), strip_canonical(base)};
  }

  static bool has_source(const PacketStore& store) {
    using Format = typename Surface::SurfaceFormat;
    const typename Surface::View source(store.get(Surface::id, static_cast<unsigned>(Surface::SurfaceID::MFX_SOURCE_INPUT_PICTURE)));
    if (source.surface_format() != Format::MFX_PLANAR_420_8 || !source.interleave_chroma()) {
      unimplemented("MFX_SURFACE_STATE", "AVC encode from format {}", static_cast<unsigned>(source.surface_format()));
      return false;
    }
    return true;
  }

  static void vdenc(const PacketStore& store, EncodePicture& out) {
    const typename G::VDENC_IMG_STATE::View image(store.get(CommandId::VDENC_IMG_STATE));
    // Advice that the encoder does without: the stream is right, with one quantizer.
    if (image.roi_enable()) unimplemented("VDENC_IMG_STATE", "regions of interest");
    if (image.mb_level_qp_enable()) unimplemented("VDENC_IMG_STATE", "quantizers of macroblocks");
    if (image.intra_refresh_enable_rolling_i_enable()) unimplemented("VDENC_IMG_STATE", "rolling intra refresh");
    // In quarter samples, as levels limit them (H.264 table A-1; level 1 allows 64 rows).
    out.range = {static_cast<int>(std::clamp(image.max_horizontal_mv_range(), 256u, 8192u)) - 1,
                 static_cast<int>(std::clamp(image.max_vertical_mv_range(), 256u, 2048u)) - 1};
    constexpr uint32_t no_intra8 = 2;  // what iHD sends where pictures have no transforms of 8x8 (mhw_vdbox_vdenc_g9_X.h)
    out.tools.inter_transform8 = out.state.params.transform_8x8 && image.transform_8x8();
    out.tools.intra8 = out.tools.inter_transform8 && !(image.luma_intra_partition_mask() & no_intra8);
  }

  const std::unique_ptr<const AvcPackets> packets_ = make_avc_packets<G>();
};

}  // namespace
}  // namespace avc

template <class G>
std::unique_ptr<Codec> make_avc_encoder() {
  return std::make_unique<avc::AvcEncoder>(std::make_unique<avc::EncodeDecoder<G>>());
}

template std::unique_ptr<Codec> make_avc_encoder<defs::Gen9>();
template std::unique_ptr<Codec> make_avc_encoder<defs::Gen11>();
template std::unique_ptr<Codec> make_avc_encoder<defs::Gen12>();

}  // namespace softgen::media
