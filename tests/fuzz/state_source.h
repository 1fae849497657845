// SPDX-License-Identifier: GPL-2.0-or-later
// Hostile state out of an input's bytes, field by field from the tables of hw/defs: what a field may hold, one past it, its ends, anything.
//
// An input is a list of choices. When its bytes have come to an end, the choices go on as pseudo-random numbers that all of the bytes seed:
// so an input of eight bytes is a whole state, the same each time, and a longer one (libFuzzer's) says the first choices itself.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "hw/defs/command.h"

namespace softgen::fuzz {

class StateSource {
 public:
  /// `addresses`: what fields that hold addresses begin from (see address()); outlives the source.
  explicit StateSource(std::span<const uint8_t> bytes, std::span<const uint64_t> addresses = {}) : bytes_(bytes), addresses_(addresses) {
    for (const uint8_t byte : bytes) state_ = (state_ ^ byte) * 0x100'0000'01b3;  // FNV-1a
    salt_ = state_ ^ state_ >> 29;
  }

  /// A number that the whole input makes, and no choice.
  uint64_t salt() const { return salt_; }

  template <typename T>
  T take() {
    T value;
    if (bytes_.size() >= sizeof value) [[unlikely]] {
      std::memcpy(&value, bytes_.data(), sizeof value);
      bytes_ = bytes_.subspan(sizeof value);
      return value;
    }
    bytes_ = {};
    return static_cast<T>(next());
  }
  /// [0, n); n is not 0.
  uint32_t below(uint32_t n) { return n <= 256 ? take<uint8_t>() * n >> 8 : static_cast<uint32_t>(uint64_t{take<uint32_t>()} * n >> 32); }
  bool one_in(uint32_t n) { return below(n) == 0; }
  template <typename T, size_t n>
  const T& one_of(const T (&list)[n]) {
    return list[below(n)];
  }
  template <typename List>
  auto& one_of(List&& list) {
    return list[below(static_cast<uint32_t>(std::size(list)))];
  }

