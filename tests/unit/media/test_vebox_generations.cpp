// SPDX-License-Identifier: GPL-2.0-or-later
// VEB_DI_IECP by each generation's packets: what they have in common gives the same bits, and what later ones add.
#include <algorithm>
#include <random>
#include <vector>

#include "hw/base/log.h"
#include "tests/unit/media/vebox_rig.h"

using namespace softgen;
using namespace softgen::media;

namespace {

constexpr uint64_t dndi_at = 0x1'0000, iecp_at = 0x1'1000, current = 0x2'0000, previous = 0x4'0000, motion_in = 0x6'0000,
                   motion_out = 0x7'0000, denoised = 0x8'0000, output = 0xa'0000, output_previous = 0xc'0000, statistics = 0xe'0000,
                   end = 0x10'0000;
constexpr uint32_t width = 150, height = 86, pitch = 256, chroma_row = 96;

template <class G>
struct Rig : test::VeboxRigOf<G> {
  using Surface = typename G::VEBOX_SURFACE_STATE;
  using Format = typename Surface::SurfaceFormat;

  Rig() : test::VeboxRigOf<G>(dndi_at, end) {
    for (auto* surface : {&source, &target}) test::set_nv12(*surface, width, height, pitch, chroma_row);
    target.surface_identification = Surface::SurfaceIdentification::OUTPUT;
    modes.dn_di_state_pointer = dndi_at, modes.iecp_state_pointer = iecp_at;
    modes.di_output_frames = G::VEBOX_STATE::DIOutputFrames::BOTH;
    object.ending_x = width - 1;
    object.current_frame_input_address = current, object.previous_frame_input_address = previous;
    object.stmm_input_address = motion_in, object.stmm_output_address = motion_out;
    object.denoised_current_frame_output_address = denoised;
    object.current_frame_output_address = output, object.previous_frame_output_address = output_previous;
    std::mt19937 random(23);
    for (const uint64_t at : {current, previous})
      for (uint32_t y = 0; y < chroma_row + height / 2; ++y)
        for (uint32_t x = 0; x < width; ++x)
          this->view.template store<uint8_t>(at + y * pitch + x, static_cast<uint8_t>(40 + x + y / 2 + random() % 24));
  }
  void run() {
    this->put(dndi_at, dndi), this->put(iecp_at, iecp);
    this->send(modes), this->send(source), this->send(target);
    REQUIRE(this->send(object) == ExecResult::done);
  }
  /// vphal_render_vebox_g11_base.cpp and mhw_vebox_g11_X.cpp, which have Gen9's values, for a factor of 32 of 64.
  void set_drivers_denoise() {
    modes.dn_enable = true;
    dndi.denoise_stad_threshold = 2176, dndi.denoise_maximum_history = 176, dndi.denoise_history_increase = 6;
    dndi.denoise_moving_pixel_threshold = 1, dndi.temporal_difference_threshold = 160;
    dndi.chroma_denoise_enable = true, dndi.chroma_denoise_stad_threshold = 136, dndi.chroma_temporal_difference_threshold = 12;
    const auto set = [](auto& field, uint32_t value) {
      if constexpr (requires { field[0]; }) field.fill(value);
      else field = value;
    };
    set(dndi.dn_prt0, 192), set(dndi.dn_prt1, 256), set(dndi.dn_prt2, 512), set(dndi.dn_prt3, 640), set(dndi.dn_prt4, 896),
        set(dndi.dn_prt5, 1280);
    set(dndi.dn_wr0, 16), set(dndi.dn_wr1, 14), set(dndi.dn_wr2, 10), set(dndi.dn_wr3, 5), set(dndi.dn_wr4, 2), set(dndi.dn_wr5, 1);
    set(dndi.dn_wd00, 12), set(dndi.dn_wd01, 12), set(dndi.dn_wd02, 10), set(dndi.dn_wd10, 12), set(dndi.dn_wd11, 11),
        set(dndi.dn_wd12, 10);
    set(dndi.dn_wd20, 10), set(dndi.dn_wd21, 10), set(dndi.dn_wd22, 8);
  }
  void set_drivers_deinterlacing() {
    modes.di_enable = true;
    dndi.stmm_c2 = 2, dndi.multiplier_for_vecm = 30, dndi.maximum_stmm = 150, dndi.minimum_stmm = 118, dndi.stmm_shift_up = 1;
    dndi.blending_constant_across_time_for_large_values_of_stmm = 64, dndi.blending_constant_across_time_for_small_values_of_stmm = 125;
    dndi.dndi_top_first = true;
  }
  void set_colour() {
    modes.global_iecp_enable = true;
    auto& amp = iecp.procamp_state;
    amp.procamp_enable = true, amp.contrast = 154, amp.brightness = -203, amp.cos_c_s = 200, amp.sin_c_s = -77;
    // iHD, BT.601.
    auto& csc = iecp.csc_state;
    csc.transform_enable = true;
    csc.c0 = 76284, csc.c2 = 104595, csc.c3 = 76284, csc.c4 = -25689, csc.c5 = -53280, csc.c6 = 76284, csc.c7 = 132186;
    csc.offset_in_1 = -2048, csc.offset_in_2 = csc.offset_in_3 = -16384;
    auto& front = iecp.front_end_csc_state;
    front.front_end_csc_transform_enable = true;
    front.fecsc_c0_transform_coefficient = 60000, front.fecsc_c4_transform_coefficient = 70000,
    front.fecsc_c8_transform_coefficient = 50000;
    iecp.alpha_aoi_state.alpha_from_state_select = true, iecp.alpha_aoi_state.color_pipe_alpha = 0x4400;
  }
  void set_rgb(Format format) {
    target.surface_format = format, target.surface_pitch = 4 * width - 1, object.previous_frame_output_address = 0;
  }
  std::vector<uint8_t> outputs() { return this->bytes(motion_out, statistics); }

