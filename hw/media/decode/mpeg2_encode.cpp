// SPDX-License-Identifier: GPL-2.0-or-later
// MPEG-2's encoder packets: SKL PRM vol 2a, MFC_MPEG2_*; what they hold: i965-va-driver (gen8_mfc.c, gen8_mfc_mpeg2_*).
#include <algorithm>

#include "hw/base/log.h"
#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/media/decode/mfx_surface.h"
#include "hw/media/decode/pak.h"
#include "hw/media/mpeg2/mpeg2_encode_codec.h"

namespace softgen::media {
namespace mpeg2 {
namespace {

using defs::CommandId;

/// MB Type of inter macroblocks. i965-va-driver sends 1 alone; that the others are as AVC's is chosen.
enum class InterType : uint32_t { forward = 1, backward = 2, both = 3 };

template <class G>
class PacketDecoder final : public Mpeg2EncodePackets {
  using Picture = typename G::MFX_MPEG2_PIC_STATE;
  using Group = typename G::MFC_MPEG2_SLICEGROUP_STATE;
  using Object = typename G::MFC_MPEG2_PAK_OBJECT;

 public:
  const Mpeg2Packets& shared() const override { return *shared_; }
  bool is_insertion(const Packet& packet) const override { return packet.command->id == CommandId::MFX_PAK_INSERT_OBJECT; }
  Insertion insertion(const Packet& packet) const override { return pak_insertion<G>(packet); }

  SurfaceSet source(const PacketStore& state) const override {
    const typename G::MFX_PIPE_BUF_ADDR_STATE::View buffers(state.get(CommandId::MFX_PIPE_BUF_ADDR_STATE));
    SurfaceSet set = shared_->surfaces(state);
    set.destination = strip_canonical(buffers.original_uncompressed_picture_source_address());
    static_cast<PictureLayout&>(set) = mfx_layout<G>(state, set.luma.width, set.luma.height, mfx_source_surface<G>(state));
    return set;
  }

  // The rounding fields count from 1 (chosen: so i965-va-driver's values from scale 14 on are a half for DC and 3/8 for AC of intra blocks).
  Quantiser quantiser(const PacketStore& state) const override {
    const typename Picture::View picture(state.get(CommandId::MFX_MPEG2_PIC_STATE));
    Quantiser out;
    const auto one_more = [](uint32_t value) { return static_cast<uint8_t>(value + 1); };
    out.rounding = {.intra_dc = one_more(picture.round_intra_dc()),
                    .intra_ac = one_more(picture.round_intra_ac()),
                    .inter_dc = one_more(picture.round_inter_dc()),
                    .inter_ac = one_more(picture.round_inter_ac())};
    for (unsigned i = 0; i < 2; ++i) {
      const auto packet = G::MFX_FQM_STATE::unpack(state.get(CommandId::MFX_FQM_STATE, i));
      for (unsigned n = 0; n < 64; ++n) out.reciprocal[i][n % 8 * 8 + n / 8] = static_cast<uint16_t>(packet.reciprocal[n]);
    }
    return out;
  }

  PakObject object(const Packet& packet, const PictureParams& picture) const override {
    const Object object = Object::unpack(packet.dwords);
    PakObject out;
    out.x = object.mb_x, out.y = object.mb_y;
    out.intra = object.intra_mb || picture.type == CodingType::i;
    out.first = object.first_mb_in_slice, out.last = object.last_mb_in_slice;
    out.first_in_group = object.first_mb_in_slice_group;
    out.may_skip = !object.mb_skip_conversion_disable, out.drops_blocks = object.skip_mb;
    out.scale_code = static_cast<uint8_t>(std::max(object.quantizer_scale_code, 1u));
    out.pattern = object.coded_block_pattern;
    if (object.field_dct || object.field_mb || object.mv_field_select)
      unimplemented("MFC_MPEG2_PAK_OBJECT", "fields: field DCT {}, field macroblock {}", object.field_dct, object.field_mb);
    if (!out.intra) set_motion(object, picture, out);
    return out;
  }

  SliceGroup group(const PacketStore& state) const override {
    const typename Group::View group(state.get(CommandId::MFC_MPEG2_SLICEGROUP_STATE));
    return {
        .has_intra_flag = group.intra_slice_flag(), .intra = group.intra_slice(), .first_is_inserted = group.first_slice_header_disable()};
  }

  PakTarget target(const PacketStore& state) const override {
    PakTarget target = pak_target<G>(state);
    const typename Group::View group(state.get(CommandId::MFC_MPEG2_SLICEGROUP_STATE));
    target.address += group.indirect_pak_bse_data_start_address();
    const typename Picture::View picture(state.get(CommandId::MFX_MPEG2_PIC_STATE));
    if (picture.load_bitstream_pointer_per_slice()) unimplemented("MFX_MPEG2_PIC_STATE", "bitstream pointers per slice");
    return target;
  }

  void report(EngineEnv& env, uint32_t bytes, uint32_t coefficient_bits, bool is_cut) const override {
    report_coded<G>(env, bytes, coefficient_bits, is_cut);
  }

 private:
  static void set_motion(const Object& object, const PictureParams& picture, PakObject& out) {
    const auto type = static_cast<InterType>(object.mb_type);
    if (type < InterType::forward || type > InterType::both) unimplemented("MFC_MPEG2_PAK_OBJECT", "MB type {}", object.mb_type);
    const bool is_b = picture.type == CodingType::b;
    out.used[1] = is_b && (type == InterType::backward || type == InterType::both);
    out.used[0] = !out.used[1] || type == InterType::both;
    for (unsigned d = 0; d < 2; ++d) out.vector[d] = {object.mv_x[d], object.mv_y[d]};
  }

  const std::unique_ptr<const Mpeg2Packets> shared_ = make_packets<G>();
};

}  // namespace
}  // namespace mpeg2

template <class G>
std::unique_ptr<Codec> make_mpeg2_encoder(WorkerPool* pool) {
  return std::make_unique<Mpeg2Encoder>(std::make_unique<mpeg2::PacketDecoder<G>>(), pool);
}

template std::unique_ptr<Codec> make_mpeg2_encoder<defs::Gen9>(WorkerPool* pool);
template std::unique_ptr<Codec> make_mpeg2_encoder<defs::Gen11>(WorkerPool* pool);
template std::unique_ptr<Codec> make_mpeg2_encoder<defs::Gen12>(WorkerPool* pool);

}  // namespace softgen::media
