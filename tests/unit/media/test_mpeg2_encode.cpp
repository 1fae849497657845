// SPDX-License-Identifier: GPL-2.0-or-later
// MPEG-2 pictures encoded by packets: our decoder makes the reconstructed surface of them.
#include <cstdlib>
#include <random>
#include <vector>

#include "hw/defs/gen9/all.h"
#include "hw/media/mpeg2/picture_maps.h"
#include "hw/media/mpeg2/slice.h"
#include "tests/unit/media/video_rig.h"

using namespace softgen;
using namespace softgen::media;
using namespace softgen::media::mpeg2;
using G = defs::Gen9;

namespace {

constexpr uint64_t source = 0x1'0000, recon = 0x2'0000, forward = 0x3'0000, backward = 0x4'0000, coded = 0x5'0000, end = 0x7'0000;
constexpr uint32_t columns = 4, rows = 3, pitch = 128, bytes_register = 0x128a0, status_register = 0x128b4 + 4;
using Object = G::MFC_MPEG2_PAK_OBJECT;

struct Rig : media::test::VideoRig {
  Rig() : VideoRig(source, end) {}
  void insert(uint32_t bytes, uint32_t bits) {
    const uint32_t dwords[] = {G::MFX_PAK_INSERT_OBJECT::match | 1, bits << 8, bytes};
    send_dwords(dwords);
  }

  void fill(uint64_t picture, unsigned noise, unsigned shift) {
    for (uint32_t y = 0; y < rows * 24; ++y)
      for (uint32_t x = 0; x < columns * 16; ++x) {
        const unsigned smooth = ((x + shift) * 5 + y * 3) % 200 + 20;
        view.store(picture + y * pitch + x, static_cast<uint8_t>(smooth + random() % (noise + 1)));
      }
  }

  void begin(CodingType type, uint64_t bound = coded + 0x2'0000) {
    G::MFX_PIPE_MODE_SELECT select{};
    select.standard_select = G::MFX_PIPE_MODE_SELECT::StandardSelect::SS_MPEG2;
    select.codec_select = G::MFX_PIPE_MODE_SELECT::CodecSelect::ENCODE;
    select.pre_deblocking_output_enable = true;
    send(select);
    G::MFX_SURFACE_STATE surface{};
    surface.surface_pitch = pitch - 1;
    surface.y_offset_for_u_cb = rows * 16;
    send(surface);
    G::MFX_PIPE_BUF_ADDR_STATE buffers{};
    buffers.pre_deblocking_destination_address = recon;
    buffers.original_uncompressed_picture_source_address = source;
    buffers.reference_picture_address[0] = forward, buffers.reference_picture_address[1] = backward;
    send(buffers);
    G::MFX_IND_OBJ_BASE_ADDR_STATE base{};
    base.mfc_indirect_pak_bse_object_address = coded, base.mfc_indirect_pak_bse_object_upper_bound = bound;
    send(base);
    picture.picture_coding_type = static_cast<decltype(picture.picture_coding_type)>(type);
    picture.picture_structure = G::MFX_MPEG2_PIC_STATE::PictureStructure::MPEG_FRAME;
    picture.frame_width_in_mbs = columns - 1, picture.frame_height_in_mbs = rows - 1;
    picture.f_code_0_0 = picture.f_code_0_1 = picture.f_code_1_0 = picture.f_code_1_1 = 3;
    picture.frame_prediction_frame_dct = frame_only;
    send(picture);
    for (unsigned i = 0; i < 2; ++i) {
      G::MFX_QM_STATE matrix{};
      G::MFX_FQM_STATE reciprocal{};
      matrix.avc = static_cast<decltype(matrix.avc)>(i), reciprocal.avc = static_cast<decltype(reciprocal.avc)>(i);
      for (unsigned n = 0; n < 64; ++n) {
        const uint32_t weight = 8 + n % 8 + n / 8 * 2;
        matrix.forward_quantizer_matrix[n] = weight;
        reciprocal.reciprocal[n % 8 * 8 + n / 8] = 65536 / weight;
      }
      send(matrix);
      send(reciprocal);
    }
  }
  /// A slice a row; `set` is called for each macroblock.
  template <class Set>
  void encode(Set&& set) {
    for (uint32_t y = 0; y < rows; ++y) {
      G::MFC_MPEG2_SLICEGROUP_STATE group{};
      group.intra_slice_flag = has_intra_flag;
      send(group);
      for (uint32_t x = 0; x < columns; ++x) {
        Object object{};
        object.mb_x = x, object.mb_y = y;
        object.first_mb_in_slice = x == 0, object.last_mb_in_slice = x + 1 == columns;
        object.quantizer_scale_code = 6;
        object.coded_block_pattern = 0x3f;
        object.mb_type = 1;
        set(object);
        send(object);
      }
    }
    REQUIRE(video.flush({}, env) == ExecResult::done);
  }
  uint32_t size() const { return registers.peek(bytes_register); }
  std::vector<uint8_t> stream() {
    std::vector<uint8_t> bytes(size());
    view.read(coded, bytes.data(), bytes.size());
    return bytes;
  }
  uint8_t sample(uint64_t picture, uint32_t x, uint32_t y) { return view.load<uint8_t>(picture + y * pitch + x); }

