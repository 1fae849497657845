// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's AVC loop filter read. Byte offsets of the reply: intel-vaapi-driver src/shaders/h264/ildb/AVC_ILDB.inc; values: H.264 tables 8-16 and 8-17.
#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "hw/dataport/dataport.h"
#include "hw/defs/gen5/all.h"
#include "hw/eu/isa/gen5/isa.h"
#include "tests/catch.h"
#include "tests/unit/iface/thread_memory.h"

using namespace softgen;
using namespace softgen::dataport;

namespace {

constexpr uint64_t table = 0x1000, state = 0x2000, data_at = 0x3000;
constexpr unsigned read_sfid = 4;
/// ILDBRMSGDSC of ILDB_header.inc, with 8 registers back.
constexpr uint32_t descriptor = 0x02085800 | 8 << 20;

using Record = std::array<uint8_t, 64>;
using Reply = std::array<uint8_t, 256>;

struct Ironlake : iface::test::ThreadMemory {
  DataPort port;
  Ironlake() : ThreadMemory({table, state, data_at}) {
    bind(table, state);
    bases.decode_surface = surface::decode_surface<defs::Gen5>;
    // A buffer of 4 records, as i965_avc_ildb_surface_state() describes it.
    defs::gen5::RENDER_SURFACE_STATE s;
    s.surface_type = static_cast<decltype(s.surface_type)>(surface::SurfaceType::buffer);
    s.surface_base_address = data_at, s.width = 3, s.surface_pitch = 63;
    const auto dwords = s.pack();
    view.write(state, dwords.data(), dwords.size() * 4);
  }
  Reply read(uint32_t offset) {
    std::array<Grf, 1> header{};
    header[0].dw[2] = offset;
    std::array<Grf, 8> response;
    std::memset(response.data(), 0xaa, sizeof response);
    const MessageOp op = eu::gen5_isa().message(read_sfid, descriptor);
    REQUIRE(op.kind == MessageKind::avc_loop_filter_read);
    REQUIRE(port.send({op, 8, 0xff, 0xff, header, {}, response, false}, env) == SendResult::done);
    Reply reply;
    std::memcpy(reply.data(), response.data(), sizeof reply);
    return reply;
  }
};

uint32_t word(const Reply& r, unsigned at) { return r[at] | uint32_t{r[at + 1]} << 8; }

/// Of a record's bytes: strengths of an edge, 2 or 4 bits each.
unsigned internal(const Record& r, unsigned byte, unsigned i) { return r[byte] >> 2 * i & 3; }
unsigned external(const Record& r, unsigned byte, unsigned i) { return r[byte + i / 2] >> 4 * (i % 2) & 15; }

}  // namespace

TEST_CASE("avc loop filter read: one edge, byte by byte") {
  Ironlake m;
  Record r{};
  r[0] = 3, r[1] = 7, r[2] = 0x50;      // internal 8x8 and left edges
  r[5] = 0b11'00'01'10;                 // middle vertical edge: 2, 1, 0, 3
  r[10] = 0x04, r[11] = 0x40;           // left edge: 4, 0, 0, 4
  r[18] = 28, r[19] = 30;               // internal: alpha 20, beta 8; tc0 1, 1, 2
  r[20] = 51, r[21] = 17;               // left: alpha 255, beta 2
  r[28] = 40, r[29] = 16, r[38] = 200;  // Cb: alpha 80, beta 2; tc0 4, 5, 7. Cr: an index that the table does not have is its last one
  m.view.write(data_at + 64, r.data(), r.size());
  const Reply reply = m.read(64);
  CHECK(std::memcmp(reply.data(), r.data(), r.size()) == 0);
  CHECK(word(reply, 64) == 0);
  CHECK(word(reply, 66) == 0xf0ff);
  CHECK(word(reply, 80) == 0xf00f);
  CHECK(word(reply, 82) == 0xf00f);
  CHECK(word(reply, 84) == 0);
  CHECK(std::vector(reply.begin() + 96, reply.begin() + 100) == std::vector<uint8_t>{0, 0, 0, 0});  // strength 4 has no tc0
  CHECK(std::vector(reply.begin() + 104, reply.begin() + 108) == std::vector<uint8_t>{1, 1, 0, 2});
  CHECK(std::vector(reply.begin() + 128, reply.begin() + 134) == std::vector<uint8_t>{255, 2, 0, 0, 20, 8});
  CHECK(std::vector(reply.begin() + 164, reply.begin() + 168) == std::vector<uint8_t>{5, 4, 0, 7});
  CHECK(std::vector(reply.begin() + 180, reply.begin() + 184) == std::vector<uint8_t>{17, 13, 0, 25});
  CHECK(std::vector(reply.begin() + 196, reply.begin() + 198) == std::vector<uint8_t>{80, 2});
  CHECK(reply[204] == 255);
}

