// SPDX-License-Identifier: GPL-2.0-or-later
// The doorbells alone, rule by rule as TGL PRM vol 13 states them under "GPU Doorbells" and "Doorbell Group Registers"; each case names its section. What
// the firmware has to do with them is in test_firmware_v9.cpp.
#include <atomic>
#include <vector>

#include "tests/unit/guc/bell_rig.h"

using namespace softgen;
using namespace softgen::guc::test;
using guc::Doorbells;

TEST_CASE("doorbells: Valid rises by the GuC only, and falls by the unit's read only") {  // "Doorbell Structures"
  BellRig rig;
  rig.write_cookie(5, 0);
  rig.registers.write(0x1000 + 8 * 5, static_cast<uint32_t>(BellRig::line_of(5)) | 1);  // the host's write
  CHECK(rig.low(5) == 0);
  rig.arm(5);
  CHECK(rig.low(5) == (BellRig::line_of(5) | 1));
  CHECK(rig.registers.read(0x1000 + 8 * 5 + 4) == 0);
  rig.registers.write(0x1000 + 8 * 5, 0);
  CHECK(rig.is_valid(5));
  rig.write_line(BellRig::line_of(5), 0, 0);
  CHECK_FALSE(rig.is_valid(5));
  rig.write_line(BellRig::line_of(5), 1, 0);  // reads of memory do not bring it back
  rig.bells->sample();
  CHECK_FALSE(rig.is_valid(5));
}

