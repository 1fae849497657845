// SPDX-License-Identifier: GPL-2.0-or-later
// What Ice Lake's planes and pipes make of colours.
#include <cmath>
#include <functional>

#include "tests/catch.h"
#include "tests/unit/display/icl_machine.h"

using namespace softgen;
using test::frame_ns;

namespace {

struct Colored : test::LitOf<test::IclMachine> {
  static constexpr uint32_t surface = 0x100000, other = 0x1000000;

  void hide(unsigned plane) {
    write(reg::PLANE_CTL(0, plane), 0);
    write(reg::PLANE_SURF(0, plane), 0);
  }

  using Lut = std::function<uint32_t(uint32_t)>;
  // As i915 splits a 12.4 value: the low 6 bits, then the high 10, of each channel.
  void entry(uint32_t data, uint32_t v) {
    const uint32_t low = (v & 0x3f) << 4, high = v >> 6 & 0x3ff;
    write(data, low << 20 | low << 10 | low);
    write(data, high << 20 | high << 10 | high);
  }
  /// i915 display/intel_color.c, icl_program_gamma_superfine_segment, icl_program_gamma_multi_segment: `lut` of 0..262144 has 16 bits.
  void load_multi_segment(const Lut& lut) {
    write(reg::PAL_PREC_MULTI_SEG_INDEX(0), 1u << 15);
    for (uint32_t i = 0; i < 9; i++) entry(reg::PAL_PREC_MULTI_SEG_DATA(0), lut(i));
    write(reg::PAL_PREC_MULTI_SEG_INDEX(0), 0);
    write(reg::PAL_PREC_INDEX(0), 0);
    write(reg::PAL_PREC_INDEX(0), 1u << 15);
    for (uint32_t i = 1; i < 257; i++) entry(reg::PAL_PREC_DATA(0), lut(i * 8));
    for (uint32_t i = 0; i < 256; i++) entry(reg::PAL_PREC_DATA(0), lut(i * 8 * 128));
    for (unsigned c = 0; c < 3; c++) write(reg::PAL_GC_MAX(0, c), lut(256 * 8 * 128));
    write(reg::PAL_PREC_INDEX(0), 0);
    write(reg::GAMMA_MODE(0), 1u << 30 | 3);
  }
  void load_csc(uint32_t first, const std::array<uint16_t, 9>& m, const std::array<uint32_t, 3>& pre = {},
                const std::array<uint32_t, 3>& post = {}) {
    const uint32_t words[12] = {uint32_t{m[0]} << 16 | m[1],
                                uint32_t{m[2]} << 16,
                                uint32_t{m[3]} << 16 | m[4],
                                uint32_t{m[5]} << 16,
                                uint32_t{m[6]} << 16 | m[7],
                                uint32_t{m[8]} << 16,
                                pre[0],
                                pre[1],
                                pre[2],
                                post[0],
                                post[1],
                                post[2]};
    for (unsigned i = 0; i < 12; i++) write(first + i * 4, words[i]);
  }
  /// BT.709 in full range (i915 icl_program_input_csc).
  void load_input_csc(unsigned plane) {
    load_csc(reg::PLANE_INPUT_CSC_A(plane, 0), {0x7c98, 0x7800, 0, 0x9ef8, 0x7800, 0xac00, 0, 0x7800, 0x7ed8}, {0x1800, 0, 0x1800});
  }
};

constexpr uint32_t hdr_yuv = 1 << 13 | 1 << 20;

// Limited-range BT.709: white, grey, pure red.
struct Yuv {
  uint32_t y, u, v, rgb;
};
constexpr Yuv samples[] = {{235, 128, 128, 0xffffff}, {126, 128, 128, 0x808080}, {63, 102, 240, 0xff0000}, {32, 240, 118, 0x0000ff}};

// Every channel differs by at most `by`.
bool close_to(uint32_t a, uint32_t b, int by) {
  for (unsigned shift : {0u, 8u, 16u})
    if (std::abs(static_cast<int>(a >> shift & 0xff) - static_cast<int>(b >> shift & 0xff)) > by) return false;
  return true;
}

}  // namespace

