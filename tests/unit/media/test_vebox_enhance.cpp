// SPDX-License-Identifier: GPL-2.0-or-later
// VEB_DI_IECP, with packets and states as i965-va-driver's gen75_vpp_vebox.c writes them.
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "tests/unit/media/vebox_rig.h"

using namespace softgen;
using namespace softgen::media;
using G = defs::Gen9;

namespace {

constexpr uint64_t dndi_at = 0x1'0000, iecp_at = 0x1'1000, current = 0x2'0000, previous = 0x4'0000, motion_in = 0x6'0000,
                   motion_out = 0x7'0000, denoised = 0x8'0000, output = 0xa'0000, output_previous = 0xc'0000, statistics = 0xe'0000,
                   guard = 0xf'0000, end = 0x10'0000;
constexpr uint32_t width = 200, height = 120, pitch = 256, chroma_row = 128;  // not whole bands, nor whole tiles

using Modes = G::VEBOX_STATE;
using SurfaceState = G::VEBOX_SURFACE_STATE;
using Format = SurfaceState::SurfaceFormat;

struct Fixture : test::VeboxRig {
  Fixture() : VeboxRigOf(dndi_at, end) {
    for (auto* surface : {&source, &target}) {
      test::set_nv12(*surface, width, height, pitch, chroma_row);
      surface->tiled_surface = true, surface->tile_walk = SurfaceState::TileWalk::TW_YMAJOR;
    }
    target.surface_identification = SurfaceState::SurfaceIdentification::OUTPUT;
    modes.dn_di_state_pointer = dndi_at, modes.iecp_state_pointer = iecp_at;
    modes.di_output_frames = Modes::DIOutputFrames::CURRENT;
    object.ending_x = width - 1;
    object.current_frame_input_address = current, object.previous_frame_input_address = previous;
    object.stmm_input_address = motion_in, object.stmm_output_address = motion_out;
    object.denoised_current_frame_output_address = denoised;
    object.current_frame_output_address = output, object.previous_frame_output_address = output_previous;
    object.statistics_output_address = statistics;
    dndi.denoise_stad_threshold = 140, dndi.denoise_maximum_history = 192, dndi.denoise_history_increase = 7;
    dndi.denoise_moving_pixel_threshold = 1, dndi.initial_denoise_history = 32, dndi.progressive_dn = true;
    dndi.chroma_denoise_enable = true, dndi.chroma_denoise_stad_threshold = 140, dndi.chroma_temporal_difference_threshold = 13;
    dndi.stmm_c2 = 2, dndi.multiplier_for_vecm = 30, dndi.maximum_stmm = 150, dndi.minimum_stmm = 118, dndi.stmm_shift_up = 1;
    dndi.blending_constant_across_time_for_large_values_of_stmm = 64, dndi.blending_constant_across_time_for_small_values_of_stmm = 125;
    dndi.dndi_top_first = true;
  }
  ExecResult run() {
    put(dndi_at, dndi), put(iecp_at, iecp);
    send(modes), send(source), send(target);
    return send(object);
  }
  static uint64_t place(const SurfaceState& s, uint32_t x, uint32_t y) {
    if (!s.tiled_surface) return uint64_t{y} * (s.surface_pitch + 1) + x;
    return surface::offset(surface::Tiling::y, 1, x, y, s.surface_pitch + 1);
  }
  uint8_t luma(uint64_t at, uint32_t x, uint32_t y) { return view.load<uint8_t>(at + place(target, x, y)); }
  uint8_t chroma(uint64_t at, uint32_t x, uint32_t y, uint32_t c) {
    return view.load<uint8_t>(at + place(target, 2 * x + c, chroma_row + y));
  }
  using Picture = std::function<int(uint32_t x, uint32_t y)>;
  void fill(uint64_t at, const Picture& y_of, const Picture& u_of, const Picture& v_of) {
    const auto byte = [](int value) { return static_cast<uint8_t>(std::clamp(value, 0, 255)); };
    for (uint32_t y = 0; y < height; ++y)
      for (uint32_t x = 0; x < width; ++x) view.store<uint8_t>(at + place(source, x, y), byte(y_of(x, y)));
    for (uint32_t y = 0; y < height / 2; ++y)
      for (uint32_t x = 0; x < width / 2; ++x) {
        view.store<uint8_t>(at + place(source, 2 * x, chroma_row + y), byte(u_of(x, y)));
        view.store<uint8_t>(at + place(source, 2 * x + 1, chroma_row + y), byte(v_of(x, y)));
      }
  }
  double error(uint64_t at, const Picture& of) {
    double sum = 0;
    for (uint32_t y = 0; y < height; ++y)
      for (uint32_t x = 0; x < width; ++x) sum += std::pow(luma(at, x, y) - of(x, y), 2);
    return sum / (width * height);
  }

