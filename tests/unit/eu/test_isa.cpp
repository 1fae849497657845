// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>
#include <cstring>
#include <random>
#include <set>

#include "hw/eu/isa/gen11/isa.h"
#include "hw/eu/isa/gen12/isa.h"
#include "hw/eu/isa/gen9/isa.h"
#include "hw/eu/isa/print.h"
#include "hw/eu/isa/scoreboard.h"
#include "tests/catch.h"
#include "tests/unit/eu/data.h"

using namespace softgen::eu;
using softgen::eu::test::captured_kernels;
using softgen::eu::test::from_hex;
using softgen::eu::test::rows;

namespace {

Native native_of(const Isa& isa, std::span<const std::byte> code) {
  Native bits;
  std::memcpy(&bits.q[0], code.data(), 8);
  if (isa.is_compacted(bits.q[0])) return isa.uncompact(bits.q[0]);
  std::memcpy(&bits.q[1], code.data() + 8, 8);
  return bits;
}

std::string with_newlines(const std::string& text) {
  std::string result;
  size_t from = 0;
  for (size_t at; (at = text.find("\\n", from)) != std::string::npos; from = at + 2) result.append(text, from, at - from).push_back('\n');
  return result.append(text, from);
}

void check_round_trip(const Isa& isa, std::span<const std::byte> code) {
  const auto instruction = isa.decode(code);
  REQUIRE(instruction);
  const Native bits = native_of(isa, code);
  INFO(print(isa, *instruction));
  CHECK(isa.encode(*instruction) == bits);
  if (!instruction->compacted) return;
  uint64_t original;
  std::memcpy(&original, code.data(), 8);
  const auto again = isa.compact(bits);
  REQUIRE(again);
  CHECK(*again == original);
}

/// Of data rows of bytes and text.
void check_texts(const Isa& isa, const std::string& file) {
  for (const auto& [hex, text] : rows(file)) {
    const auto code = from_hex(hex);
    const auto instruction = isa.decode(code);
    REQUIRE(instruction);
    CHECK(print(isa, *instruction) == with_newlines(text));
    CHECK(isa.validate(*instruction) == "");
    check_round_trip(isa, code);
  }
}

}  // namespace

TEST_CASE("eu isa: bytes to text as Mesa prints them, and back to the same bytes") {
  check_texts(gen9_isa(), "gen9_asm.txt");
  check_texts(gen11_isa(), "gen11_asm.txt");
  check_texts(gen12_isa(), "gen12_asm.txt");
}

// The same bytes: Gen11 lacks the opcode and align16, and has other codes for types.
// Descriptors as Mesa's brw_fb_write_desc() and brw_sampler_desc() make them for Gfx11; the extended ones as brw_lower_logical_sends.cpp does.
TEST_CASE("eu isa: what Gen11's descriptors say besides Gen9's") {
  constexpr uint32_t write = 12u << 14 | 8u << 25, sample = 8u << 25 | 4u << 20;
  const auto target = gen11_isa().message(5, write | 1u << 18, 3u << 12 | 1u << 15);
  CHECK((target.target == 3 && target.alpha_present && target.coarse && !target.null_target && target.simd == 16));
  CHECK(gen11_isa().message(5, write, 1u << 20).null_target);
  const auto gen9 = gen9_isa().message(5, write | 1u << 18, 3u << 12 | 1u << 15 | 1u << 20);
  CHECK((gen9.target == 0 && !gen9.alpha_present && !gen9.coarse && !gen9.null_target));
  const auto halves = gen11_isa().message(2, sample | 1u << 17 | 1u << 29);
  CHECK((halves.half_parameters && halves.simd == 8));
  const auto words = gen11_isa().message(2, sample | 2u << 17);
  CHECK((!words.half_parameters && words.simd == 16));
  CHECK(gen11_isa().message(11, 1u << 15).coarse);
}

