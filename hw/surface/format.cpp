// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/surface/format.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <vector>

#include "hw/base/bits.h"

namespace softgen::surface {
namespace {

constexpr uint16_t parse_uses(std::string_view letters) {
  constexpr std::string_view known = "SFCRBVOWTAe";
  uint16_t uses = 0;
  for (const char c : letters)
    if (c != '+' && c != '*') uses |= static_cast<uint16_t>(1u << known.find(c));
  return uses;
}

constexpr ChannelType parse_type(std::string_view& text) {
  struct Name {
    std::string_view text;
    ChannelType type;
  };
  constexpr Name names[] = {{"un", ChannelType::unorm},  {"sn", ChannelType::snorm},   {"ui", ChannelType::uint},
                            {"si", ChannelType::sint},   {"us", ChannelType::uscaled}, {"ss", ChannelType::sscaled},
                            {"sx", ChannelType::sfixed}, {"sf", ChannelType::sfloat},  {"uf", ChannelType::ufloat},
                            {"r", ChannelType::raw},     {"x", ChannelType::unused}};
  for (const Name& n : names)
    if (text.starts_with(n.text)) {
      text.remove_prefix(n.text.size());
      return n.type;
    }
  throw "unknown channel type in formats.inc";
}

// "r.un8 g.un8": see formats.inc.
constexpr void parse_channels(Format& f, std::string_view text) {
  unsigned shift = 0;
  while (!text.empty()) {
    Channel& c = f.channel[f.channels++];
    c.role = text[0];
    text.remove_prefix(2);
    c.type = parse_type(text);
    while (!text.empty() && text[0] != ' ') {
      c.bits = static_cast<uint8_t>(c.bits * 10 + (text[0] - '0'));
      text.remove_prefix(1);
    }
    if (!text.empty()) text.remove_prefix(1);
    c.shift = static_cast<uint8_t>(shift);
    shift += c.bits;
  }
}

constexpr void map_outputs(Format& f) {
  bool first = true;
  for (int8_t i = 0; i < f.channels; ++i) {
    const Channel& c = f.channel[static_cast<size_t>(i)];
    if (c.type == ChannelType::unused) continue;
    for (size_t out = 0; out < 4; ++out)
      if (c.role == "rgba"[out] || (c.role == 'l' && out < 3) || c.role == 'i') {
        f.output[out] = i;
        // l and i are written from red.
        if (f.input[static_cast<size_t>(i)] < 0) f.input[static_cast<size_t>(i)] = static_cast<int8_t>(out);
      }
    if (!first) continue;
    first = false;
    if (c.type == ChannelType::uint) f.numeric = Numeric::uint;
    if (c.type == ChannelType::sint) f.numeric = Numeric::sint;
    if (c.type == ChannelType::raw) f.numeric = Numeric::raw64;
  }
}

constexpr ElementLayout layout_of(const Format& f) {
  if (f.kind != FormatKind::plain || f.channels == 0) return ElementLayout::any;
  bool words = true, bytes = true, integers = true;
  for (unsigned i = 0; i < f.channels; ++i) {
    const Channel& c = f.channel[i];
    words = words && c.bits == 32 && c.shift == 32 * i &&
            (c.type == ChannelType::sfloat || c.type == ChannelType::uint || c.type == ChannelType::sint || c.type == ChannelType::unused);
    bytes = bytes && c.bits == 8 && c.shift == 8 * i && (c.type == ChannelType::unorm || c.type == ChannelType::unused);
    integers = integers && c.bits == 8 && c.shift == 8 * i && c.type == ChannelType::uint;
  }
  return words ? ElementLayout::words : bytes ? ElementLayout::unorm8 : integers ? ElementLayout::uint8 : ElementLayout::any;
}

constexpr bool linear = false, srgb = true;

constexpr Format make_format(SurfaceFormat code, std::string_view name, unsigned bits, unsigned width, unsigned height, FormatKind kind,
                             std::string_view channels, bool is_srgb, std::string_view uses) {
  Format f{.code = code,
           .name = name,
           .block_bits = static_cast<uint16_t>(bits),
           .block_width = static_cast<uint8_t>(width),
           .block_height = static_cast<uint8_t>(height),
           .kind = kind,
           .srgb = is_srgb,
           .uses = parse_uses(uses)};
  parse_channels(f, channels);
  map_outputs(f);
  f.layout = layout_of(f);
  return f;
}

#define FORMAT(name, bits, width, height, kind, channels, space, uses) \
  make_format(SurfaceFormat::name, #name, bits, width, height, FormatKind::kind, channels, space, uses_of(uses)),
constexpr Format formats[] = {
#define uses_of(uses) std::string_view(uses).substr(0, std::string_view(uses).find_first_of("+*"))
#include "hw/surface/formats.inc"
#undef uses_of
};
constexpr Format formats_11[] = {
#define uses_of(uses) std::string_view(uses).substr(0, std::string_view(uses).find('*'))
#include "hw/surface/formats.inc"
#undef uses_of
};
constexpr Format formats_12[] = {
#define uses_of(uses) uses
#include "hw/surface/formats.inc"
#undef uses_of
};
#undef FORMAT

constexpr size_t code_limit = 1024;  // RENDER_SURFACE_STATE, Surface Format: 10 bits
constexpr std::array<uint16_t, code_limit> index_of_code = [] {
  std::array<uint16_t, code_limit> table{};
  for (size_t i = 0; i < std::size(formats); ++i) table[static_cast<size_t>(formats[i].code)] = static_cast<uint16_t>(i + 1);
  return table;
}();

constexpr uint32_t one = 0x3f800000;  // 1.0

uint64_t low_mask(unsigned bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

/// An element's bits, from bit 0.
class Element {
 public:
  Element() = default;
  Element(const Format& f, const std::byte* from) {
    copy(f, [&](size_t bytes) { std::memcpy(words_.data(), from, bytes); });
  }
  void store(const Format& f, std::byte* to) const {
    copy(f, [&](size_t bytes) { std::memcpy(to, words_.data(), bytes); });
  }
  uint64_t get(const Channel& c) const {
    const unsigned word = c.shift / 64, shift = c.shift % 64;
    uint64_t value = words_[word] >> shift;
    if (shift + c.bits > 64) value |= words_[word + 1] << (64 - shift);
    return value & low_mask(c.bits);
  }
  void put(const Channel& c, uint64_t value) {
    const unsigned word = c.shift / 64, shift = c.shift % 64;
    value &= low_mask(c.bits);
    words_[word] |= value << shift;
    if (shift + c.bits > 64) words_[word + 1] |= value >> (64 - shift);
  }

 private:
  /// With the common sizes as constants: copies of a size that is not known are calls.
  static void copy(const Format& f, auto&& do_copy) {
    switch (f.block_bytes()) {
      case 1: return do_copy(1);
      case 2: return do_copy(2);
      case 4: return do_copy(4);
      case 8: return do_copy(8);
      case 16: return do_copy(16);
      default: return do_copy(f.block_bytes());
    }
  }
  std::array<uint64_t, 4> words_{};  // of the largest, R64G64B64A64
};

int32_t sign_extended(uint64_t value, unsigned bits) { return static_cast<int32_t>(sign_extend(value, bits)); }

float float_channel(const Channel& c, uint64_t v) {
  switch (c.type) {
    case ChannelType::unorm: return unorm_to_float(static_cast<uint32_t>(v), c.bits);
    case ChannelType::snorm: return snorm_to_float(sign_extended(v, c.bits), c.bits);
    case ChannelType::uint:
    case ChannelType::uscaled: return static_cast<float>(v);
    case ChannelType::sint:
    case ChannelType::sscaled: return static_cast<float>(sign_extended(v, c.bits));
    case ChannelType::sfixed: return static_cast<float>(sign_extended(v, c.bits) / 65536.0);
    case ChannelType::sfloat:
      if (c.bits == 16) return half_to_float(static_cast<uint16_t>(v));
      if (c.bits == 64) return static_cast<float>(std::bit_cast<double>(v));
      return std::bit_cast<float>(static_cast<uint32_t>(v));
    case ChannelType::ufloat: return ufloat_to_float(static_cast<uint32_t>(v), c.bits - 5u);
    case ChannelType::raw:
    case ChannelType::unused: break;
  }
  return 0;
}

uint32_t register_value(const Format& f, const Channel& c, uint64_t v, bool color) {
  if (c.type == ChannelType::uint || c.type == ChannelType::raw) return static_cast<uint32_t>(v);
  if (c.type == ChannelType::sint) return static_cast<uint32_t>(sign_extended(v, c.bits));
  // The very bits, also of signalling NaNs.
  if (c.type == ChannelType::sfloat && c.bits == 32) return static_cast<uint32_t>(v);
  if (f.srgb && color)
    return std::bit_cast<uint32_t>(c.bits == 8 ? srgb8_to_linear(static_cast<uint8_t>(v)) : srgb_to_linear(float_channel(c, v)));
  return std::bit_cast<uint32_t>(float_channel(c, v));
}

uint64_t stored_value(const Format& f, const Channel& c, uint32_t word, bool color) {
  const float value = std::bit_cast<float>(word);
  switch (c.type) {
    case ChannelType::unorm:
      if (f.srgb && color) return c.bits == 8 ? linear_to_srgb8(value) : float_to_unorm(linear_to_srgb(std::max(value, 0.0f)), c.bits);
      return float_to_unorm(value, c.bits);
    case ChannelType::snorm: return static_cast<uint64_t>(float_to_snorm(value, c.bits));
    case ChannelType::uint: return std::min<uint64_t>(word, low_mask(c.bits));
    case ChannelType::sint: {
      const int64_t limit = static_cast<int64_t>(low_mask(c.bits - 1u));
      return static_cast<uint64_t>(std::clamp<int64_t>(static_cast<int32_t>(word), -limit - 1, limit));
    }
    case ChannelType::sfloat: return c.bits == 16 ? float_to_half(value) : word;
    case ChannelType::ufloat: return float_to_ufloat(value, c.bits - 5u);
    default: return 0;  // no unit writes the others
  }
}

Word4 nothing_stored(const Format& f) { return {0, 0, 0, f.numeric == Numeric::floating ? one : 1u}; }

/// `value(stored channel, output)` for the outputs there are.
Word4 spread(const Format& f, auto&& value) {
  Word4 out = nothing_stored(f);
  for (size_t i = 0; i < 4; ++i)
    if (f.output[i] >= 0) out[i] = value(static_cast<size_t>(f.output[i]), i);
  return out;
}

Word4 decode_words(const Format& f, const std::byte* element) {
  return spread(f, [&](size_t stored, size_t) {
    uint32_t word;
    std::memcpy(&word, element + stored * 4, 4);
    return word;
  });
}

Word4 decode_unorm8(const Format& f, const std::byte* element) {
  static const auto values = [] {
    std::array<uint32_t, 256> table;
    for (uint32_t v = 0; v < 256; ++v) table[v] = std::bit_cast<uint32_t>(unorm_to_float(v, 8));
    return table;
  }();
  return spread(f, [&](size_t stored, size_t) { return values[std::to_integer<size_t>(element[stored])]; });
}

Word4 decode_uint8(const Format& f, const std::byte* element) {
  return spread(f, [&](size_t stored, size_t) { return std::to_integer<uint32_t>(element[stored]); });
}

/// `put(stored channel, word)` for each channel that an output writes; l and i are written from red.
void gather(const Format& f, const Word4& value, auto&& put) {
  for (size_t i = 4; i-- > 0;)
    if (f.output[i] >= 0) put(static_cast<size_t>(f.output[i]), value[i]);
}

}  // namespace

struct FormatSet {
  std::span<const Format> formats;
};
constinit const FormatSet gen9_formats{formats}, gen11_formats{formats_11}, gen12_formats{formats_12};

const Format* find_format(uint32_t code, const FormatSet& set) {
  if (code >= code_limit || index_of_code[code] == 0) return nullptr;
  return &set.formats[index_of_code[code] - 1u];
}

const Format& reordered(const Format& format, const std::array<uint8_t, 3>& rgb) {
  constexpr size_t orders = 9;  // by where red and green go
  static const auto tables = [] {
    std::array<std::vector<Format>, orders> all;
    for (uint8_t r = 0; r < 3; ++r)
      for (uint8_t g = 0; g < 3; ++g) {
        if (g == r) continue;
        for (Format f : formats) {
          const std::array<int8_t, 4> stored = f.output;
          f.output = {stored[r], stored[g], stored[3u - r - g], stored[3]};
          f.input.fill(-1);
          for (int8_t c = 3; c >= 0; --c)
            if (const int8_t at = f.output[static_cast<size_t>(c)]; at >= 0) f.input[static_cast<size_t>(at)] = c;
          all[3u * r + g].push_back(f);
        }
      }
    return all;
  }();
  return tables[3u * rgb[0] + rgb[1]][index_of_code[static_cast<size_t>(format.code)] - 1u];
}

const Format& without_srgb(const Format& format) {
  static const auto table = [] {
    std::vector<Format> all(std::begin(formats), std::end(formats));
    for (Format& f : all) f.srgb = false;
    return all;
  }();
  return format.srgb ? table[index_of_code[static_cast<size_t>(format.code)] - 1u] : format;
}

Word4 decode(const Format& f, const std::byte* element) {
  if (f.layout == ElementLayout::words) return decode_words(f, element);
  if (f.layout == ElementLayout::unorm8 && !f.srgb) return decode_unorm8(f, element);
  if (f.layout == ElementLayout::uint8) return decode_uint8(f, element);
  if (f.kind == FormatKind::shared_exponent) {
    uint32_t packed;
    std::memcpy(&packed, element, 4);
    return std::bit_cast<Word4>(decode_shared_exponent(packed));
  }
  if (f.kind != FormatKind::plain) return nothing_stored(f);
  const Element e(f, element);
  return spread(f, [&](size_t stored, size_t i) { return register_value(f, f.channel[stored], e.get(f.channel[stored]), i < 3); });
}

Float4 decode_float(const Format& f, const std::byte* element) { return std::bit_cast<Float4>(decode(f, element)); }

unsigned decode_raw64(const Format& f, const std::byte* element, std::array<uint32_t, 8>& out) {
  out.fill(0);
  std::memcpy(out.data(), element, std::min<size_t>(f.block_bytes(), sizeof out));
  return f.block_bits / 32u;
}

void encode(const Format& f, const Word4& value, std::byte* element) {
  if (f.layout == ElementLayout::words) {
    std::memset(element, 0, f.block_bytes());  // channels that are not used
    return gather(f, value, [&](size_t stored, uint32_t word) { std::memcpy(element + 4 * stored, &word, 4); });
  }
  if (f.layout == ElementLayout::uint8)
    return gather(f, value, [&](size_t stored, uint32_t word) { element[stored] = static_cast<std::byte>(std::min(word, 255u)); });
  if (f.kind == FormatKind::shared_exponent) {
    const Float4 v = std::bit_cast<Float4>(value);
    const uint32_t packed = encode_shared_exponent(v[0], v[1], v[2]);
    std::memcpy(element, &packed, 4);
    return;
  }
  if (f.kind != FormatKind::plain) return;
  Element e;
  for (unsigned stored = 0; stored < f.channels; ++stored)
    if (const int input = f.input[stored]; input >= 0)
      e.put(f.channel[stored], stored_value(f, f.channel[stored], value[static_cast<size_t>(input)], input < 3));
  e.store(f, element);
}

void encode_float(const Format& f, const Float4& value, std::byte* element) { encode(f, std::bit_cast<Word4>(value), element); }

}  // namespace softgen::surface