  SurfaceState source, target;
  Modes modes;
  G::VEB_DI_IECP object;
  G::VEBOX_DNDI_STATE dndi;
  G::VEBOX_IECP_STATE iecp;
};

int texture(uint32_t x, uint32_t y) { return static_cast<int>((x * 7 + y * 13 + (x / 9 + y / 5) % 3 * 40) % 220 + 16); }
int gradient(uint32_t x, uint32_t y) { return static_cast<int>(60 + x / 2 + y / 3); }
Fixture::Picture grey = [](uint32_t, uint32_t) { return 128; };

}  // namespace

TEST_CASE_METHOD(Fixture, "vebox: procamp is exact") {
  fill(current, texture, gradient, texture);
  modes.global_iecp_enable = true;
  auto& amp = iecp.procamp_state;
  amp.procamp_enable = true;
  amp.contrast = 154, amp.brightness = -13 * 16 + 5, amp.cos_c_s = 200, amp.sin_c_s = -77;
  REQUIRE(run() == ExecResult::done);
  const auto byte = [](double value) { return static_cast<int>(std::clamp(std::floor(value + 0.5), 0.0, 255.0)); };
  unsigned wrong = 0;
  for (uint32_t y = 0; y < height; ++y)
    for (uint32_t x = 0; x < width; ++x)
      wrong += luma(output, x, y) != byte((texture(x, y) - 16) * 154 / 128.0 + 16 + (-13 * 16 + 5) / 16.0);
  CHECK(wrong == 0);
  for (uint32_t y = 0; y < height / 2; ++y)
    for (uint32_t x = 0; x < width / 2; ++x) {
      const int u = gradient(x, y) - 128, v = texture(x, y) - 128;
      wrong += chroma(output, x, y, 0) != byte((u * 200 - v * 77) / 256.0 + 128);
      wrong += chroma(output, x, y, 1) != byte((v * 200 + u * 77) / 256.0 + 128);
    }
  CHECK(wrong == 0);
}

TEST_CASE_METHOD(Fixture, "vebox: CSC makes RGB of YUV as its matrix says") {
  fill(current, texture, gradient, texture);
  modes.global_iecp_enable = true;
  target.surface_format = Format::R8G8B8A8_UNORM;
  target.tiled_surface = false, target.surface_pitch = 4 * width - 1;
  auto& csc = iecp.csc_state;
  // iHD, BT.601.
  csc.transform_enable = true;
  csc.c0 = 76284, csc.c2 = 104595, csc.c3 = 76284, csc.c4 = -25689, csc.c5 = -53280, csc.c6 = 76284, csc.c7 = 132186;
  csc.offset_in_1 = -2048, csc.offset_in_2 = csc.offset_in_3 = -16384;
  REQUIRE(run() == ExecResult::done);
  unsigned wrong = 0;
  for (uint32_t y = 0; y < height; ++y)
    for (uint32_t x = 0; x < width; ++x) {
      const double l = texture(x, y) - 16, u = gradient(x / 2, y / 2) - 128, v = texture(x / 2, y / 2) - 128;
      const double rgb[3] = {76284 * l + 104595 * v, 76284 * l - 25689 * u - 53280 * v, 76284 * l + 132186 * u};
      for (uint32_t c = 0; c < 3; ++c) {
        const int got = view.load<uint8_t>(output + y * 4 * width + 4 * x + c);
        wrong += std::abs(got - std::clamp(rgb[c] / 65536, 0.0, 255.0)) > 0.51;
      }
      wrong += view.load<uint8_t>(output + y * 4 * width + 4 * x + 3) != 0xff;
    }
  CHECK(wrong == 0);
}

TEST_CASE_METHOD(Fixture, "vebox: pictures pass through all formats that it stores") {
  fill(current, texture, gradient, gradient);
  target.tiled_surface = false;
  struct Row {
    Format format;
    uint32_t step, y0, y1, u, v;
  };
  const auto row =
      GENERATE(Row{Format::YCRCB_NORMAL, 4, 0, 2, 1, 3}, Row{Format::YCRCB_SWAPY, 4, 1, 3, 0, 2}, Row{Format::YCRCB_SWAPUV, 4, 0, 2, 3, 1},
               Row{Format::YCRCB_SWAPUVY, 4, 1, 3, 2, 0}, Row{Format::PACKED_444A_8, 8, 2, 6, 1, 0});
  target.surface_format = row.format, target.surface_pitch = row.step * width / 2 - 1;
  REQUIRE(run() == ExecResult::done);
  unsigned wrong = 0;
  for (uint32_t y = 0; y < height; ++y)
    for (uint32_t x = 0; x < width / 2; ++x) {
      const uint64_t at = output + y * row.step * width / 2 + row.step * x;
      wrong += view.load<uint8_t>(at + row.y0) != texture(2 * x, y) || view.load<uint8_t>(at + row.y1) != texture(2 * x + 1, y);
      wrong += view.load<uint8_t>(at + row.u) != gradient(x, y / 2) || view.load<uint8_t>(at + row.v) != gradient(x, y / 2);
    }
  CHECK(wrong == 0);
}

