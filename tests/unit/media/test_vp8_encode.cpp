// SPDX-License-Identifier: GPL-2.0-or-later
// VP8 frames encoded by packets: our decoder makes the reconstructed surface of them.
#include <array>
#include <bit>
#include <random>
#include <vector>

#include "hw/defs/gen9/all.h"
#include "hw/media/bits/bool_decoder.h"
#include "hw/media/bits/bool_encoder.h"
#include "hw/media/vp8/frame_decoder.h"
#include "hw/media/vp8/vp8_packets.h"
#include "hw/media/vp8_encode/header_tables.h"
#include "hw/media/vp8_encode/quantizer.h"
#include "hw/media/vp8_encode/token_counts.h"
#include "tests/unit/media/video_rig.h"

using namespace softgen;
using namespace softgen::media;
using namespace softgen::media::vp8;
using G = defs::Gen9;

namespace {

constexpr uint64_t source = 0x1'0000, recon = 0x2'0000, references = 0x3'0000, coded = 0x6'0000, bound = 0x7'0000, header = 0x7'0000,
                   probabilities = 0x7'1000, statistics = 0x7'2000, vectors = 0x7'4000, end = 0x7'8000;
constexpr uint32_t columns = 5, rows = 4, pitch = 128, reference_step = 0x8000, bytes_register = 0x12908, status_register = 0x12904;
using Object = G::MFX_VP8_PAK_OBJECT;
using Picture = G::MFX_VP8_PIC_STATE;

struct Rig : media::test::VideoRig {
  explicit Rig(uint32_t seed) : VideoRig(source, end), random(seed) {
    for (unsigned i = 0; i < sizeof(TokenProbabilities); ++i) view.store(probabilities + i, static_cast<uint8_t>(1 + random() % 255));
    picture.frame_width = columns - 1, picture.frame_height = rows - 1;
    config.show_frame = true, config.token_statistics_output_enable = true;
    config.horizontal_size_code = columns * 16 - 3, config.vertical_size_code = rows * 16 - 5;
  }
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random()) % n; }

  void fill(uint64_t to, unsigned noise, unsigned shift) {
    for (uint32_t y = 0; y < rows * 24; ++y)
      for (uint32_t x = 0; x < columns * 16; ++x)
        view.store(to + y * pitch + x, static_cast<uint8_t>(((x + shift) * 5 + y * 3) % 200 + 20 + below(noise + 1)));
  }

  /// Header bits as the kernels write them: some before the updates of tokens, some of these, some behind.
  void write_header(bool is_key) {
    std::vector<bool> bits;
    const auto any = [&](unsigned count) {
      for (unsigned i = 0; i < count; ++i) bits.push_back(below(2));
    };
    const auto update = [&](uint8_t probability, unsigned size) {
      bits.push_back(below(256) > probability);
      if (bits.back()) any(size);
    };
    any(20 + below(30));
    config.frame_header_bin_buffer_token_update_pointer = static_cast<uint32_t>(bits.size());
    for (const auto& type : token_update_probs)
      for (const auto& band : type)
        for (const auto& context : band)
          for (const uint8_t probability : context) update(probability, 8);
    any(9);
    config.frame_header_bin_buffer_mv_update_pointer = is_key ? 0 : static_cast<uint32_t>(bits.size());
    for (unsigned i = 0; !is_key && i < 38; ++i) update(vector_update_probs[i / 19][i % 19], 7);
    config.frame_header_bit_count = static_cast<uint32_t>(bits.size());
    header_bits = bits;
    for (size_t i = 0; i < bits.size(); i += 8) {
      unsigned byte = 0;
      for (size_t k = i; k < i + 8; ++k) byte = byte << 1 | (k < bits.size() && bits[k]);
      view.store(header + i / 8, static_cast<uint8_t>(byte));
    }
  }

  /// Any frame of the kind; the rest of `picture` and `config` as they are.
  void choose(bool is_key) {
    picture.key_frame = is_key;
    picture.log2_num_of_partition = static_cast<Picture::Log2NumOfPartition>(below(4));
    picture.mb_nocoeff_skip = below(2);
    picture.segment_enable = below(2), picture.update_mb_segment_map = picture.segment_enable;
    picture.dblk_filter_type = below(2), picture.deblock_sharpness_level = below(8);
    picture.mode_reference_loop_filter_delta_enable = below(2);
    picture.dblk_filter_level_for_segment0 = below(64), picture.dblk_filter_level_for_segment1 = below(64);
    picture.dblk_filter_level_for_segment2 = below(64), picture.dblk_filter_level_for_segment3 = below(64);
    picture.segment0_qindex = below(128), picture.segment1_qindex = below(128);
    picture.segment2_qindex = below(128), picture.segment3_qindex = below(128);
    picture.y1dc_qindex_delta = below(16), picture.y1dc_qindex_delta_sign = below(2);
    picture.y2dc_qindex_delta = below(16), picture.y2ac_qindex_delta = below(16), picture.y2ac_qindex_sign = below(2);
    picture.uvdc_qindex_delta = below(16), picture.uvac_qindex_delta = below(16), picture.uvac_qindex_delta_sign = below(2);
    picture.golden_ref_picture_mv_sign_bias = below(2), picture.alternate_ref_pic_mv_sign_bias = below(2);
    picture.mc_filter_select = below(4) == 0, picture.chroma_full_pixel_mc_filter_mode = below(8) == 0;
    picture.reflfdelta0 = static_cast<int>(below(127)) - 63, picture.reflfdelta1 = static_cast<int>(below(127)) - 63;
    picture.modelfdelta0 = static_cast<int>(below(127)) - 63, picture.modelfdelta3 = static_cast<int>(below(127)) - 63;
    const auto any = [&] { return 1 + below(255); };
    picture.mbsegmentidtreeprobs_0 = any(), picture.mbsegmentidtreeprobs_1 = any(), picture.mbsegmentidtreeprobs_2 = any();
    picture.mbnocoeffskipfalseprob = any(), picture.intrambprob = any();
    picture.interpredfromlastrefprob = any(), picture.interpredfromgrefrefprob = any();
    picture.ymodeprob_0 = any(), picture.ymodeprob_1 = any(), picture.ymodeprob_2 = any(), picture.ymodeprob_3 = any();
    picture.uvmodeprob_0 = any(), picture.uvmodeprob_1 = any(), picture.uvmodeprob_2 = any();
    auto dwords = picture.pack();
    // The vectors' probabilities, dwords 23 to 32: none is 0.
    for (unsigned i = 23; i < 33; ++i) dwords[i] = any() | any() << 8 | any() << 16 | any() << 24;
    picture = Picture::unpack(dwords);
    filtered = below(4);
  }

  void begin() {
    G::MFX_PIPE_MODE_SELECT select{};
    select.standard_select = G::MFX_PIPE_MODE_SELECT::StandardSelect::SS_VP8;
    select.codec_select = G::MFX_PIPE_MODE_SELECT::CodecSelect::ENCODE;
    select.post_deblocking_output_enable = filtered, select.pre_deblocking_output_enable = !filtered;
    send(select);
    G::MFX_SURFACE_STATE surface{};
    surface.surface_pitch = pitch - 1, surface.y_offset_for_u_cb = rows * 16;
    surface.width = columns * 16 - 1, surface.height = rows * 16 - 1;
    send(surface);
    G::MFX_PIPE_BUF_ADDR_STATE buffers{};
    buffers.pre_deblocking_destination_address = buffers.post_deblocking_destination_address = recon;
    buffers.original_uncompressed_picture_source_address = source;
    for (unsigned i = 0; i < 3; ++i) buffers.reference_picture_address[i] = references + i * reference_step;
    send(buffers);
    G::MFX_IND_OBJ_BASE_ADDR_STATE base{};
    base.mfx_indirect_mv_object_address = vectors, base.mfx_indirect_mv_object_upper_bound = vectors + 0x4000;
    base.mfc_indirect_pak_bse_object_address = coded, base.mfc_indirect_pak_bse_object_upper_bound = limit;
    send(base);
    G::MFX_VP8_BSP_BUF_BASE_ADDR_STATE places{};
    places.frame_header_address = header, places.final_frame_address = coded;
    places.coeff_probs_stream_in_surface_address = probabilities, places.token_statistics_surface_address = statistics;
    send(places);
    write_header(picture.key_frame);
    send(picture);
    send(config);
  }
  Object any_object(uint32_t x, uint32_t y) {
    Object object{};
    object.mb_x = x, object.mb_y = y;
    object.segment_id = below(4);
    object.intra_mb = picture.key_frame || below(4) == 0;
    object.skip_mb = below(5) == 0;
    object.mb_uv_mode = below(4), object.mb_type = below(object.intra_mb ? 2 : 5);
    object.reference_picture_select = below(3);
    for (auto& mode : object.block_mode) mode = below(10);
    const uint32_t at = (y * columns + x) * 64;
    object.indirect_pak_mv_data_start_address_offset = at, object.indirect_pak_mv_data_length = 64;
    const bool near = below(2);
    int kept[2] = {};
    for (unsigned i = 0; i < 16; ++i)
      for (unsigned c = 0; c < 2; ++c) {
        const int range = below(8) ? 24 : 3000;
        if (!i || below(3) == 0) kept[c] = below(4) ? static_cast<int>(below(static_cast<uint32_t>(2 * range))) - range : 0;
        if (!i && near && below(2)) kept[c] = last[c];
        if (!i) last[c] = kept[c];
        view.store(vectors + at + i * 4 + c * 2, static_cast<int16_t>(kept[c]));
      }
    return object;
  }
  void encode() {
    begin();
    for (uint32_t y = 0; y < rows; ++y)
      for (uint32_t x = 0; x < columns; ++x) send(any_object(x, y));
    REQUIRE(video.flush({}, env) == ExecResult::done);
  }

  uint32_t size() const { return registers.peek(bytes_register); }
  uint8_t sample(uint64_t of, uint32_t x, uint32_t y) { return view.load<uint8_t>(of + y * pitch + x); }
  double error() {
    double sum = 0;
    for (uint32_t y = 0; y < rows * 24; ++y)
      for (uint32_t x = 0; x < columns * 16; ++x) {
        const double difference = sample(recon, x, y) - sample(source, x, y);
        sum += difference * difference;
      }
    return sum / (rows * 24 * columns * 16);
  }

  FrameParams params() {
    PacketStore store;
    const auto dwords = picture.pack();
    store.put(defs::CommandId::MFX_VP8_PIC_STATE, 0, dwords);
    FrameParams out = make_vp8_packets<G>()->frame(store);
    const auto delta = [](uint32_t by, uint32_t negative) { return negative ? -static_cast<int>(by) : static_cast<int>(by); };
    const IndexDeltas deltas{delta(picture.y1dc_qindex_delta, picture.y1dc_qindex_delta_sign), delta(picture.y2dc_qindex_delta, 0),
                             delta(picture.y2ac_qindex_delta, picture.y2ac_qindex_sign), delta(picture.uvdc_qindex_delta, 0),
                             delta(picture.uvac_qindex_delta, picture.uvac_qindex_delta_sign)};
    const uint32_t index[] = {picture.segment0_qindex, picture.segment1_qindex, picture.segment2_qindex, picture.segment3_qindex};
    for (unsigned i = 0; i < 4; ++i) out.quantizer[i] = quantizer_of(static_cast<int>(index[i]), deltas);
    out.filter.enabled = filtered;
    return out;
  }

  /// Reads the header's bits back, and leaves the decoder where the first macroblock begins.
  void check_header(BoolDecoder& bits) {
    size_t at = 0;
    const auto one = [&](uint8_t probability) {
      const bool bit = bits.decode(probability);
      REQUIRE(bit == header_bits[at]);
      ++at;
      return bit;
    };
    const auto update = [&](uint8_t probability, unsigned count) {
      if (!one(probability)) return;
      for (unsigned i = 0; i < count; ++i) one(128);
    };
    while (at < config.frame_header_bin_buffer_token_update_pointer) one(128);
    for (const auto& type : token_update_probs)
      for (const auto& band : type)
        for (const auto& context : band)
          for (const uint8_t probability : context) update(probability, 8);
    for (unsigned i = 0; i < 9; ++i) one(128);
    for (unsigned i = 0; !picture.key_frame && i < 38; ++i) update(vector_update_probs[i / 19][i % 19], 7);
    REQUIRE(at == header_bits.size());
  }

  /// What the decoder makes of the stream equals the reconstructed surface.
  void check_decoded() {
    std::vector<uint8_t> bytes(size());
    view.read(coded, bytes.data(), bytes.size());
    const auto number = [&](size_t at, unsigned count) {
      uint32_t value = 0;
      for (unsigned i = 0; i < count; ++i) value |= uint32_t{bytes[at + i]} << (8 * i);
      return value;
    };
    REQUIRE(bytes.size() > 10);
    const uint32_t tag = number(0, 3), first = tag >> 5;
    CHECK((tag & 1) == !picture.key_frame);
    CHECK((tag >> 1 & 7) == config.bitstream_format_version);
    CHECK((tag >> 4 & 1) == config.show_frame);
    size_t at = 3;
    if (picture.key_frame) {
      CHECK(number(3, 3) == 0x2a019d);
      CHECK(number(6, 2) == config.horizontal_size_code);
      CHECK(number(8, 2) == config.vertical_size_code);
      at = 10;
    }
    BoolDecoder headers(std::span<const uint8_t>(bytes).subspan(at, first));
    check_header(headers);
    const unsigned partitions = 1u << static_cast<unsigned>(picture.log2_num_of_partition);
    size_t sizes = at + first, next = sizes + (partitions - 1) * 3;
    std::vector<BoolDecoder> tokens;
    for (unsigned i = 0; i < partitions; ++i, sizes += 3) {
      const size_t length = i + 1 < partitions ? number(sizes, 3) : bytes.size() - next;
      REQUIRE(next + length <= bytes.size());
      tokens.emplace_back(std::span<const uint8_t>(bytes).subspan(next, length));
      next += length;
    }
    const FrameParams frame = params();
    References maps;
    for (unsigned i = 0; !frame.is_key && i < 3; ++i)
      maps[i].open(view, stop, nv12_layout(pitch, surface::Tiling::linear, columns * 16, rows * 16, rows * 16),
                   references + i * reference_step, Access::read);
    TokenProbabilities probs;
    view.read(probabilities, &probs, sizeof probs);
    std::vector<uint8_t> segments(columns * rows);
    FrameDecoder decoder;
    REQUIRE(decoder.decode(frame, probs, maps, headers, tokens, segments, stop));
    CHECK(!decoder.broken());
    for (uint32_t y = 0; y < rows * 24; ++y)
      for (uint32_t x = 0; x < columns * 16; ++x)
        REQUIRE(sample(recon, x, y) == (y < rows * 16 ? *decoder.frame().luma.at(x, y) : *decoder.frame().chroma.at(x, y - rows * 16)));
  }

  Picture picture{};
  G::MFX_VP8_ENCODER_CFG config{};
  bool filtered = true;
  uint64_t limit = bound;
  std::vector<bool> header_bits;
  int last[2] = {};
  std::mt19937 random;
};

}  // namespace

