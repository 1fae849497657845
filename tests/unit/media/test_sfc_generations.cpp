// SPDX-License-Identifier: GPL-2.0-or-later
// SFC by each generation's packets, behind VEBOX: what they have in common gives the same bits, and what later ones add.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "hw/base/log.h"
#include "tests/unit/media/sfc_rig.h"
#include "tests/unit/media/vebox_rig.h"

using namespace softgen;
using namespace softgen::media;

namespace {

constexpr uint64_t input = 0x1'0000, output = 0x4'0000, end = 0xc'0000;
constexpr uint32_t width = 96, height = 68, pitch = 256, out_pitch = 1024, chroma_row = 160;

using test::texture;

template <class G>
struct Rig : test::VeboxRigOf<G>, test::SfcPacketsOf<G> {
  using Packets = test::SfcPacketsOf<G>;
  using Fields = typename Packets::Fields;
  using Format = typename Packets::Format;
  using Surface = typename G::VEBOX_SURFACE_STATE;

  Rig() : test::VeboxRigOf<G>(input, end), Packets(SfcClient::vebox, width, height, output, out_pitch, chroma_row) {
    test::set_nv12(source, width, height, pitch, chroma_row);
    object.ending_x = width - 1;
    object.current_frame_input_address = input;
    this->fields().avs_filter_mode = Fields::AVSFilterMode::BILINEAR_FILTER_ONLY;
    set_input_rows(4);
    for (uint32_t y = 0; y < chroma_row + height / 2; ++y)
      for (uint32_t x = 0; x < width; ++x) this->view.template store<uint8_t>(input + y * pitch + x, texture(x, y));
  }
  void run() {
    this->send(modes), this->send(source), this->send_to(*this), this->send(typename G::SFC_FRAME_START{});
    REQUIRE(this->send(object) == ExecResult::done);
  }
  /// Where chroma is in the input, in eighths: Gen9 takes it to be midway between rows, or in the taps.
  void set_input_rows(uint32_t eighths) {
    if constexpr (requires { this->avs.avs_state_body.input_vertical_siting; }) this->avs.avs_state_body.input_vertical_siting = eighths;
  }
  /// By windows of luma's and chroma's taps, other ones in each phase.
  void filter_by_taps() {
    auto& l = this->luma.avs_luma_coefficient_table_body;
    auto& c = this->chroma.avs_chroma_coefficient_table_body;
    for (size_t phase = 0; phase < 32; ++phase) {
      const float part = static_cast<float>(phase) / 64;
      l.table_0x_filter_coefficient_3[phase] = l.table_0y_filter_coefficient_3[phase] = 1 - part;
      l.table_0x_filter_coefficient_4[phase] = l.table_0y_filter_coefficient_5[phase] = part;
      c.table_1x_filter_coefficient_3[phase] = c.table_1y_filter_coefficient_3[phase] = 1 - part;
      c.table_1x_filter_coefficient_4[phase] = c.table_1y_filter_coefficient_4[phase] = part;
    }
    this->fields().avs_filter_mode = Fields::AVSFilterMode::_8X8_POLY_PHASE_FILTER_plus_BILINEAR;
    this->avs.avs_state_body.sharpness_level = 255;
    set_input_rows(0);
  }
  std::vector<uint8_t> outputs() { return this->bytes(output, end); }
  uint8_t at(uint32_t x, uint32_t y) { return this->view.template load<uint8_t>(output + y * out_pitch + x); }

  Surface source;
  typename G::VEBOX_STATE modes;
  typename G::VEB_DI_IECP object;
};

}  // namespace

