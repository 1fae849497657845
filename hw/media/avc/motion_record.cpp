// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/avc/motion_record.h"

#include <algorithm>
#include <cstring>

namespace softgen::media::avc {
namespace {

constexpr size_t blocks_at = MotionRecord::blocks_at, pocs_at = MotionRecord::pocs_at;
// A block's byte: part 1:0, coding 3:2.
constexpr uint8_t unused = 1 << 7, first_ref = 1 << 6, coding_bits = 3 << 2;

}  // namespace

int32_t poc_of(const PictureParams& params, int8_t picture) {
  if (picture < 0) return 0;
  const auto& both = params.poc[static_cast<unsigned>(picture) / 4 % max_frames];
  const unsigned part = static_cast<unsigned>(picture) & 3;
  return part == whole ? std::min(both[0], both[1]) : both[std::min(part, 2u) - 1];
}

MotionRecord::Block MotionRecord::block(unsigned quarter) const {
  if (!at_) return {};
  const uint8_t byte = at_[blocks_at + quarter];
  if (byte & unused) return {};
  uint16_t poc;
  std::memcpy(&poc, at_ + pocs_at + quarter * 2, sizeof poc);
  return {true, (byte & first_ref) != 0, static_cast<uint8_t>(std::min(byte & 3, 2)), poc};
}

Mv MotionRecord::mv(unsigned block) const {
  if (!at_) return {};
  uint64_t word;
  const unsigned bit = block * 26;
  std::memcpy(&word, at_ + bit / 8, sizeof word);
  const auto both = static_cast<uint32_t>(word >> bit % 8);
  return {static_cast<int16_t>(static_cast<int32_t>(both << 18) >> 18), static_cast<int16_t>(static_cast<int32_t>(both << 6) >> 20)};
}

uint8_t with_coding(uint8_t byte, MotionRecord::Coding coding) {
  return static_cast<uint8_t>((byte & ~coding_bits) | static_cast<unsigned>(coding) << 2);
}

void write_record(const Macroblock& mb, MotionRecord::Coding coding, const PictureParams& params, uint8_t* to) {
  std::memset(to, 0, MotionRecord::bytes);
  std::array<uint8_t, MotionRecord::bytes + 8> bytes{};
  for (unsigned i = 0; i < 16; ++i) {
    const unsigned quarter = i / 8 * 2 + i % 4 / 2, list = mb.ref[0][quarter] < 0;
    const Mv mv = mb.intra() || mb.ref[list][quarter] < 0 ? Mv{} : mb.mv[list][i];
    const auto x = static_cast<uint32_t>(std::clamp<int>(mv.x, -8192, 8191)) & 0x3fff;
    const auto y = static_cast<uint32_t>(std::clamp<int>(mv.y, -2048, 2047)) & 0xfff;
    uint64_t word;
    const unsigned bit = i * 26;
    std::memcpy(&word, bytes.data() + bit / 8, sizeof word);
    word |= uint64_t{x | y << 14} << bit % 8;
    std::memcpy(bytes.data() + bit / 8, &word, sizeof word);
  }
  std::memcpy(to, bytes.data(), blocks_at);
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned list = mb.ref[0][i] < 0;
    const bool used = mb.slice != Macroblock::no_slice && !mb.intra() && mb.ref[list][i] >= 0;
    const int8_t picture = used ? mb.picture[list][i] : int8_t{0};
    to[blocks_at + i] = static_cast<uint8_t>((used ? picture & 3 : unused) | static_cast<unsigned>(coding) << 2 |
                                             (used && mb.ref[list][i] == 0 ? first_ref : 0));
    const auto poc = static_cast<uint16_t>(used ? poc_of(params, picture) : 0);
    std::memcpy(to + pocs_at + i * 2, &poc, 2);
  }
}

}  // namespace softgen::media::avc
