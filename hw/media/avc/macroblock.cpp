// SPDX-License-Identifier: GPL-2.0-or-later
// Macroblock types, references and vectors.
#include "hw/media/avc/macroblock.h"

#include <algorithm>

#include "hw/media/avc/b_types.h"
#include "hw/media/avc/cabac_syntax.h"
#include "hw/media/avc/cavlc_syntax.h"
#include "hw/media/avc/neighbours.h"
#include "hw/media/avc/tables.h"

namespace softgen::media::avc {
template <class Syntax>
void MacroblockReader<Syntax>::reset(Kind kind) {
  Macroblock& mb = *c_.mb;
  const bool field = mb.field;
  mb = Macroblock{};
  mb.field = field;
  mb.kind = kind;
  mb.slice = c_.id;
  mb.qp = static_cast<uint8_t>(c_.qp);
  for (unsigned list = 0; list < 2; ++list) mb.ref[list].fill(-1), mb.picture[list].fill(-1);
  residual_->coded = 0;
}

template <class Syntax>
void MacroblockReader<Syntax>::identify() {
  for (unsigned list = 0; list < 2; ++list)
    for (unsigned i = 0; i < 4; ++i) c_.mb->picture[list][i] = motion_.picture(list, c_.mb->ref[list][i]);
}

template <class Syntax>
void MacroblockReader<Syntax>::skip(Residual& residual) {
  residual_ = &residual;
  reset(Kind::inter);
  Macroblock& mb = *c_.mb;
  mb.skip = true;
  if (c_.slice.type == SliceType::b) {
    direct();
  } else {
    mb.division.type = 1;
    mb.ref[0].fill(0);
    mb.mv[0].fill(motion_.predict_skip());
  }
  identify();
  c_.last_delta = 0;
  c_.set_quantizer(c_.qp);
}

template <class Syntax>
void MacroblockReader<Syntax>::direct() {
  Macroblock& mb = *c_.mb;
  mb.division.type = b_quarters;
  mb.division.sub_shapes = c_.picture.params.direct_8x8_inference ? 0 : 0xff;
  mb.direct = 31;
  motion_.direct(15);
}

template <class Syntax>
bool MacroblockReader<Syntax>::read(Residual& residual) {
  residual_ = &residual;
  unsigned type = syntax_.mb_type();
  reset(Kind::inter);
  const SliceType slice = c_.slice.type;
  const unsigned inter_types = slice == SliceType::i ? 0 : slice == SliceType::p ? 5 : 23;
  const bool good = type >= inter_types ? intra(type - inter_types) : inter(type, slice == SliceType::b);
  return good && !syntax_.over();
}

template <class Syntax>
bool MacroblockReader<Syntax>::intra(unsigned type) {
  if (type > 25) return false;
  Macroblock& mb = *c_.mb;
  if (type == 25) return pcm();
  if (type == 0) {
    mb.kind = Kind::intra4;
    if (c_.picture.params.transform_8x8 && syntax_.transform8()) mb.kind = Kind::intra8, mb.transform8 = true;
    if (!intra_modes(mb.transform8)) return false;
  } else {
    mb.kind = Kind::intra16;
    residual_->mode16 = static_cast<uint8_t>((type - 1) % 4);
    mb.cbp = static_cast<uint8_t>((type >= 13 ? 15 : 0) | (type - 1) / 4 % 3 << 4);
    mb.intra_mode.fill(2);
  }
  if (!c_.picture.params.monochrome) {
    const unsigned mode = syntax_.chroma_mode();
    if (mode > 3) return false;
    mb.chroma_mode = static_cast<uint8_t>(mode);
  }
  if (mb.kind != Kind::intra16) {
    const unsigned pattern = syntax_.cbp(true);
    if (pattern > 47) return false;
    mb.cbp = static_cast<uint8_t>(pattern);
  }
  return residual();
}

template <class Syntax>
bool MacroblockReader<Syntax>::intra_modes(bool by8) {
  std::array<uint8_t, 16>& modes = c_.mb->intra_mode;
  for (unsigned i = 0; i < 16; i += by8 ? 4 : 1) {
    const unsigned at = block_y[i] * 4u + block_x[i], predicted = predicted_intra_mode(c_, at);
    const int rest = syntax_.intra_mode();
    const auto mode = static_cast<uint8_t>(rest < 0 ? predicted : static_cast<unsigned>(rest) + (static_cast<unsigned>(rest) >= predicted));
    modes[at] = mode;
    if (by8) modes[at + 1] = modes[at + 4] = modes[at + 5] = mode;
  }
  return true;
}

template <class Syntax>
bool MacroblockReader<Syntax>::pcm() {
  Macroblock& mb = *c_.mb;
  mb.kind = Kind::pcm;
  if (!syntax_.pcm(residual_->samples().first(c_.picture.params.monochrome ? 256 : 384))) return false;
  mb.cbp = 0x2f, mb.dc_coded = 7;
  for (auto& plane : mb.coefficients) plane.fill(16);
  c_.set_quantizer(0);
  c_.last_delta = 0;
  return true;
}

template <class Syntax>
bool MacroblockReader<Syntax>::inter(unsigned type, bool is_b) {
  Macroblock& mb = *c_.mb;
  bool may_be_8 = true;
  if (is_b && !type) {
    direct();
    may_be_8 = c_.picture.params.direct_8x8_inference;
  } else if (type == (is_b ? b_quarters : 3u) || (!is_b && type == 4)) {
    bool small = false;
    if (!quarters(is_b, type == 4, small)) return false;
    may_be_8 = !small;
  } else if (!partitions(type, is_b)) {
    return false;
  }
  identify();
  const unsigned pattern = syntax_.cbp(false);
  if (pattern > 47) return false;
  mb.cbp = static_cast<uint8_t>(pattern);
  if (pattern & 15 && may_be_8 && c_.picture.params.transform_8x8) mb.transform8 = syntax_.transform8();
  return residual();
}

// Reference indexes of partitions that use the list: bit i of `used`.
template <class Syntax>
bool MacroblockReader<Syntax>::refs(unsigned list, unsigned used, const Partition* parts, unsigned count) {
  const unsigned active = c_.active(list);
  for (unsigned i = 0; i < count; ++i) {
    if (!(used >> i & 1)) continue;
    const Partition& p = parts[i];
    const unsigned index = active > 1 ? syntax_.ref_idx(list, p.y / 8u * 2 + p.x / 8u) : 0;
    if (index && index >= active) return false;
    for (unsigned q = 0; q < 4; ++q)
      if (q % 2 * 8 >= p.x && q % 2 * 8 < unsigned{p.x} + p.width && q / 2 * 8 >= p.y && q / 2 * 8 < unsigned{p.y} + p.height)
        c_.mb->ref[list][q] = static_cast<int8_t>(index);
  }
  return true;
}

template <class Syntax>
void MacroblockReader<Syntax>::vector(unsigned list, const Partition& p) {
  const unsigned at = p.y / 4u * 4 + p.x / 4u;
  const Mv predicted = motion_.predict(list, c_.mb->ref[list][p.y / 8u * 2 + p.x / 8u], p);
  const int x = syntax_.mvd(list, at, 0), y = syntax_.mvd(list, at, 1);
  motion_.set(list, p, {static_cast<int16_t>(predicted.x + x), static_cast<int16_t>(predicted.y + y)});
  const std::array<uint8_t, 2> size{static_cast<uint8_t>(std::min(std::abs(x), 255)), static_cast<uint8_t>(std::min(std::abs(y), 255))};
  for (unsigned row = 0; row < p.height / 4u; ++row)
    for (unsigned i = 0; i < p.width / 4u; ++i) c_.mb->mvd[list][at + row * 4 + i] = size;
}

template <class Syntax>
bool MacroblockReader<Syntax>::partitions(unsigned type, bool is_b) {
  std::array<Partition, 2> parts{Partition{0, 0, 16, 16}};
  std::array<uint8_t, 2> lists{list0, list0};
  const bool divided = is_b ? type >= b_first_divided : type >= 1;
  if (is_b && !divided) lists[0] = static_cast<uint8_t>(type);
  c_.mb->division.type = static_cast<uint8_t>(is_b ? type : divided ? b_first_divided + type - 1 : 1);
  if (divided) {
    const bool rows = is_b ? type % 2 == 0 : type == 1;
    if (rows) parts = {Partition{0, 0, 16, 8}, {0, 8, 16, 8}};
    else parts = {Partition{0, 0, 8, 16}, {8, 0, 8, 16}};
    if (is_b) lists = {b_lists[type - b_first_divided][0], b_lists[type - b_first_divided][1]};
  }
  const unsigned count = divided ? 2 : 1;
  for (unsigned list = 0; list < 2; ++list) {
    const unsigned used = (lists[0] >> list & 1u) | (lists[1] >> list & 1u) << 1;
    if (!refs(list, used, parts.data(), count)) return false;
  }
  for (unsigned list = 0; list < 2; ++list)
    for (unsigned i = 0; i < count; ++i)
      if (lists[i] >> list & 1) vector(list, parts[i]);
  return true;
}

// sub_mb_pred (7.3.5.2). `small`: there is a part of less than 8x8.
template <class Syntax>
bool MacroblockReader<Syntax>::quarters(bool is_b, bool has_zero_refs, bool& small) {
  static constexpr std::array<Partition, 4> parts{{{0, 0, 8, 8}, {8, 0, 8, 8}, {0, 8, 8, 8}, {8, 8, 8, 8}}};
  std::array<SubType, 4> sub{};
  c_.mb->division.type = b_quarters;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned type = syntax_.sub_type();
    if (type > (is_b ? 12u : 3u)) return false;
    if (is_b && !type) {
      c_.mb->direct |= static_cast<uint8_t>(1u << i);
      small |= !c_.picture.params.direct_8x8_inference;
      if (!c_.picture.params.direct_8x8_inference) c_.mb->division.sub_shapes |= static_cast<uint8_t>(3u << i * 2);
      continue;
    }
    sub[i] = is_b ? b_sub[type - 1] : SubType{list0, static_cast<uint8_t>(type)};
    small |= sub[i].shape != 0;
    c_.mb->division.sub_shapes |= static_cast<uint8_t>(sub[i].shape << i * 2);
  }
  if (c_.mb->direct) motion_.direct(c_.mb->direct);
  for (unsigned list = 0; list < 2; ++list) {
    unsigned used = 0;
    for (unsigned i = 0; i < 4; ++i) used |= (sub[i].lists >> list & 1u) << i;
    if (has_zero_refs) c_.mb->ref[0].fill(0);
    else if (!refs(list, used, parts.data(), 4)) return false;
  }
  for (unsigned list = 0; list < 2; ++list)
    for (unsigned i = 0; i < 4; ++i) {
      if (!(sub[i].lists >> list & 1)) continue;
      const uint8_t width = sub_width(sub[i].shape), height = sub_height(sub[i].shape);
      for (unsigned y = 0; y < 8; y += height)
        for (unsigned x = 0; x < 8; x += width)
          vector(list, {static_cast<uint8_t>(parts[i].x + x), static_cast<uint8_t>(parts[i].y + y), width, height});
    }
  return true;
}

template class MacroblockReader<CabacSyntax>;
template class MacroblockReader<CavlcSyntax>;

}  // namespace softgen::media::avc