TEST_CASE("vp8 encode: what was put into a bool encoder comes out of the decoder") {
  std::mt19937 random(1);
  BoolEncoder encoder;
  for (unsigned round = 0; round < 200; ++round) {
    std::vector<std::pair<bool, uint8_t>> bits(random() % 400);
    encoder.begin();
    // The last rounds are improbable bits, which carry most.
    for (auto& [bit, probability] : bits) {
      probability = static_cast<uint8_t>(round < 100 ? random() % 256 : random() % 2 ? 255 : 1);
      bit = round < 150 ? random() % 2 : random() % 256 >= probability;
      encoder.put(bit, probability);
    }
    BoolDecoder decoder(encoder.finish());
    for (const auto& [bit, probability] : bits) REQUIRE(decoder.decode(probability) == bit);
    CHECK(!decoder.over());
    CHECK(!encoder.is_cut());
  }
  encoder.begin(5);
  for (unsigned i = 0; i < 100; ++i) encoder.put(i & 1, 128);
  CHECK(encoder.finish().size() == 5);
  CHECK(encoder.is_cut());
}

TEST_CASE("vp8 encode: the inverse transforms give back what was transformed") {
  std::mt19937 random(2);
  for (unsigned round = 0; round < 200; ++round) {
    std::array<int16_t, 16> in, out;
    for (auto& value : in) value = static_cast<int16_t>(static_cast<int>(random() % 201) - 100);
    forward_transform(in, out);
    std::array<uint8_t, 16> samples;
    samples.fill(128);
    add_residual(out, samples.data(), 1, 4);
    for (unsigned i = 0; i < 16; ++i) CHECK(std::abs(samples[i] - 128 - in[i]) <= 1);
    for (auto& value : in) value = static_cast<int16_t>(value * 20);
    forward_walsh(in, out);
    Residual back;
    inverse_walsh(out, back);
    for (unsigned i = 0; i < 16; ++i) CHECK(std::abs(back.block[i][0] - in[i]) <= 1);
  }
}

