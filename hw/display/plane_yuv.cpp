// SPDX-License-Identifier: GPL-2.0-or-later
// Rows of planes whose pixels are YUV. Samples of more than 8 bits are brought to the scale of 8 bits first.
#include <algorithm>
#include <cstring>
#include <utility>

#include "hw/display/plane.h"

namespace softgen::display {

namespace {

uint16_t unit_to_16(float v) {
  if (!(v > 0.f)) return 0;
  return v >= 1.f ? 0xffff : static_cast<uint16_t>(v * 65535.f + 0.5f);
}

/// ITU-R BT.601, BT.709 and BT.2020: the shares of red and blue in luma.
struct Luma {
  float red, blue;
};
constexpr Luma luma_of(YuvEncoding encoding) {
  switch (encoding) {
    case YuvEncoding::bt709: return {0.2126f, 0.0722f};
    case YuvEncoding::bt2020: return {0.2627f, 0.0593f};
    default: return {0.299f, 0.114f};
  }
}

constexpr float middle = 128.f;  ///< of chroma

struct ByteSamples {
  float luma(const uint8_t* raw, uint32_t i) const { return raw[i]; }
  float chroma(const uint8_t* raw, uint32_t i) const { return raw[i]; }
};

/// Samples of `bits` bits. In the limited range all bits are a fraction of the same unit; in the full one the largest value is that of 8 bits.
struct DeepSamples {
  DeepSamples(unsigned bits, bool full_range)
      : bits(bits),
        scale(full_range ? 255.f / static_cast<float>((1u << bits) - 1) : 1.f / static_cast<float>(1u << (bits - 8))),
        zero(1u << (bits - 1)) {}
  float luma(uint32_t v) const { return static_cast<float>(v) * scale; }
  float chroma(uint32_t v) const { return middle + (static_cast<float>(v) - static_cast<float>(zero)) * scale; }
  float luma(const uint8_t* raw, uint32_t i) const { return luma(word(raw, i)); }
  float chroma(const uint8_t* raw, uint32_t i) const { return chroma(word(raw, i)); }
  // In the upper bits of 16.
  uint32_t word(const uint8_t* raw, uint32_t i) const {
    uint16_t v;
    std::memcpy(&v, raw + size_t{i} * sizeof v, sizeof v);
    return static_cast<uint32_t>(v) >> (16 - bits);
  }
  unsigned bits;
  float scale;
  uint32_t zero;
};

unsigned bits_of(PlaneFormat format) {
  switch (format) {
    case PlaneFormat::p010:
    case PlaneFormat::y210:
    case PlaneFormat::y410: return 10;
    case PlaneFormat::p012:
    case PlaneFormat::y212:
    case PlaneFormat::y412: return 12;
    case PlaneFormat::p016:
    case PlaneFormat::y216:
    case PlaneFormat::y416: return 16;
    default: return 8;
  }
}

}  // namespace

void PlaneReader::yuv_row(uint32_t u, uint32_t v, uint32_t count, Pixel* out) {
  const DeepSamples deep(bits_of(plane_.format), plane_.full_range);
  switch (plane_.format) {
    case PlaneFormat::yuv422: return packed_422_row(ByteSamples{}, u, v, count, out);
    case PlaneFormat::nv12: return planar_420_row(ByteSamples{}, u, v, count, out);
    case PlaneFormat::p010:
    case PlaneFormat::p012:
    case PlaneFormat::p016: return planar_420_row(deep, u, v, count, out);
    case PlaneFormat::y210:
    case PlaneFormat::y212:
    case PlaneFormat::y216: return packed_422_row(deep, u, v, count, out);
    default: return packed_444_row(u, v, count, out);
  }
}

// With the plane's range: SKL PRM vol 12, "Plane YUV to RGB CSC".
Pixel PlaneReader::from_yuv(float y, float cb, float cr) const {
  const float luma = plane_.full_range ? y / 255.f : (y - 16.f) / 219.f;
  const float scale = plane_.full_range ? 255.f : 224.f;
  const float pb = (cb - middle) / scale, pr = (cr - middle) / scale;
  if (plane_.input_csc || plane_.encoding == YuvEncoding::none) {
    const Pixel vyu = {unit_to_16(pr + 0.5f), unit_to_16(luma), unit_to_16(pb + 0.5f), 0xffff};
    return plane_.input_csc ? plane_.input_csc->apply(vyu) : vyu;
  }
  const auto [kr, kb] = luma_of(plane_.encoding);
  const float kg = 1.f - kr - kb;
  const float r = luma + 2.f * (1.f - kr) * pr, b = luma + 2.f * (1.f - kb) * pb;
  const float g = (luma - kr * r - kb * b) / kg;
  return {unit_to_16(r), unit_to_16(g), unit_to_16(b), 0xffff};
}

// Chroma samples are sited at the first pixel of two; the second one gets the mean with the next sample. First and next are in the order in which pixels
// are shown: a mirrored plane equals one whose samples are mirrored in memory (IGT kms_rotation_crc@multiplane-rotation).
bool PlaneReader::between_samples(uint32_t column) const { return ((column & 1) != 0) != plane_.flip_x; }

template <typename S>
void PlaneReader::packed_422_row(const S& samples, uint32_t u, uint32_t v, uint32_t count, Pixel* out) {
  const uint32_t start = plane_.u + u, first = plane_.u & ~1u, last = (plane_.u + plane_.width - 1) & ~1u;
  const uint32_t before = plane_.flip_x && (start & ~1u) > first ? 2 : 0, aligned = (start & ~1u) - before, end = (start + count + 3) & ~1u;
  const uint8_t* raw = fetch(plane_.main, raw_, aligned, plane_.v + v, end - aligned);
  const bool chroma_first = plane_.yuv_order & 1, swapped = plane_.yuv_order & 2;
  const uint32_t luma = chroma_first ? 1 : 0, cb = (chroma_first ? 0 : 1) + (swapped ? 2 : 0), cr = cb ^ 2;
  const auto chroma = [&](uint32_t at) { return samples.chroma(raw, at); };
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t at = start + i - aligned, pair = at & ~1u;
    const bool between = between_samples(at), at_end = aligned + pair == (plane_.flip_x ? first : last);
    const uint32_t next = at_end ? pair : plane_.flip_x ? pair - 2 : pair + 2;
    const float b = (chroma(pair * 2 + cb) + chroma(next * 2 + cb)) * 0.5f, r = (chroma(pair * 2 + cr) + chroma(next * 2 + cr)) * 0.5f;
    out[i] = from_yuv(samples.luma(raw, at * 2 + luma), between ? b : chroma(pair * 2 + cb), between ? r : chroma(pair * 2 + cr));
  }
}

