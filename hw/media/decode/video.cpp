// SPDX-License-Identifier: GPL-2.0-or-later
// The packets that frame a picture: SKL PRM vol 2a, MFX_* and HCP_*; which of them drivers send: iHD media driver and i965-va-driver.
#include <algorithm>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/defs/command.h"
#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/defs/ids.h"
#include "hw/media/avc/avc_packets.h"
#include "hw/media/avc_encode/avc_encode_codec.h"
#include "hw/media/decode/box_registers.h"
#include "hw/media/decode/mfx_surface.h"
#include "hw/media/decode/sfc.h"
#include "hw/media/hevc/hevc_packets.h"
#include "hw/media/hevc_encode/hevc_encode_codec.h"
#include "hw/media/jpeg/jpeg_codec.h"
#include "hw/media/jpeg/jpeg_encode_codec.h"
#include "hw/media/mpeg2/mpeg2_codec.h"
#include "hw/media/mpeg2/mpeg2_encode_codec.h"
#include "hw/media/vc1/vc1_codec.h"
#include "hw/media/video_packets.h"
#include "hw/media/vp8/vp8_codec.h"
#include "hw/media/vp8_encode/vp8_encode_codec.h"
#include "hw/media/vp9/vp9_packets.h"
#include "hw/media/vp9_encode/vp9_encode_packets.h"
#include "hw/mmio/register_file.h"

namespace softgen::media {
namespace {

using defs::CommandId;
constexpr unsigned hcp_errors_shift = 18;  ///< HCP_DEC_STATUS: bits from here on count errors

template <class G>
class PacketDecoder final : public VideoPackets {
 public:
  std::optional<PipeMode> pipe_mode(const Packet& packet) const override {
    return packet.command->id == CommandId::HCP_PIPE_MODE_SELECT ? hcp_mode(packet) : mfx_mode(packet);
  }

  // Of HEVC and VP9 iHD takes for an error what is set in both registers (codechal_decode_hevc.cpp, codechal_decode_vp9.cpp); which bits is chosen.
  void write_status(PipeMode mode, const PictureStatus& status, EngineEnv& env) const override {
    if (mode.encode) return;
    const BoxRegisters box = box_registers<G>(env.engine);
    if (is_hcp(mode.standard)) {
      const bool bad = status.errors || status.concealed_blocks;
      env.registers.poke(box.hcp_status, bad ? uint32_t{1} << hcp_errors_shift : 0);
      env.registers.poke(box.hcp_cabac_status, bad);
      return;
    }
    env.registers.poke(box.mfd_error, status.errors);
    env.registers.poke(box.mfx_mb_count, std::min(status.concealed_blocks, box.concealed.mask()));
  }

  PictureTarget target(PipeMode mode, const PacketStore& state) const override {
    return is_hcp(mode.standard) ? hcp_target(mode.standard, state) : mfx_target(state);
  }

  PipeControl control([[maybe_unused]] const Packet& packet) const override {
    if constexpr (requires { typename G::VD_CONTROL_STATE; }) {
      const typename G::VD_CONTROL_STATE::View view(packet.dwords);
      return {.flushes = view.memory_implicit_flush(), .locks = view.scalable_mode_pipe_lock() || view.scalable_mode_pipe_unlock()};
    }
    return {};
  }

  unsigned index_of(const Packet& packet) const override {
    const std::span<const uint32_t> dw = packet.dwords;
    switch (packet.command->id) {
      case CommandId::MFX_SURFACE_STATE: return static_cast<unsigned>(typename G::MFX_SURFACE_STATE::View(dw).surface_id());
      case CommandId::MFX_QM_STATE: return static_cast<unsigned>(typename G::MFX_QM_STATE::View(dw).avc());
      case CommandId::MFX_FQM_STATE: return static_cast<unsigned>(typename G::MFX_FQM_STATE::View(dw).avc());
      case CommandId::MFX_AVC_REF_IDX_STATE: return typename G::MFX_AVC_REF_IDX_STATE::View(dw).reference_picture_list_select();
      case CommandId::MFX_AVC_WEIGHTOFFSET_STATE:
        return static_cast<unsigned>(typename G::MFX_AVC_WEIGHTOFFSET_STATE::View(dw).weight_and_offset_select());
      case CommandId::MFX_JPEG_HUFF_TABLE_STATE: return typename G::MFX_JPEG_HUFF_TABLE_STATE::View(dw).huffman_table_id();
      case CommandId::MFC_JPEG_HUFF_TABLE_STATE: return typename G::MFC_JPEG_HUFF_TABLE_STATE::View(dw).huff_table_id();
      case CommandId::HCP_SURFACE_STATE: return static_cast<unsigned>(typename G::HCP_SURFACE_STATE::View(dw).surface_id());
      case CommandId::HCP_QM_STATE: {
        const typename G::HCP_QM_STATE::View matrix(dw);
        return hcp_matrix(static_cast<unsigned>(matrix.sizeid()), static_cast<unsigned>(matrix.prediction_type()),
                          static_cast<unsigned>(matrix.color_component()));
      }
      case CommandId::HCP_FQM_STATE: {
        const typename G::HCP_FQM_STATE::View matrix(dw);
        return hcp_matrix(static_cast<unsigned>(matrix.sizeid()), static_cast<unsigned>(matrix.intra_inter()),
                          static_cast<unsigned>(matrix.color_component()));
      }
      case CommandId::HCP_REF_IDX_STATE: return typename G::HCP_REF_IDX_STATE::View(dw).reference_picture_list_select();
      case CommandId::HCP_WEIGHTOFFSET_STATE: return typename G::HCP_WEIGHTOFFSET_STATE::View(dw).reference_picture_list_select();
      case CommandId::HCP_VP9_SEGMENT_STATE: return typename G::HCP_VP9_SEGMENT_STATE::View(dw).segment_id();
      default: return 0;
    }
  }