TEST_CASE("avc loop filter read: every map is its edge's") {
  Ironlake m;
  constexpr uint32_t seed = 11;
  std::mt19937 random(seed);
  CAPTURE(seed);
  // Where AVC_ILDB.inc has an edge's strengths and its maps.
  struct Edge {
    unsigned strengths, map;
  };
  constexpr Edge inside[] = {{4, 64}, {5, 66}, {6, 68}, {7, 70}, {8, 72}, {9, 74}};
  constexpr Edge outside[] = {{10, 80}, {14, 84}, {12, 88}, {16, 92}};
  for (int round = 0; round < 50; ++round) {
    Record r;
    for (uint8_t& byte : r) byte = static_cast<uint8_t>(random());
    m.view.write(data_at, r.data(), r.size());
    const Reply reply = m.read(0);
    for (const Edge& e : inside)
      for (unsigned i = 0; i < 16; ++i) CHECK((word(reply, e.map) >> i & 1) == (internal(r, e.strengths, i / 4) > 0));
    for (const Edge& e : outside)
      for (unsigned i = 0; i < 16; ++i) {
        // Left of a pair of the other kind the first map has the rows of both edges: in turns, or one edge's above the other's.
        const bool mixed_left = e.map == 80 && (r[2] & 1) && (r[2] >> 1 & 1) != (r[2] >> 2 & 1), field = r[2] & 2;
        const unsigned strength = !mixed_left ? external(r, e.strengths, i / 4)
                                  : field     ? external(r, i < 8 ? 10 : 12, i % 8 / 2)
                                              : external(r, i % 2 ? 12 : 10, i / 4);
        CHECK((word(reply, e.map) >> i & 1) == (strength > 0));
        CHECK((word(reply, e.map + 2) >> i & 1) == (strength == 4));
      }
  }
}

// AVC_ILDB_Filter_Mbaff_Y_v.asm takes its 16 rows from the first left edge's maps alone, and AVC_ILDB_Filter_Mbaff_UV_v.asm chroma's 8 from them: of a frame
// macroblock bits 0, 1, 4, 5 and so on, of a field one every other bit.
TEST_CASE("avc loop filter read: maps of a mixed left edge, where one neighbour is intra") {
  Ironlake m;
  Record r{};
  r[10] = r[11] = 0x44;        // the first edge: all 4
  r[12] = 0x12, r[13] = 0x00;  // the second: 2, 1, 0, 0
  const auto maps = [&](uint8_t flags) {
    r[2] = flags;
    m.view.write(data_at, r.data(), r.size());
    const Reply reply = m.read(0);
    return std::vector{word(reply, 80), word(reply, 82), word(reply, 88), word(reply, 90)};
  };
  enum : uint8_t { mbaff = 1, field = 2, left_field = 4 };
  CHECK(maps(mbaff | left_field) == std::vector{0x55ffu, 0x5555u, 0x00ffu, 0u});
  CHECK(maps(mbaff | field) == std::vector{0x0fffu, 0x00ffu, 0x00ffu, 0u});
  CHECK(maps(mbaff | field | left_field) == std::vector{0xffffu, 0xffffu, 0x00ffu, 0u});
  CHECK(maps(field) == std::vector{0xffffu, 0xffffu, 0x00ffu, 0u});
}

TEST_CASE("avc loop filter read: thresholds and clips of each plane and edge are at their places") {
  Ironlake m;
  // All strengths 1, and an index of its own for each edge: tc0 and alpha tell which one was taken.
  Record r{};
  for (unsigned i = 4; i < 10; ++i) r[i] = 0x55;
  for (unsigned i = 10; i < 18; ++i) r[i] = 0x11;
  constexpr uint8_t first = 37;  // alpha and tc0 of strength 1 rise from here on
  for (unsigned plane = 0; plane < 3; ++plane)
    for (unsigned kind = 0; kind < 5; ++kind) r[18 + plane * 10 + kind * 2] = static_cast<uint8_t>(first + plane * 5 + kind);
  m.view.write(data_at, r.data(), r.size());
  const Reply reply = m.read(0);
  // H.264 tables 8-16 and 8-17, indexA 37 to 51.
  constexpr uint8_t alpha[] = {56, 63, 71, 80, 90, 101, 113, 127, 144, 162, 182, 203, 226, 255, 255};
  constexpr uint8_t clip[] = {3, 3, 3, 4, 4, 4, 5, 6, 6, 7, 8, 9, 10, 11, 13};
  enum : unsigned { inner, left0, left1, top0, top1 };
  const auto clips = [&](unsigned at, unsigned plane, unsigned kind) {
    for (unsigned i = 0; i < 4; ++i) CHECK(reply[at + i] == clip[plane * 5 + kind]);
  };
  const auto thresholds = [&](unsigned at, unsigned plane, unsigned kind) { CHECK(reply[at] == alpha[plane * 5 + kind]); };
  clips(96, 0, left0), clips(100, 0, inner), clips(108, 0, inner), clips(112, 0, top0), clips(116, 0, inner), clips(124, 0, inner);
  thresholds(128, 0, left0), thresholds(130, 0, top0), thresholds(132, 0, inner);
  thresholds(144, 0, left1), thresholds(146, 0, top1), clips(152, 0, left1), clips(156, 0, top1);
  for (unsigned chroma = 0; chroma < 2; ++chroma) {
    const unsigned plane = 1 + chroma;
    clips(160 + chroma * 16, plane, left0), clips(164 + chroma * 16, plane, inner);
    clips(168 + chroma * 16, plane, top0), clips(172 + chroma * 16, plane, inner);
    thresholds(192 + chroma * 8, plane, left0), thresholds(194 + chroma * 8, plane, top0), thresholds(196 + chroma * 8, plane, inner);
    thresholds(224 + chroma * 16, plane, left1), thresholds(226 + chroma * 16, plane, top1);
    clips(232 + chroma * 16, plane, left1), clips(236 + chroma * 16, plane, top1);
  }
}
