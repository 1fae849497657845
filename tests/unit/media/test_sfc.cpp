// SPDX-License-Identifier: GPL-2.0-or-later
// SFC behind VEBOX, with packets as iHD's mhw_sfc_g9_X.cpp writes them.
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "tests/unit/media/sfc_rig.h"
#include "tests/unit/media/vebox_rig.h"

using namespace softgen;
using namespace softgen::media;
using G = defs::Gen9;

namespace {

constexpr uint64_t input = 0x1'0000, output = 0x4'0000, stored = 0x8'0000, guard = 0xb'0000, end = 0xc'0000;
constexpr uint32_t width = 96, height = 68, pitch = 256, out_pitch = 1024, chroma_row = 160;

using State = G::SFC_STATE;
using Format = State::OutputSurfaceFormatType;
using Reduction = State::PreAVSChromaDownsamplingEnable;
using Rotated = State::RotationMode;
using SurfaceState = G::VEBOX_SURFACE_STATE;
using Picture = std::function<int(uint32_t x, uint32_t y)>;

uint8_t byte(double value) { return static_cast<uint8_t>(std::clamp(std::floor(value + 0.5), 0.0, 255.0)); }
using test::texture;
int other(uint32_t x, uint32_t y) { return static_cast<int>((x * 11 + y * 59 + 3 * x * y) % 224 + 16); }
Picture flat(int value) {
  return [value](uint32_t, uint32_t) { return value; };
}

struct Fixture : test::VeboxRig, test::SfcPackets {
  Fixture() : VeboxRigOf(input, end), SfcPacketsOf(SfcClient::vebox, width, height, output, out_pitch, chroma_row) {
    test::set_nv12(source, width, height, pitch, chroma_row);
    target = source;
    target.surface_identification = SurfaceState::SurfaceIdentification::OUTPUT;
    object.ending_x = width - 1;
    object.current_frame_input_address = input;
    state.avs_filter_mode = State::AVSFilterMode::BILINEAR_FILTER_ONLY;
    fill(texture, other, other);
  }
  void fill(const Picture& y_of, const Picture& u_of, const Picture& v_of) {
    for (uint32_t y = 0; y < height; ++y)
      for (uint32_t x = 0; x < width; ++x) view.store<uint8_t>(input + y * pitch + x, static_cast<uint8_t>(y_of(x, y)));
    for (uint32_t y = 0; y < height / 2; ++y)
      for (uint32_t x = 0; x < width / 2; ++x) {
        view.store<uint8_t>(input + (chroma_row + y) * pitch + 2 * x, static_cast<uint8_t>(u_of(x, y)));
        view.store<uint8_t>(input + (chroma_row + y) * pitch + 2 * x + 1, static_cast<uint8_t>(v_of(x, y)));
      }
  }
  void send_states() { send(modes), send(source), send(target), send_to(*this); }
  ExecResult run() {
    send_states(), send(G::SFC_FRAME_START{});
    return send(object);
  }
  /// Taps that are the same for all phases.
  void set_taps(const std::array<float, 8>& y, const std::array<float, 4>& uv) {
    auto& l = luma.avs_luma_coefficient_table_body;
    auto& c = chroma.avs_chroma_coefficient_table_body;
    std::array<float, 32>* const x_luma[] = {&l.table_0x_filter_coefficient_0, &l.table_0x_filter_coefficient_1,
                                             &l.table_0x_filter_coefficient_2, &l.table_0x_filter_coefficient_3,
                                             &l.table_0x_filter_coefficient_4, &l.table_0x_filter_coefficient_5,
                                             &l.table_0x_filter_coefficient_6, &l.table_0x_filter_coefficient_7};
    std::array<float, 32>* const y_luma[] = {&l.table_0y_filter_coefficient_0, &l.table_0y_filter_coefficient_1,
                                             &l.table_0y_filter_coefficient_2, &l.table_0y_filter_coefficient_3,
                                             &l.table_0y_filter_coefficient_4, &l.table_0y_filter_coefficient_5,
                                             &l.table_0y_filter_coefficient_6, &l.table_0y_filter_coefficient_7};
    std::array<float, 32>* const x_chroma[] = {&c.table_1x_filter_coefficient_2, &c.table_1x_filter_coefficient_3,
                                               &c.table_1x_filter_coefficient_4, &c.table_1x_filter_coefficient_5};
    std::array<float, 32>* const y_chroma[] = {&c.table_1y_filter_coefficient_2, &c.table_1y_filter_coefficient_3,
                                               &c.table_1y_filter_coefficient_4, &c.table_1y_filter_coefficient_5};
    for (size_t k = 0; k < y.size(); ++k) x_luma[k]->fill(y[k]), y_luma[k]->fill(y[k]);
    for (size_t k = 0; k < uv.size(); ++k) x_chroma[k]->fill(uv[k]), y_chroma[k]->fill(uv[k]);
    state.avs_filter_mode = State::AVSFilterMode::_8X8_POLY_PHASE_FILTER_plus_BILINEAR;
    avs.avs_state_body.sharpness_level = 255;
  }
  uint8_t at(uint32_t x, uint32_t y) { return view.load<uint8_t>(output + y * out_pitch + x); }
  uint8_t chroma_at(uint32_t x, uint32_t y, uint32_t c) { return at(2 * x + c, chroma_row + y); }
  /// Samples that are not as `y_of` and `uv_of` say, in NV12.
  unsigned wrong(uint32_t columns, uint32_t rows, const Picture& y_of, const Picture& uv_of) {
    unsigned count = 0;
    for (uint32_t y = 0; y < rows; ++y)
      for (uint32_t x = 0; x < columns; ++x) count += at(x, y) != y_of(x, y);
    for (uint32_t y = 0; y < rows / 2; ++y)
      for (uint32_t x = 0; x < columns / 2; ++x)
        for (uint32_t c = 0; c < 2; ++c) count += chroma_at(x, y, c) != uv_of(x, y);
    return count;
  }
  void set_identity_matrix() {
    auto& f = ief.sfc_ief_state_body;
    f.transform_enable = true, f.c0 = f.c4 = f.c8 = 1;
    state.csc_enable = true;
  }

