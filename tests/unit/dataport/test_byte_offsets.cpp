// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's blocks of owords and dwords: their offsets count bytes; scratch blocks are where r0.5 says.
#include <array>
#include <cstring>

#include "hw/dataport/dataport.h"
#include "hw/eu/isa/gen5/isa.h"
#include "tests/catch.h"
#include "tests/unit/iface/thread_memory.h"

using namespace softgen;
using namespace softgen::dataport;

namespace {

constexpr uint64_t scratch = 0x3000;

struct Ironlake : iface::test::ThreadMemory {
  DataPort port;
  Ironlake() : ThreadMemory({scratch, scratch + 0x1000}) {}
  void send(unsigned sfid, uint32_t descriptor, std::span<const Grf> payload, std::span<Grf> response, uint32_t channels = 0xff) {
    descriptor |= static_cast<uint32_t>(payload.size()) << 25 | static_cast<uint32_t>(response.size()) << 20 | 1u << 19;
    const MessageOp op = eu::gen5_isa().message(sfid, descriptor);
    REQUIRE(port.send({op, 8, channels, 0xff, payload, {}, response, false}, env) == SendResult::done);
  }
};

/// r0 of a thread whose scratch space is at `scratch`.
Grf header() { return {{0, 0, 0, 0, 0, scratch, 0, 0}}; }

}  // namespace

TEST_CASE("Ironlake's dual blocks: two vertices' registers, written to scratch space and read back") {
  Ironlake m;
  // As Mesa's vec4 code spills: the second vertex' half is 16 bytes on (generate_oword_dual_block_offsets).
  const Grf offsets{{0x40, 0, 0, 0, 0x50, 0, 0, 0}}, data{{1, 2, 3, 4, 5, 6, 7, 8}};
  const std::array<Grf, 3> write = {header(), offsets, data};
  m.send(5, 0x10ff, write, {});
  std::array<uint32_t, 8> bytes{};
  m.view.read(scratch + 0x40, bytes.data(), sizeof bytes);
  for (uint32_t n = 0; n < 8; n++) CHECK(bytes[n] == n + 1);
  const std::array<Grf, 2> read = {header(), offsets};
  std::array<Grf, 1> answer{};
  m.send(4, 0x10ff, read, answer);
  CHECK(std::memcmp(&answer[0], &data, sizeof data) == 0);
}

TEST_CASE("Ironlake's dual blocks: only dwords whose channels are on are written and read") {
  Ironlake m;
  const Grf offsets{{0x40, 0, 0, 0, 0x50, 0, 0, 0}};
  const std::array<Grf, 3> zeros = {header(), offsets, {}}, write = {header(), offsets, {{1, 2, 3, 4, 5, 6, 7, 8}}};
  m.send(5, 0x10ff, zeros, {});
  m.send(5, 0x10ff, write, {}, 0x92);
  std::array<uint32_t, 8> dwords{};
  m.view.read(scratch + 0x40, dwords.data(), sizeof dwords);
  CHECK(dwords == std::array<uint32_t, 8>{0, 2, 0, 0, 5, 0, 0, 8});
  const std::array<Grf, 2> read = {header(), offsets};
  std::array<Grf, 1> answer{{{{9, 9, 9, 9, 9, 9, 9, 9}}}};
  m.send(4, 0x10ff, read, answer, 0x81);
  CHECK(std::to_array(answer[0].dw) == std::array<uint32_t, 8>{0, 9, 9, 9, 9, 9, 9, 8});
}

TEST_CASE("Ironlake's blocks: the offset in the header counts bytes") {
  Ironlake m;
  std::array<Grf, 3> write = {header(), {{1, 2, 3, 4, 5, 6, 7, 8}}, {{9, 10, 11, 12, 13, 14, 15, 16}}};
  write[0].dw[2] = 0x20;
  m.send(5, 0x03ff, write, {});
  std::array<uint32_t, 16> bytes{};
  m.view.read(scratch + 0x20, bytes.data(), sizeof bytes);
  for (uint32_t n = 0; n < 16; n++) CHECK(bytes[n] == n + 1);
  std::array<Grf, 1> read = {header()}, answer{};
  read[0].dw[2] = 0x30;
  m.send(4, 0x02ff, read, answer);
  for (uint32_t n = 0; n < 8; n++) CHECK(answer[0].dw[n] == n + 5);
}
