// SPDX-License-Identifier: GPL-2.0-or-later
// VP9 encoding by PAK objects: what our decoder makes of the stream is the reconstructed picture, its motion and its probabilities. Forward transforms.
#include <cmath>
#include <numbers>

#include "hw/media/bits/bool_decoder.h"
#include "hw/media/bits/bool_encoder.h"
#include "hw/media/vp9/coefficients.h"
#include "hw/media/vp9/sample_kernels.h"
#include "hw/media/vp9_encode/forward_transform.h"
#include "tests/unit/media/video_rig.h"
#include "tests/unit/media/vp9_encode_pictures.h"

using namespace softgen;
using namespace softgen::media;
using namespace softgen::media::test;

namespace {

struct Vp9EncodeRig : Vp9EncodePictures<VideoRig> {
  Vp9EncodeRig() : Vp9EncodePictures(source, coded_end) {}
};

/// Random superblocks.
struct Encoding : Vp9EncodeRig {
  unsigned below(unsigned limit) { return static_cast<unsigned>(random()) % limit; }

  Record record_of(unsigned log2) {
    Record record{};
    record.cu_size = log2;
    record.cu_part_mode = below(2) ? 0 : below(log2 ? 3 : 4);
    for (unsigned i = 0; i < 2; ++i) {
      record.intra_chroma_mode[i] = below(10);
      record.tu_size[i] = below(4);
      record.mc_filter_type[i] = below(3);
      record.segment_index[i] = below(8);
      record.round[i] = below(8);
      if (!is_key() && below(4)) record.ref_frame_l0[i] = 1 + below(3), record.ref_frame_l1[i] = below(4);
    }
    record.interpred_comp_0 = below(2), record.interpred_comp_1 = below(2);
    for (unsigned i = 0; i < 4; ++i) {
      record.intra_mode[i] = below(10);
      const int range = below(8) ? 40 : below(8) ? 600 : 32000;
      const auto component = [&] { return below(4) ? static_cast<int>(below(2 * static_cast<unsigned>(range))) - range : 0; };
      record.mvx_l0[i] = component(), record.mvy_l0[i] = component(), record.mvx_l1[i] = component(), record.mvy_l1[i] = component();
    }
    // Like the one before: the nearest vector often.
    if (below(2)) record.mvx_l0 = kept.mvx_l0, record.mvy_l0 = kept.mvy_l0, record.mvx_l1 = kept.mvx_l1, record.mvy_l1 = kept.mvy_l1;
    kept = record;
    return record;
  }

  void add_units(uint32_t x, uint32_t y, unsigned log2, unsigned path, uint32_t& splits, std::vector<Record>& to) {
    if (x >= width() || y >= height()) return;
    const uint32_t half = 4u << log2;
    const bool must_split = log2 && x + half >= width() && y + half >= height();
    if (!must_split && (log2 == 0 || below(3) == 0)) return to.push_back(record_of(log2));
    splits |= 1u << (log2 == 3 ? 20 : log2 == 2 ? 16 + path : path);
    for (unsigned i = 0; i < 4; ++i) add_units(x + (i & 1) * half, y + (i >> 1) * half, log2 - 1, log2 == 3 ? i : path * 4 + i, splits, to);
  }

  void encode_superblock(uint32_t x, uint32_t y) {
    std::vector<Record> units;
    uint32_t splits = 0;
    add_units(x * 64, y * 64, 3, 0, splits, units);
    for (size_t i = 0; i < units.size(); ++i) {
      const auto dwords = units[i].pack();
      view.write(records + ((y * columns() + x) * 64 + i) * sizeof dwords, dwords.data(), sizeof dwords);
    }
    const auto count = static_cast<uint32_t>(units.size() - 1);
    const uint32_t dwords[] = {G::HCP_VP9_PAK_OBJECT::match | 1, count << 24 | splits, y << 16 | x};
    send_dwords(dwords);
  }

  void encode(unsigned index) {
    write_bins();
    begin(index, false);
    insert_header();
    each_superblock([&](uint32_t x, uint32_t y) { encode_superblock(x, y); });
    REQUIRE(video.flush({}, env) == ExecResult::done);
  }