TEST_CASE("eu isa: what Gen11 lacks is named") {
  const auto why = [](uint64_t low, uint64_t high) {
    const Native bits{{low, high}};
    CHECK(gen9_isa().validate(gen9_isa().decode(bits)) == "");
    return gen11_isa().validate(gen11_isa().decode(bits));
  };
  CHECK(why(0x2f7c'3ae8'0060'005a, 0x008d'00a0'0000'0040) == "the opcode is reserved");         // pln(8) g123<1>F g2<0,1,0>F g5<8,8,1>F
  CHECK(why(0x20ef'3ae8'0060'0140, 0x006e'00c4'0064'40c4) == "align16 is not there on Gen11");  // add(8) g7<1>F g6<4>.xyxyF g6<4>.zwzwF
  // add(8) g124<1>F g7<8,8,1>D 1D: F's code is Q's here.
  CHECK(why(0x2f80'0ae8'0060'0040, 0x0000'0001'0e8d'00e0) == "types of 64 bits are not there on Gen11");
}

// By IGA 1.0.12504: math.rsqtm (8) (eo)f0.0 r18.mme7:f r1.nomme:f; mad acc0:nf r3.0<0;0>:f r2:f r4.0:f; mad r10:f acc0:nf r5:f r4.0:f;
// mov acc1:nf r1:f; add acc0:nf acc1:nf r2:f; mul r11:f acc0:nf r2:f.
TEST_CASE("eu isa: Gen11's special accumulators and NF are where IGA has them") {
  constexpr Native code[] = {
      {{0x2247'4b28'0f60'0038, 0x0000'0000'0045'0028}}, {{0x2000'c018'0060'005b, 0x0100'0404'0720'3001}},
      {{0x0a00'4808'0060'005b, 0x0100'040a'0722'003b}}, {{0x2420'4b60'0060'0001, 0x0000'0000'008d'0020}},
      {{0x2400'5960'0060'0040, 0x008d'0040'4a8d'0420}}, {{0x2160'5928'0060'0041, 0x008d'0040'4a8d'0400}},
  };
  std::vector<Instruction> decoded;
  for (const Native& bits : code) {
    decoded.push_back(gen11_isa().decode(bits));
    INFO(print(gen11_isa(), decoded.back()));
    CHECK(gen11_isa().validate(decoded.back()) == "");
    CHECK(gen11_isa().encode(decoded.back()) == bits);
  }
  CHECK((decoded[0].special_accumulators && decoded[0].dst.writemask == 7 && decoded[0].src[0].swizzle == 8));
  CHECK((decoded[1].dst.type == RegType::nf && decoded[1].dst.is_arf(Arf::accumulator) && decoded[1].src[0].type == RegType::f));
  CHECK((decoded[2].src[0].type == RegType::nf && decoded[2].src[0].is_arf(Arf::accumulator)));
  CHECK((decoded[3].dst.reg == 0x21 && decoded[3].dst.type == RegType::nf));
  CHECK((decoded[4].dst.type == RegType::nf && decoded[4].src[0].type == RegType::nf));
  CHECK(print(gen11_isa(), decoded[0]).starts_with("math rsqrtm(8)  g18.mme7<1>F    g1.nomme<2,2,1>F"));
  Instruction stray = decoded[3];
  stray.dst.file = RegFile::grf;
  CHECK(gen11_isa().validate(stray) == "NF is of accumulators, from their beginning");
}

