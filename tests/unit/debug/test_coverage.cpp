// SPDX-License-Identifier: GPL-2.0-or-later
// Ranges and blocks of the guest's code coverage.
#include <stdexcept>
#include <string>
#include <vector>

#include "hw/debug/compare_operands.h"
#include "hw/debug/coverage.h"
#include "hw/debug/fresh_coverage.h"
#include "softgen/coverage.h"
#include "softgen/softgen.h"
#include "tests/catch.h"

using softgen::debug::Coverage;

namespace {

std::string parsed(const char* text) { return Coverage::print(Coverage::parse(text)); }

/// The core's text, freed.
std::string taken(char* text) {
  REQUIRE(text != nullptr);
  std::string copy(text);
  sg_free(text);
  return copy;
}

}  // namespace

TEST_CASE("ranges are sorted and merged") {
  CHECK(parsed("").empty());
  CHECK(parsed("1000-2000") == "1000-2000");
  CHECK(parsed("0xFFFFFFFFc0000000-0xffffffffff000000") == "ffffffffc0000000-ffffffffff000000");
  CHECK(parsed("5000-6000+1000-2000") == "1000-2000+5000-6000");
  CHECK(parsed("1000-2000+2000-3000") == "1000-3000");
  CHECK(parsed("1000-5000+2000-3000+4fff-5001") == "1000-5001");
}

TEST_CASE("texts that are no ranges are refused") {
  for (const char* text : {"1000", "-", "1000-", "-2000", "2000-1000", "1000-1000", "1000-2000+", "+1000-2000", "1000-2000 ", "10g0-2000",
                           "0x-1", "10000000000000000-20000000000000000", "1000--2000"}) {
    INFO(text);
    CHECK_THROWS_AS(Coverage::parse(text), std::invalid_argument);
  }
  std::string many = "0-1";
  for (unsigned i = 1; i < Coverage::max_ranges; i++) many += "+" + std::to_string(i) + "0-" + std::to_string(i) + "1";
  CHECK_NOTHROW(Coverage::parse(many));
  CHECK_THROWS_AS(Coverage::parse(many + "+90000-90001"), std::invalid_argument);
}

TEST_CASE("only blocks that begin inside a range get an index") {
  Coverage coverage(100);
  CHECK(coverage.block(0x1000, 4) == Coverage::no_block);
  coverage.set_ranges(Coverage::parse("1000-2000+5000-6000"));
  CHECK(coverage.block(0xfff, 4) == Coverage::no_block);
  CHECK(coverage.block(0x1000, 4) == 0);
  CHECK(coverage.block(0x1fff, 4) == 1);
  CHECK(coverage.block(0x2000, 4) == Coverage::no_block);
  CHECK(coverage.block(0x4fff, 4) == Coverage::no_block);
  CHECK(coverage.block(0x5fff, 1) == 2);
  CHECK(coverage.block(0x6000, 1) == Coverage::no_block);
  CHECK(coverage.count() == 3);
}

TEST_CASE("a block keeps its index, over changes of the ranges, too") {
  Coverage coverage(100);
  coverage.set_ranges(Coverage::parse("1000-2000"));
  CHECK(coverage.block(0x1000, 4) == 0);
  CHECK(coverage.block(0x1000, 8) == 1);  // another block: it ends elsewhere
  coverage.set_ranges(Coverage::parse("3000-4000"));
  CHECK(coverage.block(0x1000, 4) == Coverage::no_block);
  CHECK(coverage.block(0x3000, 4) == 2);
  coverage.set_ranges(Coverage::parse("1000-4000"));
  CHECK(coverage.block(0x1000, 4) == 0);
  CHECK(coverage.block(0x1000, 8) == 1);
  CHECK(coverage.count() == 3);
}

TEST_CASE("what exceeds the table is dropped and counted") {
  Coverage coverage(2);
  coverage.set_ranges(Coverage::parse("1000-2000"));
  CHECK(coverage.block(0x1000, 1) == 0);
  CHECK(coverage.block(0x1001, 1) == 1);
  CHECK(coverage.block(0x1002, 1) == Coverage::no_block);
  CHECK(coverage.block(0x1001, 1) == 1);
  CHECK(coverage.state() == R"({"ranges": "1000-2000", "blocks": 2, "dropped": 1, "translations": 4})");
}

TEST_CASE("blocks that ran are listed in order, those outside the ranges and those that did not run are not") {
  Coverage coverage(100);
  coverage.set_ranges(Coverage::parse("1000-2000+5000-6000"));
  coverage.block(0x5000, 0x10);
  coverage.block(0x1010, 0x20);
  coverage.block(0x1000, 0x10);
  coverage.block(0x1020, 0x4);
  const std::vector<uint64_t> counts{255, 2, 1, 0};
  CHECK(coverage.executed(counts) == "1000 10 1\n1010 20 2\n5000 10 ff\n");
  coverage.set_ranges(Coverage::parse("5000-6000"));
  CHECK(coverage.executed(counts) == "5000 10 ff\n");
  CHECK(coverage.executed({}).empty());
}

