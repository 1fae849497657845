// SPDX-License-Identifier: GPL-2.0-or-later
// MFC_AVC_PAK_OBJECT. Its fields: Intel's ENCODE_MB_CONTROL_DATA_H264 (Media SDK, umc_va_base's encoder structures) and i965-va-driver (gen8_mfc.c,
// gen8_mfc_avc_pak_object_*); blocks of modes and vectors: Media SDK's sample_fei (repacking for PAK).
#pragma once

#include <algorithm>

#include "hw/base/log.h"
#include "hw/defs/ids.h"
#include "hw/media/avc/b_types.h"
#include "hw/media/avc/tables.h"
#include "hw/media/avc_encode/pak_slice.h"
#include "hw/media/codec.h"
#include "hw/media/packet_store.h"

namespace softgen::media::avc {

template <class G>
class PakObject {
  using Object = typename G::MFC_AVC_PAK_OBJECT;
  static constexpr const char* name = "MFC_AVC_PAK_OBJECT";
  /// MV Format: a pair of vectors, of list 0 and list 1, for each quarter, or for each block of 4x4.
  static constexpr uint32_t by_quarter = 4, by_block = 6;
  /// In quarter samples (H.264 A.3.1): -2048 to 2047.75, -512 to 511.75.
  static constexpr int max_across = 8191, max_down = 2047;

 public:
  PakObject(const Packet& packet, const PacketStore& store) : object_(Object::unpack(packet.dwords)), store_(store) {}

  PakMacroblock macroblock(SliceType slice, EngineEnv& env) const {
    using defs::CommandId;
    PakMacroblock out;
    out.x = object_.mb_x, out.y = object_.mb_y;
    out.last = object_.last_mb;
    out.transform8 = object_.transform_8x8;
    out.qp = static_cast<uint8_t>(std::min(object_.qp_prime_y, 51u));
    if (object_.qp_prime_y > 51) guest_error(name, "QP {}", object_.qp_prime_y);
    if (object_.field_mb) unimplemented(name, "field macroblock");
    const typename G::MFX_AVC_SLICE_STATE::View state(store_.get(CommandId::MFX_AVC_SLICE_STATE));
    out.may_skip = !object_.mb_skip_conversion_disable && !state.mb_type_skip_conversion_disable();
    if (!state.mb_type_direct_conversion_disable()) out.direct = static_cast<uint8_t>(object_.skip_8x8_pattern);
    out.kind = kind();
    set_mask(out);
    if (out.kind != Kind::inter) {
      for (unsigned i = 0; i < 16; ++i) out.intra_mode[i] = static_cast<uint8_t>(object_.luma_intra_mode[i]);
      out.chroma_mode = static_cast<uint8_t>(object_.chroma_intra_mode);
      return out;
    }
    set_shape(slice == SliceType::b, out);
    set_vectors(env, out);
    return out;
  }

 private:
  Kind kind() const {
    using Mode = typename Object::IntraMBMode;
    if (!object_.intra_mb) return Kind::inter;
    switch (object_.intra_mb_mode) {
      case Mode::MODE_8X8: return Kind::intra8;
      case Mode::MODE_4X4: return Kind::intra4;
      case Mode::MODE_PCM: return Kind::pcm;
      default: return Kind::intra16;
    }
  }

  // The first block is the highest bit. Of 8x8 blocks any of four bits counts.
  void set_mask(PakMacroblock& out) const {
    BlockMask& mask = out.mask;
    mask = {.luma = 0, .chroma = {}, .dc = 0};
    if (!object_.intra_mb && object_.skip_mb) return;
    for (unsigned i = 0; i < 16; ++i) mask.luma |= static_cast<uint16_t>((object_.cbp_y >> (15 - i) & 1) << i);
    const std::array<uint32_t, 2> chroma{object_.cbp_u, object_.cbp_v};
    for (unsigned plane = 0; plane < 2; ++plane)
      for (unsigned i = 0; i < 4; ++i) mask.chroma[plane] |= static_cast<uint8_t>((chroma[plane] >> (3 - i) & 1) << i);
    mask.dc = static_cast<uint8_t>(unsigned{object_.cbp_dc_y} | unsigned{object_.cbp_dc_u} << 1 | unsigned{object_.cbp_dc_v} << 2);
  }

