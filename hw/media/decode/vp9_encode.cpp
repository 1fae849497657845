// SPDX-License-Identifier: GPL-2.0-or-later
// HCP's packets of encoding VP9 by PAK objects. What they hold: i965-va-driver (gen9_vp9_encoder.c), and its kernels' objects and records (docs/video-encoding.md).
#include <algorithm>

#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/media/decode/pak.h"
#include "hw/media/decode/vp9_picture.h"
#include "hw/media/vp9_encode/compressed_header_writer.h"
#include "hw/media/vp9_encode/quantizer_tables.h"
#include "hw/media/vp9_encode/vp9_encode_codec.h"
#include "hw/memory/view.h"

namespace softgen::media {
namespace {

using defs::CommandId;

/// Sign and magnitude, as the packets have numbers.
int signed_of(uint32_t coded, unsigned bits) {
  const int magnitude = static_cast<int>(coded & ((1u << (bits - 1)) - 1));
  return coded >> (bits - 1) & 1 ? -magnitude : magnitude;
}

/// The compressed header's syntax as drivers give it: bins of 4 bits, each at the place of its element, flags of updates and the differences behind
/// them (i965-va-driver, gen9_vp9_write_compressed_element()).
class HeaderBins {
 public:
  static constexpr uint32_t bytes = 2048, reference_mode = 3271;

  HeaderBins(uint64_t address, EngineEnv& env) {
    if (address) env.view.read(address, bins_.data(), bins_.size());
  }
  bool operator[](uint32_t i) const { return valid(i) && (nibble(i) & bin) != 0; }
  /// One that would change a probability.
  bool updates() const {
    for (uint32_t i = 3; i < 2 * bytes; ++i)
      if ((*this)[i] && i != reference_mode && i != reference_mode + 1) return true;
    return false;
  }

 private:
  static constexpr unsigned is_valid = 1, bin = 8;
  unsigned nibble(uint32_t i) const { return bins_[i / 2] >> (i % 2 * 4) & 15u; }
  bool valid(uint32_t i) const { return nibble(i) & is_valid; }

  std::array<uint8_t, bytes> bins_{};
};

template <class G>
class EncodeDecoder final : public Vp9EncodePackets {
  using Picture = typename G::HCP_VP9_PIC_STATE;
  using Object = typename G::HCP_VP9_PAK_OBJECT;
  using Insert = typename G::HCP_PAK_INSERT_OBJECT;
  using Record = typename G::HCP_VP9_CU_RECORD;

 public:
  std::optional<Vp9EncodeJob> job(const PacketStore& state, EngineEnv& env) const override {
    std::optional<Vp9Job> shared = Vp9PictureState<G>::job(state);
    if (!shared) return std::nullopt;
    const auto pic = Picture::unpack(state.get(CommandId::HCP_VP9_PIC_STATE));
    if (shared->picture.bit_depth != 8) {
      unimplemented("HCP_VP9_PIC_STATE", "encode: {} bits", shared->picture.bit_depth);
      return std::nullopt;
    }
    if (pic.tail_insertion_enable) unimplemented("HCP_VP9_PIC_STATE", "tail insertion");
    Vp9EncodeJob job{*shared, {}, {}, {}, pic.bit_offset_for_first_partition_size, {}};
    for (unsigned i = 0; i < job.picture.segmentation.segments.size(); ++i) job.picture.segmentation.segments[i] = segment(state, pic, i);
    const typename G::HCP_PIPE_BUF_ADDR_STATE::View buffers(state.get(CommandId::HCP_PIPE_BUF_ADDR_STATE));
    job.source = Vp9PictureState<G>::surface(state, 1, buffers.original_uncompressed_picture_source_address(), job.picture.width,
                                             job.picture.height, job.picture.bit_depth);
    const typename G::HCP_IND_OBJ_BASE_ADDR_STATE::View base(state.get(CommandId::HCP_IND_OBJ_BASE_ADDR_STATE));
    job.coded = {.address = strip_canonical(base.hcp_pak_bse_object_base_address()),
                 .bound = strip_canonical(base.hcp_pak_bse_object_access_upper_bound())};
    job.header = header({strip_canonical(base.hcp_vp9_pak_compressed_header_syntax_stream_in_base_address()), env}, job.picture);
    job.fields = fields(pic);
    return job;
  }

  bool is_insertion(const Packet& object) const override { return object.command->id == CommandId::HCP_PAK_INSERT_OBJECT; }

  Insertion insertion(const Packet& packet) const override {
    if (typename Insert::View(packet.dwords).indirect_payload_enable()) unimplemented("HCP_PAK_INSERT_OBJECT", "indirect payload");
    return insertion_of<Insert>(packet);
  }

