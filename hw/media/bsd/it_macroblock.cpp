// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/bsd/it_macroblock.h"

#include <cstring>

#include "hw/media/avc/b_types.h"
#include "hw/media/avc/neighbours.h"
#include "hw/media/avc/tables.h"

namespace softgen::media::bsd {

using namespace avc;

namespace {

uint8_t pattern_of(uint32_t coded) {
  unsigned pattern = 0;
  for (unsigned quarter = 0; quarter < 4; ++quarter) pattern |= unsigned{(coded >> quarter * 4 & 15) != 0} << (5 - quarter);
  for (unsigned plane = 0; plane < 2; ++plane) pattern |= unsigned{(coded >> (16 + plane * 4) & 15) != 0} << (1 - plane);
  return static_cast<uint8_t>(pattern);
}

uint8_t reference_of(int8_t picture) {
  if (picture < 0) return 0;
  return static_cast<uint8_t>(picture / 4 | ((picture & 3) == bottom_field ? bottom_reference : 0));
}

void place(const PictureParams& params, bool field_mb, uint32_t x, uint32_t y, ItMacroblock& out) {
  out.x = static_cast<uint8_t>(x), out.y = static_cast<uint8_t>(field_mb ? y / 2 : y);
  out.mbaff = params.mbaff, out.field_access = field_mb, out.field = field_mb || params.field();
  out.bottom = params.field() ? params.bottom() : field_mb && y % 2;
}

void describe_intra(const Context& c, uint8_t mode16, ItMacroblock& out) {
  const Macroblock& mb = *c.mb;
  out.chroma_mode = mb.chroma_mode;
  const auto add = [&](uint8_t bit, int x, int y, unsigned rows) { out.available |= usable_for_intra(c, x, y, rows) ? bit : 0; };
  add(available_a, -1, 0, 8), add(available_lower_a, -1, 8, 8);
  add(available_b, 0, -1, 1), add(available_c, 16, -1, 1), add(available_d, -1, -1, 1);
  switch (mb.kind) {
    case Kind::pcm: out.type = type_pcm, out.pattern = c.picture.params.monochrome ? 0x3c : 0x3f; break;
    case Kind::intra16:
      out.type = static_cast<uint8_t>(intra16_type(mb.cbp, mode16));
      out.modes[0] = mode16;
      break;
    default:
      out.corner2 = mb.transform8 && usable_for_intra(c, -1, 7, 1);
      for (unsigned i = 0; i < (mb.transform8 ? 4u : 16u); ++i) {
        const unsigned block = mb.transform8 ? i * 4 : i;
        out.modes[i] = mb.intra_mode[block_y[block] * 4u + block_x[block]];
      }
  }
}

Weighting weighting_of(const Context& c) {
  const PictureParams& params = c.picture.params;
  if (c.slice.type != SliceType::b) return params.weighted_pred ? Weighting::given : Weighting::none;
  return params.weighted_bipred == 2 ? Weighting::implicit : params.weighted_bipred == 1 ? Weighting::given : Weighting::none;
}

// Of a quarter.
void set_weights(const Context& c, const Motion& motion, Weighting weighting, unsigned quarter, std::array<uint8_t, 16>& to) {
  const std::array<int, 2> ref{c.mb->ref[0][quarter], c.mb->ref[1][quarter]};
  if (weighting == Weighting::implicit) {
    const auto both = ref[0] >= 0 && ref[1] >= 0 ? motion.implicit_weights(ref[0], ref[1]) : std::array{32, 32};
    const std::array<int16_t, 2> words{static_cast<int16_t>(both[0]), static_cast<int16_t>(both[1])};
    std::memcpy(to.data(), words.data(), sizeof words);
    return;
  }
  for (unsigned list = 0; list < 2; ++list) {
    if (ref[list] < 0) continue;
    const auto& planes = c.slice.weights[list][(static_cast<unsigned>(ref[list]) >> c.field_mb()) % max_list];
    for (unsigned plane = 0; plane < 3; ++plane) {
      const Weight weight = planes[plane];
      to[plane * 4 + list * 2] = static_cast<uint8_t>(weight.weight), to[plane * 4 + list * 2 + 1] = static_cast<uint8_t>(weight.offset);
      if (weight.weight == 128) to[12] |= static_cast<uint8_t>(1u << ((plane ? 2 : 0) + list));
    }
  }
}

void describe_inter(const Context& c, const Motion& motion, ItMacroblock& out) {
  const Macroblock& mb = *c.mb;
  out.type = mb.division.type, out.sub_shapes = mb.division.sub_shapes;
  out.denominators = {c.slice.luma_denominator, c.slice.chroma_denominator};
  out.weighting = weighting_of(c);
  for (unsigned quarter = 0; quarter < 4; ++quarter) {
    const bool used0 = mb.ref[0][quarter] >= 0, used1 = mb.ref[1][quarter] >= 0;
    out.sub_modes |= static_cast<uint8_t>((used0 && used1 ? 2u : used1 ? 1u : 0u) << quarter * 2);
    for (unsigned list = 0; list < 2; ++list) {
      out.references[list * 4 + quarter] = reference_of(mb.picture[list][quarter]);
      if (mb.ref[list][quarter] < 0) continue;
      const unsigned first = quarter / 2 * 8 + quarter % 2 * 2;
      if (!out.sub_shapes) out.motion.vectors[quarter][list] = mb.mv[list][first];
      else
        for (unsigned i = 0; i < 4; ++i) out.motion.vectors[quarter * 4 + i][list] = mb.mv[list][first + i / 2 * 4 + i % 2];
    }
    if (out.weighting != Weighting::none) set_weights(c, motion, out.weighting, quarter, out.motion.weights[quarter]);
  }
}

}  // namespace

ItMacroblock describe(const Context& c, const Motion& motion, uint32_t coded, uint8_t mode16) {
  const Macroblock& mb = *c.mb;
  ItMacroblock out;
  place(c.picture.params, c.field_mb(), c.x, c.y, out);
  out.intra = mb.intra(), out.transform8 = mb.transform8;
  out.pattern = pattern_of(coded);
  if (out.intra) describe_intra(c, mode16, out);
  else describe_inter(c, motion, out);
  return out;
}

ItMacroblock conceal(const Picture& picture, uint32_t x, uint32_t y, int reference) {
  ItMacroblock out;
  const bool field_mb = picture.params.mbaff && picture.mb(x, y).field;
  place(picture.params, field_mb, x, y, out);
  if (reference >= 0) {
    out.type = 1;
    out.references[0] = static_cast<uint8_t>(reference | (field_mb && y % 2 ? bottom_reference : 0));
    for (unsigned quarter = 1; quarter < 4; ++quarter) out.references[quarter] = out.references[0];
    return out;
  }
  out.intra = true;
  // DC of what lies to the left and above: it is in the picture, whichever slice it is of.
  if (x) out.available |= available_a | available_lower_a;
  if (y) out.available |= available_b;
  out.modes[0] = intra16_dc, out.type = static_cast<uint8_t>(intra16_type(0, intra16_dc));
  return out;
}

}  // namespace softgen::media::bsd