  void set_shape(bool is_b, PakMacroblock& out) const {
    using Mode = typename Object::InterMBMode;
    switch (object_.inter_mb_mode) {
      case Mode::INTER_16X8: out.shape = Shape::rows; break;
      case Mode::INTER_8X16: out.shape = Shape::columns; break;
      case Mode::INTER_8X8: out.shape = Shape::quarters; break;
      default: out.shape = Shape::whole; break;
    }
    for (unsigned i = 0; i < 4; ++i) {
      out.ref[0][i] = static_cast<uint8_t>(object_.reference_l0[i]), out.ref[1][i] = static_cast<uint8_t>(object_.reference_l1[i]);
      out.sub_shape[i] = static_cast<uint8_t>(object_.sub_mb_shape >> i * 2 & 3);
    }
    if (is_b) set_lists(out);
  }

  // MB Type is numbered as in B slices, in P slices too.
  void set_lists(PakMacroblock& out) const {
    const uint32_t type = object_.mb_type;
    if (out.shape == Shape::quarters) {
      for (unsigned i = 0; i < 4; ++i) out.lists[i] = static_cast<uint8_t>((object_.sub_mb_prediction_mode >> i * 2 & 3) + list0);
      if (std::ranges::all_of(out.lists, [](uint8_t lists) { return lists <= both; })) return;
    } else if (out.shape == Shape::whole && type >= list0 && type <= both) {
      out.lists[0] = static_cast<uint8_t>(type);
      return;
    } else if (out.shape != Shape::whole && type >= b_first_divided && type < b_quarters) {
      out.lists[0] = b_lists[type - b_first_divided][0], out.lists[1] = b_lists[type - b_first_divided][1];
      return;
    }
    guest_error(name, "MB type {}, prediction modes {:#x}", type, object_.sub_mb_prediction_mode);
    out.lists.fill(list0);
  }

  void set_vectors(EngineEnv& env, PakMacroblock& out) const {
    const bool blocks = object_.mv_format == by_block;
    if (!blocks && object_.mv_format != by_quarter) guest_error(name, "MV format {}", object_.mv_format);
    const typename G::MFX_IND_OBJ_BASE_ADDR_STATE::View base(store_.get(defs::CommandId::MFX_IND_OBJ_BASE_ADDR_STATE));
    std::array<Mv, 32> pairs{};
    const uint32_t bytes = blocks ? sizeof pairs : sizeof pairs / 4;
    std::vector<uint8_t> buffer;
    const auto found = read_object(env, base.mfx_indirect_mv_object_address() + object_.indirect_pak_mv_data_start_address_offset, bytes,
                                   base.mfx_indirect_mv_object_upper_bound(), buffer);
    if (found.size() < bytes) guest_error(name, "vectors beyond the bound");
    std::ranges::copy(found.first(std::min<size_t>(found.size(), bytes)), reinterpret_cast<uint8_t*>(pairs.data()));
    for (unsigned block = 0; block < 16; ++block)
      for (unsigned list = 0; list < 2; ++list) {
        const Mv mv = pairs[(blocks ? block : block / 4) * 2 + list];
        const Mv limited{static_cast<int16_t>(std::clamp<int>(mv.x, -max_across - 1, max_across)),
                         static_cast<int16_t>(std::clamp<int>(mv.y, -max_down - 1, max_down))};
        if (limited != mv) guest_error(name, "vector ({}, {})", mv.x, mv.y);
        out.vectors[list][block_y[block] * 4u + block_x[block]] = limited;
      }
  }

  const Object object_;
  const PacketStore& store_;
};

template <class G>
PakMacroblock pak_macroblock(const Packet& packet, const PacketStore& store, SliceType slice, EngineEnv& env) {
  return PakObject<G>(packet, store).macroblock(slice, env);
}

}  // namespace softgen::media::avc
