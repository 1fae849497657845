// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <set>

#include "hw/base/failure_log.h"
#include "hw/mmio/register_file.h"
#include "tests/catch.h"
#include "tests/engine_register.h"
#include "tests/quiet_log.h"

using namespace softgen;
using namespace softgen::mmio;
using softgen::test::engine_register;

namespace {

constexpr uint32_t unknown = 0x1ff000;

struct Quiet {
  Quiet() {
    quiet_log();
    clear_failure_counts();
  }
};

}  // namespace

TEST_CASE("register names resolve engines and arrays") {
  CHECK(softgen::defs::gen9::registers.name_of(0x22034) == "RING_HEAD.bcs");
  CHECK(softgen::defs::gen9::registers.name_of(0x1a60c) == "CS_GPR[1][1].vecs");
  CHECK(softgen::defs::gen9::registers.name_of(0x44318) == "GT_IIR[1]");
  CHECK(softgen::defs::gen9::registers.name_of(unknown) == "0x1ff000");
  CHECK(softgen::defs::gen9::registers.find(unknown) == nullptr);
  CHECK(softgen::defs::gen9::registers.find(0x2036)->offset == reg::RING_HEAD);
}

// TGL PRM vol 13, "Terminology": R/W; Reserved and Read Only, "Writes are ignored"; Read/Write Clear, "the bit is cleared on a write operation where the
// corresponding bit has a one for a value". Masked registers: SKL PRM vol 2c.
TEST_CASE("each bit of each row is written, kept, or cleared by a one, as the row says") {
  Quiet quiet;
  constexpr uint32_t old = 0xdead'beef, value = 0x1357'9bdf;
  for (const auto* set : {&softgen::defs::gen9::registers, &softgen::defs::gen11::registers, &softgen::defs::gen12::registers}) {
    RegisterFile file{*set};
    for (const softgen::defs::Register& row : set->rows) {
      if (row.block) continue;
      softgen::defs::for_each_instance(*set, row, [&](uint32_t offset) {
        file.poke(offset, old);
        file.write(offset, value);
        uint32_t expected = 0;
        for (unsigned bit = 0; bit < 32; ++bit) {
          const auto in = [bit](uint32_t word) { return word >> bit & 1; };
          const bool selected = !row.masked || (bit < 16 && value >> (bit + 16) & 1);
          const bool written = in(row.write_mask) && selected, cleared = in(row.w1c_mask) && in(value);
          expected |= (written ? in(value) : cleared ? 0 : in(old)) << bit;
        }
        CAPTURE(set->name_of(offset));
        CHECK(file.read(offset) == (expected & row.read_mask));
        file.poke(offset, row.reset);
      });
    }
  }
}

