// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/replay/surface_option.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <vector>

#include "hw/base/bits.h"

namespace softgen::replay {
namespace {

constexpr uint64_t largest_dump = uint64_t{1} << 30;
constexpr uint64_t largest_side = 16384;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts{""};
  for (const char c : text)
    if (c == separator) parts.emplace_back();
    else parts.back() += c;
  return parts;
}

uint64_t number(const std::string& text, const char* what) {
  char* end = nullptr;
  errno = 0;
  const uint64_t value = std::strtoull(text.c_str(), &end, 0);
  if (text.empty() || text[0] == '-' || *end || errno) throw BadArgument(fmt::format("'{}' is not a number ({})", text, what));
  return value;
}

uint32_t side(const std::string& text, const char* what) {
  const uint64_t value = number(text, what);
  if (value == 0 || value > largest_side) throw BadArgument(fmt::format("{} {} is not in 1..{}", what, value, largest_side));
  return static_cast<uint32_t>(value);
}

surface::Tiling tiling(std::string text) {
  for (const auto candidate :
       {surface::Tiling::linear, surface::Tiling::w, surface::Tiling::x, surface::Tiling::y, surface::Tiling::yf, surface::Tiling::ys})
    if (strcasecmp(text.c_str(), surface::tiling_name(candidate)) == 0) return candidate;
  throw BadArgument(fmt::format("tiling '{}' is none of linear, X, Y, W, Yf, Ys", text));
}

}  // namespace

MemoryRange parse_dump(const std::string& text) {
  const auto parts = split(text, ',');
  if (parts.size() != 2) throw BadArgument(fmt::format("'{}' is not ADDR,LEN", text));
  const MemoryRange range{strip_canonical(number(parts[0], "address")), number(parts[1], "length")};
  if (range.size > largest_dump)
    throw BadArgument(fmt::format("{} bytes are more than the {} that can be dumped", range.size, largest_dump));
  return range;
}

debug::PictureSource parse_surface(const defs::CommandSet& commands, const std::string& text) {
  const auto parts = split(text, ',');
  if (parts.size() != 5) throw BadArgument(fmt::format("'{}' is not ADDR,FORMAT,WxH,PITCH,TILING", text));
  const auto size = split(parts[2], 'x');
  if (size.size() != 2) throw BadArgument(fmt::format("'{}' is not WxH", parts[2]));
  const surface::Format* format = debug::picture_format(commands, parts[1]);
  if (!format) throw BadArgument(fmt::format("'{}' is not a format of plain texels", parts[1]));
  const uint64_t pitch = number(parts[3], "pitch");
  if (pitch == 0 || pitch > 1 << 18) throw BadArgument(fmt::format("a pitch of {} bytes is not in 1..262144", pitch));
  return {strip_canonical(number(parts[0], "address")),
          format,
          side(size[0], "width"),
          side(size[1], "height"),
          static_cast<uint32_t>(pitch),
          tiling(parts[4])};
}

}  // namespace softgen::replay