TEST_CASE_METHOD(Fixture, "vebox: the first frame keeps the lines of one field, and interpolates the other") {
  modes.di_enable = modes.dndi_first_frame = true;
  dndi.dndi_top_first = GENERATE(true, false);
  const uint32_t kept = !dndi.dndi_top_first;
  fill(
      current, [&](uint32_t x, uint32_t y) { return y % 2 == kept ? gradient(x, y) : 0; },
      [&](uint32_t x, uint32_t y) { return y % 2 == kept ? gradient(x, y) : 0; }, grey);
  REQUIRE(run() == ExecResult::done);
  unsigned moved = 0, rough = 0;
  for (uint32_t y = 0; y < height; ++y)
    for (uint32_t x = 0; x < width; ++x)
      if (y % 2 == kept) moved += luma(output, x, y) != gradient(x, y);
      else rough += std::abs(luma(output, x, y) - gradient(x, y)) > 1;
  for (uint32_t y = 0; y < height / 2; ++y)
    for (uint32_t x = 0; x < width / 2; ++x) rough += std::abs(chroma(output, x, y, 0) - gradient(x, y)) > 1;
  CHECK(moved == 0);
  CHECK(rough == 0);
  for (const uint8_t byte : bytes(output_previous, statistics)) REQUIRE(byte == 0);
}

TEST_CASE_METHOD(Fixture, "vebox: what stands still is woven, what moves is not") {
  modes.di_enable = true;
  modes.di_output_frames = Modes::DIOutputFrames::BOTH;
  SECTION("still") {
    fill(current, texture, texture, gradient), fill(previous, texture, texture, gradient);
    REQUIRE(run() == ExecResult::done);
    CHECK(error(output, texture) == 0);
    CHECK(error(output_previous, texture) == 0);
    CHECK(bytes(output, output + pitch * 160) == bytes(current, current + pitch * 160));
  }
  SECTION("moving") {
    // A bar that moves by 6 columns from field to field.
    const auto bar = [](uint32_t time) {
      return [time](uint32_t x, uint32_t) { return x >= 40 + 6 * time && x < 80 + 6 * time ? 220 : 40; };
    };
    const auto frame = [&](uint32_t time) { return [=](uint32_t x, uint32_t y) { return bar(time + y % 2)(x, y); }; };
    fill(previous, frame(0), grey, grey), fill(current, frame(2), grey, grey);
    REQUIRE(run() == ExecResult::done);
    CHECK(error(output, bar(2)) == 0);
    CHECK(error(output_previous, bar(1)) == 0);
    // The next frame stands still, but what moved is remembered for a while.
    const std::vector<uint8_t> motion = bytes(motion_out, motion_out + pitch);
    CHECK(*std::max_element(motion.begin(), motion.begin() + width / 2) == 0xff);
  }
}

TEST_CASE_METHOD(Fixture, "vebox: noise on a flat picture gets less, with each frame") {
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 4);
  const auto flat = [](uint32_t, uint32_t) { return 100; };
  const auto noisy = [&](uint32_t, uint32_t) { return static_cast<int>(100 + noise(random)); };
  modes.dn_enable = modes.dndi_first_frame = true;
  fill(current, noisy, noisy, noisy);
  const double before = error(current, flat);
  REQUIRE(run() == ExecResult::done);
  const double first = error(denoised, flat);
  CHECK(first < before / 2);
  double last = first;
  modes.dndi_first_frame = false;
  for (int frame = 0; frame < 12; ++frame) {
    std::swap(object.previous_frame_input_address, object.denoised_current_frame_output_address);
    std::swap(object.stmm_input_address, object.stmm_output_address);
    fill(current, noisy, noisy, noisy);
    REQUIRE(run() == ExecResult::done);
    last = error(object.denoised_current_frame_output_address, flat);
  }
  CHECK(last < first * 3 / 4);
  for (const uint8_t byte : bytes(output, guard)) REQUIRE(byte == 0);
}