TEST_CASE("vp8 encode: key frames of any modes, segments, partitions and filters") {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    INFO("seed " << seed);
    Rig rig(seed);
    rig.fill(source, seed % 2 ? 60 : 3, 0);
    rig.choose(true);
    rig.encode();
    rig.check_decoded();
    CHECK(rig.registers.peek(status_register) == 0);
  }
}

TEST_CASE("vp8 encode: inter frames of any modes, references and vectors") {
  for (uint32_t seed = 0; seed < 120; ++seed) {
    INFO("seed " << seed);
    Rig rig(seed);
    rig.fill(source, seed % 2 ? 60 : 3, 2);
    for (unsigned i = 0; i < 3; ++i) rig.fill(references + i * reference_step, 10, i);
    rig.choose(false);
    rig.encode();
    rig.check_decoded();
  }
}

TEST_CASE("vp8 encode: fine quantizers are near the source, and macroblocks that need nothing are counted as skipped") {
  Rig rig(3);
  rig.fill(source, 40, 0);
  rig.filtered = false;
  rig.picture.key_frame = true;
  rig.begin();
  for (uint32_t i = 0; i < columns * rows; ++i) {
    Object object{};
    object.intra_mb = true, object.mb_x = i % columns, object.mb_y = i / columns;
    rig.send(object);
  }
  REQUIRE(rig.video.flush({}, rig.env) == ExecResult::done);
  rig.check_decoded();
  CHECK(rig.error() < 3);
  CHECK(rig.view.load<uint32_t>(statistics + 4 * 33) == 0);
  // Each block of Y2 has one first token: end, 0, or more.
  uint32_t firsts = 0;
  for (unsigned i = 0; i < 9; ++i) firsts += rig.view.load<uint32_t>(statistics + 4 * (34 + 75 + i));
  CHECK(firsts == columns * rows);

  Rig still(4);
  still.fill(source, 0, 0), still.fill(references, 0, 0);
  still.picture.mb_nocoeff_skip = true, still.picture.mbnocoeffskipfalseprob = 100, still.picture.intrambprob = 100;
  still.picture.interpredfromlastrefprob = 200;
  still.begin();
  for (uint32_t i = 0; i < columns * rows; ++i) {
    Object object{};
    object.mb_x = i % columns, object.mb_y = i / columns;
    still.send(object);
  }
  REQUIRE(still.video.flush({}, still.env) == ExecResult::done);
  still.check_decoded();
  CHECK(still.view.load<uint32_t>(statistics + 4 * 33) == columns * rows);
  for (unsigned i = 34; i < statistics_dwords; ++i) CHECK(still.view.load<uint32_t>(statistics + 4 * i) == 0);
}

