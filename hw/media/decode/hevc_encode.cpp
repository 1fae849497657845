// SPDX-License-Identifier: GPL-2.0-or-later
// HCP's packets of encoding by PAK objects: SKL PRM vol 2a, HCP_*; what they hold: iHD media driver (mhw_vdbox_hcp_g9_X.h, _g11_X.h, codechal_encode_hevc.cpp)
// and i965-va-driver (gen9_mfc_hevc.c).
#include <algorithm>
#include <cstring>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/media/decode/box_registers.h"
#include "hw/media/decode/pak.h"
#include "hw/media/hevc_encode/hevc_encode_codec.h"
#include "hw/media/video_packets.h"
#include "hw/memory/view.h"

namespace softgen::media {
namespace hevc {
namespace {

using defs::CommandId;

/// Of intra_chroma_pred_mode; the rest stand for luma's mode.
constexpr uint32_t first_chroma_mode = 2;

template <class G>
class EncodeDecoder final : public HevcEncodePackets {
  using Surface = typename G::HCP_SURFACE_STATE;
  using Slice = typename G::HCP_SLICE_STATE;
  using Object = typename G::HCP_PAK_OBJECT;
  using Insert = typename G::HCP_PAK_INSERT_OBJECT;
  using Record = typename G::HCP_CU_RECORD;

 public:
  std::optional<EncodePicture> picture(const PacketStore& state) const override {
    const std::optional<HevcPicture> shared = shared_->picture(state);
    if (!shared) return std::nullopt;
    EncodePicture picture{*shared, {}, {}, {}};
    const PictureParameters& p = picture.parameters;
    if (p.entropy_sync || p.tile_columns > 1 || p.tile_rows > 1) {
      unimplemented("HCP_PIC_STATE", "encode: wavefronts or tiles");
      return std::nullopt;
    }
    if (p.luma_bits != p.chroma_bits) {
      unimplemented("HCP_PIC_STATE", "encode: {} bits of luma, {} of chroma", p.luma_bits, p.chroma_bits);
      return std::nullopt;
    }
    const typename G::HCP_PIPE_BUF_ADDR_STATE::View buffers(state.get(CommandId::HCP_PIPE_BUF_ADDR_STATE));
    const typename Surface::View source(state.get(Surface::id, static_cast<unsigned>(Surface::SurfaceID::HCP_SOURCE_INPUT_PICTURE)));
    picture.source = {picture.luma, picture.chroma};
    picture.source.luma.pitch = picture.source.chroma.pitch = source.surface_pitch() + 1;
    picture.source.chroma.first_row = source.y_offset_for_u_cb();
    picture.source_base = strip_canonical(buffers.original_uncompressed_picture_source_address());
    set_quantizer(state, picture.quantizer);
    return picture;
  }

  SliceParameters slice(const PacketStore& state, EncodePicture& picture) const override {
    const typename Slice::View view(state.get(Slice::id));
    const auto sixteenths = [](auto code) { return static_cast<uint8_t>(static_cast<unsigned>(code) + 1); };
    picture.quantizer.rounding = {sixteenths(view.round_intra()), sixteenths(view.round_inter())};
    return shared_->slice(state, picture.parameters);
  }

  bool is_insertion(const Packet& object) const override { return object.command->id == CommandId::HCP_PAK_INSERT_OBJECT; }

  HeaderBits insertion(const Packet& packet) const override {
    const typename Insert::View object(packet.dwords);
    if (object.indirect_payload_enable()) unimplemented("HCP_PAK_INSERT_OBJECT", "indirect payload");
    return {insertion_of<Insert>(packet), object.header_length_excluded_from_size() == Insert::HeaderLengthExcludedFromSize::ACCUMULATE};
  }

  TreeRecord tree(const Packet& packet) const override {
    const typename Object::View object(packet.dwords);
    TreeRecord tree{.x = object.current_lcu_x_address(), .y = object.current_lcu_y_address(), .is_last = object.last_lcu_of_slice()};
    tree.split0 = object.split_level_0() != 0;
    tree.split1 = static_cast<uint8_t>(object.split_level_1());
    tree.split2 = static_cast<uint16_t>(object.split_level_2_part_0() | object.split_level_2_part_1() << 4 |
                                        object.split_level_2_part_2() << 8 | object.split_level_2_part_3() << 12);
    return tree;
  }