TEST_CASE_METHOD(Colored, "icl: gamma of several segments") {
  for (uint32_t v = 0; v < 256; v++) fill(surface + v * 4, 1, v * 0x010101);
  set_plane(surface, {});
  const auto check_all = [&](const char* name, const Lut& lut, int by) {
    INFO(name);
    load_multi_segment(lut);
    const auto& shown = picture();
    for (uint32_t v = 0; v < 256; v++) {
      CAPTURE(v);
      const uint32_t expected = (lut(static_cast<uint32_t>(std::lround(v * 262144. / 255))) * 255 + 32767) / 65535;
      CHECK(close_to(shown[v] & 0xffffff, expected * 0x010101, by));
    }
  };
  const auto curve = [](double power) {
    return [power](uint32_t i) { return static_cast<uint32_t>(std::lround(std::pow(i / 262144., power) * 65535)); };
  };
  check_all("identity", curve(1), 0);
  check_all("square", curve(2), 0);
  check_all("inverse", [](uint32_t i) { return std::min(65536 - i / 4, 65535u); }, 0);
  // Steep at zero: a value of one is in the fine segment.
  check_all("cube root", curve(1. / 3), 1);
  // Without its enable bit the table has no effect.
  write(reg::GAMMA_MODE(0), 3);
  CHECK(at(77) == 77 * 0x010101);
}

TEST_CASE_METHOD(Colored, "icl: the segment of the smallest values") {
  // Half floats 2^-16 and 2^-15: points 4 and 8 of the first segment. 2^-14 is in the next one.
  const uint64_t pixels[] = {0x0000010001000100, 0x0000020002000200, 0x0000040004000400, 0};
  memory.write(surface, pixels, sizeof pixels);
  set_plane(surface, {.format = 12, .stride = 1920 * 8 / 64});
  load_multi_segment([](uint32_t i) -> uint32_t {
    switch (i) {
      case 0: return 0x1000;
      case 4: return 0x4040;
      case 8: return 0x8080;
      case 16: return 0xc0c0;
      default: return 0;
    }
  });
  CHECK(at(0) == 0x404040);
  CHECK(at(1) == 0x808080);
  CHECK(at(2) == 0xc0c0c0);
  CHECK(at(3) == 0x101010);
}

TEST_CASE_METHOD(Colored, "icl: degamma, conversion, gamma, in this order") {
  fill(surface, 1, 0x804020);
  set_plane(surface, {});
  write(reg::PRE_CSC_GAMC_INDEX(0), 0);
  write(reg::PRE_CSC_GAMC_INDEX(0), 1u << 10);
  for (uint32_t i = 0; i < 35; i++) write(reg::PRE_CSC_GAMC_DATA(0), std::min(i * 0x400, 0x10000u));  // half
  CHECK(read(reg::PRE_CSC_GAMC_INDEX(0)) == (1u << 10 | 35));
  write(reg::GAMMA_MODE(0), 1u << 31);
  CHECK(at(0) == 0x402010);
  // Red and green change places.
  load_csc(reg::CSC_COEFF(0, 0), {0, 0x7800, 0, 0x7800, 0, 0, 0, 0, 0x7800});
  write(reg::CSC_MODE(0), 1u << 31);
  CHECK(at(0) == 0x204010);
  for (uint32_t i = 0; i < 256; i++) write(reg::LGC_PALETTE(0, i), (i + 1) << 16 | (i + 2) << 8 | (i + 3));
  write(reg::GAMMA_MODE(0), 3u << 30);
  CHECK(at(0) == 0x214213);
  write(reg::CSC_MODE(0), 0);
  CHECK(at(0) == 0x412213);
}