  void decode(unsigned index) {
    begin(index, true);
    G::HCP_BSD_OBJECT object{};
    object.indirect_bsd_data_start_address = header_bytes;
    object.indirect_bsd_data_length = registers.peek(bytes_register) - header_bytes;
    send(object);
    REQUIRE(video.flush({}, env) == ExecResult::done);
    CHECK(registers.peek(reg::gen9::HCP_CABAC_STATUS) == 0);
  }

  void compare(unsigned index) {
    CHECK(bytes_at(picture_at(index, false), picture_bytes) == bytes_at(picture_at(index, true), picture_bytes));
    CHECK(bytes_at(motion_at(index, false), motion_bytes) == bytes_at(motion_at(index, true), motion_bytes));
    CHECK(bytes_at(probabilities_at(false), vp9::probability_bytes) == bytes_at(probabilities_at(true), vp9::probability_bytes));
    CHECK(bytes_at(segments_at(false), 0x1000) == bytes_at(segments_at(true), 0x1000));
  }

  void check(unsigned index) {
    encode(index);
    decode(index);
    compare(index);
  }

  /// Mean of squared differences from the source, of luma.
  double error(unsigned index) {
    double sum = 0;
    for (uint32_t y = 0; y < height(); ++y) {
      for (uint32_t x = 0; x < width(); ++x) {
        const uint64_t at = surface::offset_of_bytes(surface::Tiling::y, x, y, pitch);
        const double difference = view.load<uint8_t>(source + at) - view.load<uint8_t>(picture_at(index, false) + at);
        sum += difference * difference;
      }
    }
    return sum / (width() * height());
  }

  /// Tools and sizes by the bits of `form`.
  void choose(unsigned form) {
    random.seed(form);
    set_size(form % 3 ? 88 : 8 * (1 + form % 20), form % 5 ? 72 : 8 * (1 + form % 17));
    tx_mode = form % 5;
    picture.luma_ac_q_index_delta = 20 + form * 3 % 200;
    picture.luma_dc_q_index_delta = form % 4 == 3 ? 0x13 : 2;
    picture.chroma_ac_q_index_delta = form % 4 == 1 ? 0x11 : 0;
    picture.filter_level = form % 7 ? form * 5 % 64 : 0, picture.sharpness_level = form % 8;
    picture.lf_ref_delta_0 = 1, picture.lf_ref_delta_2 = 0x41, picture.lf_ref_delta_3 = form % 3 ? 0x42 : 0;
    picture.lf_mode_delta_1 = form % 6;
    picture.refresh_frame_context_enable = form & 1, picture.adapt_probabilities = form & 2;
    picture.allow_hi_precision_mv = form & 4;
    picture.motion_compensation_filter_type = static_cast<Picture::MotionCompensationFilterType>(form % 5);
    picture.lossless_mode = form % 11 == 10;
    if (picture.lossless_mode) picture.luma_ac_q_index_delta = picture.luma_dc_q_index_delta = picture.chroma_ac_q_index_delta = 0;
    if (form % 4 == 2) choose_segments(form);
  }
  void choose_segments(unsigned form) {
    picture.segmentation_enable = true;
    picture.segmentation_update_map = form % 8 == 2;
    for (unsigned i = 0; i < 8; ++i) {
      segments[i].segment_qindex_delta = i % 2 ? i * 3 : 1u << 8 | i;
      segments[i].segment_lf_level_delta = i % 3 ? i : 1u << 6 | i;
    }
    segments[5].segment_reference_enable = true, segments[5].segment_reference = 2;
    segments[6].segment_reference_enable = true, segments[6].segment_reference = 0;
    segments[7].segment_skipped = true;
  }
  /// Of inter pictures.
  void choose_inter(unsigned form, unsigned index) {
    picture.frame_type = index ? Picture::FrameType::VP9_INTER_FRAME : Picture::FrameType::VP9_KEY_FRAME;
    picture.last_frame_type = index == 1 ? Picture::LastFrameType::VP9_KEY_FRAME : Picture::LastFrameType::VP9_NON_KEY_FRAME;
    picture.use_prev_in_find_mv_references = index && form & 8;
    picture.reference_frame_sign_bias = form % 3 == 1 ? 4 : form % 3 == 2 ? 2 : 0;
    reference_mode = form % 4 % 3;
    if (picture.segmentation_enable) picture.segmentation_temporal_update = index && form & 16;
  }