  vp9::SuperblockRecord superblock(const Packet& packet) const override {
    const typename Object::View object(packet.dwords);
    return {.x = object.current_sb_x_address(),
            .y = object.current_sb_y_address(),
            .split0 = object.split_level_0() != 0,
            .split1 = static_cast<uint8_t>(object.split_level_1()),
            .split2 = static_cast<uint16_t>(object.split_level_2()),
            .units = {}};
  }

  // Each superblock has room for as many records as there are blocks of 8x8 in it (gen9_vp9_encoder.c, res_mb_code_surface).
  void read_units(const Packet& packet, const PacketStore& state, uint32_t index, EngineEnv& env,
                  vp9::SuperblockRecord& to) const override {
    const typename Object::View object(packet.dwords);
    const typename G::HCP_IND_OBJ_BASE_ADDR_STATE::View base(state.get(CommandId::HCP_IND_OBJ_BASE_ADDR_STATE));
    const uint64_t at = strip_canonical(base.hcp_indirect_cu_object_base_address()) + uint64_t{index} * vp9::max_units * sizeof(Dwords);
    std::array<Dwords, vp9::max_units> records;
    const uint32_t count = std::min(object.cu_count() + 1, vp9::max_units);
    env.view.read(at, records.data(), count * sizeof(Dwords));
    for (uint32_t i = 0; i < count; ++i) to.units.push_back(unit_of(Record::unpack(records[i])));
  }

  void report(EngineEnv& env, const vp9::EncodeReport& report) const override {
    namespace r = reg::gen9;
    env.registers.poke(r::HCP_VP9_BITSTREAM_BYTECOUNT_FRAME, report.bytes);
    env.registers.poke(r::HCP_VP9_BITSTREAM_BYTECOUNT_FRAME_NO_HEADER, report.tile_bytes);
    env.registers.poke(r::HCP_VP9_IMAGE_STATUS_MASK, 0);
    env.registers.poke(r::HCP_VP9_IMAGE_STATUS_CONTROL, 0);
    if (report.is_cut)
      guest_error("HCP_IND_OBJ_BASE_ADDR_STATE", "the coded picture is beyond the PAK-BSE object's bound, or a tile is too long");
  }

 private:
  using Dwords = std::array<uint32_t, 16>;

  /// Quantizers (VP9 specification, 8.6.1) and levels of the loop filter (8.8.1).
  static vp9::Segment segment(const PacketStore& state, const Picture& pic, unsigned index) {
    const typename G::HCP_VP9_SEGMENT_STATE::View s(state.get(CommandId::HCP_VP9_SEGMENT_STATE, index));
    vp9::Segment out;
    out.has_reference = s.segment_reference_enable(), out.skip = s.segment_skipped();
    out.reference = static_cast<int8_t>(s.segment_reference());
    const auto limited = [](int value) { return static_cast<uint8_t>(std::clamp(value, 0, 255)); };
    const int q = limited(static_cast<int>(pic.luma_ac_q_index_delta) + signed_of(s.segment_qindex_delta(), 9));
    const auto dc = [&](uint32_t delta) { return vp9::dc_quantizers[limited(q + signed_of(delta, 5))]; };
    const auto ac = [&](uint32_t delta) { return vp9::ac_quantizers[limited(q + signed_of(delta, 5))]; };
    out.quantizers[0] = {dc(pic.luma_dc_q_index_delta), ac(0)};
    out.quantizers[1] = {dc(pic.chroma_dc_q_index_delta), ac(pic.chroma_ac_q_index_delta)};
    constexpr int max_level = 63;
    const int level = std::clamp(static_cast<int>(pic.filter_level) + signed_of(s.segment_lf_level_delta(), 7), 0, max_level),
              scale = 1 << (level >> 5);
    const uint32_t references[4] = {pic.lf_ref_delta_0, pic.lf_ref_delta_1, pic.lf_ref_delta_2, pic.lf_ref_delta_3};
    const uint32_t modes[2] = {pic.lf_mode_delta_0, pic.lf_mode_delta_1};
    for (unsigned reference = 0; reference < 4; ++reference)
      for (unsigned mode = 0; mode < 2; ++mode) {
        const int delta = signed_of(references[reference], 7) + (reference ? signed_of(modes[mode], 7) : 0);
        out.levels[reference][mode] = static_cast<uint8_t>(std::clamp(level + delta * scale, 0, max_level));
      }
    return out;
  }