  SurfaceState source, target;
  G::VEBOX_STATE modes;
  G::VEB_DI_IECP object;
};

}  // namespace

TEST_CASE_METHOD(Fixture, "sfc: without scaling the picture is VEBOX's, in all rotations") {
  const auto turned = [](const Picture& of, uint32_t columns, uint32_t rows, Rotated by) -> Picture {
    return [=](uint32_t x, uint32_t y) {
      switch (by) {
        case Rotated::_0: return of(x, y);
        case Rotated::_90_CW: return of(y, rows - 1 - x);
        case Rotated::_180_CW: return of(columns - 1 - x, rows - 1 - y);
        case Rotated::_270_CW: return of(columns - 1 - y, x);
      }
      return 0;
    };
  };
  state.rotation_mode = GENERATE(Rotated::_0, Rotated::_90_CW, Rotated::_180_CW, Rotated::_270_CW);
  become(Format::NV12, width, height);
  REQUIRE(run() == ExecResult::done);
  CHECK(wrong(state.output_frame_width + 1, state.output_frame_height + 1, turned(texture, width, height, state.rotation_mode),
              turned(other, width / 2, height / 2, state.rotation_mode)) == 0);
  CHECK(at(state.output_frame_width + 1, 0) == 0);
  CHECK(at(0, state.output_frame_height + 1) == 0);
}