// Chroma is halved both ways, sited with the left column and between the rows (MPEG-2), as i915 sets the phases.
template <typename S>
void PlaneReader::planar_420_row(const S& samples, uint32_t u, uint32_t v, uint32_t count, Pixel* out) {
  const uint8_t* luma = fetch(plane_.main, raw_, plane_.u + u, plane_.v + v, count);
  const uint32_t columns = (plane_.width + 1) / 2, rows = (plane_.height + 1) / 2;
  const uint32_t near = v / 2, far = (v & 1) ? std::min(near + 1, rows - 1) : (near ? near - 1 : 0);
  const uint8_t* a = fetch(plane_.chroma, chroma_above_, plane_.chroma_u, plane_.chroma_v + near, columns);
  const uint8_t* b = fetch(plane_.chroma, chroma_below_, plane_.chroma_u, plane_.chroma_v + far, columns);
  const auto sample = [&](uint32_t column, unsigned channel) {
    return (3.f * samples.chroma(a, column * 2 + channel) + samples.chroma(b, column * 2 + channel)) * 0.25f;
  };
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t at = u + i, column = std::min(at / 2, columns - 1);
    const uint32_t beside = plane_.flip_x ? std::max(column, 1u) - 1 : std::min(column + 1, columns - 1);
    const uint32_t next = between_samples(at) ? beside : column;
    out[i] = from_yuv(samples.luma(luma, i), (sample(column, 0) + sample(next, 0)) * 0.5f, (sample(column, 1) + sample(next, 1)) * 0.5f);
  }
}

// From the top down: Y, U, V of 8 bits; V, Y, U of 10 or 16.
void PlaneReader::packed_444_row(uint32_t u, uint32_t v, uint32_t count, Pixel* out) {
  const uint8_t* raw = fetch(plane_.main, raw_, plane_.u + u, plane_.v + v, count);
  const DeepSamples deep(bits_of(plane_.format), plane_.full_range);
  for (uint32_t i = 0; i < count; i++) {
    switch (plane_.format) {
      case PlaneFormat::xyuv_8888: out[i] = from_yuv(raw[i * 4 + 2], raw[i * 4 + 1], raw[i * 4]); break;
      case PlaneFormat::y410: {
        uint32_t word;
        std::memcpy(&word, raw + size_t{i} * sizeof word, sizeof word);
        out[i] = from_yuv(deep.luma(word >> 10 & 0x3ff), deep.chroma(word & 0x3ff), deep.chroma(word >> 20 & 0x3ff));
        break;
      }
      default: out[i] = from_yuv(deep.luma(raw, i * 4 + 1), deep.chroma(raw, i * 4), deep.chroma(raw, i * 4 + 2)); break;
    }
    if (plane_.swap_red_blue) std::swap(out[i].r, out[i].b);
  }
}

}  // namespace softgen::display