  std::optional<sfc::Job> scaling(const SfcStates& states, PipeMode mode) const override {
    return sfc_job<G>(states, is_hcp(mode.standard) ? SfcClient::hcp : SfcClient::mfx);
  }

  std::unique_ptr<Codec> make_codec(PipeMode mode, WorkerPool* pool) const override {
    if (mode.standard == Standard::avc) return mode.encode ? make_avc_encoder<G>() : make_avc_codec<G>(pool);
    if (mode.standard == Standard::mpeg2) return mode.encode ? make_mpeg2_encoder<G>(pool) : make_mpeg2_codec<G>(pool);
    if (mode.standard == Standard::vc1 && !mode.encode) return make_vc1_codec<G>(pool);
    if (mode.standard == Standard::hevc) return mode.encode ? make_hevc_encoder<G>(pool) : make_hevc_codec<G>(pool);
    if (mode.standard == Standard::vp9 && !mode.encode) return make_vp9_codec<G>(pool);
    if (mode.standard == Standard::vp9)
      if (std::unique_ptr<Codec> encoder = make_vp9_encoder<G>()) return encoder;
    if (mode.standard == Standard::vp8) return mode.encode ? make_vp8_encoder<G>(pool) : make_vp8_codec<G>(pool);
    if (mode.standard == Standard::jpeg) return mode.encode ? make_jpeg_encoder<G>() : make_jpeg_decoder<G>(pool);
    unimplemented("video codec", "standard {}, {}", static_cast<unsigned>(mode.standard), mode.encode ? "encode" : "decode");
    return nullptr;
  }

 private:
  static std::optional<PipeMode> mfx_mode(const Packet& packet) {
    using Select = typename G::MFX_PIPE_MODE_SELECT;
    const typename Select::View select(packet.dwords);
    const bool encode = select.codec_select() == Select::CodecSelect::ENCODE;
    if (!encode && select.decoder_mode_select() != Select::DecoderModeSelect::VLD_MODE) {
      unimplemented("MFX_PIPE_MODE_SELECT", "decoder mode {}", static_cast<unsigned>(select.decoder_mode_select()));
      return std::nullopt;
    }
    switch (select.standard_select()) {
      case Select::StandardSelect::SS_MPEG2: return PipeMode{Standard::mpeg2, encode};
      case Select::StandardSelect::SS_VC1: return PipeMode{Standard::vc1, encode};
      case Select::StandardSelect::SS_AVC: return PipeMode{Standard::avc, encode};
      case Select::StandardSelect::SS_JPEG: return PipeMode{Standard::jpeg, encode};
      case Select::StandardSelect::SS_VP8: return PipeMode{Standard::vp8, encode};
      default: break;
    }
    unimplemented("MFX_PIPE_MODE_SELECT", "standard {}", static_cast<unsigned>(select.standard_select()));
    return std::nullopt;
  }

  static PictureTarget mfx_target(const PacketStore& state) {
    using Surface = typename G::MFX_SURFACE_STATE;
    const typename Surface::View surface(state.get(CommandId::MFX_SURFACE_STATE));
    const auto buffers = G::MFX_PIPE_BUF_ADDR_STATE::unpack(state.get(CommandId::MFX_PIPE_BUF_ADDR_STATE));
    const bool filtered =
        typename G::MFX_PIPE_MODE_SELECT::View(state.get(CommandId::MFX_PIPE_MODE_SELECT)).post_deblocking_output_enable();
    const auto& attributes = filtered ? buffers.post_deblocking_destination_attributes : buffers.pre_deblocking_destination_attributes;
    const uint64_t base = filtered ? buffers.post_deblocking_destination_address : buffers.pre_deblocking_destination_address;
    return {.base = strip_canonical(base),
            .pitch = static_cast<uint32_t>(surface.surface_pitch()) + 1,
            .width = static_cast<uint32_t>(surface.width()) + 1,
            .height = static_cast<uint32_t>(surface.height()) + 1,
            .chroma_row = static_cast<uint32_t>(surface.y_offset_for_u_cb()),
            .tiling = mfx_tiling(surface.tiled_surface(), surface.tile_walk()),
            .interleaved = surface.interleave_chroma() && surface.surface_format() == Surface::SurfaceFormat::MFX_PLANAR_420_8,
            .coded = attributes.memory_compression_enable};
  }

