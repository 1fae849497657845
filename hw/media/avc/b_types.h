// SPDX-License-Identifier: GPL-2.0-or-later
// What the types of B macroblocks mean, for decoding and encoding. A set of lists: bit 0 list 0, bit 1 list 1.
#pragma once

#include <cstdint>

namespace softgen::media::avc {

constexpr uint8_t list0 = 1, list1 = 2, both = 3;
/// mb_type of B_8x8, and of the first one with two partitions.
constexpr unsigned b_quarters = 22, b_first_divided = 4;
/// Of B macroblocks with two partitions, from b_first_divided on: lists of the first and the second (table 7-14); even types are 16x8.
constexpr uint8_t b_lists[18][2] = {{list0, list0}, {list0, list0}, {list1, list1}, {list1, list1}, {list0, list1}, {list0, list1},
                                    {list1, list0}, {list1, list0}, {list0, both},  {list0, both},  {list1, both},  {list1, both},
                                    {both, list0},  {both, list0},  {both, list1},  {both, list1},  {both, both},   {both, both}};
/// Of B sub-macroblocks from type 1 on (table 7-18): lists, and the shape as P's: 8x8, 8x4, 4x8, 4x4.
struct SubType {
  uint8_t lists, shape;
};
constexpr SubType b_sub[12] = {{list0, 0}, {list1, 0}, {both, 0}, {list0, 1}, {list0, 2}, {list1, 1},
                               {list1, 2}, {both, 1},  {both, 2}, {list0, 3}, {list1, 3}, {both, 3}};
/// Of a sub-macroblock's shape: the size of its parts.
constexpr uint8_t sub_width(unsigned shape) { return shape & 2 ? 4 : 8; }
constexpr uint8_t sub_height(unsigned shape) { return shape & 1 ? 4 : 8; }

}  // namespace softgen::media::avc