TEST_CASE_METHOD(Fixture, "sfc: taps of the tables make samples of those around the centre") {
  SECTION("half as large: the mean of four") {
    set_taps({0, 0, 0, 0.5f, 0.5f, 0, 0, 0}, {0, 0.5f, 0.5f, 0});
    become(Format::NV12, width / 2, height / 2);
    REQUIRE(run() == ExecResult::done);
    const auto mean = [](const Picture& of) -> Picture {
      return [=](uint32_t x, uint32_t y) {
        return byte((of(2 * x, 2 * y) + of(2 * x + 1, 2 * y) + of(2 * x, 2 * y + 1) + of(2 * x + 1, 2 * y + 1)) / 4.0);
      };
    };
    CHECK(wrong(width / 2, height / 2, mean(texture), mean(other)) == 0);
  }
  SECTION("the first tap: three samples before, repeated at the edges of the region") {
    state.source_region_horizontal_offset = 8, state.source_region_vertical_offset = 4;
    state.source_region_width = width - 17, state.source_region_height = height - 9;
    set_taps({1, 0, 0, 0, 0, 0, 0, 0}, {1, 0, 0, 0});
    become(Format::NV12, width - 16, height - 8);
    state.avs_scaling_enable = true;
    REQUIRE(run() == ExecResult::done);
    const auto before = [](uint32_t at, uint32_t by) { return at < by ? 0 : at - by; };
    CHECK(wrong(
              width - 16, height - 8, [&](uint32_t x, uint32_t y) { return texture(8 + before(x, 3), 4 + before(y, 3)); },
              [&](uint32_t x, uint32_t y) { return other(4 + before(x, 1), 2 + before(y, 1)); }) == 0);
  }
  SECTION("twice as large, by the nearest") {
    // As iHD's table for a ratio of 1: the sample before up to phase 16, then the next one.
    set_taps({0, 0, 0, 1, 0, 0, 0, 0}, {0, 1, 0, 0});
    auto& l = luma.avs_luma_coefficient_table_body;
    auto& c = chroma.avs_chroma_coefficient_table_body;
    for (size_t phase = 17; phase < 32; ++phase) {
      l.table_0x_filter_coefficient_3[phase] = l.table_0y_filter_coefficient_3[phase] = 0;
      l.table_0x_filter_coefficient_4[phase] = l.table_0y_filter_coefficient_4[phase] = 1;
      c.table_1x_filter_coefficient_3[phase] = c.table_1y_filter_coefficient_3[phase] = 0;
      c.table_1x_filter_coefficient_4[phase] = c.table_1y_filter_coefficient_4[phase] = 1;
    }
    become(Format::NV12, 2 * width, 2 * height);
    REQUIRE(run() == ExecResult::done);
    CHECK(wrong(
              2 * width, 2 * height, [](uint32_t x, uint32_t y) { return texture(x / 2, y / 2); },
              [](uint32_t x, uint32_t y) { return other(x / 2, y / 2); }) == 0);
  }
}

TEST_CASE_METHOD(Fixture, "sfc: bilinear enlargement of a slope is a slope, and the sharpness level blends it with the taps") {
  fill([](uint32_t x, uint32_t) { return static_cast<int>(20 + 2 * x); }, flat(90), flat(90));
  become(Format::NV12, 2 * width, height);
  const auto slope = [](uint32_t x, uint32_t) {
    const double place = std::clamp((x + 0.5) / 2 - 0.5, 0.0, width - 1.0);
    return byte(20 + 2 * place);
  };
  REQUIRE(run() == ExecResult::done);
  CHECK(wrong(2 * width, height, slope, flat(90)) == 0);
  set_taps({0, 0, 0, 2 - 1 / 64.0f, 0, 0, 0, 0}, {0, 1, 0, 0});
  avs.avs_state_body.sharpness_level = 0;
  REQUIRE(run() == ExecResult::done);
  CHECK(wrong(2 * width, height, slope, flat(90)) == 0);
  avs.avs_state_body.sharpness_level = 64;
  REQUIRE(run() == ExecResult::done);
  for (const uint32_t x : {8u, 33u}) CHECK(at(x, 9) > slope(x, 9) + 10);
}