  static PictureTarget hcp_target(Standard standard, const PacketStore& state) {
    using Surface = typename G::HCP_SURFACE_STATE;
    const typename Surface::View surface(state.get(CommandId::HCP_SURFACE_STATE));
    const auto buffers = G::HCP_PIPE_BUF_ADDR_STATE::unpack(state.get(CommandId::HCP_PIPE_BUF_ADDR_STATE));
    bool coded = buffers.decoded_picture_memory_address_attributes.memory_compression_enable;
    if constexpr (requires { surface.memory_compression_enable(); }) coded |= surface.memory_compression_enable() & 1;
    const auto [width, height] = standard == Standard::vp9 ? vp9_size(state) : hevc_size(state);
    return {.base = strip_canonical(buffers.decoded_picture_address),
            .pitch = static_cast<uint32_t>(surface.surface_pitch()) + 1,
            .width = width,
            .height = height,
            .chroma_row = static_cast<uint32_t>(surface.y_offset_for_u_cb()),
            .tiling = surface::Tiling::y,
            .interleaved = true,
            .wide = surface.surface_format() != Surface::SurfaceFormat::PLANAR_420_8,
            .coded = coded};
  }

  static std::pair<uint32_t, uint32_t> hevc_size(const PacketStore& state) {
    const typename G::HCP_PIC_STATE::View picture(state.get(CommandId::HCP_PIC_STATE));
    const auto samples = [&](uint64_t blocks) {
      return static_cast<uint32_t>(blocks + 1) << (3 + static_cast<unsigned>(picture.min_cu_size()));
    };
    return {samples(picture.frame_width_in_minimum_coding_block_size()), samples(picture.frame_height_in_minimum_coding_block_size())};
  }

  static std::pair<uint32_t, uint32_t> vp9_size(const PacketStore& state) {
    const typename G::HCP_VP9_PIC_STATE::View picture(state.get(CommandId::HCP_VP9_PIC_STATE));
    return {static_cast<uint32_t>(picture.frame_width()) + 1, static_cast<uint32_t>(picture.frame_height()) + 1};
  }

  static std::optional<PipeMode> hcp_mode(const Packet& packet) {
    using Select = typename G::HCP_PIPE_MODE_SELECT;
    const typename Select::View select(packet.dwords);
    const bool encode = select.codec_select() == Select::CodecSelect::ENCODE;
    // Several boxes for one picture: iHD does so when the kernel has more than one (decode_scalability_multipipe.cpp).
    if constexpr (requires { select.pipe_working_mode(); }) {
      if (select.pipe_working_mode() != Select::PipeWorkingMode::LEGACY_DECODER_ENCODER_MODE || select.multi_engine_mode()) {
        unimplemented("HCP_PIPE_MODE_SELECT", "working mode {}, multi-engine mode {}", static_cast<unsigned>(select.pipe_working_mode()),
                      select.multi_engine_mode());
        return std::nullopt;
      }
    }
    if constexpr (requires { select.vdenc_mode(); }) {
      if (encode && static_cast<unsigned>(select.vdenc_mode())) {
        unimplemented("HCP_PIPE_MODE_SELECT", "VDEnc, standard {}", static_cast<unsigned>(select.codec_standard_select()));
        return std::nullopt;
      }
    }
    switch (select.codec_standard_select()) {
      case Select::CodecStandardSelect::HEVC: return PipeMode{Standard::hevc, encode};
      case Select::CodecStandardSelect::VP9: return PipeMode{Standard::vp9, encode};
    }
    unimplemented("HCP_PIPE_MODE_SELECT", "standard {}", static_cast<unsigned>(select.codec_standard_select()));
    return std::nullopt;
  }
};

}  // namespace

template <class G>
std::unique_ptr<const VideoPackets> make_video_packets() {
  return std::make_unique<PacketDecoder<G>>();
}

template std::unique_ptr<const VideoPackets> make_video_packets<defs::Gen9>();
template std::unique_ptr<const VideoPackets> make_video_packets<defs::Gen11>();
template std::unique_ptr<const VideoPackets> make_video_packets<defs::Gen12>();

}  // namespace softgen::media
