// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "Sampler Messages"; order of parameters as Mesa's brw_lower_logical_sends.cpp (lower_sampler_logical_send_gfx7) sends them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace softgen::sampler {

enum class Kind : uint8_t { sample, gather, load, load_sample, resinfo, sampleinfo, lod, load_mcs };

/// One message type. `parameters`: one letter a parameter: c reference, b bias, l LOD, u v r coordinates (r: depth or array index), then a array
/// index of cubes; x y z their x derivatives, X Y Z their y derivatives; o p offsets; s sample index, m n MCS dwords; M least LOD.
struct Type {
  uint8_t code;
  Kind kind;
  bool zero_lod;
  std::string_view parameters;
};

inline constexpr Type types[] = {
    {0, Kind::sample, false, "uvraM"},
    {1, Kind::sample, false, "buvraM"},
    {2, Kind::sample, false, "luvra"},
    {3, Kind::sample, false, "cuvraM"},
    {4, Kind::sample, false, "uxXvyYrzZaM"},
    {5, Kind::sample, false, "cbuvraM"},
    {6, Kind::sample, false, "cluvra"},
    {7, Kind::load, false, "uvlr"},
    {8, Kind::gather, false, "uvra"},
    {9, Kind::lod, false, "uvra"},
    {10, Kind::resinfo, false, "l"},
    {11, Kind::sampleinfo, false, ""},
    {16, Kind::gather, false, "cuvra"},
    {17, Kind::gather, false, "uvopr"},
    {18, Kind::gather, false, "cuvopr"},
    {20, Kind::sample, false, "cuxXvyYrzZaM"},
    {24, Kind::sample, true, "uvra"},
    {25, Kind::sample, true, "cuvra"},
    {26, Kind::load, true, "uvr"},
    {28, Kind::load_sample, true, "smnuvr"},
    {29, Kind::load_mcs, true, "uvr"},
    {30, Kind::load_sample, true, "smuvr"},
    {31, Kind::load_sample, true, "suvr"},
};

inline constexpr std::string_view letters = "cbluvraxXyYzZopsmnM";
inline constexpr uint8_t absent = 0xff;

/// Where each letter stands in a type's parameters.
using Positions = std::array<uint8_t, letters.size()>;
inline constexpr auto all_positions = [] {
  std::array<Positions, std::size(types)> table{};
  for (size_t t = 0; t < std::size(types); ++t)
    for (size_t i = 0; i < letters.size(); ++i) {
      const size_t at = types[t].parameters.find(letters[i]);
      table[t][i] = at == std::string_view::npos ? absent : static_cast<uint8_t>(at);
    }
  return table;
}();

/// Index into Positions, by letter.
inline constexpr auto index_of_letter = [] {
  std::array<uint8_t, 128> table{};
  for (size_t i = 0; i < letters.size(); ++i) table[static_cast<size_t>(letters[i])] = static_cast<uint8_t>(i);
  return table;
}();

inline constexpr uint8_t no_type = 0xff;
inline constexpr auto index_of_code = [] {
  std::array<uint8_t, 32> table{};
  table.fill(no_type);
  for (size_t t = 0; t < std::size(types); ++t) table[types[t].code] = static_cast<uint8_t>(t);
  return table;
}();

/// Of a message's SIMD mode; 0: not one of these (0 is SIMD8D and SIMD4x2, 3 the media functions).
constexpr unsigned channels_of_mode(uint32_t mode) { return mode == 1 ? 8 : mode == 2 ? 16 : 0; }

}  // namespace softgen::sampler