TEST_CASE_METHOD(Fixture, "sfc: all formats of the output") {
  fill(texture, flat(70), flat(200));
  state.alpha_default_value = 514;  // 128 of 255
  struct Row {
    Format format;
    bool swap;
    uint32_t bytes;
    std::function<uint32_t(uint32_t y)> pixel;  // U is 70, V is 200
  };
  const auto upper = [](uint32_t sample, unsigned bits) {
    return std::min((sample * 256 + (1u << (15 - bits))) >> (16 - bits), (1u << bits) - 1);
  };
  const Row rows[] = {{Format::A8B8G8R8, false, 4, [](uint32_t y) { return y | 70 << 8 | 200 << 16 | 128u << 24; }},
                      {Format::A8B8G8R8, true, 4, [](uint32_t y) { return 200 | 70 << 8 | y << 16 | 128u << 24; }},
                      {Format::AYUV, false, 4, [](uint32_t y) { return 200 | 70 << 8 | y << 16 | 128u << 24; }},
                      {Format::A2R10G10B10, false, 4, [](uint32_t y) { return 200 << 2 | 70 << 12 | y << 22 | 2u << 30; }},
                      {Format::A2R10G10B10, true, 4, [](uint32_t y) { return y << 2 | 70 << 12 | 200 << 22 | 2u << 30; }},
                      {Format::R5G6B5, false, 2, [&](uint32_t y) { return upper(y, 5) << 11 | upper(70, 6) << 5 | upper(200, 5); }},
                      {Format::R5G6B5, true, 2, [&](uint32_t y) { return upper(200, 5) << 11 | upper(70, 6) << 5 | upper(y, 5); }}};
  for (const Row& row : rows) {
    state.rgba_channel_swap_enable = row.swap;
    become(row.format, width, height);
    REQUIRE(run() == ExecResult::done);
    unsigned wrong = 0;
    for (uint32_t y = 0; y < height; ++y)
      for (uint32_t x = 0; x < width; ++x) {
        const uint64_t place = output + y * out_pitch + x * row.bytes;
        const uint32_t pixel = row.bytes == 4 ? view.load<uint32_t>(place) : view.load<uint16_t>(place);
        wrong += pixel != row.pixel(static_cast<uint32_t>(texture(x, y)));
      }
    CAPTURE(static_cast<unsigned>(row.format), row.swap);
    CHECK(wrong == 0);
  }
  for (const bool luma_first : {true, false}) {
    become(luma_first ? Format::YUYV : Format::UYVY, width, height);
    REQUIRE(run() == ExecResult::done);
    unsigned wrong = 0;
    for (uint32_t y = 0; y < height; ++y)
      for (uint32_t x = 0; x < width; ++x)
        wrong += at(2 * x + !luma_first, y) != texture(x, y) || at(2 * x + luma_first, y) != (x % 2 ? 200 : 70);
    CHECK(wrong == 0);
  }
}

TEST_CASE_METHOD(Fixture, "sfc: the picture is at its place, and the fill colour around it") {
  state.rotation_mode = GENERATE(Rotated::_0, Rotated::_90_CW, Rotated::_180_CW, Rotated::_270_CW);
  const bool turned = state.rotation_mode == Rotated::_90_CW || state.rotation_mode == Rotated::_270_CW;
  fill(flat(50), flat(60), flat(70));
  become(Format::NV12, width, height);
  const uint32_t columns = turned ? height : width, rows = turned ? width : height, left = 6, top = 10;
  state.output_frame_width = 119, state.output_frame_height = 129;
  state.scaled_region_horizontal_offset = left, state.scaled_region_vertical_offset = top;
  state.color_fill_enable = true;
  state.gray_bar_pixel_y_r = 64, state.gray_bar_pixel_u_g = 514, state.gray_bar_pixel_v_b = 964;  // of 255: 16, 128, 240
  REQUIRE(run() == ExecResult::done);
  unsigned wrong = 0;
  for (uint32_t y = 0; y < 130; ++y)
    for (uint32_t x = 0; x < 120; ++x) {
      const bool inside = x >= left && x < left + columns && y >= top && y < top + rows;
      wrong += at(x, y) != (inside ? 50 : 16);
      wrong += chroma_at(x / 2, y / 2, 0) != (inside ? 60 : 128) || chroma_at(x / 2, y / 2, 1) != (inside ? 70 : 240);
    }
  CHECK(wrong == 0);
  CHECK((at(120, 0) == 0 && at(0, 130) == 0 && chroma_at(0, 65, 0) == 0));
}

