// SPDX-License-Identifier: GPL-2.0-or-later
// Operands of compare instructions, and the log of what they were at run time.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "hw/debug/compare_log.h"
#include "softgen/coverage.h"
#include "softgen/softgen.h"
#include "tests/catch.h"

using softgen::debug::compare_operands;
using softgen::debug::CompareLog;
using softgen::debug::CompareOperands;

namespace {

using Bytes = std::vector<uint8_t>;

std::string text_of(const CompareOperands::Operand& operand) {
  switch (operand.kind) {
    case CompareOperands::Kind::low: return "r" + std::to_string(operand.number);
    case CompareOperands::Kind::high: return "h" + std::to_string(operand.number);
    case CompareOperands::Kind::memory: return "m";
    case CompareOperands::Kind::immediate: return std::to_string(static_cast<int64_t>(operand.value));
  }
  return "";
}

std::string decoded(const Bytes& bytes) {
  const auto found = compare_operands(bytes);
  if (!found) return "";
  const char* names[] = {"cmp", "sub", "test"};
  return std::string(names[static_cast<int>(found->operation)]) + std::to_string(found->bytes) + " " + text_of(found->left) + " " +
         text_of(found->right);
}

const Bytes cmp_edi_esi{0x39, 0xfe}, cmp_edi_5{0x83, 0xff, 5}, test_bl_dil{0x40, 0x84, 0xdf};

}  // namespace

TEST_CASE("operands of compare instructions") {
  // As GNU as 2.40 encodes them; in Intel's order.
  const std::vector<std::pair<Bytes, std::string>> cases = {
      {cmp_edi_esi, "cmp4 r6 r7"},                                              // cmp esi, edi
      {{0x48, 0x39, 0xfe}, "cmp8 r6 r7"},                                       // cmp rsi, rdi
      {{0x66, 0x39, 0xfe}, "cmp2 r6 r7"},                                       // cmp si, di
      {{0x4d, 0x39, 0xc1}, "cmp8 r9 r8"},                                       // cmp r9, r8
      {{0x44, 0x39, 0xc0}, "cmp4 r0 r8"},                                       // cmp eax, r8d
      {{0x41, 0x39, 0xc0}, "cmp4 r8 r0"},                                       // cmp r8d, eax
      {{0x38, 0xe0}, "cmp1 r0 h0"},                                             // cmp al, ah
      {{0x40, 0x38, 0xe0}, "cmp1 r0 r4"},                                       // cmp al, spl
      {{0x38, 0xff}, ""},                                                       // cmp bh, bh
      {{0x3b, 0x05, 0x10, 0, 0, 0}, "cmp4 r0 m"},                               // cmp eax, [rip+16]
      {{0x39, 0x04, 0x8a}, "cmp4 m r0"},                                        // cmp [rdx+rcx*4], eax
      {{0x48, 0x3b, 0x7c, 0x24, 8}, "cmp8 r7 m"},                               // cmp rdi, [rsp+8]
      {{0x3a, 0x07}, "cmp1 r0 m"},                                              // cmp al, [rdi]
      {{0x3c, 0x92}, "cmp1 r0 146"},                                            // cmp al, 0x92
      {{0x3d, 0x78, 0x56, 0x34, 0x12}, "cmp4 r0 305419896"},                    // cmp eax, 0x12345678
      {{0x48, 0x3d, 0, 0, 0, 0x80}, "cmp8 r0 -2147483648"},                     // cmp rax, -0x80000000
      {{0x66, 0x3d, 0xff, 0xff}, "cmp2 r0 65535"},                              // cmp ax, 0xffff
      {{0x48, 0x83, 0xff, 0xff}, "cmp8 r7 -1"},                                 // cmp rdi, -1
      {{0x83, 0xff, 0xff}, "cmp4 r7 4294967295"},                               // cmp edi, -1
      {{0x66, 0x83, 0xff, 0xff}, "cmp2 r7 65535"},                              // cmp di, -1
      {{0x41, 0x81, 0xbc, 0x24, 0x10, 2, 0, 0, 0xd2, 4, 0, 0}, "cmp4 m 1234"},  // cmp dword [r12+0x210], 1234
      {{0x65, 0x80, 0x3c, 0x25, 0, 0, 0, 0, 5}, "cmp1 m 5"},                    // cmp byte gs:[0], 5
      {{0x2b, 0x07}, "sub4 r0 m"},                                              // sub eax, [rdi]
      {{0x29, 0xc8}, "sub4 r0 r1"},                                             // sub eax, ecx
      {{0x83, 0xe8, 0x10}, "sub4 r0 16"},                                       // sub eax, 16
      {{0x48, 0x83, 0xec, 0x10}, ""},                                           // sub rsp, 16
      {{0x48, 0x2d, 1, 0, 0, 0}, "sub8 r0 1"},                                  // sub rax, 1
      {{0x85, 0xd6}, "test4 r6 r2"},                                            // test esi, edx
      {{0x85, 0xc0}, ""},                                                       // test eax, eax
      {test_bl_dil, "test1 r7 r3"},                                             // test dil, bl
      {{0xf6, 0xc4, 4}, "test1 h0 4"},                                          // test ah, 4
      {{0xf7, 0xc7, 0, 0, 0, 0x80}, "test4 r7 2147483648"},                     // test edi, 0x80000000
      {{0xa9, 1, 0, 0, 0}, "test4 r0 1"},                                       // test eax, 1
      {{0xf7, 0xd7}, ""},                                                       // not edi
      {{0x83, 0xc7, 1}, ""},                                                    // add edi, 1
      {{0xf0, 0x29, 0x07}, ""},                                                 // lock sub [rdi], eax
      {{0x0f, 0x38, 0xf0, 0x07}, ""},                                           // movbe eax, [rdi]
      {{0x3d, 1}, ""},
      {{0x48}, ""},
      {{}, ""}};
  for (const auto& [bytes, wanted] : cases) {
    INFO(wanted);
    CHECK(decoded(bytes) == wanted);
  }
}

