// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's bit stream decoder: its records, made into pictures as kernels do (bsd_kernels.h), against the AVC decoder's frames; and what it does where
// streams and packets are not as they should be. Packets: intel-vaapi-driver src/i965_avc_bsd.c; the ILK PRM at hand has none of them.
#include <random>
#include <string>

#include "hw/media/avc/deblock.h"
#include "hw/media/avc/slice.h"
#include "hw/media/bits/bit_reader.h"
#include "tests/unit/media/avc_strengths.h"
#include "tests/unit/media/bit_writer.h"
#include "tests/unit/media/bsd_rig.h"

using namespace softgen;
using namespace softgen::media;
using namespace softgen::media::avc;
using namespace softgen::media::bsd;
using namespace softgen::media::bsd::test;
using softgen::media::test::BitWriter;

namespace {

using Random = std::mt19937;

bool flip(Random& random, unsigned one_in = 2) { return random() % one_in == 0; }

PictureParams picture_of(Random& random) {
  PictureParams p;
  p.width_mbs = 3 + random() % 3, p.frame_height_mbs = 4 + random() % 2 * 2;
  const unsigned kind = random() % 4;
  p.mbaff = kind == 1;
  if (kind == 2) p.structure = flip(random) ? Structure::top : Structure::bottom;
  p.direct_8x8_inference = kind == 1 || kind == 2 || flip(random);
  p.transform_8x8 = flip(random), p.constrained_intra = flip(random), p.cabac = !flip(random, 3), p.monochrome = flip(random, 8);
  p.weighted_pred = flip(random), p.weighted_bipred = static_cast<uint8_t>(random() % 3);
  for (int8_t& offset : p.chroma_qp_offset) offset = static_cast<int8_t>(random() % 25) - 12;
  for (auto& list : p.scaling4)
    for (uint8_t& entry : list) entry = static_cast<uint8_t>(8 + random() % 16);
  for (auto& list : p.scaling8)
    for (uint8_t& entry : list) entry = static_cast<uint8_t>(8 + random() % 16);
  for (auto& poc : p.poc) poc = {static_cast<int32_t>(random() % 40), static_cast<int32_t>(random() % 40)};
  p.current_poc = {static_cast<int32_t>(random() % 40), static_cast<int32_t>(random() % 40)};
  return p;
}

SliceParams slice_of(Random& random, const PictureParams& p) {
  SliceParams s;
  s.type = static_cast<SliceType>(random() % 3);
  const auto count = [&] { return static_cast<uint8_t>(flip(random) ? 1 + random() % 3 : p.mbaff ? 16 : 32); };
  if (s.type != SliceType::i) s.active[0] = count();
  if (s.type == SliceType::b) s.active[1] = count();
  for (unsigned list = 0; list < 2; ++list)
    for (unsigned i = 0; i < max_list; ++i) {
      s.list[list][i] = {true, flip(random, 8), p.field() && flip(random), static_cast<uint8_t>(random() % 16)};
      for (Weight& w : s.weights[list][i]) {
        w.weight = static_cast<int16_t>(static_cast<int>(random() % 96) - 32);
        w.offset = static_cast<int16_t>(static_cast<int>(random() % 96) - 48);
      }
      // A weight of 128 is that of a picture without weights where the denominator is 7: without an offset, and of both chroma planes.
      if (flip(random, 6)) s.weights[list][i][0] = {128, 0};
      if (flip(random, 6)) s.weights[list][i][1] = s.weights[list][i][2] = {128, 0};
    }
  s.luma_denominator = static_cast<uint8_t>(random() % 8), s.chroma_denominator = static_cast<uint8_t>(random() % 8);
  s.direct_spatial = flip(random);
  s.disable_deblocking = static_cast<uint8_t>(random() % 3), s.cabac_init = static_cast<uint8_t>(random() % 3);
  s.qp = static_cast<uint8_t>(12 + random() % 36);
  s.alpha_offset = static_cast<int8_t>(static_cast<int>(random() % 13) * 2 - 12);
  s.beta_offset = static_cast<int8_t>(static_cast<int>(random() % 13) * 2 - 12);
  s.bit_offset = p.cabac ? 0 : random() % 8;
  return s;
}

/// The AVC decoder's picture, and its references, in the rig's memory.
struct Decoder {
  Decoder(Rig& rig, const PictureParams& params, const ReferenceFrames& frames) : rig_(rig) {
    picture.begin(params);
    scale_.set(params);
    const uint32_t width = params.width_mbs * 16, height = params.frame_height_mbs * 16;
    for (unsigned i = 0; i < max_frames; ++i) {
      const PictureLayout layout = nv12_layout(128, surface::Tiling::linear, width, height, height);
      const uint64_t base = references_at + i * reference_stride;
      for (uint32_t y = 0; y < height; ++y) rig.view.write(base + y * 128, frames.frames[i].luma.row(y), width);
      for (uint32_t y = 0; y < height / 2; ++y) rig.view.write(base + (height + y) * 128, frames.frames[i].chroma.row(y), width);
      maps_[i * 4 + whole].open(rig.view, rig.stop, layout, base, Access::read);
      for (unsigned parity = 0; parity < 2; ++parity)
        maps_[i * 4 + top_field + parity].open(rig.view, rig.stop, layout.field(parity), base, Access::read);
      records_[i].resize(size_t{params.width_mbs} * params.frame_height_mbs * MotionRecord::bytes);
      rig.view.read(motion_at + i * motion_stride, records_[i].data(), records_[i].size());
      motion_[i] = records_[i];
    }
    for (unsigned i = 0; i < maps_.size(); ++i) references_[i] = maps_[i].luma.is_open() ? &maps_[i] : nullptr;
  }
  void slice(const SliceParams& slice, std::vector<uint8_t> stream) {
    stream.resize(strip_emulation(stream));
    decode_slice(picture, {slice, stream, scale_, references_, motion_, stop_});
  }
  void deblock() {
    for (uint32_t row = picture.progress.filtered; row < picture.height / (picture.params.mbaff ? 2 : 1); ++row) deblock_row(picture, row);
  }