TEST_CASE("masked registers take the bits their upper half selects and read it as zero") {
  Quiet quiet;
  RegisterFile file{softgen::defs::gen9::registers};
  const uint32_t offset = engine_register(EngineId::rcs, reg::RING_INSTPM);
  file.write(offset, 0x0081'00ff);
  CHECK(file.read(offset) == 0x0081);
  file.write(offset, 0x0001'0000);
  CHECK(file.read(offset) == 0x0080);
  file.write(offset, 0x0000'ffff);
  CHECK(file.read(offset) == 0x0080);
}

// TGL PRM vol 13, "Terminology".
TEST_CASE("read-only bits stay, write-1-to-clear bits clear, write-only registers read zero") {
  Quiet quiet;
  RegisterFile file{softgen::defs::gen9::registers};
  const uint32_t tail = engine_register(EngineId::bcs, reg::RING_TAIL);
  file.write(tail, 0xffff'ffff);
  CHECK(file.read(tail) == 0x001f'fff8);
  const uint32_t esr = engine_register(EngineId::bcs, reg::RING_ESR);
  file.poke(esr, 5);
  file.write(esr, 0);
  CHECK(file.read(esr) == 5);
  const uint32_t eir = engine_register(EngineId::bcs, reg::RING_EIR);
  file.poke(eir, 7);
  file.write(eir, 5);
  CHECK(file.read(eir) == 2);
  const uint32_t elsp = engine_register(EngineId::bcs, reg::RING_ELSP);
  file.write(elsp, 0x1234);
  CHECK(file.read(elsp) == 0);
  CHECK(file.peek(elsp) == 0x1234);
}

TEST_CASE("narrow and wide accesses") {
  Quiet quiet;
  RegisterFile file{softgen::defs::gen9::registers};
  file.write(unknown, 0x1122'3344'5566'7788, 8);
  CHECK(file.read(unknown, 8) == 0x1122'3344'5566'7788);
  CHECK(file.read(unknown + 4, 4) == 0x1122'3344);
  CHECK(file.read(unknown + 1, 1) == 0x77);
  CHECK(file.read(unknown + 6, 2) == 0x1122);
  file.write(unknown + 2, 0xabcd, 2);
  CHECK(file.read(unknown, 4) == 0xabcd'7788);
  file.write(unknown + 3, 0x01, 1);
  CHECK(file.read(unknown, 4) == 0x01cd'7788);
  // A byte write does not clear its neighbours' write-1-to-clear bits.
  const uint32_t eir = engine_register(EngineId::rcs, reg::RING_EIR);
  file.poke(eir, 0x0101);
  file.write(eir, 1, 1);
  CHECK(file.read(eir) == 0x0100);
}

TEST_CASE("accesses outside the space are dropped") {
  RegisterFile file{softgen::defs::gen9::registers};
  CHECK(file.read(register_space) == 0);
  file.write(register_space, 1);
  file.write(0xffff'fffc, 1);
  CHECK(file.peek(0) == 0);
}

TEST_CASE("unknown registers are memory, and counted by offset") {
  Quiet quiet;
  RegisterFile file{softgen::defs::gen9::registers};
  file.write(unknown, 42);
  CHECK(file.read(unknown) == 42);
  CHECK(failure_count(Failure::note, "unknown register 0x1ff000") == 2);
  file.read(engine_register(EngineId::rcs, reg::RING_HEAD));
  CHECK(failure_counts().size() == 1);
}

TEST_CASE("hooks get the offset, the written value and the stored value") {
  Quiet quiet;
  RegisterFile file{softgen::defs::gen9::registers};
  std::vector<std::pair<uint32_t, uint32_t>> seen;
  for (const EngineId id : {EngineId::vcs0, EngineId::vecs})
    file.on_write(engine_register(id, reg::RING_TAIL), [&](uint32_t offset, uint32_t written) {
      seen.emplace_back(offset, written);
      CHECK(file.peek(offset) == (written & 0x001f'fff8));
    });
  file.on_write(engine_register(EngineId::vecs, reg::RING_TAIL), [&](uint32_t, uint32_t) { seen.emplace_back(1, 1); });
  file.on_read(0x1fe000, 8, [](uint32_t offset) { return offset; });
  file.write(0x12030, 0xffff'ffff);
  file.write(0x1a030, 8);
  CHECK(seen == std::vector<std::pair<uint32_t, uint32_t>>{{0x12030, 0xffff'ffff}, {0x1a030, 8}, {1, 1}});
  CHECK(file.read(0x1fe000, 8) == 0x001f'e004'001f'e000);
}

TEST_CASE("registers with a hook in their row are reported until one is attached") {
  RegisterFile file{softgen::defs::gen9::registers};
  const auto before = file.missing_hooks();
  CHECK(std::ranges::count(before, std::string("RING_ELSP.bcs")) == 1);
  file.on_engine_read(reg::RING_ELSP, [](uint32_t) { return 0u; });
  const auto after = file.missing_hooks();
  CHECK(after.size() == before.size() - file.set().engines.size());
}

TEST_CASE("privilege of registers: user-mode list and the engine's slots") {
  Quiet quiet;
  RegisterFile file{softgen::defs::gen9::registers};
  CHECK(file.is_nonpriv_writable(EngineId::rcs, engine_register(EngineId::rcs, reg::CS_GPR(3, 1))));
  CHECK_FALSE(file.is_nonpriv_writable(EngineId::rcs, engine_register(EngineId::bcs, reg::CS_GPR(0))));
  CHECK_FALSE(file.is_nonpriv_writable(EngineId::rcs, engine_register(EngineId::rcs, reg::RING_HWS_PGA)));
  CHECK_FALSE(file.is_nonpriv_writable(EngineId::rcs, 0xb118));
  file.write(engine_register(EngineId::rcs, reg::RING_FORCE_TO_NONPRIV(11)), 0xb118);
  CHECK(file.is_nonpriv_writable(EngineId::rcs, 0xb118));
  CHECK_FALSE(file.is_nonpriv_writable(EngineId::bcs, 0xb118));
  CHECK_FALSE(file.is_nonpriv_writable(EngineId::rcs, 0xffff'fffc));
}

TEST_CASE("reset restores the table's values and clears the others") {
  Quiet quiet;
  RegisterFile fresh{softgen::defs::gen9::registers}, file{softgen::defs::gen9::registers};
  for (uint32_t offset = 0; offset < register_space; offset += 4) file.poke(offset, 0xdeadbeef);
  file.reset();
  for (uint32_t offset = 0; offset < register_space; offset += 4) {
    if (file.peek(offset) != fresh.peek(offset)) FAIL(softgen::defs::gen9::registers.name_of(offset));
  }
}

TEST_CASE("state survives save and load, and a damaged one is refused") {
  Quiet quiet;
  RegisterFile file{softgen::defs::gen9::registers}, copy{softgen::defs::gen9::registers};
  file.write(unknown, 1);
  file.write(engine_register(EngineId::rcs, reg::RING_START), 0x5000);
  Archive out;
  file.state(out);
  Archive in(out.output());
  copy.poke(0x1fd000, 9);
  copy.state(in);
  REQUIRE_FALSE(in.failed());
  CHECK(copy.peek(unknown) == 1);
  CHECK(copy.peek(0x1fd000) == 0);
  CHECK(copy.peek(EngineId::rcs, reg::RING_START) == 0x5000);

  std::vector<std::byte> bytes = out.output();
  bytes[bytes.size() - 9] = std::byte{0x7f};  // an offset's top byte; then its value, and no instances
  Archive bad(bytes);
  copy.state(bad);
  CHECK(bad.failed());
}

TEST_CASE("reserved ranges and the memory controller's mirror cannot be written") {
  // KBL PRM vol 3, "Memory and IO Space Registers": 8800-88FF has no impact; 140000-17FFFF is read-only.
  Quiet quiet;
  RegisterFile file{softgen::defs::gen9::registers};
  for (const uint32_t offset : {0x8800u, 0x88fcu, 0x140000u, 0x145f00u, 0x17fffcu}) {
    CAPTURE(offset);
    file.write(offset, 0x1234'5678);
    CHECK(file.read(offset) == 0);
  }
  CHECK(softgen::defs::gen9::registers.name_of(0x8810) == "RESERVED_8800+0x10");
  // Rows inside a block's range have priority over the block.
  CHECK(softgen::defs::gen9::registers.name_of(reg::MC_BIOS_DATA) == "MC_BIOS_DATA");
  CHECK(file.read(reg::MC_BIOS_DATA) == 8);
  CHECK(file.read(reg::MAD_DIMM_CH(1)) == 8);
}

TEST_CASE("the registers of the power contexts are declared on each engine") {
  // KBL PRM vol 3, "Video Engine Power Context" and the tables of BCS and VECS: offsets from the engine's base.
  constexpr uint32_t relative[] = {0x29c, 0x80,  0x3c,  0x34,  0x30,  0x38,  0x168, 0x140, 0x110, 0x11c, 0x114, 0x118,
                                   0x50,  0x54,  0x58,  0x94,  0x98,  0xa8,  0xb0,  0xb4,  0xc4,  0x134, 0x16c, 0x148,
                                   0x14c, 0x214, 0x2d0, 0x2d4, 0x2ec, 0xcc,  0x4cc, 0x4c8, 0x4bc, 0x180, 0x138, 0x13c,
                                   0x3bc, 0x3a0, 0x370, 0x39c, 0x24c, 0x23c, 0x2e8, 0x4d0, 0x4fc, 0x234};
  for (const EngineId id : {EngineId::vcs0, EngineId::bcs, EngineId::vecs})
    for (const uint32_t offset : relative) {
      CAPTURE(id, offset);
      CHECK(softgen::defs::gen9::registers.find(engine_register(id, offset)) != nullptr);
    }
  for (const uint32_t offset : {0x21acu, 0x120a0u, 0x220a0u}) CHECK(softgen::defs::gen9::registers.find(offset) != nullptr);
}

TEST_CASE("a user batch on the video engine may write its MFX registers, one on render may not") {
  RegisterFile file{softgen::defs::gen9::registers};
  for (const uint32_t offset : {0x12800u, 0x128b8u, 0x12ffcu, 0x1e800u, 0x1e9f4u, 0x1e9fcu, 0x12600u, 0x1267cu}) {
    CAPTURE(offset);
    CHECK(file.is_nonpriv_writable(EngineId::vcs0, offset));
    for (const EngineId id : {EngineId::rcs, EngineId::bcs, EngineId::vecs}) CHECK(!file.is_nonpriv_writable(id, offset));
  }
  for (const uint32_t offset : {0x127fcu, 0x13000u, 0x1e7fcu, 0x1ea00u, reg::gen9::HUC_STATUS(0)}) {
    CAPTURE(offset);
    CHECK(!file.is_nonpriv_writable(EngineId::vcs0, offset));
  }
  CHECK(reg::gen9::MFC_IMAGE_STATUS_CONTROL == 0x128b8);
  CHECK(reg::gen9::HCP_VP9_IMAGE_STATUS_CONTROL == 0x1e9f4);
  CHECK(file.is_nonpriv_writable(EngineId::rcs, reg::CACHE_MODE_1));
}

TEST_CASE("field constants equal the tables' declarations") {
  CHECK(reg::field::RING_INDIRECT_CTX_ADDRESS.mask() == 0xffff'ffc0);
  CHECK(reg::field::RING_INDIRECT_CTX_CACHELINES.of(0x1234'5667) == 0x27);
  CHECK(reg::field::RING_BB_PER_CTX_PTR_VALID.of(0xffff'fffe) == 0);
  CHECK(reg::field::RING_INDIRECT_CTX_OFFSET_CACHELINES.of(0x26 << 6) == 0x26);
}