  // Each CTB has room for as many records as there are coding blocks of 8x8 in it (i965-va-driver, gen9_mfc_hevc.c).
  void read_units(const Packet& packet, const PacketStore& state, const PictureParameters& picture, EngineEnv& env,
                  TreeRecord& to) const override {
    const typename Object::View object(packet.dwords);
    const typename G::HCP_IND_OBJ_BASE_ADDR_STATE::View base(state.get(CommandId::HCP_IND_OBJ_BASE_ADDR_STATE));
    const uint32_t room = 1u << 2 * (picture.log2_ctb - 3u), columns = ((picture.width - 1) >> picture.log2_ctb) + 1;
    const uint64_t at =
        strip_canonical(base.hcp_indirect_cu_object_base_address()) + uint64_t{to.y * columns + to.x} * room * sizeof(Dwords);
    std::array<Dwords, max_units> records;
    const uint32_t count = std::min(object.cu_count() + 1, room);
    env.view.read(at, records.data(), count * sizeof(Dwords));
    for (uint32_t i = 0; i < count; ++i) to.units.push_back(unit_of(Record::unpack(records[i])));
  }

  PakTarget target(const PacketStore& state) const override {
    const typename G::HCP_IND_OBJ_BASE_ADDR_STATE::View base(state.get(CommandId::HCP_IND_OBJ_BASE_ADDR_STATE));
    if (typename G::HCP_PIC_STATE::View(state.get(CommandId::HCP_PIC_STATE)).load_bitstream_pointer_per_slice())
      unimplemented("HCP_PIC_STATE", "bitstream pointers per slice");
    return {.address = strip_canonical(base.hcp_pak_bse_object_base_address()) +
                       typename Slice::View(state.get(Slice::id)).indirect_pak_bse_data_start_offset(),
            .bound = strip_canonical(base.hcp_pak_bse_object_access_upper_bound())};
  }

  bool protects_slice_data(const PacketStore& state) const override {
    return typename Slice::View(state.get(Slice::id)).emulation_byte_slice_insert_enable();
  }

  void report(EngineEnv& env, const EncodeReport& report) const override {
    const BoxRegisters box = box_registers<G>(env.engine);
    env.registers.poke(box.hcp_bytes, report.bytes);
    env.registers.poke(box.hcp_plain_bytes, report.slice_bytes);
    env.registers.poke(box.hcp_element_bits, report.slice_bits);
    env.registers.poke(box.hcp_qp_count, report.qp);
    env.registers.poke(box.hcp_image_status, 0);
    if (report.is_cut) guest_error("HCP_IND_OBJ_BASE_ADDR_STATE", "the coded picture is beyond the PAK-BSE object's bound");
  }

 private:
  using Dwords = std::array<uint32_t, Record::dwords>;

  static void set_quantizer(const PacketStore& state, ForwardQuantizer& to) {
    constexpr uint16_t flat = 65536 / 16;
    for (unsigned size = 0; size < 4; ++size) {
      for (unsigned kind = 0; kind < 2; ++kind) {
        // iHD sends luma's alone.
        const std::span<const uint32_t> dwords = state.get(CommandId::HCP_FQM_STATE, hcp_matrix(size, kind, 0));
        const auto matrix = G::HCP_FQM_STATE::unpack(dwords);
        const auto factor = [&](size_t i) {
          return dwords.empty() ? flat
                                : static_cast<uint16_t>(matrix.quantizer_matrix_8x8[2 * i] | matrix.quantizer_matrix_8x8[2 * i + 1] << 8);
        };
        for (size_t i = 0; i < 16 && size == 0; ++i) to.size4[kind][i] = factor(i);
        for (size_t i = 0; i < 64 && size == 1; ++i) to.size8[kind][i] = factor(i);
        if (size > 1) to.dc[size - 2][kind] = dwords.empty() ? flat : static_cast<uint16_t>(matrix.fqm_dc_value);
      }
    }
  }