TEST_CASE_METHOD(Colored, "icl: output conversion to limited range, and what the monitor makes of it") {
  fill(surface, 2, 0xffffff);
  fill(surface + 4, 1, 0x000000);
  set_plane(surface, {});
  load_csc(reg::OUTPUT_CSC_COEFF(0, 0), {0x0dc0, 0, 0, 0, 0x0dc0, 0, 0, 0, 0x0dc0}, {}, {257, 257, 257});
  CHECK(at(0) == 0xffffff);
  write(reg::CSC_MODE(0), 1u << 30);
  CHECK(at(0) == 0xebebeb);
  CHECK(at(1) == 0x101010);
  write(reg::VIDEO_DIP_AVI_DATA(0, 1), 1u << 2 << 24);
  write(reg::VIDEO_DIP_CTL(0), 1u << 12);
  CHECK(at(0) == 0xffffff);
  CHECK(at(1) == 0x000000);
  // YCbCr on the wire is RGB again in the monitor.
  write(reg::PIPE_MISC(0), 1u << 11);
  write(reg::VIDEO_DIP_AVI_DATA(0, 1), 1u << 2 << 24 | 2u << 5 << 8);
  CHECK(at(0) == 0xffffff);
  CHECK(at(1) == 0x000000);
}

TEST_CASE_METHOD(Colored, "icl: packed YUV on planes with an input conversion, and on those without") {
  for (uint32_t i = 0; i < 4; i++) {
    const Yuv& s = samples[i];
    for (uint32_t half = 0; half < 2; half++) {
      const uint64_t deep[] = {uint64_t{s.v} << 40 | uint64_t{s.y} << 24 | s.u << 8, 0};
      fill(surface + (2 * i + half) * 4, 1, s.y << 16 | s.u << 8 | s.v);                  // XYUV
      fill(surface + 0x10000 + (2 * i + half) * 4, 1, s.v << 22 | s.y << 12 | s.u << 2);  // Y410
      memory.write(surface + 0x20000 + (2 * i + half) * 8, deep, 8);                      // Y412, Y416
    }
    fill(surface + 0x30000 + i * 4, 1, s.v << 24 | s.y << 16 | s.u << 8 | s.y);  // YUYV
    const uint16_t words[] = {static_cast<uint16_t>(s.y << 8), static_cast<uint16_t>(s.u << 8), static_cast<uint16_t>(s.y << 8),
                              static_cast<uint16_t>(s.v << 8)};
    memory.write(surface + 0x40000 + i * 8, words, 8);  // Y210
  }
  const struct {
    uint32_t format, offset, bytes;
  } formats[] = {{16, 0, 4},      {7, 0x10000, 4}, {9, 0x20000, 8}, {11, 0x20000, 8},
                 {0, 0x30000, 2}, {1, 0x40000, 4}, {3, 0x40000, 4}, {5, 0x40000, 4}};
  for (const unsigned plane : {0u, 4u}) {
    const bool hdr = plane < 3;
    if (hdr) load_input_csc(plane);
    for (const auto& format : formats) {
      CAPTURE(plane, format.format);
      set_plane(surface + format.offset,
                {.format = format.format, .width = 8, .height = 1, .stride = format.bytes, .color = hdr ? hdr_yuv : 1 << 13 | 2 << 17}, 0,
                plane);
      const auto& shown = picture();
      for (uint32_t i = 0; i < 4; i++) CHECK(close_to(shown[2 * i] & 0xffffff, samples[i].rgb, 3));
    }
    hide(plane);
  }
}