  /// What the decoder makes of the stream equals the reconstructed surface.
  void check_decoded() {
    const std::vector<uint8_t> bytes = stream();
    PictureParams params;
    params.width = columns, params.height = rows;
    params.type = static_cast<CodingType>(picture.picture_coding_type);
    params.f_code = {{{3, 3}, {3, 3}}};
    params.frame_pred_frame_dct = frame_only;
    params.intra_dc_precision = static_cast<uint8_t>(picture.intra_dc_precision);
    params.concealment_motion_vectors = picture.concealment_mv;
    params.intra_vlc_format = picture.intra_vlc_format;
    params.alternate_scan = picture.scan_order == G::MFX_MPEG2_PIC_STATE::ScanOrder::MPEG_ALTERNATE_VERTICAL_SCAN;
    params.q_scale_type = picture.quantizer_scale_type == G::MFX_MPEG2_PIC_STATE::QuantizerScaleType::MPEG_QSCALE_NONLINEAR;
    for (auto& matrix : params.matrix)
      for (unsigned n = 0; n < 64; ++n) matrix[n] = static_cast<uint8_t>(8 + n % 8 + n / 8 * 2);
    SurfaceSet surfaces;
    surfaces.luma = {.pitch = pitch, .width = columns * 16, .height = rows * 16};
    surfaces.chroma = {.pitch = pitch, .first_row = rows * 16, .element = 2, .width = columns * 8, .height = rows * 8};
    surfaces.destination = recon;
    surfaces.reference = {{{forward, forward}, {backward, backward}}};
    PictureMaps maps;
    maps.open(env, surfaces, params);
    Frame<uint8_t> frame;
    frame.resize(columns * 16, rows * 16);
    std::vector<uint8_t> done(columns * rows);
    uint32_t begun = ~0u;  // the row of the slice before
    for (size_t at = 0; at + 4 < bytes.size(); ++at) {
      if (bytes[at] || bytes[at + 1] || bytes[at + 2] != 1) continue;
      const uint32_t row = bytes[at + 3] - 1u;
      REQUIRE(row < rows);
      BitReader bits(std::span<const uint8_t>(bytes).subspan(at + 4));
      const auto scale = static_cast<uint8_t>(bits.take(5));
      bits.skip(has_intra_flag ? 10 : 1);
      SliceDecoder decoder(params, maps.references, frame, done);
      const uint32_t column = row == begun ? second_slice : 0, next = second_slice && !column ? second_slice : columns;
      begun = row;
      REQUIRE(decoder.decode(bits, {.first = row * columns + column, .end = row * columns + next, .scale_code = scale}, stop) ==
              SliceResult::whole);
    }
    for (const uint8_t one : done) REQUIRE(one);
    for (uint32_t y = 0; y < rows * 24; ++y)
      for (uint32_t x = 0; x < columns * 16; ++x)
        REQUIRE(sample(recon, x, y) == (y < rows * 16 ? *frame.luma.at(x, y) : *frame.chroma.at(x, y - rows * 16)));
  }
  double error(uint64_t picture) {
    double sum = 0;
    for (uint32_t y = 0; y < rows * 24; ++y)
      for (uint32_t x = 0; x < columns * 16; ++x) {
        const double difference = sample(recon, x, y) - sample(picture, x, y);
        sum += difference * difference;
      }
    return sum / (rows * 24 * columns * 16);
  }

  G::MFX_MPEG2_PIC_STATE picture{};
  bool frame_only = true, has_intra_flag = false;
  uint32_t second_slice = 0;  ///< where each row's second slice begins; 0: there is none
  std::mt19937 random{11};
};

}  // namespace

TEST_CASE("mpeg2 encode: what a decoder makes of I pictures is the reconstructed picture, near the source") {
  using Picture = G::MFX_MPEG2_PIC_STATE;
  for (unsigned form = 0; form < 32; ++form) {
    Rig rig;
    rig.fill(source, form & 1 ? 40 : 4, 0);
    rig.has_intra_flag = form & 2;
    rig.frame_only = !(form & 4);
    rig.picture.intra_vlc_format = form >> 3 & 1;
    rig.picture.scan_order = form & 8 ? Picture::ScanOrder::MPEG_ALTERNATE_VERTICAL_SCAN : Picture::ScanOrder::MPEG_ZIGZAG_SCAN;
    rig.picture.intra_dc_precision = form % 4;
    rig.picture.round_intra_dc = 3, rig.picture.round_intra_ac = 7;
    rig.picture.concealment_mv = form & 16;
    rig.begin(CodingType::i);
    rig.encode([&](Object& object) { object.intra_mb = true, object.quantizer_scale_code = 2; });
    rig.check_decoded();
    CHECK(rig.error(source) < 8);
    CHECK(rig.registers.peek(status_register) == 0);
    // Zeros follow up to a whole line.
    CHECK(rig.view.load<uint8_t>(coded + rig.size()) == 0);
  }
}