  Record kept{};
};

std::vector<double> orthonormal(unsigned n, bool adst) {
  std::vector<double> m(n * n);
  for (unsigned k = 0; k < n; ++k)
    for (unsigned i = 0; i < n; ++i) {
      using std::numbers::pi;
      if (!adst) m[k * n + i] = std::sqrt((k ? 2.0 : 1.0) / n) * std::cos(pi * k * (2 * i + 1) / (2.0 * n));
      else if (n == 4) m[k * n + i] = 2.0 / 3 * std::sin(pi * (2 * k + 1) * (i + 1) / 9);
      else m[k * n + i] = std::sqrt(2.0 / n) * std::sin(pi * (2 * i + 1) * (2 * k + 1) / (4.0 * n));
    }
  return m;
}

}  // namespace

TEST_CASE("vp9 encode: forward transforms are those of cosines and sines, within rounding") {
  std::mt19937 random(7);
  for (unsigned tx_size = 0; tx_size < 4; ++tx_size)
    for (unsigned type = 0; type < (tx_size < 3 ? 4u : 1u); ++type) {
      const unsigned n = 4u << tx_size;
      const std::vector<double> columns = orthonormal(n, type & 1), rows = orthonormal(n, type & 2);
      std::vector<int16_t> residual(n * n);
      for (int16_t& value : residual) value = static_cast<int16_t>(static_cast<int>(random() % 511) - 255);
      std::vector<int32_t> coefficients(n * n);
      vp9::forward_transform(tx_size, static_cast<vp9::TxType>(type), false, residual.data(), coefficients.data());
      double worst = 0;
      for (unsigned k = 0; k < n; ++k)
        for (unsigned l = 0; l < n; ++l) {
          double sum = 0;
          for (unsigned y = 0; y < n; ++y)
            for (unsigned x = 0; x < n; ++x) sum += columns[k * n + y] * rows[l * n + x] * residual[y * n + x];
          worst = std::max(worst, std::abs(sum * (tx_size == 3 ? 4 : 8) - coefficients[k * n + l]));
        }
      INFO("size " << n << ", type " << type);
      CHECK(worst < 2.5);
    }
}

TEST_CASE("vp9 encode: without loss the residual comes back as it was") {
  std::mt19937 random(8);
  for (unsigned run = 0; run < 100; ++run) {
    std::array<int16_t, 16> residual;
    for (int16_t& value : residual) value = static_cast<int16_t>(static_cast<int>(random() % 255) - 127);
    std::array<int32_t, 16> coefficients, transposed;
    vp9::forward_transform(0, vp9::TxType::dct_dct, true, residual.data(), coefficients.data());
    for (unsigned i = 0; i < 16; ++i) transposed[i % 4 * 4 + i / 4] = coefficients[i];
    std::array<uint8_t, 16> samples;
    samples.fill(128);
    vp9::kernels().residual.bytes(0, vp9::TxType::dct_dct, true, 16, transposed.data(), samples.data(), 4, 8);
    for (unsigned i = 0; i < 16; ++i) CHECK(samples[i] == 128 + residual[i]);
  }
}

TEST_CASE("bool encoder: a decoder reads what was written, of any probabilities") {
  std::mt19937 random(9);
  for (unsigned run = 0; run < 200; ++run) {
    std::vector<std::pair<uint8_t, bool>> symbols(random() % 400);
    BoolEncoder encoder;
    for (auto& [probability, bit] : symbols) {
      probability = static_cast<uint8_t>(run % 2 ? 1 + random() % 255 : random() % 3 ? 255 : 1);
      bit = random() % 256 >= (run % 3 ? probability : 256u - probability);
      encoder.put(bit, probability);
    }
    const std::span<const uint8_t> bytes = encoder.finish();
    BoolDecoder decoder(bytes);
    bool same = true;
    for (const auto& [probability, bit] : symbols) same &= decoder.decode(probability) == bit;
    CHECK(same);
    CHECK_FALSE(decoder.over());
  }
}

TEST_CASE("vp9 encode: intra blocks of all sizes and modes") {
  for (unsigned form = 0; form < 66; ++form) {
    INFO("form " << form);
    Encoding rig;
    rig.choose(form);
    rig.fill_probabilities();
    rig.fill_source(form % 2 ? 60 : 2, 0);
    rig.check(0);
  }
}

