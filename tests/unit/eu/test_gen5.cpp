// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's instructions: both forms. With SOFTGEN_ELK_TESTS (Mesa's src/intel/compiler/elk/tests/gen5) also all that its assembler's tests expect.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "hw/eu/isa/gen5/isa.h"
#include "hw/eu/isa/gen5/parts.h"
#include "tests/catch.h"

using namespace softgen::eu;

namespace {

Instruction decoded(std::initializer_list<uint32_t> words) {
  Native bits;
  std::memcpy(bits.q, words.begin(), sizeof(bits.q));
  const Instruction i = gen5::decode(bits);
  CHECK(gen5::encode(i) == bits);
  return i;
}

/// The bytes of a line such as "01 02 60 00".
std::vector<std::byte> bytes_of(const std::string& line) {
  std::vector<std::byte> bytes;
  std::istringstream in(line);
  for (std::string byte; in >> byte;) bytes.push_back(static_cast<std::byte>(std::stoi(byte, nullptr, 16)));
  return bytes;
}

}  // namespace

TEST_CASE("gen5: a destination in the message registers, of whole and of interleaved pairs") {
  // mov(8) m2<1>UD g1<8,8,1>UD { nomask }
  const Instruction whole = decoded({0x00600201, 0x20400022, 0x008d0020, 0});
  CHECK(whole.opcode == Opcode::mov);
  CHECK(whole.no_mask);
  CHECK(whole.exec_size == 8);
  CHECK(whole.dst.file == RegFile::grf);
  CHECK(whole.dst.reg == gen5::first_message_register + 2);
  CHECK_FALSE(whole.interleaved_halves);
  CHECK(whole.src[0].reg == 1);
  CHECK(whole.src[0].type == RegType::ud);
  // The same of 16 channels, with bit 7 of the number and compression.
  const Instruction pair = decoded({0x00802201, 0x30400022, 0x008d0020, 0});
  CHECK(pair.exec_size == 16);
  CHECK(pair.compression == 2);
  CHECK(pair.channel_offset() == 0);
  CHECK(pair.dst.reg == gen5::first_message_register + 2);
  CHECK(pair.interleaved_halves);
  // The second half of a pair works on channels 8 to 15.
  CHECK(decoded({0x00601201, 0x20400022, 0x008d0020, 0}).channel_offset() == 8);
}

TEST_CASE("gen5: align16, with a saturated destination and an immediate") {
  // mov.sat(8) m5<1>F g4<4>F
  const Instruction move = decoded({0x80600101, 0x20af03be, 0x006e0084, 0});
  CHECK(move.access_mode == AccessMode::align16);
  CHECK(move.saturate);
  CHECK(move.dst.writemask == 0xf);
  CHECK(move.src[0].swizzle == 0xe4);
  CHECK(move.src[0].type == RegType::f);
  // mov(8) g9<1>.xyzUD 0x00000000UD
  const Instruction constant = decoded({0x00600101, 0x21270061, 0, 0x12345678});
  CHECK(constant.dst.writemask == 7);
  CHECK(constant.src[0].file == RegFile::imm);
  CHECK(constant.imm == 0x12345678);
}

TEST_CASE("gen5: messages name their function and their first register") {
  // send(8) 2 g2<1>F g2<8,8,1>F: math, inverse
  const Instruction math = decoded({0x02600031, 0x20400fbd, 0x108d0040, 0x02100001});
  CHECK(math.sfid() == 1);
  CHECK(math.first_message == 2);
  CHECK(math.descriptor == 0x02100001);
  CHECK_FALSE(math.descriptor_in_register);
  CHECK_FALSE(math.end_of_thread);
  // send(8) 1 null<1>UW g0<8,8,1>UW: render target write, the thread's last
  const Instruction last = decoded({0x01600031, 0x20000d28, 0x508d0000, 0x8c084c00});
  CHECK(last.sfid() == 5);
  CHECK(last.end_of_thread);
  CHECK(last.descriptor == 0x0c084c00);
}