TEST_CASE_METHOD(Fixture, "sfc: the matrix makes RGB of YUV; ones leave it as it is") {
  fill(texture, flat(90), flat(170));
  become(Format::A8B8G8R8, width, height);
  set_identity_matrix();
  REQUIRE(run() == ExecResult::done);
  const std::vector<uint8_t> with = bytes(output, output + height * out_pitch);
  state.csc_enable = false;
  REQUIRE(run() == ExecResult::done);
  CHECK(with == bytes(output, output + height * out_pitch));
  state.csc_enable = true;
  auto& f = ief.sfc_ief_state_body;
  // BT.601, of video range; 1192, 1634, 401, 832, 2066 of 1024.
  f.c0 = f.c3 = f.c6 = 1192 / 1024.0f, f.c2 = 1634 / 1024.0f, f.c4 = -401 / 1024.0f, f.c5 = -832 / 1024.0f, f.c7 = 2066 / 1024.0f,
  f.c1 = f.c8 = 0;
  f.offset_in_1 = -16, f.offset_in_2 = f.offset_in_3 = -128, f.offset_out_2 = 1.25f;
  REQUIRE(run() == ExecResult::done);
  unsigned wrong = 0;
  for (uint32_t y = 0; y < height; ++y)
    for (uint32_t x = 0; x < width; ++x) {
      const double l = texture(x, y) - 16, u = 90 - 128, v = 170 - 128;
      const double rgb[] = {1192 * l + 1634 * v, 1192 * l - 401 * u - 832 * v + 1.25 * 1024, 1192 * l + 2066 * u};
      for (uint32_t c = 0; c < 3; ++c) wrong += std::abs(at(4 * x + c, y) - std::clamp(rgb[c] / 1024, 0.0, 255.0)) > 0.51;
    }
  CHECK(wrong == 0);
}

TEST_CASE_METHOD(Fixture, "sfc: chroma is reduced before scaling, at the co-siting position") {
  source.surface_format = SurfaceState::SurfaceFormat::YCRCB_NORMAL;
  for (uint32_t y = 0; y < height; ++y)
    for (uint32_t x = 0; x < width; ++x) {
      view.store<uint8_t>(input + y * pitch + 2 * x, static_cast<uint8_t>(texture(x, y)));
      view.store<uint8_t>(input + y * pitch + 2 * x + 1, static_cast<uint8_t>(other(x / 2, y)));
    }
  state.sfc_input_chroma_sub_sampling = State::SFCInputChromaSubSampling::_4_2_2_HORIZONATAL;
  state.pre_avs_chroma_downsampling_enable = Reduction::_422_TO_420;
  const uint32_t siting = state.pre_avs_chroma_downsampling_co_siting_position_vertical_direction = GENERATE(0u, 2u, 4u);
  REQUIRE(run() == ExecResult::done);
  const auto between = [&](uint32_t x, uint32_t y) { return byte((other(x, 2 * y) * (8.0 - siting) + other(x, 2 * y + 1) * siting) / 8); };
  CHECK(wrong(width, height, texture, between) == 0);
}

