// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's video ring with the bit stream decoder behind it: a picture as intel-vaapi-driver submits it (src/i965_avc_bsd.c, i965_avc_bsd_pipeline), and a
// saved state in its middle. Sections are those of the ILK PRM vol 1 part 4.
#include "hw/defs/gen5/all.h"
#include "hw/media/bsd/bsd.h"
#include "tests/unit/cs/ring_rig.h"

using namespace softgen;
using namespace softgen::cs;
using namespace softgen::cs::test;
using ring::index;
using ring::nonsecure;
using ring::start;

namespace {

constexpr uint32_t stream_at = 0x0100'0000, commands_at = 0x0110'0000, data_at = 0x0120'0000, edges_at = 0x0130'0000,
                   motion_at = 0x0140'0000;

template <class Packet>
Dwords dwords(const Packet& packet) {
  const auto all = packet.pack();
  return {all.begin(), all.end()};
}

Dwords image() {
  defs::gen5::AVC_BSD_IMG_STATE v{};
  v.macroblocks_in_frame = 6, v.frame_width_in_macroblocks = 3, v.frame_height_in_macroblocks = 2;
  v.it_command_scan_order = 1, v.residual_data_offset = 48, v.chroma_format_idc = 1, v.ildb_write_enable = true, v.frame_mbs_only = true;
  v.generated_command_header = 0x7101'000a;
  return dwords(v);
}
/// Three skipped macroblocks in CAVLC, from `first` on.
Dwords slice(uint32_t first) {
  defs::gen5::BSD_IND_OBJ_BASE_ADDR base{};
  base.indirect_object_base_address = stream_at;
  defs::gen5::AVC_BSD_BUF_BASE_STATE buffers{};
  buffers.it_command_buffer = commands_at, buffers.it_data_buffer = data_at, buffers.ildb_data_buffer = edges_at;
  buffers.direct_mv_write_buffer = {motion_at, motion_at};
  defs::gen5::AVC_BSD_OBJECT object{};
  object.indirect_data_length = 1;
  object.slice_type = defs::gen5::AVC_BSD_OBJECT::SliceType::P, object.number_of_references_l0 = 1;
  object.slice_qp = 30, object.first_macroblock = first, object.reserved_must_be_1 = 1, object.first_bit = 7;
  Dwords references{0x7402'0008, 1};
  for (unsigned i = 0; i < 8; ++i) references.push_back(i ? 0xffff'ffff : 0xffff'ff2a);  // frame store 5
  return dwords(base) + references + dwords(buffers) + dwords(object);
}
Dwords phantom() {
  defs::gen5::AVC_BSD_OBJECT object{};
  object.first_macroblock = 6;
  return dwords(object);
}
constexpr uint32_t flush = mi(0x04);

}  // namespace

TEST_CASE("Gen5 video ring: a batch of the bit stream decoder's packets, and a request's end") {
  const std::unique_ptr<Engine> bsd = media::make_bsd<defs::Gen5>();
  RingMachine m(false, bsd.get());
  m.write(stream_at, 0b0010'0100);  // mb_skip_run 3, stop bit
  Ring r(m, EngineId::vcs0);
  const uint32_t at = m.batch(image() + slice(0) + slice(3) + phantom() + Dwords{flush, batch_end});
  r.run(start(at, nonsecure) + Dwords{flush, noop} + index(0x40, 0x1234) + Dwords{user_interrupt});
  CHECK(m.read(RingMachine::status_page(EngineId::vcs0) + 0x100) == 0x1234);
  CHECK(m.take_interrupts() == 1u << 5);  // table 1-4
  CHECK_FALSE(bsd->in_picture());
  for (uint32_t mb = 0; mb < 6; ++mb) {
    INFO(mb);
    const uint64_t command = commands_at + mb * 64;
    CHECK(m.read(command) == 0x7101'000a);
    CHECK(m.read(command + 8) == 192);
    CHECK(m.read(command + 12) == mb * 0x800);
    CHECK(m.read(command + 20) == (mb / 3 << 8 | mb % 3));
    CHECK(m.read(command + 32) == 0x0505'0505);
    CHECK(m.read(edges_at + mb * 64 + 48) == 0);
  }
}

TEST_CASE("Gen5 video ring: a picture goes on in a saved state") {
  const std::unique_ptr<Engine> bsd = media::make_bsd<defs::Gen5>();
  RingMachine m(false, bsd.get());
  m.write(stream_at, 0b0010'0100);
  Ring r(m, EngineId::vcs0);
  r.run(start(m.batch(image() + slice(0) + Dwords{batch_end})) + Dwords{flush, noop});
  const std::vector<std::byte> saved = m.save_state();
  bsd->reset_context();
  REQUIRE(m.load_state(saved));
  r.run(start(m.batch(slice(3) + phantom() + Dwords{batch_end})) + Dwords{flush, noop});
  for (uint32_t mb = 0; mb < 6; ++mb) {
    INFO(mb);
    CHECK(m.read(commands_at + mb * 64 + 32) == 0x0505'0505);
    CHECK(m.read(edges_at + mb * 64 + 48) == 0);
  }
}