TEST_CASE("the C form of coverage") {
  sg_coverage* coverage = sg_coverage_new();
  REQUIRE(coverage != nullptr);
  char* error = nullptr;
  CHECK_FALSE(sg_coverage_set_ranges(coverage, "2000", &error));
  CHECK(taken(error) == "coverage: '2000' is no range (START-END+START-END is expected)");
  CHECK(sg_coverage_set_ranges(coverage, "1000-2000", &error));
  CHECK(taken(sg_coverage_ranges(coverage)) == "1000-2000");
  CHECK(sg_coverage_block(coverage, 0x1000, 6) == 0);
  CHECK(sg_coverage_block(coverage, 0x3000, 6) == SG_COVERAGE_NO_BLOCK);
  CHECK(sg_coverage_count(coverage) == 1);
  const uint64_t counts[] = {7};
  CHECK(taken(sg_coverage_blocks(coverage, counts, 1)) == "1000 6 7\n");
  CHECK(taken(sg_coverage_blocks(coverage, counts, 0)).empty());
  CHECK(taken(sg_coverage_state(coverage)) == R"({"ranges": "1000-2000", "blocks": 1, "dropped": 0, "translations": 2})");
  CHECK(sg_coverage_set_ranges(coverage, "", &error));
  CHECK(sg_coverage_block(coverage, 0x1000, 6) == SG_COVERAGE_NO_BLOCK);
  sg_coverage_free(coverage);
}

TEST_CASE("fresh coverage counts blocks and classes of counts that no execution had before") {
  using softgen::debug::FreshCoverage;
  CHECK(FreshCoverage::class_of(0) == 0);
  const std::vector<std::pair<uint64_t, uint8_t>> classes = {
      {1, 1}, {2, 2}, {3, 4}, {4, 8}, {7, 8}, {8, 16}, {15, 16}, {16, 32}, {31, 32}, {32, 64}, {127, 64}, {128, 128}, {~uint64_t{0}, 128}};
  for (const auto& [count, wanted] : classes) CHECK(FreshCoverage::class_of(count) == wanted);

  FreshCoverage fresh;
  fresh.begin(std::vector<uint64_t>{5, 0});
  // What ran before the first execution does not count.
  CHECK(fresh.look(std::vector<uint64_t>{5, 0}).classes == 0);
  auto found = fresh.look(std::vector<uint64_t>{6, 0, 2});  // a third block was translated
  CHECK(found.classes == 2);
  CHECK(found.blocks == 2);
  CHECK(fresh.look(std::vector<uint64_t>{7, 0, 4}).classes == 0);
  found = fresh.look(std::vector<uint64_t>{9, 0, 4});  // the first block ran twice
  CHECK(found.classes == 1);
  CHECK(found.blocks == 0);
  CHECK(fresh.blocks() == 2);
  fresh.begin(std::vector<uint64_t>{9, 0, 4});
  CHECK(fresh.look(std::vector<uint64_t>{10, 0, 4}).blocks == 1);
}

TEST_CASE("the constants that instructions compare with") {
  using softgen::debug::compared_constant;
  using Bytes = std::vector<uint8_t>;
  // As GNU as 2.40 encodes them.
  const std::vector<std::pair<Bytes, std::optional<uint32_t>>> cases = {
      {{0x3c, 0x12}, 0x12},                                               // cmp $0x12,%al
      {{0x3d, 0x78, 0x56, 0x34, 0x12}, 0x12345678},                       // cmp $0x12345678,%eax
      {{0x48, 0x83, 0xff, 0xff}, 0xffffffff},                             // cmp $-1,%rdi
      {{0x83, 0xff, 0x7f}, 0x7f},                                         // cmp $0x7f,%edi
      {{0x41, 0x81, 0xbc, 0x24, 0x10, 0x02, 0, 0, 0xd2, 4, 0, 0}, 1234},  // cmpl $1234,0x210(%r12)
      {{0x66, 0x81, 0x3f, 0x34, 0x12}, 0x1234},                           // cmpw $0x1234,(%rdi)
      {{0x65, 0x80, 0x3c, 0x25, 0, 0, 0, 0, 5}, 5},                       // cmpb $5,%gs:0
      {{0xf7, 0xc7, 0, 0, 0, 0x80}, 0x80000000},                          // test $0x80000000,%edi
      {{0xf7, 0xd7}, std::nullopt},                                       // not %edi
      {{0x83, 0xc7, 0x01}, std::nullopt},                                 // add $1,%edi
      {{0x39, 0xfe}, std::nullopt},                                       // cmp %edi,%esi
      {{0x66}, std::nullopt},
      {{}, std::nullopt}};
  for (const auto& [bytes, wanted] : cases) CHECK(compared_constant(bytes) == wanted);
  Coverage coverage(4);
  coverage.instruction(Bytes{0x3c, 0x12});
  coverage.instruction(Bytes{0x39, 0xfe});
  coverage.instruction(Bytes{0x3c, 0x02});
  CHECK(coverage.constants() == "2\n12\n");
}
