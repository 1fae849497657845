// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp9_encode/mode_writer.h"

#include <algorithm>

namespace softgen::media::vp9 {
namespace {

/// Of a block below 8x8, by quarter: which of its parts it is in.
unsigned part_of(const BlockInfo& block, unsigned quarter) {
  const bool wide = width4_log2[block.size] != 0, high = height4_log2[block.size] != 0;
  return wide ? quarter / 2 : high ? quarter % 2 : quarter;
}

}  // namespace

void ModeWriter::choose(BlockInfo& block, const UnitRecord& unit, unsigned which) {
  const UnitPart& part = unit.parts[which];
  block.segment = segment(block, part);
  const bool wants_inter = has_reference(block) ? segment_of(block).reference != intra_frame : part.reference[0] != intra_frame;
  const bool can_choose = frame_.header.tx_mode == tx_select && block.size >= block_8x8;
  block.tx_size = static_cast<uint8_t>(can_choose ? std::min<unsigned>(part.tx_size, max_tx_size[block.size]) : implied_tx_size(block));
  if (wants_inter && !frame_.picture.is_intra()) choose_inter(block, unit, which);
  else choose_intra(block, unit, which);
}

bool ModeWriter::must_be_whole(uint32_t row, uint32_t column, const UnitRecord& unit) {
  if (frame_.picture.is_intra()) return false;
  BlockInfo& block = begin_block(row, column, block_8x8);
  block.segment = segment(block, unit.parts[0]);
  return skips(block);
}

uint8_t ModeWriter::segment(const BlockInfo& block, const UnitPart& part) const {
  const Segmentation& segmentation = frame_.picture.segmentation;
  if (!segmentation.enabled) return 0;
  if (segmentation.update_map) return part.segment & 7;
  return frame_.picture.is_intra() ? uint8_t{0} : predicted_segment(block);
}

void ModeWriter::choose_intra(BlockInfo& block, const UnitRecord& unit, unsigned which) {
  const auto legal = [](uint8_t mode) { return mode <= tm_pred ? mode : uint8_t{dc_pred}; };
  block.reference = {intra_frame, no_reference};
  for (unsigned i = 0; i < 4; ++i) block.sub_modes[i] = legal(unit.modes[block.size < block_8x8 ? part_of(block, i) : which]);
  block.mode = block.sub_modes[3];
  block.uv_mode = legal(unit.parts[which].uv_mode);
}

void ModeWriter::choose_inter(BlockInfo& block, const UnitRecord& unit, unsigned which) {
  const UnitPart& part = unit.parts[which];
  const std::array<unsigned, 2> list = choose_references(block, part);
  block.filter = frame_.picture.filter == filter_switchable ? std::min<uint8_t>(part.filter, filter_sharp) : frame_.picture.filter;
  const auto wanted = [&](unsigned i) { return std::array{unit.mv[i][list[0]], unit.mv[i][list[1]]}; };
  if (skips(block)) {
    block.mode = zero_mv;
    return;
  }
  if (block.size >= block_8x8) return choose_motion(block, wanted(which));
  Mv best[2];
  for (unsigned i = 0; i < 1u + block.is_compound(); ++i) {
    Mv found[2];
    find_motion(block, block.reference[i], -1, found);
    best[i] = lowered(found[0]);
  }
  for (unsigned quarter = 0; quarter < 4; ++quarter) {
    const unsigned of = part_of(block, quarter), wide = width4_log2[block.size], high = height4_log2[block.size];
    const unsigned first = (high ? 0 : quarter & 2) | (wide ? 0 : quarter & 1);
    if (first == quarter) choose_quarter(block, quarter, wanted(of), best);
    else block.mv[quarter] = block.mv[first], block.sub_modes[quarter] = block.sub_modes[first];
  }
  block.mode = block.sub_modes[3];
}

std::array<unsigned, 2> ModeWriter::choose_references(BlockInfo& block, const UnitPart& part) const {
  const auto legal = [](uint8_t reference) {
    return static_cast<int8_t>(reference >= last_frame && reference <= altref_frame ? reference : uint8_t{last_frame});
  };
  const int8_t first = legal(part.reference[0]);
  block.reference = {first, no_reference};
  if (has_reference(block)) {
    block.reference[0] = segment_of(block).reference;
    return {0, 1};
  }
  const ReferenceMode mode = frame_.header.reference_mode;
  const bool wants = part.compound && part.reference[1] != intra_frame;
  if (mode == single_reference || (mode == reference_select && !wants)) return {0, 1};
  const int8_t second = legal(part.reference[1]);
  const Reference fixed = frame_.fixed_reference, *const variable = frame_.variable_reference;
  const bool is_fixed_first = first == fixed;
  const int8_t other = is_fixed_first ? second : first;
  const bool is_pair = (is_fixed_first || second == fixed) && other != fixed;
  if (!is_pair && mode == reference_select) return {0, 1};
  const unsigned at = frame_.picture.sign_bias[static_cast<size_t>(fixed)];
  block.reference[at] = fixed, block.reference[!at] = is_pair ? other : static_cast<int8_t>(variable[0]);
  std::array<unsigned, 2> list{};
  list[at] = is_pair && !is_fixed_first, list[!at] = is_pair && is_fixed_first;
  return list;
}

void ModeWriter::choose_motion(BlockInfo& block, const std::array<Mv, 2>& wanted) const {
  const unsigned count = 1u + block.is_compound();
  Mv best[2], near[2];
  for (unsigned i = 0; i < count; ++i) {
    Mv found[2];
    find_motion(block, block.reference[i], -1, found);
    best[i] = lowered(found[0]), near[i] = lowered(found[1]);
  }
  block.mode = mode_for(wanted, best, best, near, count, block.mv[3]);
  for (unsigned quarter = 0; quarter < 3; ++quarter) block.mv[quarter] = block.mv[3];
}

void ModeWriter::choose_quarter(BlockInfo& block, unsigned quarter, const std::array<Mv, 2>& wanted, const Mv (&best)[2]) const {
  const unsigned count = 1u + block.is_compound();
  Mv nearest[2], near[2];
  for (unsigned i = 0; i < count; ++i) near_of_quarter(block, quarter, i, nearest[i], near[i]);
  block.sub_modes[quarter] = mode_for(wanted, best, nearest, near, count, block.mv[quarter]);
}

uint8_t ModeWriter::mode_for(const std::array<Mv, 2>& wanted, const Mv (&best)[2], const Mv (&nearest)[2], const Mv (&near)[2],
                             unsigned count, std::array<Mv, 2>& vectors) const {
  for (unsigned i = 0; i < count; ++i) vectors[i] = codable(wanted[i], best[i]);
  const auto is = [&](const Mv* others) { return std::equal(others, others + count, vectors.begin()); };
  static constexpr Mv zeros[2] = {};
  if (is(zeros)) return zero_mv;
  if (is(nearest)) return nearest_mv;
  return is(near) ? near_mv : new_mv;
}

Mv ModeWriter::codable(Mv wanted, Mv best) const {
  constexpr int max = (1 << 14) - 2;  // vectors and differences stay below 2048 samples (libvpx, is_mv_valid())
  const bool eighths = has_eighths(best);
  const auto component = [&](int value, int from) {
    int difference = std::clamp(std::clamp(value, -max, max) - from, -max, max);
    if (!eighths) difference -= difference % 2;
    return static_cast<int16_t>(from + difference);
  };
  return {component(wanted.row, best.row), component(wanted.column, best.column)};
}

}  // namespace softgen::media::vp9