TEST_CASE("vp9 encode: inter pictures with any partitions, vectors and references") {
  for (unsigned form = 0; form < 66; ++form) {
    INFO("form " << form);
    Encoding rig;
    rig.choose(form);
    rig.fill_probabilities();
    for (unsigned index = 0; index < 4; ++index) {
      INFO("picture " << index);
      rig.choose_inter(form, index);
      rig.fill_source(4, index * 3);
      rig.check(index);
    }
  }
}

TEST_CASE("vp9 encode: tiles") {
  for (unsigned log2_columns = 0; log2_columns < 2; ++log2_columns)
    for (unsigned log2_rows = 0; log2_rows < 3; ++log2_rows) {
      INFO("log2 columns " << log2_columns << ", rows " << log2_rows);
      Encoding rig;
      rig.set_size(200, 136);
      rig.picture.log2_tile_column = static_cast<Encoding::Picture::Log2TileColumn>(log2_columns);
      rig.picture.log2_tile_row = static_cast<Encoding::Picture::Log2TileRow>(log2_rows);
      rig.fill_probabilities();
      for (unsigned index = 0; index < 2; ++index) {
        rig.choose_inter(0, index);
        rig.fill_source(4, index * 3);
        rig.check(index);
      }
    }
}

TEST_CASE("vp9 encode: the reconstruction is as near to the source as the quantizer says") {
  for (const auto& [q, most] : {std::pair{0u, 0.0}, {20u, 3.0}, {90u, 60.0}, {200u, 900.0}}) {
    Encoding rig;
    rig.picture.luma_ac_q_index_delta = q;
    rig.picture.lossless_mode = q == 0;
    rig.picture.filter_level = 0;
    rig.fill_probabilities();
    rig.fill_source(2, 0);
    rig.check(0);
    INFO("index " << q);
    CHECK(rig.error(0) <= most);
  }
}

TEST_CASE("vp9 encode: without a buffer of probabilities the picture before does not matter") {
  std::vector<uint8_t> coded[2];
  for (const bool has_before : {false, true}) {
    Encoding rig;
    rig.fill_probabilities();
    if (has_before) rig.encode(0);
    rig.random.seed(1), rig.kept = {};
    rig.fill_source(2, 0);
    rig.has_probabilities = false;
    rig.encode(0);
    coded[has_before] = rig.bytes_at(Encoding::coded, rig.registers.peek(Encoding::bytes_register));
  }
  CHECK(coded[0] == coded[1]);
}

TEST_CASE("vp9 encode: objects out of place change nothing, and superblocks that are missing get blocks of their own") {
  Encoding rig;
  rig.fill_probabilities();
  rig.fill_source(2, 0);
  rig.write_bins();
  rig.begin(0, false);
  rig.insert_header();
  rig.encode_superblock(0, 0);
  rig.encode_superblock(0, 1);
  rig.insert_header();
  rig.encode_superblock(1, 0);
  REQUIRE(rig.video.flush({}, rig.env) == ExecResult::done);
  rig.decode(0);
  rig.compare(0);
}

TEST_CASE("vp9 encode: what is beyond the coded buffer's bound is dropped") {
  Encoding rig;
  rig.fill_probabilities();
  rig.fill_source(60, 0);
  rig.write_bins();
  rig.begin(0, false);
  Encoding::G::HCP_IND_OBJ_BASE_ADDR_STATE base{};
  base.hcp_indirect_cu_object_base_address = Encoding::records;
  base.hcp_pak_bse_object_base_address = Encoding::coded, base.hcp_pak_bse_object_access_upper_bound = Encoding::coded + 100;
  rig.send(base);
  rig.insert_header();
  for (uint32_t y = 0; y < 2; ++y)
    for (uint32_t x = 0; x < 2; ++x) rig.encode_superblock(x, y);
  REQUIRE(rig.video.flush({}, rig.env) == ExecResult::done);
  CHECK(rig.registers.peek(Encoding::bytes_register) == 100);
  CHECK(rig.bytes_at(Encoding::coded + 100, 64) == std::vector<uint8_t>(64));
}
