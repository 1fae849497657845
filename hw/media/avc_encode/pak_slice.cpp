// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc_encode/pak_slice.h"

#include <algorithm>

#include "hw/base/log.h"
#include "hw/media/avc/tables.h"
#include "hw/media/avc_encode/macroblock_writer.h"

namespace softgen::media::avc {
namespace {

constexpr const char* object_name = "MFC_AVC_PAK_OBJECT";
constexpr uint8_t dc_mode = 2, chroma_dc_mode = 0;

/// Whether a partition of `shape` covers a quarter of the macroblock.
bool covers(const Partition& part, unsigned quarter) {
  const unsigned x = quarter % 2 * 8, y = quarter / 2 * 8;
  return x >= part.x && x < unsigned{part.x} + part.width && y >= part.y && y < unsigned{part.y} + part.height;
}

}  // namespace

PakSlice::PakSlice(Picture& picture, const SliceParams& slice, const CodeInput& input, GolombWriter& to)
    : input_(input),
      to_(to),
      first_bit_(to.bits()),
      writer_(picture, slice, to),
      c_(writer_.context()),
      coder_(c_, input_),
      next_(slice.first_mb) {}

bool PakSlice::code(const PakMacroblock& object) {
  const Picture& picture = c_.picture;
  c_.enter(next_ % picture.width, next_ / picture.width, false);
  ++next_;
  CodedMacroblock coded;
  coded.mask = object.mask;
  if (object.kind != Kind::inter || !inter(object, coded)) intra(object, coded);
  const bool is_last = object.last || next_ == picture.mbs.size();
  writer_.write(coded, is_last);
  qp_sum_ += c_.mb->qp;
  return is_last;
}

// Modes without their samples, which no stream has, become DC.
void PakSlice::intra(const PakMacroblock& object, CodedMacroblock& coded) {
  const bool is_inter = object.kind == Kind::inter, is_8 = object.kind == Kind::intra8;
  const Kind kind = is_inter || (is_8 && !c_.picture.params.transform_8x8) ? Kind::intra16 : object.kind;
  if (kind != object.kind) guest_error(object_name, "at ({}, {}): a mode that the picture does not have", c_.x, c_.y);
  coder_.reset(kind, object.qp);
  if (kind == Kind::pcm) return coder_.pcm(coded);
  Macroblock& mb = *c_.mb;
  const auto legal = [&](bool has, uint8_t mode, uint8_t other) {
    if (!has) guest_error(object_name, "at ({}, {}): intra mode {} without its samples", c_.x, c_.y, mode);
    return has ? mode : other;
  };
  const uint8_t first = is_inter ? dc_mode : object.intra_mode[0];
  if (kind == Kind::intra16) {
    coded.mode16 = legal(has_samples16(first, coder_.edges()), first, dc_mode);
    coder_.intra16(coded);
  } else {
    const int size = is_8 ? 8 : 4;
    mb.transform8 = is_8;
    for (unsigned block = 0; block < 16; block += is_8 ? 4 : 1) {
      const unsigned at = block_y[block] * 4u + block_x[block];
      const uint8_t mode = object.intra_mode[block];
      mb.intra_mode[at] = legal(has_samples(mode, coder_.edges(block, size)), mode, dc_mode);
      if (is_8) mb.intra_mode[at + 1] = mb.intra_mode[at + 4] = mb.intra_mode[at + 5] = mb.intra_mode[at];
    }
    coder_.intra_blocks(coded);
  }
  const uint8_t chroma = is_inter ? chroma_dc_mode : object.chroma_mode;
  mb.chroma_mode = legal(has_samples_chroma(chroma, coder_.edges()), chroma, chroma_dc_mode);
  coder_.intra_chroma(coded);
}

bool PakSlice::set_references(const PakMacroblock& object, const CodedMacroblock& coded) {
  Macroblock& mb = *c_.mb;
  const auto parts = partitions(coded.shape);
  for (unsigned i = 0; i < partition_count(coded.shape); ++i)
    for (unsigned list = 0; list < 2; ++list) {
      if (!(coded.lists[i] >> list & 1)) continue;
      const uint8_t index = object.ref[list][first_quarter(parts[i])];
      const int8_t picture = index < c_.active(list) ? coder_.motion().picture(list, index) : int8_t{-1};
      if (picture < 0 || !input_.references[static_cast<unsigned>(picture)]) {
        guest_error(object_name, "at ({}, {}): list {} has no picture {}", c_.x, c_.y, list, index);
        return false;
      }
      for (unsigned quarter = 0; quarter < 4; ++quarter)
        if (covers(parts[i], quarter)) mb.ref[list][quarter] = static_cast<int8_t>(index), mb.picture[list][quarter] = picture;
    }
  return true;
}

// Quarters whose motion is that of direct prediction. iHD gives PAK no colocated motion: whether that rests, so that vectors of reference 0 are 0 (8.4.1.2.2),
// is what its kernel knows.
unsigned PakSlice::direct_quarters() const {
  const bool is_known = !input_.motion[c_.slice.list[1][0].frame % max_frames].empty();
  if (!is_known && !c_.slice.direct_spatial) return 0;
  Macroblock& mb = *c_.mb;
  const Macroblock stated = mb;
  coder_.motion().direct(15);
  const auto same = [&](unsigned quarter, bool rests) {
    for (unsigned list = 0; list < 2; ++list) {
      if (mb.ref[list][quarter] != stated.ref[list][quarter]) return false;
      for (unsigned i = 0; i < 4 && mb.ref[list][quarter] >= 0; ++i) {
        const unsigned block = quarter / 2 * 8 + quarter % 2 * 2 + i / 2 * 4 + i % 2;
        if (stated.mv[list][block] != (rests && !mb.ref[list][quarter] ? Mv{} : mb.mv[list][block])) return false;
      }
    }
    return true;
  };
  unsigned found = 0;
  for (unsigned quarter = 0; quarter < 4; ++quarter)
    if (same(quarter, false) || (!is_known && same(quarter, true))) found |= 1u << quarter;
  mb = stated;
  return found;
}

// Direct quarters need no motion in the stream; all of them: B_Direct_16x16. The macroblock has its motion.
void PakSlice::set_direct(const PakMacroblock& object, CodedMacroblock& coded) {
  if (object.transform8 && !c_.picture.params.direct_8x8_inference) return;
  const unsigned direct = object.direct & direct_quarters();
  Macroblock& mb = *c_.mb;
  if (direct == 15) {
    mb.direct = all_direct;
    coded.shape = Shape::whole;
    return;
  }
  if (coded.shape != Shape::quarters) return;
  mb.direct = static_cast<uint8_t>(direct);
  for (unsigned quarter = 0; quarter < 4; ++quarter)
    if (direct >> quarter & 1) coded.lists[quarter] = coded.sub_shape[quarter] = 0;
}

bool PakSlice::is_p_skip(const CodedMacroblock& coded) const {
  const Macroblock& mb = *c_.mb;
  return c_.slice.type == SliceType::p && coded.shape == Shape::whole && mb.ref[0][0] == 0 && mb.mv[0][0] == coder_.motion().predict_skip();
}

bool PakSlice::inter(const PakMacroblock& object, CodedMacroblock& coded) {
  if (c_.slice.type == SliceType::i) return false;
  coder_.reset(Kind::inter, object.qp);
  Macroblock& mb = *c_.mb;
  coded.shape = object.shape, coded.lists = object.lists;
  if (coded.shape == Shape::quarters) coded.sub_shape = object.sub_shape;
  if (!set_references(object, coded)) return false;
  for (unsigned list = 0; list < 2; ++list)
    for (unsigned i = 0; i < partition_count(coded.shape); ++i)
      if (coded.lists[i] >> list & 1)
        for_each_part(coded, i, [&](const Partition& part) { coder_.motion().set(list, part, object.vectors[list][first_block(part)]); });
  if (c_.slice.type == SliceType::b && object.direct) set_direct(object, coded);
  for (unsigned list = 0; list < 2 && mb.direct != all_direct; ++list)
    for (unsigned i = 0; i < partition_count(coded.shape); ++i)
      if (coded.lists[i] >> list & 1) coder_.set_vectors(list, i, object.vectors[list], coded);
  mb.transform8 = object.transform8 && may_transform8(c_, coded);
  coder_.predict();
  coder_.inter_luma(coded);
  coder_.chroma(coded);
  if (!(mb.cbp & 15)) mb.transform8 = false;
  if (!mb.cbp && object.may_skip && (mb.direct == all_direct || is_p_skip(coded))) mb.skip = true, mb.mvd = {};
  return true;
}

}  // namespace softgen::media::avc