  static UnitRecord unit_of(const Record& record) {
    UnitRecord unit{.is_inter = record.cu_pred_mode == Record::CUPredMode::INTER,
                    .bypass = record.cu_transquant_bypass,
                    .log2 = static_cast<uint8_t>(3 + record.cu_size),
                    .part = static_cast<uint8_t>(record.cu_part_mode)};
    unit.chroma_mode = static_cast<uint8_t>(
        record.intra_chroma_mode < first_chroma_mode ? 4 : std::min(record.intra_chroma_mode - first_chroma_mode, uint32_t{4}));
    unit.transform_units = std::min<unsigned>(record.tu_count + 1, max_transform_units);
    for (unsigned i = 0; i < max_transform_units; ++i) unit.transform_log2[i] = static_cast<uint8_t>(2 + record.tu_size[i]);
    set_modes(record, unit);
    for (unsigned i = 0; i < std::size(record.mvx_l0); ++i) unit.motions[i] = motion_of(record, i);
    return unit;
  }

  static Motion motion_of(const Record& record, unsigned i) {
    uint32_t lists;  // 0: the first, 1: the second, 2: both
    if constexpr (has_two_vectors) lists = record.interpred_idc[i];
    else lists = record.interpred_idc >> 2 * i & 3;
    const auto mv = [](int32_t x, int32_t y) { return Mv{static_cast<int16_t>(x), static_cast<int16_t>(y)}; };
    Motion motion;
    motion.mv = {mv(record.mvx_l0[i], record.mvy_l0[i]), mv(record.mvx_l1[i], record.mvy_l1[i])};
    if (lists != 1) motion.index[0] = static_cast<int8_t>(record.ref_idx_l0[i]);
    if (lists == 1 || lists == 2) motion.index[1] = static_cast<int8_t>(record.ref_idx_l1[i]);
    return motion;
  }

  /// What records of four vectors and those of two have in other places.
  static void set_modes(const Record& record, UnitRecord& unit) {
    const auto mode = [](uint32_t coded) { return static_cast<uint8_t>(std::min(coded, uint32_t{34})); };
    if constexpr (has_two_vectors) {
      unit.qp = static_cast<int8_t>(record.cu_qp_sign ? -static_cast<int>(record.cu_qp) : static_cast<int>(record.cu_qp));
      unit.luma_modes[0] = mode(record.intra_mode);
      for (unsigned i = 1; i < 4; ++i) unit.luma_modes[i] = mode(record.further_intra_mode[i - 1]);
      // Which component a bit is of is not public.
      if (record.tu_transform_skip) unimplemented("HCP_CU_RECORD", "transform skip {:#x}", record.tu_transform_skip);
    } else {
      unit.qp = static_cast<int8_t>(record.cu_qp);
      for (unsigned i = 0; i < 4; ++i) unit.luma_modes[i] = mode(record.intra_mode[i]);
      unit.transform_skip = {static_cast<uint16_t>(record.tu_transform_skip_y), static_cast<uint16_t>(record.tu_transform_skip_u),
                             static_cast<uint16_t>(record.tu_transform_skip_v)};
    }
  }

  static constexpr bool has_two_vectors = !requires(Record record) { record.tu_transform_skip_y; };  ///< Gen11's records
  const std::unique_ptr<const HevcPackets> shared_ = make_hevc_packets<G>();
};

}  // namespace
}  // namespace hevc

template <class G>
std::unique_ptr<Codec> make_hevc_encoder(WorkerPool* pool) {
  return std::make_unique<hevc::HevcEncoder>(std::make_unique<hevc::EncodeDecoder<G>>(), pool);
}

template std::unique_ptr<Codec> make_hevc_encoder<defs::Gen9>(WorkerPool*);
template std::unique_ptr<Codec> make_hevc_encoder<defs::Gen11>(WorkerPool*);
template std::unique_ptr<Codec> make_hevc_encoder<defs::Gen12>(WorkerPool*);

}  // namespace softgen::media