TEST_CASE("vp8 encode: objects out of order are left out, missing ones are predicted") {
  Rig rig(5);
  rig.fill(source, 10, 0);
  rig.choose(true);
  rig.begin();
  rig.send(rig.any_object(0, 0));
  rig.send(rig.any_object(3, 0));
  rig.send(rig.any_object(0xffff, 0xffff));
  rig.send(rig.any_object(1, 0));
  REQUIRE(rig.video.flush({}, rig.env) == ExecResult::done);
  rig.check_decoded();
}

TEST_CASE("vp8 encode: nothing is written at the bound, and a header of any length is taken") {
  Rig rig(6);
  rig.fill(source, 60, 0);
  rig.choose(true);
  rig.limit = coded + 64;
  rig.view.store<uint8_t>(coded + 64, 0x5a);
  rig.encode();
  CHECK(rig.size() == 64);
  CHECK(rig.registers.peek(status_register) != 0);
  CHECK(rig.view.load<uint8_t>(coded + 64) == 0x5a);

  for (const uint32_t count : {0u, 1u, 0xffff'ffffu}) {
    Rig other(7);
    other.choose(true);
    other.begin();
    other.config.frame_header_bit_count = count;
    other.config.frame_header_bin_buffer_mv_update_pointer = 5, other.config.frame_header_bin_buffer_token_update_pointer = 0xffff'ffff;
    other.send(other.config);
    for (uint32_t i = 0; i < columns * rows; ++i) other.send(other.any_object(i % columns, i / columns));
    REQUIRE(other.video.flush({}, other.env) == ExecResult::done);
    CHECK(other.size() > 10);
  }
}