  /// A number of `width` bits: the ends, powers of two and their neighbours, small ones, any.
  uint64_t number(unsigned width) {
    const uint64_t all = width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
    switch (take<uint8_t>() & 15) {
      case 0:
      case 1: return 0;
      case 2: return all;
      case 3: return all - 1;
      case 4: return 1;
      case 5: return uint64_t{1} << (width - 1);
      case 6:
      case 7: return uint64_t{1} << below(width);
      case 8: return ((uint64_t{1} << below(width)) - 1) & all;
      case 9:
      case 10:
      case 11: return take<uint8_t>() & 15 & all;
      default: return take<uint64_t>() & all;
    }
  }
  /// Any bytes.
  void fill_bytes(std::span<uint8_t> to) {
    const size_t own = std::min(to.size(), bytes_.size());
    std::copy_n(bytes_.begin(), own, to.begin());
    bytes_ = bytes_.subspan(own);
    for (to = to.subspan(own); !to.empty(); to = to.subspan(std::min(to.size(), sizeof(uint64_t)))) {
      const uint64_t word = next();
      std::memcpy(to.data(), &word, std::min(to.size(), sizeof word));
    }
  }
  /// [0, n): most often 0 or 1, seldom much.
  uint32_t small_below(uint32_t n) {
    const uint8_t kind = take<uint8_t>();
    return kind < 160 ? kind % std::min(n, 2u) : kind < 232 ? kind % std::min(n, 4u) : kind % n;
  }
  /// Bytes of a coded stream: runs of zeros and ones are rare in random bytes and common in streams.
  template <size_t n>
  std::array<uint8_t, n> stream() {
    static_assert(n > 64);
    std::array<uint8_t, n> bytes;
    fill_bytes(bytes);
    for (unsigned runs = below(8); runs; --runs) std::fill_n(bytes.begin() + below(n - 64), below(64), one_in(2) ? 0 : 0xff);
    return bytes;
  }
  /// Bits of a float: those where arithmetic breaks, and plain ones.
  uint32_t float_bits() {
    static constexpr uint32_t ends[] = {0,
                                        0x8000'0000,
                                        0x3f80'0000,
                                        0xbf80'0000,
                                        0x7f80'0000,
                                        0xff80'0000,
                                        0x7fc0'0000,
                                        0x7f80'0001,
                                        1,
                                        0x8000'0001,
                                        0x007f'ffff,
                                        0x0080'0000,
                                        0x7f7f'ffff,
                                        0xff7f'ffff,
                                        0x4b80'0000 /* 2^24 */,
                                        0x4f00'0000 /* 2^31 */,
                                        0xcf00'0000,
                                        0x4f80'0000,
                                        0x5f00'0000 /* 2^63 */,
                                        0x3f00'0000,
                                        0x3eff'ffff};
    switch (take<uint8_t>() & 7) {
      case 0:
      case 1: return one_of(ends);
      case 2: return take<uint32_t>();
      case 3: return std::bit_cast<uint32_t>(static_cast<float>(take<int8_t>()));
      default: return std::bit_cast<uint32_t>(static_cast<float>(take<int16_t>()) / 8192);
    }
  }
  /// One of the places, at a page's start, end, or anywhere in it; now and then an address that is none.
  uint64_t address() {
    static constexpr uint64_t odd[] = {0xffff'f000,           0xffff'ffff,      0x1'0000'0000,         0x7fff'ffff'f000,
                                       0x8000'0000'0000,      0xffff'ffff'f000, 0xffff'8000'0000'0000, 0x0001'0000'0000'0000,
                                       0xdead'beef'0000'1000, ~uint64_t{0}};
    const uint8_t kind = take<uint8_t>();
    if (addresses_.empty() || kind < 8) return kind < 2 ? take<uint64_t>() : one_of(odd);
    const uint64_t page = one_of(addresses_);
    switch (kind & 7) {
      case 0: return page + 4096 - (uint64_t{1} << below(9));
      case 1: return page + (take<uint16_t>() & 0xfff);
      case 2: return page + (take<uint8_t>() & 63) * 64;
      default: return page;
    }
  }

  /// A value for one field, as many bits as it has. Structures within are not filled.
  uint64_t value(const defs::Field& field) {
    switch (field.type) {
      case defs::FieldType::boolean: return take<uint8_t>() & 1;
      case defs::FieldType::must_be_zero: return one_in(16) ? number(field.width()) : 0;
      case defs::FieldType::float32: return float_bits();
      case defs::FieldType::address:
      case defs::FieldType::offset: return address() >> field.start % 32;
      case defs::FieldType::enumeration: {
        const uint8_t kind = take<uint8_t>();
        if (!field.enumeration || field.enumeration->values.empty() || kind < 8) return number(field.width());
        return one_of(field.enumeration->values).value + (kind < 24 ? 1 : 0);
      }
      default: return number(field.width());
    }
  }

  /// `dwords`: the container; the structure's bits start at `first`. Fields beyond its end are left out.
  void set(const defs::Field& field, std::span<uint32_t> dwords, uint32_t first = 0) {
    if (field.type == defs::FieldType::structure) return fill(*field.structure, dwords, first + field.start);
    put(dwords, first + field.start, field.width(), value(field));
  }
  /// Every field of it.
  void fill(const defs::Structure& structure, std::span<uint32_t> dwords, uint32_t first = 0) {
    for (const defs::Field& field : structure.fields) set(field, dwords, first);
    for (const defs::Group& group : structure.groups)
      for (uint32_t i = 0; i < group.elements(dwords.size()); ++i)
        for (const defs::Field& field : group.fields) set(field, dwords, first + group.start + i * group.size);
  }
  /// One field of it.
  void change(const defs::Structure& structure, std::span<uint32_t> dwords, uint32_t first = 0) {
    const size_t own = structure.fields.size(), groups = structure.groups.size();
    if (own + groups == 0) return;
    const uint32_t chosen = below(static_cast<uint32_t>(own + groups));
    if (chosen < own) {
      const defs::Field& field = structure.fields[chosen];
      if (field.type == defs::FieldType::structure) return change(*field.structure, dwords, first + field.start);
      return set(field, dwords, first);
    }
    const defs::Group& group = structure.groups[chosen - own];
    const uint32_t elements = group.elements(dwords.size());
    if (!elements || group.fields.empty()) return;
    set(one_of(group.fields), dwords, first + group.start + below(elements) * group.size);
  }
  /// Most often none, one or a few fields; now and then all of them.
  void change_some(const defs::Structure& structure, std::span<uint32_t> dwords) {
    const uint8_t kind = take<uint8_t>();
    if (kind >= 248) return fill(structure, dwords);
    for (unsigned n = kind < 96 ? 0 : kind < 176 ? 1 : kind < 224 ? 2 : 6; n; --n) change(structure, dwords);
  }
  /// A header of `command` for `dwords` dwords.
  static uint32_t header(const defs::Command& command, size_t dwords) {
    return command.match | (command.length_high ? static_cast<uint32_t>(dwords - 2) << command.length_low : 0);
  }
  /// A whole packet, all fields chosen; one of variable length has `room` dwords.
  std::vector<uint32_t> packet(const defs::Command& command, size_t room = 0) {
    std::vector<uint32_t> dwords(std::max<size_t>(room, command.dwords));
    fill(command, dwords);
    finish(command, dwords);
    return dwords;
  }
  /// Puts the header's own bits right after its fields were chosen.
  static void finish(const defs::Command& command, std::span<uint32_t> dwords) {
    uint32_t mask = command.mask;
    if (command.length_high) mask |= ((2u << (command.length_high - command.length_low)) - 1) << command.length_low;
    dwords[0] = (dwords[0] & ~mask) | header(command, dwords.size());
  }

  static void put(std::span<uint32_t> dwords, uint32_t start, unsigned width, uint64_t value) {
    while (width && start / 32 < dwords.size()) {
      const unsigned shift = start % 32, n = std::min(width, 32 - shift);
      const uint32_t mask = (n == 32 ? ~0u : (1u << n) - 1) << shift;
      uint32_t& dword = dwords[start / 32];
      dword = (dword & ~mask) | (static_cast<uint32_t>(value << shift) & mask);
      start += n, width -= n, value = n == 64 ? 0 : value >> n;
    }
  }
  /// Sets the structure's fields of this name.
  static void put(const defs::Structure& structure, std::span<uint32_t> packet, std::string_view name, uint64_t value) {
    // The first character tells most names apart: the lengths of all of them took a twentieth of the codecs' time.
    for (const defs::Field& field : structure.fields)
      if (name[0] == field.name[0] && name == field.name) put(packet, field.start, field.width(), value);
  }

 private:
  uint64_t next() {  // SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014)
    uint64_t z = state_ += 0x9e37'79b9'7f4a'7c15;
    z = (z ^ z >> 30) * 0xbf58'476d'1ce4'e5b9;
    z = (z ^ z >> 27) * 0x94d0'49bb'1331'11eb;
    return z ^ z >> 31;
  }

  std::span<const uint8_t> bytes_;
  std::span<const uint64_t> addresses_;
  uint64_t state_ = 0xcbf2'9ce4'8422'2325, salt_ = 0;
};

/// A field of a packet to which a target gives values of a kind.
template <typename Kind>
struct ChosenField {
  Kind kind;
  uint32_t start;
  unsigned width;
};

/// The fields of `structure`, and of structures in it, to whose names kind_of() gives a kind. Targets find them once: to compare the names for each packet
/// took a tenth of the time.
template <typename Kind, typename KindOf>
std::vector<ChosenField<Kind>> chosen_fields(const defs::Structure& structure, KindOf&& kind_of, uint32_t first = 0) {
  std::vector<ChosenField<Kind>> found;
  for (const defs::Field& field : structure.fields) {
    if (field.type == defs::FieldType::structure) {
      const auto inner = chosen_fields<Kind>(*field.structure, kind_of, first + field.start);
      found.insert(found.end(), inner.begin(), inner.end());
    } else if (const std::optional<Kind> kind = kind_of(std::string_view(field.name))) {
      found.push_back({*kind, first + field.start, field.width()});
    }
  }
  return found;
}

}  // namespace softgen::fuzz