// IGT's gen12_render_copy.asm: mad acc0:nf r6.3<0;0>:f r2:f r6.0:f; mad r113:f acc0:nf r3:f r6.1:f. IGA has no NF with fewer sources here.
TEST_CASE("eu isa: NF of Gen12 is of three sources, where IGA has it") {
  constexpr Native code[] = {{{0x2000'02f0'8003'005b, 0x0604'0205'0a0a'0664}}, {{0x7104'0fa8'8003'005b, 0x0624'0305'0a0a'2001}}};
  std::vector<Instruction> decoded;
  for (const Native& bits : code) {
    decoded.push_back(gen12_isa().decode(bits));
    INFO(print(gen12_isa(), decoded.back()));
    CHECK(gen12_isa().validate(decoded.back()) == "");
    CHECK(gen12_isa().encode(decoded.back()) == bits);
  }
  CHECK((decoded[0].dst.type == RegType::nf && decoded[0].dst.is_arf(Arf::accumulator) && decoded[0].src[0].type == RegType::f));
  CHECK((decoded[1].src[0].type == RegType::nf && decoded[1].src[0].is_arf(Arf::accumulator)));
  Instruction stray = decoded[0];
  stray.dst.file = RegFile::grf;
  CHECK(gen12_isa().validate(stray) == "NF is of accumulators, from their beginning");
  Instruction move = decoded[0];
  move.opcode = Opcode::mov;
  CHECK(gen12_isa().validate(move) == "types of 64 bits are not there on Gen12.0");
}

// What Mesa does not use, by IGA 1.0.12504 (GEN12p1); distances are bytes.
TEST_CASE("eu isa: Gen12's jumps, calls, syncs and macros are where IGA has them") {
  const auto of = [](uint64_t low, uint64_t high) {
    const Native bits{{low, high}};
    const Instruction i = gen12_isa().decode(bits);
    INFO(print(gen12_isa(), i));
    CHECK(gen12_isa().validate(i) == "");
    CHECK(gen12_isa().encode(i) == bits);
    return i;
  };
  const Instruction call = of(0x0504'4000'8004'002c, 0x0000'0010'0000'0000);  // (W) call (16) r5.0 L; L:
  CHECK((call.opcode == Opcode::call && call.dst.reg == 5 && call.src[1].file == RegFile::imm && call.jip == 16));
  const Instruction far = of(0x0504'0000'0000'002c, 0x0000'0000'0000'0304);  // call (1) r5.0 r3.0
  CHECK((far.src[1].file == RegFile::grf && far.src[1].reg == 3));
  const Instruction ret = of(0x0000'0000'0003'002d, 0x0000'0000'0000'0504);  // ret (8) r5.0
  CHECK((ret.opcode == Opcode::ret && ret.src[0].file == RegFile::grf && ret.src[0].reg == 5));
  const Instruction jump = of(0x0000'4000'8000'0020, 0xffff'ffe0'0000'0000);  // L: ...; jmpi (1) L
  CHECK((jump.opcode == Opcode::jmpi && jump.src[1].file == RegFile::imm && jump.jip == -32 && jump.jump_base() == 0));
  const Instruction by_register = of(0x0000'0000'8000'0020, 0x0000'0000'0000'0304);  // jmpi (1) r3.0
  CHECK((by_register.src[1].file == RegFile::grf && by_register.src[1].reg == 3));
  const Instruction brd = of(0x0000'0000'0003'0021, 0x0000'0000'0000'0304);  // brd (8) r3.0
  CHECK((brd.src[0].file == RegFile::grf && brd.src[0].reg == 3));
  const Instruction back = of(0x0000'c002'8003'002e, 0x0000'0020'0000'0040);  // (W) goto.b (8) L1 L2
  CHECK((back.opcode == Opcode::goto_ && back.acc_write && back.goes_where_true && back.jip == 32 && back.uip == 64));
  const Instruction tokens = of(0x0001'4200'0000'0001, 0x0000'1234'2000'0000);  // sync.allrd ($2,$4,$5,$9,$12)
  CHECK((tokens.sync_function() == SyncFunction::allrd && tokens.imm == 0x1234 && !tokens.is_wait()));
  const Instruction barrier = of(0x0001'0000'0000'0001, 0x0000'0000'e000'0000);  // sync.bar
  CHECK((barrier.is_wait() && barrier.notification() == 0));
  CHECK(of(0x0001'0000'0000'0001, 0x0000'0000'f000'0000).notification() == 1);  // sync.host
  const Instruction root = of(0x123d'0aa0'0003'0038, 0x0000'0000'f010'0144);    // math.rsqtm (8) (eo)f0.0 r18.mme7:f r1.nomme:f
  CHECK((root.special_accumulators && root.dst.writemask == 7 && root.src[0].swizzle == 8));
  const Instruction inverse = of(0x123d'0aa0'0003'0038, 0x0010'020c'ea10'0144);  // math.invm (8) (eo)f0.0 r18.mme7:f r1.nomme:f r2.mme1:f
  CHECK((inverse.src[0].swizzle == 8 && inverse.src[1].swizzle == 1));
  const Instruction address = of(0x1049'0aa8'0003'0061, 0x0000'0000'00f1'0000);  // mov (8) r[a0.1,18]<1>:f r[a0.0]<1,0>:f
  CHECK((address.dst.indirect && address.dst.addr_subreg == 1 && address.dst.addr_imm == 18 && address.src[0].vstride == vstride_indirect));
}

