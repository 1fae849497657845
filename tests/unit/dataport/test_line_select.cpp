// SPDX-License-Identifier: GPL-2.0-or-later
// Media blocks whose message selects a frame's lines (intel-vaapi-driver shaders/h264/ildb/ILDB_header.inc: ENMSGDSCFM, ENMSGDSCTF, ENMSGDSCBF).
#include <array>

#include "hw/dataport/dataport.h"
#include "hw/defs/gen5/all.h"
#include "hw/eu/isa/gen5/isa.h"
#include "tests/catch.h"
#include "tests/unit/iface/thread_memory.h"

using namespace softgen;
using namespace softgen::dataport;

namespace {

constexpr uint64_t table = 0x1000, state = 0x2000, pixels = 0x3000;
constexpr uint32_t pitch = 32, frame_rows = 8;
constexpr uint32_t of_surface = 0, frame = 0x400, top = 0x600, bottom = 0x700;

/// A frame of 8 rows; the byte x of row y is y * 16 + x. `field`: the surface is of every second row: 0 none, 1 top, 2 bottom.
struct Frame : iface::test::ThreadMemory {
  DataPort port;
  explicit Frame(unsigned field = 0) : ThreadMemory({table, state, pixels}) {
    bind(table, state);
    bases.decode_surface = surface::decode_surface<defs::Gen5>;
    for (uint32_t y = 0; y < frame_rows; ++y)
      for (uint32_t x = 0; x < 16; ++x) view.store<uint8_t>(pixels + y * pitch + x, static_cast<uint8_t>(y * 16 + x));
    defs::gen5::RENDER_SURFACE_STATE s;
    s.surface_type = static_cast<decltype(s.surface_type)>(surface::SurfaceType::two_d);
    s.surface_format = static_cast<decltype(s.surface_format)>(0x142);  // R8_SINT
    s.surface_base_address = pixels, s.surface_pitch = pitch - 1, s.width = 3, s.height = frame_rows / (field ? 2 : 1) - 1;
    s.vertical_line_stride = field != 0, s.vertical_line_stride_offset = field == 2;
    const auto dwords = s.pack();
    view.write(state, dwords.data(), dwords.size() * 4);
  }
  SendResult send(unsigned sfid, uint32_t descriptor, int32_t y, std::span<Grf> payload, std::span<Grf> response) {
    payload[0].dw[1] = static_cast<uint32_t>(y), payload[0].dw[2] = 1 << 16 | 15;  // two rows of 16 bytes
    const MessageOp op = eu::gen5_isa().message(sfid, descriptor | static_cast<uint32_t>(payload.size()) << 25 | 1u << 19);
    return port.send({op, 8, 0xff, 0xff, payload, {}, response, false}, env);
  }
  /// Which rows a block at row y has.
  std::array<int, 2> rows(uint32_t lines, int32_t y) {
    std::array<Grf, 1> header{}, answer{};
    REQUIRE(send(4, 4u << 11 | lines, y, header, answer) == SendResult::done);
    return {static_cast<int>(answer[0].dw[0] & 0xff) / 16, static_cast<int>(answer[0].dw[4] & 0xff) / 16};
  }
  void write(uint32_t lines, int32_t y) {
    std::array<Grf, 2> payload{};
    for (uint32_t& dw : payload[1].dw) dw = 0xeeeeeeee;
    REQUIRE(send(5, 2u << 12 | lines, y, payload, {}) == SendResult::done);
  }
  bool written(uint32_t y) { return view.load<uint8_t>(pixels + y * pitch + 5) == 0xee; }
};

using Rows = std::array<int, 2>;

}  // namespace

TEST_CASE("media blocks of a frame's lines") {
  Frame f;
  CHECK(f.rows(of_surface, 2) == Rows{2, 3});
  CHECK(f.rows(frame, 2) == Rows{2, 3});
  CHECK(f.rows(top, 1) == Rows{2, 4});
  CHECK(f.rows(bottom, 1) == Rows{3, 5});
  // The border is the field's.
  CHECK(f.rows(top, 3) == Rows{6, 6});
  CHECK(f.rows(bottom, -1) == Rows{1, 1});
  f.write(bottom, 3);
  for (uint32_t y = 0; y < frame_rows; ++y) CHECK(f.written(y) == (y == 7));
}

TEST_CASE("media blocks of lines that are not the surface's") {
  Frame f(1);
  CHECK(f.rows(of_surface, 1) == Rows{2, 4});
  CHECK(f.rows(top, 1) == Rows{2, 4});
  CHECK(f.rows(bottom, 1) == Rows{3, 5});
  CHECK(f.rows(frame, 1) == Rows{1, 2});
  Frame b(2);
  CHECK(b.rows(of_surface, 1) == Rows{3, 5});
  CHECK(b.rows(top, 0) == Rows{0, 2});
  CHECK(b.rows(bottom, 3) == Rows{7, 7});
  CHECK(b.rows(frame, 7) == Rows{7, 7});
}