TEMPLATE_TEST_CASE("sfc: generations make the same frames of pictures", "", defs::Gen11, defs::Gen12) {
  SECTION("of the same size, rotated") {
    const int turns = GENERATE(range(0, 4));
    test::check_as_gen9<Rig, TestType>([&](auto& rig) {
      using R = std::remove_cvref_t<decltype(rig)>;
      rig.fields().rotation_mode = static_cast<typename R::Fields::RotationMode>(turns);
      rig.become(R::Format::NV12, width, height);
    });
  }
  SECTION("scaled") {
    const bool by_taps = GENERATE(false, true);
    const auto [columns, rows] = GENERATE(std::pair{128u, 80u}, std::pair{40u, 60u});
    test::check_as_gen9<Rig, TestType>([&](auto& rig) {
      using R = std::remove_cvref_t<decltype(rig)>;
      if (by_taps) rig.filter_by_taps();
      rig.become(R::Format::NV12, columns, rows);
    });
  }
  SECTION("as RGB, in a frame of another colour") {
    test::check_as_gen9<Rig, TestType>([](auto& rig) {
      using R = std::remove_cvref_t<decltype(rig)>;
      rig.become(R::Format::A8B8G8R8, width, height);
      auto& matrix = rig.ief.sfc_ief_state_body;
      matrix.transform_enable = true, matrix.c0 = matrix.c3 = matrix.c6 = 1.1640625F, matrix.c2 = 1.5F, matrix.c7 = 2;
      matrix.offset_in_1 = -16, matrix.offset_in_2 = matrix.offset_in_3 = -128;
      auto& state = rig.fields();
      state.csc_enable = true, state.output_frame_width += 6, state.output_frame_height += 4;
      state.scaled_region_horizontal_offset = 3, state.scaled_region_vertical_offset = 1;
      state.color_fill_enable = true, state.gray_bar_pixel_y_r = 300, state.gray_bar_pixel_u_g = 900, state.gray_bar_pixel_v_b = 5;
    });
  }
}

TEMPLATE_TEST_CASE("sfc: a picture is mirrored after it is turned", "", defs::Gen11, defs::Gen12) {
  Rig<TestType> rig;
  using R = Rig<TestType>;
  using Type = typename R::Fields::MirrorType;
  const int turns = GENERATE(range(0, 4));
  const Type type = GENERATE(Type::HORIZONTAL_FLIP, Type::VERTICAL_FLIP);
  const uint32_t across = turns % 2 ? height : width, down = turns % 2 ? width : height;
  // Where the picture's sample (x, y) comes to, turned clockwise.
  const auto turned = [&](uint32_t x, uint32_t y, uint32_t columns, uint32_t rows) {
    for (int i = 0; i < turns; ++i) {
      const uint32_t left = x;
      x = rows - 1 - y, y = left;
      std::swap(columns, rows);
    }
    return type == Type::HORIZONTAL_FLIP ? std::pair{columns - 1 - x, y} : std::pair{x, rows - 1 - y};
  };
  auto& state = rig.fields();
  state.rotation_mode = static_cast<typename R::Fields::RotationMode>(turns);
  state.mirror_mode = true, state.mirror_type = type;
  rig.become(R::Format::NV12, width, height);
  rig.run();
  unsigned wrong = 0;
  for (uint32_t y = 0; y < height; ++y)
    for (uint32_t x = 0; x < width; ++x) {
      const auto [to_x, to_y] = turned(x, y, width, height);
      wrong += rig.at(to_x, to_y) != texture(x, y);
    }
  for (uint32_t y = 0; y < height / 2; ++y)
    for (uint32_t x = 0; x < width / 2; ++x) {
      const auto [to_x, to_y] = turned(x, y, width / 2, height / 2);
      wrong += rig.at(2 * to_x, chroma_row + to_y) != texture(2 * x, chroma_row + y);
    }
  CHECK(wrong == 0);
  CHECK(rig.at(across, 0) == 0);
  CHECK(rig.at(0, down) == 0);
}