TEST_CASE("eu isa: Gen12's software scoreboard") {
  using Token = Scoreboard::Token;
  Instruction i;
  const auto read = [&](Opcode opcode, uint8_t swsb) {
    i.opcode = opcode;
    i.swsb = swsb;
    return scoreboard(i);
  };
  CHECK(read(Opcode::add, 0) == Scoreboard{});
  CHECK(read(Opcode::add, 0x05) == Scoreboard{5, Token::none, 0});
  CHECK(read(Opcode::add, 0x2c) == Scoreboard{0, Token::wait_written, 12});
  CHECK(read(Opcode::add, 0x33) == Scoreboard{0, Token::wait_read, 3});
  CHECK(read(Opcode::send2, 0x47) == Scoreboard{0, Token::set, 7});
  CHECK(read(Opcode::math, 0xb1) == Scoreboard{3, Token::set, 1});
  CHECK(read(Opcode::add, 0xb1) == Scoreboard{3, Token::wait_written, 1});
  CHECK(scoreboard_text(i) == " @3 $1.dst");
}

TEST_CASE("eu isa: what Gen12 lacks is named") {
  Instruction i;
  i.exec_size = 8;
  i.opcode = Opcode::mul;
  i.dst = {.file = RegFile::grf, .type = RegType::d, .reg = 10, .hstride = 1};
  i.src[0] = {.file = RegFile::grf, .type = RegType::d, .reg = 2, .vstride = 4, .width = 3, .hstride = 1};
  i.src[1] = i.src[0];
  CHECK(gen12_isa().validate(i) == "one factor of an integer product has at most 16 bits");
  i.src[1].type = RegType::w;
  CHECK(gen12_isa().validate(i) == "");
  i.opcode = Opcode::add;
  i.dst.type = RegType::q;
  CHECK(gen12_isa().validate(i) == "types of 64 bits are not there on Gen12.0");
  i.opcode = Opcode::wait;
  CHECK(gen12_isa().validate(i) == "the opcode is reserved");
  i.opcode = Opcode::sync;
  i.cond_mod = 1;
  CHECK(gen12_isa().validate(i) == "the function of sync is reserved");
}

TEST_CASE("eu isa: every instruction of every captured kernel round-trips, is legal and is known") {
  for (const auto& [isa, name, code] : captured_kernels()) {
    INFO(name);
    KernelWalker walker(isa, code);
    while (const auto line = walker.next()) {
      check_round_trip(isa, std::span(code).subspan(line->offset));
      const Instruction& i = line->instruction;
      CHECK(isa.validate(i) == "");
      const bool sends = i.info()->form == Form::send || i.info()->form == Form::split_send;
      if (sends && !i.descriptor_in_register) CHECK(isa.message_is_known(i.sfid(), i.descriptor));
    }
    CHECK(walker.ended_properly());
    CHECK(walker.offset() == code.size());
  }
}

