// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/bsd/it_data.h"

#include <algorithm>
#include <cstring>

#include "hw/media/avc/transform.h"

namespace softgen::media::bsd {
namespace {

constexpr unsigned parts = 6, part_values = 64;

/// Which 8x8 blocks the pattern names, in order.
bool has_part(uint8_t pattern, unsigned part) { return pattern >> (parts - 1 - part) & 1; }
/// Values of a transform block.
unsigned block_values(unsigned part, bool transform8) { return part < 4 && transform8 ? 64 : 16; }

void write_block(std::span<int16_t> values, const CoefficientLayout& layout, std::vector<uint32_t>& to) {
  Coefficient held;
  bool any = false;
  for (unsigned i = 0; i < values.size(); ++i) {
    if (!values[i]) continue;
    if (any) to.push_back(layout.pack(held));
    held = {values[i], static_cast<uint8_t>(i), false};
    any = true;
  }
  held.last = true;
  to.push_back(layout.pack(held));
  std::ranges::fill(values, int16_t{0});
}

void write_motion(const ItMotion& motion, std::vector<uint32_t>& to) {
  static_assert(sizeof motion.vectors + sizeof motion.weights == it_motion_dwords * 4);
  to.resize(it_motion_dwords);
  std::memcpy(to.data(), motion.vectors.data(), sizeof motion.vectors);
  std::memcpy(to.data() + sizeof motion.vectors / 4, motion.weights.data(), sizeof motion.weights);
}

}  // namespace

void write_it_data(const ItMacroblock& mb, avc::Residual& residual, unsigned offset, const CoefficientLayout& layout,
                   std::vector<uint32_t>& to) {
  to.clear();
  if (!mb.intra) write_motion(mb.motion, to);
  if (!mb.pattern) return;
  if (to.size() < offset) to.resize(offset);
  if (mb.intra && mb.type == type_pcm) {
    const std::span<uint8_t, 384> samples = residual.samples();
    const size_t at = to.size();
    to.resize(at + samples.size() / 4);
    std::memcpy(to.data() + at, samples.data(), samples.size());
    std::ranges::fill(samples, uint8_t{0});
    return;
  }
  for (unsigned part = 0; part < parts; ++part) {
    if (!has_part(mb.pattern, part)) continue;
    const std::span<int16_t> values = part < 4 ? std::span(residual.luma).subspan(part * part_values, part_values)
                                               : std::span(residual.chroma[part - 4]).first(part_values);
    const unsigned size = block_values(part, mb.transform8);
    for (unsigned i = 0; i < part_values; i += size) write_block(values.subspan(i, size), layout, to);
  }
  residual.coded = 0;
}

ItResidual read_residual(std::span<const uint32_t> data, uint8_t pattern, bool transform8, const CoefficientLayout& layout) {
  ItResidual out{};
  size_t next = 0;
  for (unsigned part = 0; part < parts; ++part) {
    if (!has_part(pattern, part)) continue;
    const unsigned size = block_values(part, transform8);
    for (unsigned block = 0; block < part_values / size; ++block) {
      alignas(32) std::array<int16_t, part_values> values{};
      for (bool last = false; !last && next < data.size(); ++next) {
        const Coefficient one = layout.unpack(data[next]);
        values[one.index % size] = one.value;
        last = one.last;
      }
      int16_t* const to = out.data() + part * part_values;
      if (size == part_values) avc::inverse8(values.data(), to, 8);
      else avc::inverse4(values.data(), to + block / 2 * 32 + block % 2 * 4, 8);
    }
  }
  return out;
}

}  // namespace softgen::media::bsd