TEST_CASE_METHOD(Fixture, "vebox: with iHD's parameters noise gets less, and an edge stays as it is") {
  // vphal_render_vebox_g9_base.cpp for a factor of 32 of 64; distances as its state has them by default.
  dndi.dn_prt0 = 192, dndi.dn_prt1 = 256, dndi.dn_prt2 = 512, dndi.dn_prt3 = 640, dndi.dn_prt4 = 896, dndi.dn_prt5 = 1280;
  dndi.dn_wr0 = 16, dndi.dn_wr1 = 14, dndi.dn_wr2 = 10, dndi.dn_wr3 = 5, dndi.dn_wr4 = 2, dndi.dn_wr5 = 1;
  dndi.dn_wd00 = 16, dndi.dn_wd01 = 16, dndi.dn_wd02 = 12, dndi.dn_wd10 = 16, dndi.dn_wd11 = 14, dndi.dn_wd12 = 10;
  dndi.dn_wd20 = 12, dndi.dn_wd21 = 10, dndi.dn_wd22 = 4;
  dndi.denoise_stad_threshold = 2176, dndi.temporal_difference_threshold = 160, dndi.chroma_temporal_difference_threshold = 112;
  modes.dn_enable = modes.dndi_first_frame = true;
  std::mt19937 random(6);
  const auto edge = [](uint32_t x, uint32_t) { return x < 50 ? 60 : 160; };
  fill(current, edge, edge, edge);
  REQUIRE(run() == ExecResult::done);
  CHECK(error(denoised, edge) == 0);
  const auto noisy = [&](uint32_t x, uint32_t y) { return edge(x, y) + static_cast<int>(random() % 9) - 4; };
  fill(current, noisy, noisy, noisy);
  const double before = error(current, edge);
  REQUIRE(run() == ExecResult::done);
  CHECK(error(denoised, edge) < before / 2);
}

TEST_CASE_METHOD(Fixture, "vebox: no workers, and a picture that was preempted, give the same") {
  std::mt19937 random(7);
  const auto noisy = [&](uint32_t x, uint32_t y) { return static_cast<int>(texture(x, y) + random() % 16); };
  fill(current, noisy, noisy, noisy), fill(previous, noisy, noisy, noisy);
  modes.dn_enable = modes.di_enable = modes.global_iecp_enable = true;
  modes.di_output_frames = Modes::DIOutputFrames::BOTH;
  iecp.procamp_state.procamp_enable = true;
  iecp.procamp_state.contrast = 140, iecp.procamp_state.cos_c_s = 256;
  REQUIRE(run() == ExecResult::done);
  const std::vector<uint8_t> expected = bytes(motion_out, guard);
  view.fill(motion_out, 0, guard - motion_out);
  vebox = Vebox(make_vebox_decoder<G>());
  stop.request(StopFlag::preempt);
  unsigned turns = 1;
  for (; run() == ExecResult::preempted; ++turns) {
    std::vector<std::byte> image(vebox.context_size());
    vebox.save_context(image);
    vebox.reset_context();
    vebox.restore_context(image);
  }
  CHECK(turns == 4);
  CHECK(bytes(motion_out, guard) == expected);
  stop.request(StopFlag::reset);
  CHECK(run() == ExecResult::aborted);
}

TEST_CASE_METHOD(Fixture, "vebox: hostile states touch nothing that is not theirs") {
  std::mt19937 random(11);
  const std::vector<uint8_t> before = bytes(guard, end);
  for (int round = 0; round < 40; ++round) {
    const auto scramble = [&](auto& packet) {
      auto dwords = packet.pack();
      for (size_t i = 1; i < dwords.size(); ++i)
        if (random() % 3 == 0) dwords[i] = static_cast<uint32_t>(random());
      using Packet = std::remove_cvref_t<decltype(packet)>;
      return Packet::unpack(dwords);
    };
    auto from = scramble(source), to = scramble(target);
    // The size is the guest's, but a test has to end: a strip of it.
    from.height = random() % 200;
    if (random() % 2)
      from.surface_format = Format::PLANAR_420_8, from.interleave_chroma = true, from.x_offset_for_frame = from.y_offset_for_frame = 0;
    to.surface_format = from.surface_format, to.interleave_chroma = true;
    to.x_offset_for_frame = to.y_offset_for_frame = to.x_offset_for_u = from.x_offset_for_u = 0;
    to.half_pitch_for_chroma = from.half_pitch_for_chroma = false;
    auto how = scramble(modes);
    how.demosaic_enable = false, how.dn_di_state_pointer = random() % 2 ? current : uint64_t{random()} << 16;
    auto what = scramble(object);
    for (auto* address : {&what.current_frame_output_address, &what.previous_frame_output_address, &what.stmm_output_address,
                          &what.denoised_current_frame_output_address, &what.statistics_output_address})
      if (*address < end) *address += end;
    send(how), send(from), send(to);
    REQUIRE(send(what) == ExecResult::done);
  }
  CHECK(bytes(guard, end) == before);
}