  Picture picture;

 private:
  Rig& rig_;
  LevelScale scale_;
  std::array<PictureMap, 64> maps_;
  References references_{};
  std::array<std::vector<uint8_t>, max_frames> records_;
  MotionBuffers motion_{};
  const std::function<bool()> stop_ = [] { return false; };
};

void noise(Random& random, ReferenceFrames& frames, const PictureParams& p) {
  for (Frame<uint8_t>& frame : frames.frames) {
    frame.resize(p.width_mbs * 16, p.frame_height_mbs * 16);
    for (Plane<uint8_t>* plane : {&frame.luma, &frame.chroma})
      for (uint32_t y = 0; y < plane->height(); ++y)
        for (uint32_t x = 0; x < plane->width(); ++x) *plane->at(x, y) = static_cast<uint8_t>(random());
  }
}

struct Counts {
  std::array<unsigned, 5> kinds{};
  std::array<unsigned, 23> types{};
  unsigned mixed_left = 0, dual_top = 0, weighted = 0, implicit = 0, divided = 0, concealed = 0, direct = 0, compared = 0,
           compared_mbaff = 0;
};

template <class Plane>
bool same_block(const Plane& a, const Plane& b, uint32_t x, uint32_t y, uint32_t rows) {
  for (uint32_t row = 0; row < rows; ++row)
    if (!std::equal(a.at(x, y + row), a.at(x, y + row) + 16, b.at(x, y + row))) return false;
  return true;
}

// A broken slice may have the upper one of a pair alone. Then the fields' rows of both are among each other's, and what the loop filter makes of edges
// between such pairs and others is not defined.
bool comparable(const Picture& picture, uint32_t x, uint32_t y) {
  if (!picture.params.mbaff) return true;
  for (uint32_t row = y / 2 - (y >= 2); row <= y / 2 + 1 && row < picture.height / 2; ++row)
    for (uint32_t column = x - (x > 0); column <= x + 1 && column < picture.width; ++column)
      if ((picture.mb(column, row * 2).slice == Macroblock::no_slice) != (picture.mb(column, row * 2 + 1).slice == Macroblock::no_slice))
        return false;
  return true;
}

/// The strengths of a record are the standard's. Which row has which: AVC_ILDB_Filter_Mbaff_Y_v.asm.
void check_strengths(const Picture& picture, const Ildb& edges, uint32_t x, uint32_t y) {
  const avc::test::StandardStrengths standard(picture, x, y);
  const bool field = edges.field_macroblock, mixed = picture.params.mbaff && edges.left_field_macroblock != edges.field_macroblock;
  for (unsigned i = 0; i < 16; ++i) {
    INFO("row or column " << i);
    const unsigned left = !mixed ? i / 4 : field ? i / 8 * 4 + i % 8 / 2 : i % 2 * 4 + i / 4;
    REQUIRE((edges.filter_left_edge ? edges.external_strength[left] : 0) == standard.left(i));
    for (const bool bottom : {false, true})
      if (!bottom || standard.top_by_field())
        REQUIRE((edges.filter_top_edge ? edges.external_strength[8 + bottom * 4 + i / 4] : 0) == standard.top(i, bottom));
    for (unsigned edge = 1; edge < 4; ++edge)
      for (const bool vertical : {false, true})
        if (edge == 2 || edges.filter_internal_4x4_edges)
          REQUIRE(edges.internal_strength[((vertical ? 0u : 3u) + edge - 1) * 4 + i / 4] == standard.inside(edge * 4, i, vertical));
        else CHECK(standard.inside(edge * 4, i, vertical) == 0);
  }
}

void compare(Rig& rig, Decoder& decoder, const ReferenceFrames& frames, Counts& counts) {
  const Picture& picture = decoder.picture;
  const PictureParams& p = picture.params;
  const auto layout = make_bsd_packets<defs::Gen5>();
  Kernels kernels(picture.width, picture.height, p.mbaff, p.field(), residual_offset, frames, *layout);
  const uint32_t total = picture.width * picture.height;
  for (uint32_t slot = 0; slot < total; ++slot) {
    const Command command = rig.command(slot);
    REQUIRE(command[0] == object_header);
    REQUIRE((command[1] == 0 && command[12] == 0 && command[15] == 0));
    const auto v = Inline::unpack(std::span(command).subspan(4));
    counts.weighted += v.weighted_prediction == Inline::WeightedPrediction::EXPLICIT;
    counts.implicit += v.weighted_prediction == Inline::WeightedPrediction::IMPLICIT;
    counts.divided += !v.intra_macroblock && v.intra_chroma_and_availability_or_sub_mb_shapes;
    const std::vector<uint32_t> data = rig.data(command);
    kernels.decode(command, data);
  }
  decoder.deblock();
  for (uint32_t slot = 0; slot < total; ++slot) {
    const auto [x, y] = picture.place(slot);
    const Ildb edges = rig.edges(slot);
    counts.mixed_left += edges.filter_left_edge && p.mbaff && edges.left_field_macroblock != edges.field_macroblock;
    counts.dual_top += edges.filter_top_edge && p.mbaff && edges.above_field_macroblock && !edges.field_macroblock;
    kernels.deblock(edges, x, y);
  }
  for (uint32_t y = 0; y < picture.height; ++y)
    for (uint32_t x = 0; x < picture.width; ++x) {
      const Macroblock& mb = picture.mb(x, y);
      if (mb.slice == Macroblock::no_slice) {
        ++counts.concealed;
        const Command command = rig.command(picture.order(x, y));
        CHECK(Inline::unpack(std::span(command).subspan(4)).coded_block_pattern == 0);
        continue;
      }
      ++counts.kinds[static_cast<size_t>(mb.kind)];
      if (!mb.intra()) ++counts.types[mb.division.type], counts.direct += mb.direct != 0;
      if (!comparable(picture, x, y)) continue;
      ++counts.compared, counts.compared_mbaff += p.mbaff;
      INFO("macroblock " << x << ", " << y << " kind " << int(mb.kind) << " type " << int(mb.division.type));
      if (const Ildb edges = rig.edges(picture.order(x, y)); edges.disable) CHECK(picture.slices[mb.slice].disable == 1);
      else check_strengths(picture, edges, x, y);
      REQUIRE(same_block(picture.frame.luma, kernels.frame.luma, x * 16, y * 16, 16));
      if (!p.monochrome) REQUIRE(same_block(picture.frame.chroma, kernels.frame.chroma, x * 16, y * 8, 8));
    }
}

void random_picture(uint32_t seed, Counts& counts) {
  Random random(seed);
  Rig rig;
  const PictureParams params = picture_of(random);
  ReferenceFrames frames;
  noise(random, frames, params);
  for (uint64_t at = motion_at; at < motion_write_at; at += 4) rig.view.store(at, static_cast<uint32_t>(random()) & 0x3f'ffff);
  Decoder decoder(rig, params, frames);
  rig.image(params);
  const uint32_t total = params.width_mbs * params.height_mbs(), halves = params.mbaff ? 2 : 1;
  for (uint32_t first = 0; first < total;) {
    SliceParams slice = slice_of(random, params);
    slice.first_mb = first;
    std::vector<uint8_t> stream(20 + random() % 4000);
    for (uint8_t& byte : stream) byte = static_cast<uint8_t>(flip(random, 3) ? 0 : random());
    if (flip(random))
      for (uint8_t& byte : stream) byte = static_cast<uint8_t>(random());
    decoder.slice(slice, stream);
    rig.slice(params, slice, stream, flip(random));
    // Behind what this one has, with a gap now and then.
    const auto decoded = [&](uint32_t at) {
      const auto [x, y] = decoder.picture.place(at);
      return decoder.picture.mb(x, y).slice != Macroblock::no_slice;
    };
    while (first < total && decoded(first)) ++first;
    first = (first + halves - 1) / halves * halves;
    if (flip(random, 4)) first += halves * (1 + random() % 3);
    if (decoder.picture.slices.size() > 40) break;
  }
  rig.phantom(total);
  CHECK_FALSE(rig.engine->in_picture());
  INFO("seed " << seed);
  compare(rig, decoder, frames, counts);
}

}  // namespace

TEST_CASE("bsd: pictures of records are the decoder's, whatever their macroblocks are") {
  Counts counts;
  for (uint32_t seed = 1; seed <= 1000; ++seed) random_picture(seed, counts);
  for (const unsigned count : counts.kinds) CHECK(count > 3);
  for (unsigned type = 1; type < counts.types.size(); ++type) {
    INFO("type " << type);
    CHECK(counts.types[type] > 5);
  }
  CHECK(counts.mixed_left > 50);
  CHECK(counts.dual_top > 20);
  CHECK(counts.weighted > 100);
  CHECK(counts.implicit > 100);
  CHECK(counts.divided > 100);
  CHECK(counts.concealed > 100);
  CHECK(counts.direct > 100);
  CHECK(counts.compared > 10000);
  CHECK(counts.compared_mbaff > 1500);
}

namespace {

PictureParams plain(uint32_t width_mbs, uint32_t height_mbs) {
  PictureParams p;
  p.width_mbs = width_mbs, p.frame_height_mbs = height_mbs;
  for (auto& list : p.scaling4) list.fill(16);
  for (auto& list : p.scaling8) list.fill(16);
  return p;
}
SliceParams p_slice() {
  SliceParams s;
  s.type = SliceType::p, s.active[0] = 1, s.qp = 30;
  s.list[0][0] = {true, false, false, 5};
  return s;
}
std::span<const uint8_t> coded(BitWriter& writer, std::string_view digits) {
  writer.put(digits);
  return writer.bytes();
}
Inline inline_of(const Command& command) { return Inline::unpack(std::span(command).subspan(4)); }

}  // namespace

TEST_CASE("bsd: a skipped macroblock's command and data, dword by dword") {
  Rig rig;
  const PictureParams p = plain(2, 1);
  BitWriter writer;
  rig.image(p);
  rig.slice(p, p_slice(), coded(writer, "011 1"));  // mb_skip_run 2, stop bit
  rig.phantom(2);
  // MEDIA_OBJECT_EX; no VFE dword; 48 dwords of data, at 800h per macroblock; B_L0_16x16 of 4:2:0; x; frame store 5 for all quarters.
  CHECK(rig.command(1) == Command{0x7101'000a, 0, 192, 0x800, 0x0000'0104, 1, 0, 0, 0x0505'0505, 0, 0, 0});
  CHECK(rig.command(0)[3] == 0);
  const std::vector<uint32_t> data = rig.data(rig.command(1));
  CHECK(std::ranges::all_of(data, [](uint32_t dword) { return dword == 0; }));
  // Both have a deblocking record; the picture's left edge has no filter.
  const auto first = rig.load<Command>(edges_at), second = rig.load<Command>(edges_at + 64);
  CHECK(first[0] == 0x0030'0000);
  CHECK(second[0] == 0x0070'0001);
  // indexA and indexB of luma and chroma (QP 30, QPc 29), inside and left.
  const Ildb edges = rig.edges(1);
  for (const unsigned at : {0u, 1u, 2u, 3u}) CHECK(edges.threshold_index[at] == 30);
  for (const unsigned at : {10u, 11u, 12u, 13u, 20u, 23u}) CHECK(edges.threshold_index[at] == 29);
  for (const unsigned at : {6u, 7u}) CHECK(edges.threshold_index[at] == 0);
}

TEST_CASE("bsd: samples of I_PCM are data as they are, behind the residual's offset") {
  Rig rig;
  const PictureParams p = plain(1, 1);
  BitWriter writer;
  writer.put("0000 11010 000 0000");  // mb_type 25, alignment
  for (unsigned i = 0; i < 384; ++i) {
    std::string digits;
    for (unsigned bit = 0; bit < 8; ++bit) digits += (i * 7 + 5) >> (7 - bit) & 1 ? '1' : '0';
    writer.put(digits);
  }
  writer.put("1");
  SliceParams slice;
  slice.qp = 30;
  rig.image(p);
  rig.slice(p, slice, writer.bytes());
  rig.phantom(1);
  const Command command = rig.command(0);
  CHECK(inline_of(command).macroblock_type == 25);
  CHECK(inline_of(command).intra_macroblock);
  const std::vector<uint32_t> data = rig.data(command);
  REQUIRE(data.size() == residual_offset + 96);
  for (unsigned i = 0; i < 384; ++i) {
    INFO(i);
    REQUIRE((data[residual_offset + i / 4] >> i % 4 * 8 & 0xff) == ((i * 7 + 5) & 0xff));
  }
  CHECK(rig.edges(0).threshold_index[0] == 0);  // QP'Y 0
}

TEST_CASE("bsd: a phantom slice conceals what no slice has") {
  Rig rig;
  const PictureParams p = plain(3, 2);
  rig.image(p);
  rig.buffers(p);
  rig.phantom(6);
  CHECK_FALSE(rig.engine->in_picture());
  for (uint32_t at = 0; at < 6; ++at) {
    const Command command = rig.command(at);
    const Inline v = inline_of(command);
    CHECK((v.intra_macroblock && v.macroblock_type == 3 && v.intra_modes_or_reference[0] == 2));  // Intra_16x16 of DC
    CHECK((v.horizontal_origin == at % 3 && v.vertical_origin == at / 3));
    const uint32_t available = v.intra_chroma_and_availability_or_sub_mb_shapes;
    CHECK(available == (at % 3 ? available_a | available_lower_a : 0u) + (at / 3 ? available_b : 0u));
    CHECK(command[2] == 0);
    CHECK(rig.edges(at).disable);
  }

  // The other method: P copy, from the reference of the slice that broke.
  Rig other;
  BitWriter writer;
  other.image(p);
  other.slice(p, p_slice(), coded(writer, "010 1"), true);  // one skipped
  other.phantom(6);
  CHECK_FALSE(other.edges(0).disable);
  for (uint32_t at = 1; at < 6; ++at) {
    const Inline v = inline_of(other.command(at));
    CHECK((!v.intra_macroblock && v.macroblock_type == 1 && v.intra_modes_or_reference[0] == 5));
    CHECK(other.edges(at).disable);
  }
}

TEST_CASE("bsd: a slice before what is concealed already leaves that as it is, in MBAFF, too") {
  PictureParams p = plain(2, 4);
  p.mbaff = p.direct_8x8_inference = true;
  Rig rig;
  BitWriter writer;
  rig.image(p), rig.buffers(p);
  rig.phantom(4);
  rig.slice(p, p_slice(), coded(writer, "011 1"));  // mb_skip_run 2
  CHECK_FALSE(inline_of(rig.command(1)).intra_macroblock);
  const Command mark{0x1234'5678};
  rig.view.write(commands_at + 3 * sizeof mark, mark.data(), sizeof mark);
  rig.phantom(8);
  CHECK(rig.command(3) == mark);
  CHECK(inline_of(rig.command(4)).intra_macroblock);
}

TEST_CASE("bsd: commands and data by rows of macroblocks or in decoding order, each as the image state says") {
  PictureParams p = plain(2, 4);
  p.mbaff = p.direct_8x8_inference = true;
  for (const unsigned orders : {0u, 1u, 2u, 3u}) {
    const bool special = orders & 1, special_data = orders & 2;
    Rig rig;
    BitWriter writer;
    rig.image(p, special, true, special_data);
    rig.slice(p, p_slice(), coded(writer, "0001001 1"));  // mb_skip_run 8
    rig.phantom(8);
    for (uint32_t slot = 0; slot < 8; ++slot) {
      const Inline v = inline_of(rig.command(slot));
      INFO("orders " << orders << " slot " << slot);
      const uint32_t x = special ? slot / 2 % 2 : slot % 2, y = special ? slot / 4 * 2 + slot % 2 : slot / 2;
      CHECK((v.horizontal_origin == x && v.vertical_origin == y));
      CHECK(rig.command(slot)[3] == (special_data ? y / 2 * 4 + x * 2 + y % 2 : y * 2 + x) * 0x800);
    }
  }
}

TEST_CASE("bsd: a reference picture's records, a field behind the other or in a buffer of its own") {
  PictureParams p = plain(2, 4);
  p.direct_8x8_inference = true;
  const size_t field_bytes = 4 * MotionRecord::bytes;
  for (const bool divided : {false, true}) {
    Rig rig;
    if (divided) rig.motion_write_bottom = motion_write_at + 0x1000;
    for (const Structure structure : {Structure::top, Structure::bottom}) {
      p.structure = structure;
      BitWriter writer;
      rig.image(p);
      rig.slice(p, p_slice(), coded(writer, "00101 1"));  // mb_skip_run 4
      rig.phantom(4);
    }
    const uint64_t bottom = divided ? motion_write_at + 0x1000 : motion_write_at + field_bytes;
    for (const uint64_t at : {motion_write_at, bottom}) {
      std::array<uint8_t, MotionRecord::bytes> bytes;
      rig.view.read(at, bytes.data(), bytes.size());
      const MotionRecord record(bytes.data());
      CHECK(record.coding() == MotionRecord::Coding::field_picture);
    }
  }
}

TEST_CASE("bsd: the corner of Intra_8x8's block 2 beside a pair of which one macroblock is usable") {
  // Intra_8x8.asm, "special available flag": frame macroblocks in MBAFF with constrained intra prediction.
  Picture picture;
  PictureParams p = plain(2, 2);
  p.mbaff = p.constrained_intra = true;
  picture.begin(p, false);
  for (const bool lower_intra : {false, true}) {
    for (Macroblock& mb : picture.mbs) mb = {}, mb.slice = 0;
    picture.mb(0, 0).field = picture.mb(0, 1).field = true;
    picture.mb(0, lower_intra).kind = Kind::intra16;
    Macroblock& mb = picture.mb(1, 0);
    mb.kind = Kind::intra8, mb.transform8 = true;
    const SliceParams slice;
    Context context(picture, slice, 0);
    context.visit(1, 0);
    const MotionBuffers none{};
    const ItMacroblock out = describe(context, Motion(context, none), 0, 0);
    CHECK(out.available == 0);
    CHECK(out.corner2 == lower_intra);  // row 7 of the pair is the bottom field's
  }
}

TEST_CASE("bsd: coefficients are read as they are written, and data of no sense ends where it ends") {
  Random random(3);
  const auto layout = make_bsd_packets<defs::Gen5>();
  for (const bool transform8 : {false, true}) {
    ItMacroblock mb;
    mb.intra = true, mb.type = 0, mb.transform8 = transform8, mb.pattern = 0b10'1101;  // Y0, Y2, Y3, Cr
    Residual residual;
    for (const unsigned part : {0u, 2u, 3u})
      for (unsigned i = 0; i < 64; i += 1 + random() % 9) residual.luma[part * 64 + i] = static_cast<int16_t>(random() % 4001) - 2000;
    residual.chroma[1][0] = -640;
    Residual copy = residual;
    std::vector<uint32_t> data;
    write_it_data(mb, residual, residual_offset, *layout, data);
    CHECK(residual.luma == Residual{}.luma);
    const std::span<const uint32_t> coefficients = std::span(data).subspan(residual_offset);
    const ItResidual all = read_residual(coefficients, mb.pattern, transform8, *layout);
    ItResidual expected{};
    for (unsigned block = 0; block < 16; block += transform8 ? 4 : 1) {
      int16_t* const to = expected.data() + block / 4 * 64 + block % 4 / 2 * 32 + block % 2 * 4;
      if (transform8) inverse8(copy.luma.data() + block * 16, to, 8);
      else inverse4(copy.luma.data() + block * 16, to, 8);
    }
    for (unsigned i = 0; i < 16; ++i) expected[5 * 64 + i / 4 * 8 + i % 4] = -10;
    CHECK(all == expected);

    // Cut data, and no end of any block: what is read is in the first one.
    CHECK(read_residual({}, mb.pattern, transform8, *layout) == ItResidual{});
    std::vector<uint32_t> endless(2000, 0xffff'ffffu & ~1u);
    const ItResidual first = read_residual(endless, 0x3f, transform8, *layout);
    CHECK(std::all_of(first.begin() + 64, first.end(), [](int16_t value) { return value == 0; }));
  }
}

TEST_CASE("bsd: broken streams and packets end without harm") {
  const PictureParams p = plain(3, 2);
  BitWriter skips;
  skips.put("00111 1");

  SECTION("data beyond the upper bound is not there") {
    Rig rig;
    rig.image(p);
    rig.slice(p, p_slice(), skips.bytes());
    defs::gen5::BSD_IND_OBJ_BASE_ADDR base{};
    base.indirect_object_base_address = static_cast<uint32_t>(stream_at), base.indirect_object_access_upper_bound = 0x1000;
    rig.image(p), rig.send(base), rig.buffers(p);
    rig.send(rig.object(p, p_slice(), 1));
    rig.phantom(6);
    CHECK(inline_of(rig.command(0)).intra_macroblock);  // concealed
  }
  SECTION("objects outside of a picture, before and behind it") {
    Rig rig;
    rig.phantom(6);
    rig.image(p), rig.buffers(p);
    rig.phantom(6);
    const uint64_t first = commands_at;
    rig.view.store(first, 0u);
    rig.phantom(6);
    CHECK(rig.view.load<uint32_t>(first) == 0);
  }
  SECTION("pictures without macroblocks, or with too many, write nothing") {
    for (const auto& [width, height] : {std::pair{0u, 4u}, {4u, 0u}, {255u, 255u}}) {
      Rig rig;
      rig.image(plain(width, height)), rig.buffers(p);
      rig.phantom(6);
      CHECK_FALSE(rig.engine->in_picture());
      CHECK(rig.load<uint8_t>(commands_at) == untouched);
    }
  }
  SECTION("a slice behind the picture's end") {
    Rig rig;
    rig.image(p);
    SliceParams slice = p_slice();
    slice.first_mb = 100;
    rig.slice(p, slice, skips.bytes());
    CHECK(inline_of(rig.command(5)).intra_macroblock);
    CHECK(rig.load<uint8_t>(commands_at + 6 * 64) == untouched);
    CHECK(rig.load<uint8_t>(data_at + 6 * 0x800) == untouched);
  }
  SECTION("packets that are too short read as zeros") {
    Rig rig;
    for (const uint32_t header : {0x7401'0000u, 0x7402'0000u}) rig.send_dwords(std::array{header, 0xffu});
    rig.image(p), rig.buffers(p);
    rig.send_dwords(std::array{0x7402'0000u, 0xfu});
    rig.send(rig.object(p, p_slice(), 1));
    rig.phantom(6);
    CHECK_FALSE(rig.engine->in_picture());
  }
  SECTION("a reset drops the picture") {
    Rig rig;
    rig.image(p);
    rig.slice(p, p_slice(), skips.bytes());
    CHECK(rig.engine->in_picture());
    rig.stop.request(StopFlag::reset);
    CHECK(rig.engine->flush({}, rig.env) == ExecResult::aborted);
    CHECK_FALSE(rig.engine->in_picture());
  }
}

TEST_CASE("bsd: a picture goes on behind a flush, and in a restored context") {
  const PictureParams p = plain(3, 2);
  for (const bool restored : {false, true}) {
    Rig rig;
    BitWriter first, second;
    rig.image(p);
    rig.slice(p, p_slice(), coded(first, "00100 1"));  // mb_skip_run 3
    REQUIRE(rig.engine->flush({}, rig.env) == ExecResult::done);
    CHECK_FALSE(rig.engine->in_picture());
    CHECK_FALSE(rig.edges(2).disable);
    CHECK(rig.load<uint8_t>(edges_at + 3 * 64) == untouched);
    if (restored) {
      std::vector<std::byte> image(rig.engine->context_size());
      CHECK(image.size() <= 0x500);
      rig.engine->save_context(image);
      rig.engine = make_bsd<defs::Gen5>();
      rig.engine->restore_context(image);
    }
    SliceParams slice = p_slice();
    slice.first_mb = 3;
    const auto stream = coded(second, "00100 1");
    rig.view.write(stream_at + 0x40, stream.data(), stream.size());
    rig.send(rig.object(p, slice, stream.size()));
    rig.phantom(6);
    for (uint32_t at = 0; at < 6; ++at) {
      INFO(at);
      CHECK_FALSE(inline_of(rig.command(at)).intra_macroblock);
      CHECK(inline_of(rig.command(at)).intra_modes_or_reference[0] == 5);
    }
    CHECK_FALSE(rig.edges(5).disable);
    // What was there before the flush stays, in the deblocking data and in the direct MV records.
    CHECK_FALSE(rig.edges(2).disable);
    CHECK(rig.edges(3).filter_top_edge == !restored);
    for (uint64_t at = 0; at < 6; ++at) {
      std::array<uint8_t, MotionRecord::bytes> bytes;
      rig.view.read(motion_write_at + at * bytes.size(), bytes.data(), bytes.size());
      CHECK(MotionRecord(bytes.data()).block(0).used);
    }
  }
  // An image that is not of this engine begins with nothing.
  Rig rig;
  std::vector<std::byte> image(rig.engine->context_size(), std::byte{0xff});
  rig.engine->restore_context(image);
  rig.phantom(6);
  CHECK(rig.load<uint8_t>(commands_at) == untouched);
}