TEST_CASE("eu isa: a kernel's end is found, whatever bytes follow") {
  const auto kernels = rows("kernels.txt");
  for (size_t n = 0; n + 1 < kernels.size(); n++) {
    auto code = from_hex(kernels[n].second);
    const size_t size = code.size();
    const auto next = from_hex(kernels[n + 1].second);
    code.insert(code.end(), next.begin(), next.end());
    CHECK(kernel_size(gen9_isa(), code) == size);
  }
}

TEST_CASE("eu isa: instruction sets are found by name and by id, which no two share") {
  std::set<std::string_view> names;
  std::set<uint64_t> ids;
  for (const Isa* isa : isas()) {
    CHECK(find_isa(isa->name()) == isa);
    CHECK(find_isa(isa->cache_id()) == isa);
    CHECK(names.insert(isa->name()).second);
    CHECK(ids.insert(isa->cache_id()).second);
  }
  CHECK(find_isa(gen9_isa().cache_id()) == &gen9_isa());
  CHECK(find_isa("gen4") == nullptr);
  CHECK(find_isa(uint64_t{0}) == nullptr);
}

TEST_CASE("eu isa: a reserved opcode keeps its code, which encodes and prints") {
  const Instruction i = gen9_isa().decode(Native{{0x7f, 0}});
  CHECK(i.info() == nullptr);
  CHECK(gen9_isa().encode(i).get(6, 0) == 0x7f);
  CHECK(print(gen9_isa(), i).starts_with("*** reserved opcode 0x7f"));
}

/// Decodes 200000 random instructions, prints and validates them; those that are legal must come back. Their number.
unsigned check_random_bits(const Isa& isa, uint32_t seed) {
  std::mt19937_64 random(seed);
  unsigned legal = 0;
  for (unsigned n = 0; n < 200000; n++) {
    Native bits{{random(), random()}};
    bits.set(29, 29, 0);
    // Most opcodes are reserved: pick a row of the table.
    bits.set(6, 0, isa.encode({.opcode = opcodes()[random() % opcodes().size()].opcode}).get(6, 0));
    const Instruction once = isa.decode(bits);
    CHECK_FALSE(print(isa, once).empty());
    if (!isa.validate(once).empty()) continue;
    legal++;
    const Native canonical = isa.encode(once);
    if (isa.decode(canonical) != once || isa.encode(isa.decode(canonical)) != canonical) FAIL(print(isa, once));
  }
  return legal;
}

TEST_CASE("eu isa: random bits are decoded, printed and validated without errors; legal ones encode to the same bits") {
  const uint32_t seed = 20261121;
  for (const Isa* isa : isas()) {
    INFO(isa->name() << " seed " << seed);
    CHECK(check_random_bits(*isa, seed) > 100);
  }
}

/// How many of 100000 random short instructions are the one short form of what they expand to.
unsigned check_compacted_words(const Isa& isa, uint32_t seed) {
  std::mt19937_64 random(seed);
  unsigned same = 0;
  for (unsigned n = 0; n < 100000; n++) {
    uint64_t word = random() | uint64_t{1} << 29;
    word = (word & ~uint64_t{0x7f}) | isa.encode({.opcode = opcodes()[random() % opcodes().size()].opcode}).get(6, 0);
    const Native native = isa.uncompact(word);
    const auto back = isa.compact(native);
    REQUIRE(back);
    CHECK(isa.uncompact(*back) == native);
    same += *back == word;
  }
  return same;
}

TEST_CASE("eu isa: each compacted word is the short form of what it expands to") {
  const uint32_t seed = 7;
  INFO("seed " << seed);
  CHECK(check_compacted_words(gen9_isa(), seed) > 10000);
  CHECK(check_compacted_words(gen12_isa(), seed) > 10000);
}