  static vp9::CompressedHeader header(const HeaderBins& bins, const vp9::Parameters& picture) {
    if (bins.updates()) unimplemented("HCP_VP9_PIC_STATE", "encode: updates of probabilities in the compressed header");
    vp9::CompressedHeader out;
    unsigned mode = 2u * bins[0] + bins[1];
    if (mode == vp9::tx_allow_32x32) mode += bins[2];
    out.tx_mode = picture.lossless ? vp9::tx_only_4x4 : static_cast<vp9::TxMode>(mode);
    if (!picture.is_intra() && vp9::can_be_compound(picture) && bins[HeaderBins::reference_mode])
      out.reference_mode = bins[HeaderBins::reference_mode + 1] ? vp9::reference_select : vp9::compound_reference;
    return out;
  }

  /// Rate control changes the packet's values and not the header's: the engine fills them in.
  static std::vector<vp9::HeaderField> fields(const Picture& pic) {
    std::vector<vp9::HeaderField> out;
    const auto add = [&](uint32_t bit, uint32_t bits, uint32_t value, bool only_if_set = false) {
      if (bit) out.push_back({.bit = bit, .bits = bits, .value = value, .only_if_set = only_if_set});
    };
    add(pic.bit_offset_for_lf_level, 6, pic.filter_level);
    add(pic.bit_offset_for_q_index, 8, pic.luma_ac_q_index_delta);
    // A flag, the magnitude, the sign.
    const auto delta = [](uint32_t coded) { return 1u << 7 | (coded & 63) << 1 | (coded >> 6 & 1); };
    const uint32_t references[4] = {pic.lf_ref_delta_0, pic.lf_ref_delta_1, pic.lf_ref_delta_2, pic.lf_ref_delta_3};
    for (uint32_t i = 0; i < 4 && pic.bit_offset_for_lf_ref_delta; ++i)
      add(pic.bit_offset_for_lf_ref_delta + 8 * i, 8, delta(references[i]), true);
    const uint32_t modes[2] = {pic.lf_mode_delta_0, pic.lf_mode_delta_1};
    for (uint32_t i = 0; i < 2 && pic.bit_offset_for_lf_mode_delta; ++i)
      add(pic.bit_offset_for_lf_mode_delta + 8 * i, 8, delta(modes[i]), true);
    return out;
  }

  static vp9::UnitRecord unit_of(const Record& record) {
    vp9::UnitRecord unit{
        .log2 = static_cast<uint8_t>(3 + record.cu_size), .kind = static_cast<vp9::Partition>(record.cu_part_mode & 3), .parts = {}};
    for (unsigned i = 0; i < 2; ++i) {
      unit.parts[i] = {.uv_mode = static_cast<uint8_t>(record.intra_chroma_mode[i]),
                       .tx_size = static_cast<uint8_t>(record.tu_size[i]),
                       .filter = static_cast<uint8_t>(record.mc_filter_type[i]),
                       .segment = static_cast<uint8_t>(record.segment_index[i]),
                       .rounding = static_cast<uint8_t>(record.round[i]),
                       .reference = {static_cast<uint8_t>(record.ref_frame_l0[i]), static_cast<uint8_t>(record.ref_frame_l1[i])},
                       .compound = i ? record.interpred_comp_1 : record.interpred_comp_0};
    }
    // The record's order of modes is not the stream's.
    static constexpr uint8_t modes[10] = {vp9::dc_pred,   vp9::v_pred,    vp9::h_pred,    vp9::tm_pred,   vp9::d45_pred,
                                          vp9::d135_pred, vp9::d117_pred, vp9::d153_pred, vp9::d207_pred, vp9::d63_pred};
    const auto mode = [](uint32_t coded) { return coded < std::size(modes) ? modes[coded] : uint8_t{vp9::dc_pred}; };
    for (vp9::UnitPart& part : unit.parts) part.uv_mode = mode(part.uv_mode);
    for (unsigned i = 0; i < 4; ++i) {
      unit.modes[i] = mode(record.intra_mode[i]);
      unit.mv[i][0] = {static_cast<int16_t>(record.mvy_l0[i]), static_cast<int16_t>(record.mvx_l0[i])};
      unit.mv[i][1] = {static_cast<int16_t>(record.mvy_l1[i]), static_cast<int16_t>(record.mvx_l1[i])};
    }
    return unit;
  }
};

}  // namespace

template <>
std::unique_ptr<Codec> make_vp9_encoder<defs::Gen9>() {
  return std::make_unique<Vp9Encoder>(std::make_unique<EncodeDecoder<defs::Gen9>>());
}

// No driver tried here sends their objects.
template <>
std::unique_ptr<Codec> make_vp9_encoder<defs::Gen11>() {
  return nullptr;
}
template <>
std::unique_ptr<Codec> make_vp9_encoder<defs::Gen12>() {
  return nullptr;
}

}  // namespace softgen::media