  Surface source, target;
  typename G::VEBOX_STATE modes;
  typename G::VEB_DI_IECP object;
  typename G::VEBOX_DNDI_STATE dndi;
  typename G::VEBOX_IECP_STATE iecp;
};

}  // namespace

TEMPLATE_TEST_CASE("vebox: generations filter, deinterlace and colour pictures alike", "", defs::Gen11, defs::Gen12) {
  SECTION("denoise") {
    test::check_as_gen9<Rig, TestType>([](auto& rig) { rig.set_drivers_denoise(); });
  }
  SECTION("deinterlacing") {
    test::check_as_gen9<Rig, TestType>([](auto& rig) { rig.set_drivers_deinterlacing(); });
  }
  SECTION("both, of first frames") {
    test::check_as_gen9<Rig, TestType>(
        [](auto& rig) { rig.set_drivers_denoise(), rig.set_drivers_deinterlacing(), rig.modes.dndi_first_frame = true; });
  }
  SECTION("colour") {
    test::check_as_gen9<Rig, TestType>(
        [](auto& rig) { rig.set_colour(), rig.set_rgb(std::remove_cvref_t<decltype(rig)>::Format::R8G8B8A8_UNORM); });
  }
}

TEMPLATE_TEST_CASE("vebox: components in the other order, and chroma at the place that the packet says", "", defs::Gen11, defs::Gen12) {
  using G = TestType;
  using Format = typename Rig<G>::Format;
  Rig<G> rig;
  rig.set_colour();
  SECTION("B8G8R8A8") {
    Rig<G> other;
    other.set_colour();
    rig.set_rgb(Format::R8G8B8A8_UNORM), other.set_rgb(Format::B8G8R8A8_UNORM);
    rig.run(), other.run();
    std::vector<uint8_t> swapped = other.bytes(output, output + 4 * width * height);
    for (size_t i = 0; i < swapped.size(); i += 4) std::swap(swapped[i], swapped[i + 2]);
    CHECK((rig.bytes(output, output + 4 * width * height) == swapped));
  }
  SECTION("the channel swap, which iHD sets with B8G8R8A8") {
    Rig<G> other;
    other.set_colour();
    rig.set_rgb(Format::B8G8R8A8_UNORM), other.set_rgb(Format::B8G8R8A8_UNORM);
    other.iecp.csc_state.yuv_channel_swap = true;
    rig.run(), other.run();
    CHECK((rig.outputs() == other.outputs()));
  }
  SECTION("reduced chroma") {
    // Of 4:4:4, whose columns and rows differ.
    rig.iecp = {}, rig.object.previous_frame_output_address = 0;
    rig.source.surface_format = Format::R8G8B8A8_UNORM, rig.source.surface_pitch = 4 * width - 1;
    for (uint32_t y = 0; y < height; ++y)
      for (uint32_t x = 0; x < width; ++x)
        rig.view.template store<uint32_t>(current + y * 4 * width + 4 * x, (x % 2 * 40 + y % 2 * 80) * 0x0101'0101u);
    const auto row = GENERATE(G::VEBOXChromaRow::TOP, G::VEBOXChromaRow::CENTER);
    const auto column = GENERATE(G::VEBOXChromaColumn::LEFT, G::VEBOXChromaColumn::CENTER);
    rig.modes.chroma_downsampling_co_sited_vertical_offset = row, rig.modes.chroma_downsampling_co_sited_horizontal_offset = column;
    rig.run();
    const int expected = (column == G::VEBOXChromaColumn::CENTER ? 20 : 0) + (row == G::VEBOXChromaRow::CENTER ? 40 : 0);
    CHECK(rig.view.template load<uint8_t>(output + chroma_row * pitch) == expected);
    CHECK(rig.view.template load<uint8_t>(output + (chroma_row + 20) * pitch + 61) == expected);
  }
}

TEMPLATE_TEST_CASE("vebox: statistics are cleared as far as the driver's surface reaches", "", defs::Gen9, defs::Gen11, defs::Gen12) {
  Rig<TestType> rig;
  rig.set_drivers_denoise();
  rig.object.statistics_output_address = statistics;
  rig.view.fill(statistics, 0x55, end - statistics);
  rig.run();
  // Allocated: rows of 4 rows of the picture, and whole rows for 576 dwords of a frame (Gen9: VPHAL_VEBOX_STATISTICS_SIZE_G9), or 256 (_G11, _G12).
  constexpr uint32_t row_bytes = 192, dwords = std::is_same_v<TestType, defs::Gen9> ? 576 : 256;
  const uint64_t limit = statistics + row_bytes * ((height + 3) / 4 + (dwords * 4 + row_bytes - 1) / row_bytes);
  CHECK(rig.view.template load<uint8_t>(statistics) == 0);
  CHECK(rig.view.template load<uint8_t>(limit - row_bytes) == 0);
  CHECK(rig.view.template load<uint8_t>(limit) == 0x55);
}

// iHD refuses a denoised surface of another pitch than the input's (vphal_render_vebox_base.cpp), and P010's STMM is narrower than it.
TEMPLATE_TEST_CASE("vebox: the input's pitch is the denoised surface's, and its derived one STMM's", "", defs::Gen9, defs::Gen11,
                   defs::Gen12) {
  Rig<TestType> first, second;
  constexpr uint32_t narrow = 128;
  for (auto* rig : {&first, &second}) {
    rig->set_drivers_denoise();
    rig->modes.dndi_first_frame = true;
  }
  second.source.derived_surface_pitch = narrow - 1;
  first.run(), second.run();
  CHECK((first.bytes(denoised, output) == second.bytes(denoised, output)));
  // Motion is a byte for two columns, and a row for each.
  const uint64_t rows = height * narrow;
  CHECK(std::ranges::all_of(second.bytes(motion_out + rows, denoised), [](uint8_t byte) { return byte == 0; }));
  CHECK((second.bytes(motion_out + narrow, motion_out + narrow + width / 2) ==
         first.bytes(motion_out + pitch, motion_out + pitch + width / 2)));
}

TEST_CASE("vebox: what Gen11 and Gen12 add and is not there is counted") {
  Rig<defs::Gen12> rig;
  clear_failure_counts();
  rig.modes.scalar_mode = rig.modes._3d_lut_enable = rig.modes.hdr_enable = rig.modes.fp16_mode_enable = true;
  rig.run();
  for (const char* name : {"VEBOX scalar mode", "VEBOX 3D LUT", "VEBOX HDR", "VEBOX samples of FP16"})
    CHECK(failure_count(Failure::unimplemented, name) == 1);
}