TEST_CASE_METHOD(Colored, "icl: planar YUV takes its luma from another plane") {
  // 64 x 64: luma, then chroma.
  const auto store = [&](const Yuv& s, unsigned bytes) {
    for (uint32_t i = 0; i < 64 * 64; i++) {
      const uint16_t y = static_cast<uint16_t>(s.y << 8);
      memory.write(surface + i * bytes, bytes == 1 ? reinterpret_cast<const uint8_t*>(&y) + 1 : reinterpret_cast<const uint8_t*>(&y),
                   bytes);
    }
    for (uint32_t i = 0; i < 32 * 32; i++) {
      const uint16_t uv[] = {static_cast<uint16_t>(s.u << 8), static_cast<uint16_t>(s.v << 8)};
      const uint8_t uv8[] = {static_cast<uint8_t>(s.u), static_cast<uint8_t>(s.v)};
      memory.write(other + i * 2 * bytes, bytes == 1 ? static_cast<const void*>(uv8) : uv, 2 * bytes);
    }
  };
  for (const uint32_t format : {2u, 6u, 10u, 14u}) {  // NV12, P010, P012, P016
    const unsigned bytes = format == 2 ? 1 : 2;
    for (const Yuv& s : samples) {
      CAPTURE(format, s.rgb);
      store(s, bytes);
      const Plane luma = {.format = format, .width = 64, .height = 64, .stride = bytes, .control = 1u << 19};
      // A plane of high dynamic range, up-sampled.
      load_input_csc(1);
      write(reg::PLANE_CUS_CTL(0, 1), 1u << 31 | 1u << 30);
      set_plane(surface, luma, 0, 6);
      set_plane(other, {.format = format, .width = 64, .height = 64, .stride = bytes, .color = hdr_yuv}, 0, 1);
      CHECK(close_to(at(63, 63), s.rgb, 3));
      CHECK(at(64, 0) == 0);
      write(reg::PLANE_CUS_CTL(0, 1), 1u << 31);  // plane 6, which is off
      write(reg::PLANE_SURF(0, 1), other);
      CHECK(at(63, 63) == 0);
      hide(1), hide(6);

      // A plane of standard range, through a scaler.
      set_plane(surface, luma, 0, 5);
      set_plane(other, {.format = format, .width = 64, .height = 64, .stride = bytes, .color = 1 << 13 | 2 << 17}, 0, 3);
      CHECK(at(0, 0) == 0);
      write(reg::PS_CTRL(0, 1), 1u << 31 | 1u << 29 | 4u << 25 | 6u << 5);
      write(reg::PS_WIN_POS(0, 1), 100u << 16);
      write(reg::PS_WIN_SZ(0, 1), 128u << 16 | 128);
      CHECK(close_to(at(227, 127), s.rgb, 3));
      CHECK(at(99, 0) == 0);
      CHECK(at(228, 0) == 0);
      write(reg::PS_CTRL(0, 1), 0);
      write(reg::PS_WIN_SZ(0, 1), 128u << 16 | 128);
      hide(3), hide(5);
    }
  }
}

TEST_CASE_METHOD(Colored, "icl: planes flip from left to right") {
  for (uint32_t y = 0; y < 4; y++)
    for (uint32_t x = 0; x < 16; x++) fill(surface + (y * 16 + x) * 4, 1, y << 8 | x);
  set_plane(surface, {.width = 16, .height = 4, .stride = 1, .control = 1 << 8});
  CHECK(at(0, 1) == 0x010f);
  CHECK(at(15, 1) == 0x0100);
  set_plane(surface, {.width = 16, .height = 4, .stride = 1, .control = 1 << 8 | 2});
  CHECK(at(0, 1) == 0x0200);
  CHECK(at(15, 1) == 0x020f);
}

TEST_CASE_METHOD(Colored, "icl: a CRC is of the plane that its source names") {
  fill(surface, 64 * 64, 0x123456);
  constexpr uint32_t sources[7] = {0, 2, 6, 7, 5, 3, 1};
  for (unsigned plane = 0; plane < 7; plane++) set_plane(surface, {.width = 8, .height = 8, .x = 16 * plane, .stride = 4}, 0, plane);
  run_for(frame_ns);
  const auto crc = [&](uint32_t source) {
    write(reg::PIPE_CRC_CTL(0), 1u << 31 | source << 28);
    run_for(2 * frame_ns);
    return read(reg::PIPE_CRC_RES(0, 0));
  };
  for (unsigned plane = 0; plane < 7; plane++) {
    CAPTURE(plane);
    const uint32_t own = crc(sources[plane]), all = crc(4);
    set_plane(surface, {.width = 9, .height = 8, .x = 16 * plane, .stride = 4}, 0, plane);
    run_for(frame_ns);
    CHECK(crc(sources[plane]) != own);
    CHECK(crc(4) != all);
    const uint32_t neighbour = crc(sources[(plane + 1) % 7]);
    set_plane(surface, {.width = 10, .height = 8, .x = 16 * plane, .stride = 4}, 0, plane);
    run_for(frame_ns);
    CHECK(crc(sources[(plane + 1) % 7]) == neighbour);
  }
}