TEST_CASE("gen5: branches count halves of instructions, and entries of the mask stack") {
  // if(8) Jump: 10
  CHECK(decoded({0x00618022, 0x34001c00, 0x00601400, 0x0000000a}).jip == 80);
  // else(8) Jump: 86 Pop: 1
  const Instruction other = decoded({0x00608024, 0x34001c00, 0x00601400, 0x00010056});
  CHECK(other.jip == 688);
  CHECK(other.pop_count == 1);
  // while(8) Jump: -282
  CHECK(decoded({0x00600027, 0x34001c00, 0x00601400, 0x0000fee6}).jip == -2256);
  // jmpi(1) 4
  const Instruction jump = decoded({0x00010220, 0x34000c00, 0x00001400, 0x00000004});
  CHECK(jump.jip == 32);
  CHECK(jump.jump_base() == 16);
  CHECK(decoded({0x00600026, 0x2000739c, 0x008d0000, 0x008d0000}).opcode == Opcode::do_);
}

TEST_CASE("gen5: registers by address") {
  // mov(1) r[a0.2 - 4]<1>D r[a0.1 + 508]<0,1,0>D
  const Instruction move = decoded({0x00000001, 0xabfc00a5, 0x000085fc, 0});
  CHECK(move.dst.indirect);
  CHECK(move.dst.addr_subreg == 2);
  CHECK(move.dst.addr_imm == -4);
  CHECK(move.src[0].indirect);
  CHECK(move.src[0].addr_subreg == 1);
  CHECK(move.src[0].addr_imm == 508);
}

TEST_CASE("gen5: what a short form stands for has this short form, or one that stands for the same") {
  unsigned found = 0;
  for (uint64_t index = 0; index < 32; index++) {
    for (const unsigned field : {8, 13, 18, 30, 35}) {
      const uint64_t compacted = uint64_t{1} << 29 | 0x40 | index << field | uint64_t{7} << 40 | uint64_t{9} << 48 | uint64_t{11} << 56;
      const Native native = gen5::uncompact(compacted);
      const auto again = gen5::compact(native);
      REQUIRE(again);
      CHECK(gen5::uncompact(*again) == native);
      found += *again == compacted;
    }
  }
  CHECK(found > 150);
  // An immediate has none.
  Native constant{{0x2020'0061'0060'0001, 0x1234'5678'0000'0000}};
  CHECK_FALSE(gen5::compact(constant));
}

TEST_CASE("gen5: every value of an opcode field survives both ways") {
  for (unsigned code = 0; code < 128; code++) {
    Native bits{{code, 0}};
    CHECK(gen5::encode(gen5::decode(bits)) == bits);
  }
}

TEST_CASE("gen5: instructions of Mesa's assembler") {
  const char* folder = std::getenv("SOFTGEN_ELK_TESTS");
  if (!folder) {
    WARN("SOFTGEN_ELK_TESTS is not set: Mesa's expectations are not compared");
    return;
  }
  unsigned count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".expected") continue;
    CAPTURE(entry.path().string());
    std::ifstream lines(entry.path());
    for (std::string line; std::getline(lines, line);) {
      const std::vector<std::byte> bytes = bytes_of(line);
      if (bytes.empty()) continue;
      CAPTURE(line);
      const auto i = gen5::decode(bytes);
      REQUIRE(i);
      CHECK(i->size() == bytes.size());
      CHECK(gen5::has_opcode(i->opcode));
      Native native{};
      if (!i->compacted) std::memcpy(native.q, bytes.data(), 16);
      else
        native = gen5::uncompact([&] {
          uint64_t word;
          std::memcpy(&word, bytes.data(), 8);
          return word;
        }());
      CHECK(gen5::encode(*i) == native);
      CHECK(gen5_isa().validate(*i) == "");
      count++;
    }
  }
  CHECK(count > 400);
}