TEMPLATE_TEST_CASE("sfc: samples of 16 bits, or the upper 10 of them", "", defs::Gen11, defs::Gen12) {
  Rig<TestType> rig;
  using R = Rig<TestType>;
  using Depth = typename R::Fields::BitDepth;
  const bool ten = GENERATE(true, false);
  rig.become(R::Format::P016, width, height);
  auto& state = rig.fields();
  state.bit_depth = ten ? Depth::_10_BIT : Depth::_16_BIT;
  // Between two samples: more than 8 bits.
  state.avs_scaling_enable = true, state.source_region_width = width - 1;
  state.scaled_region_size_width = state.output_frame_width = 2 * width - 1, state.scaling_factor_width = 0.5F;
  if constexpr (requires { state.x_phase_shift; }) state.x_phase_shift = -0.25F;
  rig.run();
  const auto sample = [&](uint32_t x, uint32_t y) { return rig.view.template load<uint16_t>(output + y * out_pitch + 2 * x); };
  unsigned wrong = 0, finer = 0;
  for (uint32_t x = 1; x < width - 1; ++x) {
    const uint32_t exact = 64u * (3 * texture(x, 5) + texture(x + 1, 5));
    finer += exact % 256 != 0;
    wrong += std::abs(static_cast<int>(exact) - sample(2 * x + 1, 5)) > 33 || (ten && sample(2 * x + 1, 5) % 64);
  }
  CHECK(wrong == 0);
  CHECK(finer > width / 2);
  CHECK(sample(0, chroma_row) == texture(0, chroma_row) * 256);
  CHECK(sample(1, chroma_row) == texture(1, chroma_row) * 256);
}

TEMPLATE_TEST_CASE("sfc: chroma of the input is where SFC_AVS_STATE says", "", defs::Gen11, defs::Gen12) {
  // Enlarged to every pixel: that of column x is the mean of two samples where the one on the left is half a sample of chroma away.
  Rig<TestType> rig;
  using R = Rig<TestType>;
  const uint32_t eighths = GENERATE(0u, 4u, 8u);
  rig.avs.avs_state_body.input_horizontal_siting = eighths;
  rig.become(R::Format::AYUV, width, height);
  rig.run();
  const auto u_at = [&](uint32_t x) { return rig.view.template load<uint8_t>(output + 4 * x + 1); };
  unsigned wrong = 0;
  for (uint32_t x = 2; x < width - 2; ++x) {
    const double place = (x - eighths / 8.0) / 2, part = place - std::floor(place);
    const auto left = static_cast<uint32_t>(place);
    const double expected = texture(2 * left, chroma_row) * (1 - part) + texture(2 * left + 2, chroma_row) * part;
    wrong += std::abs(expected - u_at(x)) > 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("sfc: Gen12's packet says where the first sample is, and that chroma takes luma's taps") {
  Rig<defs::Gen12> rig;
  using R = Rig<defs::Gen12>;
  auto& state = rig.fields();
  rig.become(R::Format::NV12, width / 2, height);
  SECTION("first sample") {
    // Every second sample, from the second one on.
    state.x_phase_shift = 1;
    rig.run();
    unsigned wrong = 0;
    for (uint32_t x = 0; x < width / 2; ++x) wrong += rig.at(x, 3) != texture(2 * x + 1, 3);
    CHECK(wrong == 0);
  }
  SECTION("taps") {
    rig.filter_by_taps();
    state._8_tap_filter_for_chroma_enable = true;
    rig.chroma = {};
    rig.run();
    CHECK(rig.at(8, chroma_row + 4) > 16);
  }
}

TEST_CASE("sfc: what Gen12 adds and is not there is counted") {
  Rig<defs::Gen12> rig;
  clear_failure_counts();
  auto& state = rig.fields();
  using Fields = Rig<defs::Gen12>::Fields;
  const char* name = nullptr;
  bool makes_frame = true;
  SECTION("engines") { state.sfc_engine_mode = Fields::SFCEngineMode::LEFT_MOST, name = "SFC of several engines"; }
  SECTION("histogram") { state.histogram_streamout = true, name = "SFC histogram"; }
  SECTION("compression") { state.output_frame_memory_compression_enable = true, name = "SFC compressed output"; }
  SECTION("packed formats of 16 bits") {
    state.output_surface_format_type = Fields::OutputSurfaceFormatType::Y216, name = "SFC output", makes_frame = false;
  }
  SECTION("more than the host keeps") {
    state.input_frame_resolution_width = state.input_frame_resolution_height = 16383, name = "SFC input", makes_frame = false;
  }
  rig.run();
  CHECK(failure_count(Failure::unimplemented, name) == 1);
  CHECK((rig.at(0, 0) == texture(0, 0)) == makes_frame);
}