TEST_CASE("mpeg2 encode: P and B pictures with any modes, vectors, scales and patterns") {
  using Picture = G::MFX_MPEG2_PIC_STATE;
  for (unsigned form = 0; form < 64; ++form) {
    Rig rig;
    rig.random.seed(form);
    rig.fill(source, form & 1 ? 30 : 0, 0), rig.fill(forward, form & 2 ? 20 : 0, 0), rig.fill(backward, 10, form & 4 ? 3 : 0);
    rig.frame_only = !(form & 8);
    rig.picture.quantizer_scale_type =
        form & 16 ? Picture::QuantizerScaleType::MPEG_QSCALE_NONLINEAR : Picture::QuantizerScaleType::MPEG_QSCALE_LINEAR;
    const CodingType type = form & 32 ? CodingType::b : CodingType::p;
    rig.begin(type);
    Object kept{};
    rig.encode([&](Object& object) {
      object.intra_mb = rig.random() % 8 == 0;
      object.mb_type = type == CodingType::b ? 1 + rig.random() % 3 : 1;
      object.quantizer_scale_code = rig.random() % 4 ? 6 : 1 + rig.random() % 31;
      object.coded_block_pattern = rig.random() % 4 ? 0x3f : rig.random() % 64;
      object.mb_skip_conversion_disable = rig.random() % 8 == 0;
      object.skip_mb = rig.random() % 4 == 0;
      for (unsigned i = 0; i < 2; ++i) {
        // Also beyond what f_code has.
        const int range = rig.random() % 8 ? 20 : 400;
        object.mv_x[i] = static_cast<int>(rig.random() % static_cast<unsigned>(2 * range)) - range;
        object.mv_y[i] = static_cast<int>(rig.random() % static_cast<unsigned>(2 * range)) - range;
      }
      // Macroblocks like the one before may be skipped.
      if (rig.random() % 2) object.mb_type = kept.mb_type ? kept.mb_type : 1, object.mv_x = kept.mv_x, object.mv_y = kept.mv_y;
      kept = object;
    });
    rig.check_decoded();
  }
}

TEST_CASE("mpeg2 encode: still macroblocks of P pictures are skipped, but for the first and the last of a slice") {
  Rig rig;
  rig.fill(source, 0, 0), rig.fill(forward, 0, 0);
  rig.begin(CodingType::p);
  rig.encode([](Object&) {});
  rig.check_decoded();
  CHECK(rig.error(source) == 0);
  // Start code, scale and flag; two macroblocks without blocks: 8 bits for the first, 10 with the increment of 3.
  CHECK(rig.size() == rows * 7);
}

TEST_CASE("mpeg2 encode: a slice that ends without its last macroblock does not end with a skipped one") {
  for (const CodingType type : {CodingType::p, CodingType::b}) {
    Rig rig;
    rig.fill(source, 0, 0), rig.fill(forward, 0, 0), rig.fill(backward, 0, 0);
    rig.second_slice = 3;
    rig.begin(type);
    rig.encode([](Object& object) {
      object.last_mb_in_slice = false;
      object.first_mb_in_slice |= object.mb_x == 3;
    });
    rig.check_decoded();
    CHECK(rig.error(source) == 0);
  }
}

TEST_CASE("mpeg2 encode: inserted bytes stand where they came") {
  Rig rig;
  rig.fill(source, 0, 0);
  rig.begin(CodingType::i);
  rig.insert(0xb301'0000, 32);
  rig.insert(0x00, 8);
  rig.encode([](Object& object) { object.intra_mb = true; });
  const std::vector<uint8_t> bytes = rig.stream();
  const uint8_t head[] = {0, 0, 1, 0xb3, 0, 0, 0, 1, 1};
  REQUIRE(bytes.size() > sizeof head);
  CHECK(std::equal(std::begin(head), std::end(head), bytes.begin()));
}

TEST_CASE("mpeg2 encode: nothing is written at the bound, and macroblocks out of place change nothing else") {
  Rig rig;
  rig.fill(source, 60, 0);
  rig.view.store<uint8_t>(coded + 64, 0x5a);
  rig.begin(CodingType::i, coded + 64);
  rig.encode([](Object& object) { object.intra_mb = true; });
  CHECK(rig.size() == 64);
  CHECK(rig.registers.peek(status_register) != 0);
  CHECK(rig.view.load<uint8_t>(coded + 64) == 0x5a);
  Rig other;
  other.fill(source, 4, 0);
  other.begin(CodingType::i);
  Object bad{};
  bad.mb_x = columns, bad.mb_y = 0xffff;
  other.send(bad);
  // Columns that are left out begin a slice of their own.
  other.encode([](Object& object) { object.intra_mb = true; });
  other.check_decoded();
}