TEST_CASE_METHOD(Fixture, "sfc: sharpening leaves flat parts, and makes edges steeper") {
  auto& f = ief.sfc_ief_state_body;
  state.ief_enable = true;
  f.gain_factor = 30, f.r3x_coefficient = f.r3c_coefficient = 3 / 32.0f,
  f.r5x_coefficient = f.r5cx_coefficient = f.r5c_coefficient = 5 / 32.0f;
  f.weak_edge_threshold = 1, f.strong_edge_threshold = 8, f.non_edge_weight = 1, f.regular_weight = 2, f.strong_edge_weight = 7;
  fill([](uint32_t x, uint32_t) { return x < 40 ? 80 : 160; }, other, other);
  REQUIRE(run() == ExecResult::done);
  unsigned changed = 0;
  for (uint32_t y = 0; y < height; ++y) {
    for (uint32_t x = 0; x < width; ++x)
      if (x < 38 || x > 41) changed += at(x, y) != (x < 40 ? 80 : 160);
    CHECK((at(39, y) < 75 && at(40, y) > 165));
  }
  CHECK(changed == 0);
  f.gain_factor = 0;
  REQUIRE(run() == ExecResult::done);
  CHECK((at(39, 5) == 80 && at(40, 5) == 160));
}

TEST_CASE_METHOD(Fixture, "sfc: VEBOX's own output is written where SFC_LOCK says so") {
  object.current_frame_output_address = stored;
  const bool keeps = lock.sfc_lock_body.pre_scaled_output_surface_output_enable = GENERATE(false, true);
  // Without the output no state of its surface is sent, so an old one is of no matter.
  if (!keeps) target.width = target.height = 7;
  become(Format::NV12, width / 2, height / 2);
  REQUIRE(run() == ExecResult::done);
  CHECK(view.load<uint8_t>(stored + 5 * pitch + 9) == (keeps ? texture(9, 5) : 0));
  CHECK(at(3, 3) != 0);
}

TEST_CASE_METHOD(Fixture, "sfc: a deinterlaced frame goes to SFC, without an output of VEBOX") {
  modes.di_enable = modes.dndi_first_frame = true;
  modes.di_output_frames = G::VEBOX_STATE::DIOutputFrames::CURRENT;
  modes.dn_di_state_pointer = stored;  // zeros: the lower field is kept
  state.sfc_input_chroma_sub_sampling = State::SFCInputChromaSubSampling::_4_2_2_HORIZONATAL;
  state.pre_avs_chroma_downsampling_enable = Reduction::_422_TO_420;
  state.pre_avs_chroma_downsampling_co_siting_position_vertical_direction = 4;
  REQUIRE(run() == ExecResult::done);
  unsigned moved = 0, same = 0;
  for (uint32_t y = 0; y < height; ++y)
    for (uint32_t x = 0; x < width; ++x)
      if (y % 2) moved += at(x, y) != texture(x, y);
      else same += at(x, y) == texture(x, y);
  CHECK(moved == 0);
  CHECK(same < width * height / 8);
  CHECK((chroma_at(7, 5, 0) == other(7, 5) && chroma_at(20, 31, 1) == other(20, 31)));
}

TEST_CASE_METHOD(Fixture, "sfc: no workers give the same; packets are kept in the context image; a reset drops the work") {
  std::mt19937 random(3);
  fill([&](uint32_t, uint32_t) { return static_cast<int>(random() % 256); }, other, texture);
  set_taps({-0.125f, 0.25f, -0.25f, 0.625f, 0.625f, -0.25f, 0.25f, -0.125f}, {-0.125f, 0.625f, 0.625f, -0.125f});
  set_identity_matrix();
  state.ief_enable = state.color_fill_enable = true;
  ief.sfc_ief_state_body.gain_factor = 20, ief.sfc_ief_state_body.r3x_coefficient = 0.25f, ief.sfc_ief_state_body.non_edge_weight = 7;
  state.rotation_mode = Rotated::_270_CW;
  become(Format::A8B8G8R8, 130, 150);
  REQUIRE(run() == ExecResult::done);
  const std::vector<uint8_t> expected = bytes(output, guard);
  view.fill(output, 0, guard - output);
  vebox = Vebox(make_vebox_decoder<G>());
  send_states(), send(G::SFC_FRAME_START{});
  std::vector<std::byte> image(vebox.context_size());
  vebox.save_context(image), vebox.reset_context(), vebox.restore_context(image);
  stop.request(StopFlag::preempt);
  REQUIRE(send(object) == ExecResult::done);
  CHECK(bytes(output, guard) == expected);
  // The frame is over: the next object is VEBOX's alone.
  view.fill(output, 0, guard - output);
  stop.clear(StopFlag::preempt);
  REQUIRE(send(object) == ExecResult::done);
  CHECK(bytes(output, guard) == std::vector<uint8_t>(guard - output));
  stop.request(StopFlag::reset);
  CHECK(run() == ExecResult::aborted);
}

