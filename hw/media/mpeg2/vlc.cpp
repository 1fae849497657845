// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/mpeg2/vlc.h"

#include <string_view>

namespace softgen::media::mpeg2 {
namespace {

/// A code as the standard prints it, spaces apart.
struct Code {
  std::string_view digits;
  int value;
};

struct Bits {
  uint32_t value = 0;
  unsigned length = 0;
};

constexpr Bits parse(std::string_view digits) {
  Bits code;
  for (const char digit : digits)
    if (digit != ' ') code.value = code.value << 1 | unsigned{digit == '1'}, ++code.length;
  return code;
}

template <unsigned bits, size_t count>
constexpr VlcTable<bits> table_of(const Code (&codes)[count]) {
  VlcTable<bits> table;
  for (const Code& row : codes) {
    const Bits code = parse(row.digits);
    const unsigned free = bits - code.length;
    for (uint32_t i = 0; i < 1u << free; ++i)
      table[(code.value << free) + i] = {static_cast<uint8_t>(code.length), static_cast<int8_t>(row.value)};
  }
  return table;
}

struct CoefficientCode {
  std::string_view digits;
  uint8_t run, level;
};

constexpr void put(CoefficientTable& table, Bits code, uint8_t run, uint8_t level) {
  const unsigned free = 16 - code.length;
  const CoefficientEntry entry{static_cast<uint8_t>(code.length), run, level};
  for (uint32_t word = code.value << free, last = word + (1u << free); word < last; ++word) {
    if (word >= 0x400) table.by_first[word >> 8] = entry;
    else table.by_last[word] = entry;
  }
}

/// `count` codes of `length` bits with falling values, for levels (or runs) that rise.
constexpr void put_levels(CoefficientTable& table, uint32_t first, unsigned length, uint8_t run, uint8_t level, unsigned count) {
  for (unsigned i = 0; i < count; ++i) put(table, {first - i, length}, run, static_cast<uint8_t>(level + i));
}
constexpr void put_runs(CoefficientTable& table, uint32_t first, unsigned length, uint8_t run, uint8_t level, unsigned count) {
  for (unsigned i = 0; i < count; ++i) put(table, {first - i, length}, static_cast<uint8_t>(run + i), level);
}

/// The codes that tables B.14 and B.15 share: those of 12 to 16 bits, most of them.
constexpr void put_common(CoefficientTable& table) {
  constexpr CoefficientCode rows[] = {
      {"0000 01", escape, 0},     {"0000 0001 1100", 3, 3},    {"0000 0001 0010", 4, 3},     {"0000 0001 1110", 6, 2},
      {"0000 0001 0101", 7, 2},   {"0000 0001 0001", 8, 2},    {"0000 0001 1111", 17, 1},    {"0000 0001 1010", 18, 1},
      {"0000 0001 1001", 19, 1},  {"0000 0001 0111", 20, 1},   {"0000 0001 0110", 21, 1},    {"0000 0000 1011 0", 1, 6},
      {"0000 0000 1010 1", 1, 7}, {"0000 0000 1010 0", 2, 5},  {"0000 0000 1001 1", 3, 4},   {"0000 0000 1001 0", 5, 3},
      {"0000 0000 1000 1", 9, 2}, {"0000 0000 1000 0", 10, 2}, {"0000 0000 0001 0100", 6, 3}};
  for (const CoefficientCode& row : rows) put(table, parse(row.digits), row.run, row.level);
  put_runs(table, 0b11111, 13, 22, 1, 5);
  put_levels(table, 0b11111, 14, 0, 16, 16);
  put_levels(table, 0b11111, 15, 1, 8, 7);
  put_levels(table, 0b11000, 15, 0, 32, 9);
  put_levels(table, 0b10011, 16, 1, 15, 4);
  put_runs(table, 0b11010, 16, 11, 2, 6);
  put_runs(table, 0b11111, 16, 27, 1, 5);
}

constexpr CoefficientTable table_zero() {
  constexpr CoefficientCode rows[] = {{"10", end_of_block, 0},
                                      {"11", 0, 1},
                                      {"011", 1, 1},
                                      {"0100", 0, 2},
                                      {"0101", 2, 1},
                                      {"0010 1", 0, 3},
                                      {"0011 1", 3, 1},
                                      {"0011 0", 4, 1},
                                      {"0001 10", 1, 2},
                                      {"0001 11", 5, 1},
                                      {"0001 01", 6, 1},
                                      {"0001 00", 7, 1},
                                      {"0000 110", 0, 4},
                                      {"0000 100", 2, 2},
                                      {"0000 111", 8, 1},
                                      {"0000 101", 9, 1},
                                      {"0010 0110", 0, 5},
                                      {"0010 0001", 0, 6},
                                      {"0010 0101", 1, 3},
                                      {"0010 0100", 3, 2},
                                      {"0010 0111", 10, 1},
                                      {"0010 0011", 11, 1},
                                      {"0010 0010", 12, 1},
                                      {"0010 0000", 13, 1},
                                      {"0000 0010 10", 0, 7},
                                      {"0000 0011 00", 1, 4},
                                      {"0000 0010 11", 2, 3},
                                      {"0000 0011 11", 4, 2},
                                      {"0000 0010 01", 5, 2},
                                      {"0000 0011 10", 14, 1},
                                      {"0000 0011 01", 15, 1},
                                      {"0000 0010 00", 16, 1},
                                      {"0000 0001 1101", 0, 8},
                                      {"0000 0001 1000", 0, 9},
                                      {"0000 0001 0011", 0, 10},
                                      {"0000 0001 0000", 0, 11},
                                      {"0000 0001 1011", 1, 5},
                                      {"0000 0001 0100", 2, 4}};
  CoefficientTable table{};
  put_common(table);
  for (const CoefficientCode& row : rows) put(table, parse(row.digits), row.run, row.level);
  put_levels(table, 0b11010, 13, 0, 12, 4);
  return table;
}

constexpr CoefficientTable table_one() {
  constexpr CoefficientCode rows[] = {{"0110", end_of_block, 0}, {"10", 0, 1},           {"010", 1, 1},          {"110", 0, 2},
                                      {"0010 1", 2, 1},          {"0111", 0, 3},         {"0011 1", 3, 1},       {"0001 10", 4, 1},
                                      {"0011 0", 1, 2},          {"0001 11", 5, 1},      {"0000 110", 6, 1},     {"0000 100", 7, 1},
                                      {"1110 0", 0, 4},          {"0000 111", 2, 2},     {"0000 101", 8, 1},     {"1111 000", 9, 1},
                                      {"1110 1", 0, 5},          {"0001 01", 0, 6},      {"1111 001", 1, 3},     {"0010 0110", 3, 2},
                                      {"1111 010", 10, 1},       {"0010 0001", 11, 1},   {"0010 0101", 12, 1},   {"0010 0100", 13, 1},
                                      {"0001 00", 0, 7},         {"0010 0111", 1, 4},    {"1111 1100", 2, 3},    {"1111 1101", 4, 2},
                                      {"0000 0010 0", 5, 2},     {"0000 0010 1", 14, 1}, {"0000 0011 1", 15, 1}, {"0000 0011 01", 16, 1},
                                      {"1111 011", 0, 8},        {"1111 100", 0, 9},     {"0010 0011", 0, 10},   {"0010 0010", 0, 11},
                                      {"0010 0000", 1, 5},       {"0000 0011 00", 2, 4}, {"1111 1010", 0, 12},   {"1111 1011", 0, 13},
                                      {"1111 1110", 0, 14},      {"1111 1111", 0, 15}};
  CoefficientTable table{};
  put_common(table);
  for (const CoefficientCode& row : rows) put(table, parse(row.digits), row.run, row.level);
  return table;
}

constexpr Code increments[] = {{"1", 1},
                               {"011", 2},
                               {"010", 3},
                               {"0011", 4},
                               {"0010", 5},
                               {"0001 1", 6},
                               {"0001 0", 7},
                               {"0000 111", 8},
                               {"0000 110", 9},
                               {"0000 1011", 10},
                               {"0000 1010", 11},
                               {"0000 1001", 12},
                               {"0000 1000", 13},
                               {"0000 0111", 14},
                               {"0000 0110", 15},
                               {"0000 0101 11", 16},
                               {"0000 0101 10", 17},
                               {"0000 0101 01", 18},
                               {"0000 0101 00", 19},
                               {"0000 0100 11", 20},
                               {"0000 0100 10", 21},
                               {"0000 0100 011", 22},
                               {"0000 0100 010", 23},
                               {"0000 0100 001", 24},
                               {"0000 0100 000", 25},
                               {"0000 0011 111", 26},
                               {"0000 0011 110", 27},
                               {"0000 0011 101", 28},
                               {"0000 0011 100", 29},
                               {"0000 0011 011", 30},
                               {"0000 0011 010", 31},
                               {"0000 0011 001", 32},
                               {"0000 0011 000", 33},
                               {"0000 0001 000", address_escape}};

constexpr Code types_i[] = {{"1", mb_intra}, {"01", mb_intra | mb_quant}};
constexpr Code types_p[] = {{"1", mb_forward | mb_pattern},
                            {"01", mb_pattern},
                            {"001", mb_forward},
                            {"0001 1", mb_intra},
                            {"0001 0", mb_quant | mb_forward | mb_pattern},
                            {"0000 1", mb_quant | mb_pattern},
                            {"0000 01", mb_quant | mb_intra}};
constexpr Code types_b[] = {{"10", mb_forward | mb_backward},
                            {"11", mb_forward | mb_backward | mb_pattern},
                            {"010", mb_backward},
                            {"011", mb_backward | mb_pattern},
                            {"0010", mb_forward},
                            {"0011", mb_forward | mb_pattern},
                            {"0001 1", mb_intra},
                            {"0001 0", mb_quant | mb_forward | mb_backward | mb_pattern},
                            {"0000 11", mb_quant | mb_forward | mb_pattern},
                            {"0000 10", mb_quant | mb_backward | mb_pattern},
                            {"0000 01", mb_quant | mb_intra}};

constexpr Code patterns[] = {
    {"111", 60},         {"1101", 4},         {"1100", 8},        {"1011", 16},        {"1010", 32},        {"1001 1", 12},
    {"1001 0", 48},      {"1000 1", 20},      {"1000 0", 40},     {"0111 1", 28},      {"0111 0", 44},      {"0110 1", 52},
    {"0110 0", 56},      {"0101 1", 1},       {"0101 0", 61},     {"0100 1", 2},       {"0100 0", 62},      {"0011 11", 24},
    {"0011 10", 36},     {"0011 01", 3},      {"0011 00", 63},    {"0010 111", 5},     {"0010 110", 9},     {"0010 101", 17},
    {"0010 100", 33},    {"0010 011", 6},     {"0010 010", 10},   {"0010 001", 18},    {"0010 000", 34},    {"0001 1111", 7},
    {"0001 1110", 11},   {"0001 1101", 19},   {"0001 1100", 35},  {"0001 1011", 13},   {"0001 1010", 49},   {"0001 1001", 21},
    {"0001 1000", 41},   {"0001 0111", 14},   {"0001 0110", 50},  {"0001 0101", 22},   {"0001 0100", 42},   {"0001 0011", 15},
    {"0001 0010", 51},   {"0001 0001", 23},   {"0001 0000", 43},  {"0000 1111", 25},   {"0000 1110", 37},   {"0000 1101", 26},
    {"0000 1100", 38},   {"0000 1011", 29},   {"0000 1010", 45},  {"0000 1001", 53},   {"0000 1000", 57},   {"0000 0111", 30},
    {"0000 0110", 46},   {"0000 0101", 54},   {"0000 0100", 58},  {"0000 0011 1", 31}, {"0000 0011 0", 47}, {"0000 0010 1", 55},
    {"0000 0010 0", 59}, {"0000 0001 1", 27}, {"0000 0001 0", 39}};

constexpr Code motions[] = {{"1", 0},
                            {"01", 1},
                            {"001", 2},
                            {"0001", 3},
                            {"0000 11", 4},
                            {"0000 101", 5},
                            {"0000 100", 6},
                            {"0000 011", 7},
                            {"0000 0101 1", 8},
                            {"0000 0101 0", 9},
                            {"0000 0100 1", 10},
                            {"0000 0100 01", 11},
                            {"0000 0100 00", 12},
                            {"0000 0011 11", 13},
                            {"0000 0011 10", 14},
                            {"0000 0011 01", 15},
                            {"0000 0011 00", 16}};

constexpr Code luma_sizes[] = {{"100", 0},   {"00", 1},     {"01", 2},      {"101", 3},      {"110", 4},        {"1110", 5},
                               {"11110", 6}, {"111110", 7}, {"1111110", 8}, {"11111110", 9}, {"111111110", 10}, {"111111111", 11}};
constexpr Code chroma_sizes[] = {{"00", 0},     {"01", 1},      {"10", 2},       {"110", 3},       {"1110", 4},        {"11110", 5},
                                 {"111110", 6}, {"1111110", 7}, {"11111110", 8}, {"111111110", 9}, {"1111111110", 10}, {"1111111111", 11}};

}  // namespace

constexpr VlcTable<11> address_increments = table_of<11>(increments);
constexpr VlcTable<6> mb_types[3] = {table_of<6>(types_i), table_of<6>(types_p), table_of<6>(types_b)};
constexpr VlcTable<9> block_patterns = table_of<9>(patterns);
constexpr VlcTable<10> motion_codes = table_of<10>(motions);
constexpr VlcTable<10> dc_sizes[2] = {table_of<10>(luma_sizes), table_of<10>(chroma_sizes)};
const CoefficientTable coefficients[2] = {table_zero(), table_one()};

}  // namespace softgen::media::mpeg2