TEST_CASE("eu isa: descriptors as text") {
  CHECK(gen9_isa().describe_message(2, 0x08427001) == "ld SIMD8 Surface = 1 Sampler = 0");
  CHECK(gen9_isa().describe_message(6, 0x0a088017) == "offset 1 SIMD8 write masked");
  CHECK(gen9_isa().describe_message(10, 0x020e2005) == "(scratch block write oword, regs 4, offset 5)");
  CHECK(gen9_isa().describe_message(3, 0x02000004) == "(barrier msg)");
  CHECK_FALSE(gen9_isa().message_is_known(2, 12u << 12 | 1u << 17));
  CHECK_FALSE(gen9_isa().message_is_known(15, 0));
  const MessageFields fields = gen9_isa().message_fields(0x8a080017);
  CHECK(fields.length == 5);
  CHECK(fields.header);
  CHECK(fields.response_length == 0);
}

// IGC's kernels for halves (piglit's mad-mix.cl). Mesa 22.3 prints SrcType for all three sources.
TEST_CASE("eu isa: Src1Type and Src2Type select HF, whatever SrcType is") {
  const auto sources = [](uint64_t low) {
    const Instruction i = gen9_isa().decode(Native{{low, 0x19c7200c'390661c8}});
    CHECK(gen9_isa().encode(i).q[0] == low);
    return std::array{i.src[0].type, i.src[1].type, i.src[2].type};
  };
  constexpr uint64_t all_halves = 0x1a1e2018'0060015b, src1 = uint64_t{1} << 36, src2 = uint64_t{1} << 35, halves = uint64_t{4} << 43;
  const auto f = RegType::f, hf = RegType::hf;
  CHECK(sources(all_halves) == std::array{hf, hf, hf});
  CHECK(sources(all_halves & ~src1) == std::array{hf, f, hf});
  CHECK(sources(all_halves & ~src2) == std::array{hf, hf, f});
  CHECK(sources(all_halves & ~halves) == std::array{f, hf, hf});
  CHECK(sources(all_halves & ~halves & ~src1 & ~src2) == std::array{f, f, f});
}

TEST_CASE("eu isa: validation names the violated rule") {
  Instruction i;
  i.opcode = Opcode::add;
  i.exec_size = 8;
  i.dst = {.file = RegFile::grf, .type = RegType::f, .reg = 10, .hstride = 1};
  i.src[0] = {.file = RegFile::grf, .type = RegType::f, .reg = 2, .vstride = 4, .width = 3, .hstride = 1};
  i.src[1] = i.src[0];
  CHECK(gen9_isa().validate(i) == "");
  SECTION("mixed") {
    i.src[1].type = RegType::d;
    CHECK(gen9_isa().validate(i) == "float and integer sources are mixed");
  }
  SECTION("stride") {
    i.dst.hstride = 0;
    CHECK(gen9_isa().validate(i) == "the destination stride is zero");
  }
  SECTION("register") {
    i.src[0].reg = 128;
    CHECK(gen9_isa().validate(i) == "a source register number is beyond 127");
  }
  SECTION("width") {
    i.exec_size = 4;
    CHECK(gen9_isa().validate(i) == "the width exceeds the execution size");
  }
  SECTION("span") {
    i.exec_size = 16;
    i.dst.hstride = 2;
    CHECK(gen9_isa().validate(i) == "the destination spans more than two registers");
  }
  SECTION("predicate") {
    i.pred_control = 15;
    CHECK(gen9_isa().validate(i) == "the predicate control is reserved");
  }
  SECTION("reserved") {
    i.opcode = reserved_opcode(0x7f);
    CHECK(gen9_isa().validate(i) == "the opcode is reserved");
  }
}

TEST_CASE("eu isa: labels are at branch targets") {
  for (const auto& [name, hex] : rows("kernels.txt")) {
    if (name != "gl_loop_ps_0" && name != "gl_csonly_cs_0") continue;
    const std::string text = disassemble(gen9_isa(), from_hex(hex));
    CHECK(text.find("LABEL0:\n") != std::string::npos);
    CHECK(text.find("while") != std::string::npos);
  }
}