TEST_CASE("doorbells: the address has up to 64 bits, in units of a line") {  // "Doorbell Page and Cacheline": 64 B granularity
  BellRig rig;
  rig.write_line(0x12'3456'7fc0, 1, 0);
  rig.bells->arm(0, 0x12'3456'7fdf);
  CHECK(rig.registers.read(0x1000) == 0x3456'7fc1);
  CHECK(rig.registers.read(0x1004) == 0x12);
}

TEST_CASE("doorbells: 256 lines on pages of their own, 32 to a status register") {  // "GPU Doorbells", "Doorbell Group Registers"
  BellRig rig;
  for (unsigned bell = 0; bell < 256; ++bell) rig.arm(bell);
  for (unsigned bell = 0; bell < 256; ++bell) {
    rig.ring(bell, 1);
    for (unsigned group = 0; group < 8; ++group) REQUIRE(rig.status(group) == (group == bell / 32 ? 1u << bell % 32 : 0));
    REQUIRE(rig.bells->read_group(bell / 32) == 1u << bell % 32);
  }
}

TEST_CASE("doorbells: the first two dwords of the line count, and of the first only bit 0") {  // "Doorbell Page and Cacheline"
  BellRig rig;
  rig.arm(1);
  const std::vector<uint32_t> others(14, 0x5555'5555);
  rig.memory.write(BellRig::line_of(1) + 8, others.data(), 56);
  rig.write_line(BellRig::line_of(1) + 64, 0, 77);  // the next line of the page
  rig.write_line(BellRig::line_of(1) - 64, 0, 78);
  rig.write_line(BellRig::line_of(1), 0xffff'fffe | 1, 0);
  rig.bells->sample();
  CHECK(rig.status(0) == 0);
  CHECK(rig.is_valid(1));
  rig.write_line(BellRig::line_of(1), 0xffff'fffe, 0);
  rig.bells->sample();
  CHECK_FALSE(rig.is_valid(1));
}

TEST_CASE("doorbells: cookie 0 is no ring, and is stored") {  // "Doorbell Flows"; "Doorbell Page and Cacheline": 0 is reserved
  BellRig rig;
  rig.arm(3);
  rig.bells->sample();
  CHECK(rig.status(0) == 0);
  rig.ring(3, 9);
  CHECK(rig.bells->read_group(0) == 1u << 3);
  rig.ring(3, 0);
  CHECK(rig.status(0) == 0);
  rig.ring(3, 9);  // not the same as what is stored now
  CHECK(rig.status(0) == 1u << 3);
}

TEST_CASE("doorbells: the same cookie is no ring: the ownership was lost for another reason") {  // "Doorbell Flows"
  BellRig rig;
  rig.arm(3);
  rig.ring(3, 1);
  CHECK(rig.bells->read_group(0) == 1u << 3);
  rig.ring(3, 1);
  CHECK(rig.status(0) == 0);
}

TEST_CASE("doorbells: a cookie that the line has when it is armed rings") {  // "Doorbell Flows": both ownership flows are handled the same
  BellRig rig;
  rig.write_cookie(4, 2);
  rig.bells->arm(4, BellRig::line_of(4));
  CHECK(rig.status(0) == 1u << 4);
  CHECK(rig.bells->rung_groups() == 1);
}

TEST_CASE("doorbells: a line that is inactive when it is armed still rings once, and is not valid") {  // "Doorbell Flows": a flag seen as 0
  BellRig rig;
  rig.write_line(BellRig::line_of(4), 0, 2);
  rig.bells->arm(4, BellRig::line_of(4));
  CHECK(rig.status(0) == 1u << 4);
  CHECK_FALSE(rig.is_valid(4));
}

TEST_CASE("doorbells: cookies roll over from FFFFFFFF to 1") {  // "Doorbell Page and Cacheline"
  BellRig rig;
  rig.arm(0);
  for (const uint32_t cookie : {1u, 2u, 0x8000'0000u, 0xffff'fffeu, 0xffff'ffffu, 1u, 2u}) {
    rig.ring(0, cookie);
    CHECK(rig.bells->read_group(0) == 1);
  }
}

TEST_CASE("doorbells: rings collapse in the status until it is read") {  // "Doorbell Structures"
  BellRig rig;
  rig.arm(35);
  for (uint32_t cookie = 1; cookie < 10; ++cookie) rig.ring(35, cookie);
  CHECK(rig.status(1) == 1u << 3);
  CHECK(rig.log.find('m') == rig.log.rfind('m'));
  CHECK(rig.bells->interrupt_status(1) == 0);
  CHECK(rig.bells->read_group(1) == 1u << 3);
  CHECK(rig.status(1) == 0);
}

TEST_CASE("doorbells: the GuC's read moves the status to the interrupt status, which the GuC clears") {  // "Doorbell Structures"
  BellRig rig;
  rig.arm(0);
  rig.arm(31);
  rig.ring(0, 1);
  rig.ring(31, 1);
  CHECK(rig.bells->read_group(0) == 0x8000'0001);
  CHECK(rig.bells->interrupt_status(0) == 0x8000'0001);
  rig.ring(0, 2);  // in both stages
  CHECK(rig.status(0) == 1);
  rig.bells->clear_interrupts(0, 1);
  CHECK(rig.bells->interrupt_status(0) == 0x8000'0000);
  CHECK(rig.status(0) == 1);
  CHECK(rig.bells->read_group(0) == 1);
  CHECK(rig.bells->interrupt_status(0) == 0x8000'0001);
}

TEST_CASE("doorbells: the status is the hardware's: the host neither writes nor clears it") {  // "Doorbell Structures": Read Only
  BellRig rig;
  rig.arm(2);
  rig.registers.write(0x1900, ~0u);
  CHECK(rig.status(0) == 0);
  rig.ring(2, 1);
  rig.registers.write(0x1900, 0);
  CHECK(rig.status(0) == 4);
  CHECK(rig.status(0) == 4);
}

TEST_CASE("doorbells: a message only when a group had none before") {  // "Doorbell Flows", "Doorbell Group Registers"
  BellRig rig;
  for (const unsigned bell : {0u, 1u, 40u}) rig.arm(bell);
  rig.ring(0, 1);
  CHECK(rig.log == "wm");
  rig.ring(1, 1);  // the same group
  CHECK(rig.log == "wmw");
  CHECK(rig.bells->rung_groups() == 1);
  rig.ring(40, 1);  // another one
  CHECK(rig.log == "wmwwm");
  CHECK(rig.bells->rung_groups() == 3);
  CHECK(rig.bells->read_group(0) == 3);
  CHECK(rig.bells->rung_groups() == 2);  // reset by the read of its group, and by that only
  rig.ring(1, 2);
  CHECK(rig.log == "wmwwmwm");
}

TEST_CASE("doorbells: several groups in one message") {  // "Doorbell Group Registers"
  BellRig rig;
  for (const unsigned bell : {7u, 100u, 255u}) rig.arm(bell), rig.write_cookie(bell, 1);
  rig.bells->sample();
  CHECK(rig.log == "wm");
  CHECK(rig.bells->rung_groups() == (1u << 0 | 1u << 3 | 1u << 7));
}

TEST_CASE("doorbells: messages go to the GuC once they are routed there") {  // "Doorbell Group Registers": by default to the host
  BellRig rig;
  rig.bells->route_to_guc(false);
  rig.arm(0);
  rig.ring(0, 1);
  CHECK(rig.log == "w");
  CHECK(rig.status(0) == 1);
  CHECK(rig.host.levels.empty());  // no public source has a bit for it in the host's interrupts
  rig.bells->route_to_guc(true);
  rig.bells->sample();
  CHECK(rig.log == "wm");
}

TEST_CASE("doorbells: a ring wakes the GT before the message") {  // "Doorbell Flows": RC6
  BellRig rig;
  rig.arm(0);
  CHECK(rig.log.empty());
  rig.ring(0, 1);
  CHECK(rig.log == "wm");
}

TEST_CASE("doorbells: a line that is cleared ends its bell") {  // "Removing Doorbells" 1, 3
  BellRig rig;
  rig.arm(6);
  rig.ring(6, 1);
  CHECK(rig.bells->read_group(0) == 1u << 6);
  rig.write_line(BellRig::line_of(6), 0, 1);
  CHECK_FALSE(rig.is_valid(6));  // the driver polls
  CHECK(rig.status(0) == 0);
  rig.write_line(BellRig::line_of(6), 1, 2);  // "HW will not match incoming snoops"
  rig.bells->sample();
  CHECK(rig.status(0) == 0);
  CHECK_FALSE(rig.is_valid(6));
}

TEST_CASE("doorbells: a ring just before the removal is not lost") {  // "Removing Doorbells" 2, 3
  BellRig rig;
  rig.arm(6);
  rig.write_line(BellRig::line_of(6), 0, 1);
  CHECK_FALSE(rig.is_valid(6));  // "all previous updates of the victim doorbell are now registered"
  CHECK(rig.status(0) == 1u << 6);
  CHECK(rig.log == "wm");
}

TEST_CASE("doorbells: a bell that was removed can be assigned again, with another line") {  // "Removing Doorbells" 4
  BellRig rig;
  rig.arm(6);
  rig.ring(6, 5);
  rig.bells->read_group(0);
  rig.write_line(BellRig::line_of(6), 0, 5);
  CHECK_FALSE(rig.is_valid(6));
  const uint64_t other = pages_at + 0x20'0000;
  rig.write_line(other, 1, 0);
  rig.bells->arm(6, other);
  CHECK(rig.is_valid(6));
  CHECK(rig.status(0) == 0);
  rig.ring(6, 6);  // the old line
  CHECK(rig.status(0) == 0);
  rig.write_line(other, 1, 5);  // the cookie of the owner before counts for nothing
  rig.bells->sample();
  CHECK(rig.status(0) == 1u << 6);
}

TEST_CASE("doorbells: applications ring with compare and exchange of 8 bytes") {  // "Application Flow": the three outcomes
  BellRig rig;
  rig.arm(0);
  const HostSpan span = rig.memory.resolve(BellRig::line_of(0), Access::write);
  std::atomic_ref<uint64_t> line(*reinterpret_cast<uint64_t*>(span.data));
  struct Thread {
    uint32_t cookie = 0;  ///< what it believes
    /// How often it tried; 0: the bell is gone.
    unsigned ring(std::atomic_ref<uint64_t> line) {
      for (unsigned tries = 1;; ++tries) {
        uint64_t expected = 1 | uint64_t{cookie} << 32;
        const uint32_t next = cookie + 1 ? cookie + 1 : 1;
        if (line.compare_exchange_strong(expected, 1 | uint64_t{next} << 32)) return cookie = next, tries;
        if (!(expected & 1)) return 0;
        cookie = static_cast<uint32_t>(expected >> 32);
      }
    }
  } one, other;
  CHECK(one.ring(line) == 1);  // #1: success
  rig.bells->sample();
  CHECK(rig.bells->read_group(0) == 1);
  CHECK(other.ring(line) == 2);  // #2: some other thread shares the bell
  CHECK(other.cookie == 2);
  rig.bells->sample();
  CHECK(rig.bells->read_group(0) == 1);
  one.cookie = other.cookie = 0xffff'ffff;
  line = 1 | uint64_t{0xffff'ffff} << 32;
  CHECK(one.ring(line) == 1);
  CHECK(one.cookie == 1);
  rig.bells->sample();
  CHECK(rig.bells->read_group(0) == 1);
  line = uint64_t{1} << 32;
  CHECK(one.ring(line) == 0);  // #3: the bell is not there
  CHECK_FALSE(rig.is_valid(0));
  CHECK(rig.status(0) == 0);
}

TEST_CASE("doorbells: two bells on one line are no harm") {  // "Assigning Doorbells": software shall not
  BellRig rig;
  rig.write_line(pages_at, 1, 0);
  rig.bells->arm(0, pages_at);
  rig.bells->arm(1, pages_at);
  rig.write_line(pages_at, 1, 1);
  rig.bells->sample();
  CHECK(rig.status(0) == 3);
}

TEST_CASE("doorbells: where no memory is, a line reads as inactive") {
  BellRig rig;
  memory::SparseMemory none(0);
  Doorbells bells(
      {.registers = rig.registers, .memory = none, .host = rig.host, .wake_at = [](int64_t) {}, .wake_power = [] {}, .message = [] {}});
  bells.arm(0, pages_at);
  CHECK_FALSE(bells.is_valid(0));
}

TEST_CASE(
    "doorbells: the mode of the lines' addresses is kept until a reset of the function") {  // "Arming Memory Based Doorbells": C068[10]
  for (const defs::RegisterSet* set : {&defs::gen9::registers, &defs::gen11::registers, &defs::gen12::registers}) {
    BellRig rig(*set);
    rig.registers.write(0xc068, 1 << 10);
    rig.registers.reset(1u << static_cast<unsigned>(defs::ResetDomain::gt));
    CHECK(rig.registers.read(0xc068) == 1 << 10);
    rig.registers.reset();
    CHECK(rig.registers.read(0xc068) == 0);
  }
}

TEST_CASE(
    "doorbells: distributed units have 256 doorbells in all") {  // "Arming Memory Based Doorbells"; i915 gt/uc/intel_guc_ads.c, guc_waklv_init()
  mmio::RegisterFile registers(defs::gen12::registers);
  const uint32_t populated = registers.read(0xd08);
  CHECK(static_cast<unsigned>(__builtin_popcount(populated & 0xffff)) * ((populated >> 16 & 0xff) + 1) == 256);
}

TEST_CASE("doorbells: a full reset of GDRST and one of the function end all bells") {
  for (const bool by_register : {true, false}) {
    BellRig rig;
    rig.arm(0);
    rig.ring(0, 1);
    if (by_register) rig.registers.write(0x941c, 1 << 5);  // the GuC's own reset is none of theirs
    CHECK(rig.is_valid(0));
    if (by_register) rig.registers.write(0x941c, 1);
    else rig.bells->reset();
    CHECK_FALSE(rig.is_valid(0));
    CHECK(rig.status(0) == 0);
    CHECK(rig.bells->rung_groups() == 0);
  }
}