TEST_CASE_METHOD(Fixture, "sfc: what does not fit is refused") {
  const std::vector<std::function<void()>> mistakes = {
      [&] { state.source_region_horizontal_offset = 1; },
      [&] { state.source_region_height = height; },
      [&] { state.input_frame_resolution_width = width; },
      [&] { state.output_frame_width = width - 2; },
      [&] { state.scaled_region_vertical_offset = 2; },
      [&] { state.scaled_region_horizontal_offset = -2; },
      [&] { state.scaled_region_size_width = width - 2; },
      [&] { state.avs_scaling_enable = true, state.scaling_factor_width = 0; },
      [&] { state.output_surface_format_type = Format::INTEGRAL_32; },
      [&] { state.output_surface_interleave_chroma_enable = false; },
      [&] { state.sfc_input_chroma_sub_sampling = State::SFCInputChromaSubSampling::_4_0_0; },
      [&] { state.sfc_pipe_mode = State::SFCPipeMode::VE_TO_SFC_INTEGRAL_IMAGE; },
      [&] { lock.sfc_lock_body.ve_sfc_pipe_select = G::SFC_LOCK_BODY::VESFCPipeSelect::VDBOX; }};
  const auto good = std::pair(lock, state);
  for (size_t i = 0; i < mistakes.size(); ++i) {
    mistakes[i]();
    REQUIRE(run() == ExecResult::done);
    CAPTURE(i);
    CHECK(bytes(output, guard) == std::vector<uint8_t>(guard - output));
    std::tie(lock, state) = good;
  }
  REQUIRE(run() == ExecResult::done);
  CHECK(at(5, 5) == texture(5, 5));
}

TEST_CASE_METHOD(Fixture, "sfc: hostile packets touch nothing that is not theirs") {
  std::mt19937 random(12);
  const std::vector<uint8_t> before = bytes(guard, end);
  const auto scramble = [&](const auto& packet) {
    auto dwords = packet.pack();
    for (size_t i = 1; i < dwords.size(); ++i)
      if (random() % 4 == 0) dwords[i] = static_cast<uint32_t>(random());
    return std::remove_cvref_t<decltype(packet)>::unpack(dwords);
  };
  const State first = state;
  for (int round = 0; round < 150; ++round) {
    state = scramble(first);
    // Regions that fit reach more.
    state.sfc_pipe_mode = State::SFCPipeMode::VE_TO_SFC;
    state.input_frame_resolution_width %= width, state.input_frame_resolution_height %= height;
    state.source_region_horizontal_offset %= state.input_frame_resolution_width + 1;
    state.source_region_vertical_offset %= state.input_frame_resolution_height + 1;
    state.source_region_width %= state.input_frame_resolution_width + 1 - state.source_region_horizontal_offset;
    state.source_region_height %= state.input_frame_resolution_height + 1 - state.source_region_vertical_offset;
    state.scaled_region_size_width = random() % 64 * 2 + 1, state.scaled_region_size_height = random() % 64 * 2 + 1;
    state.scaled_region_horizontal_offset = random() % 8 * 2, state.scaled_region_vertical_offset = random() % 8 * 2;
    state.output_frame_width = random() % 4096, state.output_frame_height = random() % 300;
    // Pages behind the memory are not there.
    state.output_frame_address = end + random() % 64 * 4096;
    avs = scramble(avs), luma = scramble(luma), chroma = scramble(chroma), ief = scramble(ief);
    REQUIRE(run() == ExecResult::done);
  }
  CHECK(bytes(guard, end) == before);
}