TEST_CASE_METHOD(Colored, "icl: sizes that it can show, and those that it cannot") {
  fill(surface, 1920 * 64, 0xffffff);
  const struct {
    uint32_t width, height, tiling;
    bool shown;
  } rows[] = {{5120, 4320, 0, true}, {5121, 1080, 0, false}, {1920, 4321, 0, false}, {5120, 1080, 4, true}, {5121, 1080, 4, false}};
  for (const auto& row : rows) {
    CAPTURE(row.width, row.height, row.tiling);
    set_plane(surface, {.width = row.width, .height = row.height, .stride = row.tiling ? 60u : 120u, .control = row.tiling << 10});
    CHECK((at(0) == 0xffffff) == row.shown);
  }
  sg_pipe_mode mode;
  const auto runs = [&](uint32_t width, uint32_t height) {
    write(reg::TRANS_HTOTAL(0), (width - 1) | (width + 79) << 16);
    write(reg::TRANS_VTOTAL(0), (height - 1) | (height + 9) << 16);
    write(reg::TRANS_VBLANK(0), (height - 1) | (height + 9) << 16);
    display.mode(0, &mode);
    return mode.active;
  };
  CHECK(runs(5120, 4320));
  CHECK_FALSE(runs(5121, 100));
  CHECK_FALSE(runs(640, 4321));
}

TEST_CASE_METHOD(Colored, "icl: a running display survives save and load") {
  fill(surface, 1920 * 4, 0x404040);
  set_plane(surface, {}, 0, 0);
  set_plane(surface, {.width = 64, .height = 1}, 0, 6);
  load_multi_segment([](uint32_t i) { return std::min(65536 - i / 4, 65535u); });
  load_csc(reg::OUTPUT_CSC_COEFF(0, 0), {0x0dc0, 0, 0, 0, 0x0dc0, 0, 0, 0, 0x0dc0}, {}, {257, 257, 257});
  write(reg::CSC_MODE(0), 1u << 30);
  const auto before = picture();
  set_plane(0x2000000, {.color = 1 << 13 | 2 << 4}, 0, 6);  // armed, not latched
  const auto bytes = saved_state();
  IclMachine other(0);
  other.take_state(*this);
  CHECK(other.read(reg::SDEISR) == read(reg::SDEISR));
  CHECK(other.read(reg::PLANE_SURFLIVE(0, 6)) == surface);
  other.fill(surface, 1920 * 4, 0x404040);
  CHECK(before[100] == 0xffb4b4b4);  // 0xbf in limited range
  CHECK(other.picture()[100] == before[100]);
  CHECK(other.read(reg::PLANE_SURFLIVE(0, 6)) == 0x2000000);
  run_for(frame_ns);
  for (const uint32_t offset : {reg::PIPE_FRMCNT(0), reg::PIPE_FLIPCNT(0), reg::PAL_PREC_DATA(0), reg::PAL_PREC_MULTI_SEG_DATA(0)})
    CHECK(other.read(offset) == read(offset));

  for (size_t i = bytes.size() - 6000; i < bytes.size(); i += 61) {
    auto damaged = bytes;
    damaged[i] ^= std::byte{0xff};
    IclMachine third;
    Archive bad(damaged);
    third.archive(bad);
    third.run_for(frame_ns);
  }
}