TEST_CASE("compares with wanted operands are kept") {
  CompareLog log;
  CHECK(log.site(0x1000, Bytes{0x90}) == nullptr);
  CompareLog::Site* equal = log.site(0x2000, cmp_edi_esi);
  CompareLog::Site* constant = log.site(0x1000, cmp_edi_5);
  REQUIRE((equal != nullptr && constant != nullptr));
  CHECK(log.site(0x2000, cmp_edi_esi) == equal);
  CHECK(log.site(0x2000, cmp_edi_5) != equal);  // other code at its address
  log.record(*equal, 1, 2);
  CHECK(log.text().empty());

  log.begin({7, 0x5f3c91a7});
  for (const uint64_t left : {1, 7, 7, 8}) log.record(*equal, left, 2);
  log.record(*equal, 2, 0xffffffff00000007);  // the high half is no part of it
  log.record(*constant, 7, 99);
  log.record(*constant, 0x5f3c91a7 - CompareLog::nearness, 0);
  log.record(*constant, 0x5f3c91a7 - CompareLog::nearness - 1, 0);
  log.record(*constant, 0x5f3c91a7 + CompareLog::nearness, 0);
  log.record(*constant, 0x5f3c91a7 + CompareLog::nearness + 1, 0);
  CHECK(log.text() == "1000 4 cmp 7 5\n1000 4 cmp 5f3c81a7 5\n1000 4 cmp 5f3ca1a7 5\n2000 4 cmp 7 2\n2000 4 cmp 2 7\n");
  CHECK(log.values() == std::vector<uint64_t>{7, 0x5f3c91a7});
  log.begin({3});
  CHECK(log.text().empty());
}

TEST_CASE("the log of compares is bounded") {
  CompareLog log;
  log.begin({7});
  CompareLog::Site* site = log.site(0x2000, cmp_edi_esi);
  for (unsigned i = 0; i < 2 * CompareLog::max_pairs; ++i) log.record(*site, 7, 100 + i);
  CHECK(site->seen.size() == CompareLog::max_pairs);
  CHECK(site->seen.front() == std::pair<uint64_t, uint64_t>(7, 100));
  for (uint64_t address = 0; address < 2 * CompareLog::max_all_pairs / CompareLog::max_pairs; ++address)
    for (unsigned i = 0; i < CompareLog::max_pairs; ++i) log.record(*log.site(address, cmp_edi_esi), 7, i);
  const std::string text = log.text();
  CHECK(std::ranges::count(text, '\n') == CompareLog::max_all_pairs);
  for (uint64_t address = 0; address < CompareLog::max_sites; ++address) log.site(address, cmp_edi_5);
  CHECK(log.site(CompareLog::max_sites, cmp_edi_5) == nullptr);
  CHECK(log.site(0x2000, cmp_edi_esi) == site);
}

TEST_CASE("texts that are no values are refused") {
  CHECK(CompareLog::parse("").empty());
  CHECK(CompareLog::parse("ff 1 10") == std::vector<uint64_t>{1, 0x10, 0xff});
  std::string many;
  for (unsigned i = 0; i <= CompareLog::max_values; i++) many += "1 ";
  for (const std::string& text : {std::string("x"), std::string("1  2"), std::string("-1"), std::string("10000000000000000"), many}) {
    INFO(text);
    CHECK_THROWS_AS(CompareLog::parse(text), std::invalid_argument);
  }
}

TEST_CASE("the C form of compares") {
  sg_coverage* coverage = sg_coverage_new();
  REQUIRE(coverage != nullptr);
  char* error = nullptr;
  CHECK_FALSE(sg_coverage_compares_begin(coverage, "no", &error));
  CHECK(std::string(error) == "coverage-compares: 'no' is no hexadecimal number of 64 bits");
  sg_free(error);
  CHECK(sg_coverage_compares_begin(coverage, "dd", &error));
  sg_compare* compare = sg_coverage_compare(coverage, 0x1000, test_bl_dil.data(), 3);
  REQUIRE(compare != nullptr);
  CHECK(sg_coverage_compare(coverage, 0x1000, test_bl_dil.data(), 1) == nullptr);
  unsigned left = 0, right = 0;
  sg_compare_operands(compare, &left, &right);
  CHECK(left == 7);
  CHECK(right == 3);
  const Bytes high{0xf6, 0xc4, 4}, memory{0x39, 0x07};
  sg_compare_operands(sg_coverage_compare(coverage, 1, high.data(), 3), &left, &right);
  CHECK(left == SG_OPERAND_HIGH);
  CHECK(right == SG_OPERAND_IMMEDIATE);
  sg_compare_operands(sg_coverage_compare(coverage, 1, memory.data(), 2), &left, &right);
  CHECK(left == SG_OPERAND_MEMORY);
  CHECK(right == 0);
  CHECK(sg_coverage_compared(coverage, compare, 0xccdd, 0x30));
  char* text = sg_coverage_compares(coverage);
  CHECK(std::string(text) == "1000 1 test dd 30\n");
  sg_free(text);
  sg_coverage_free(coverage);
}
