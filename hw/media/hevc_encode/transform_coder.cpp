// SPDX-License-Identifier: GPL-2.0-or-later
// A coding unit's transform tree: intra prediction, levels and reconstruction, block by block.
#include <algorithm>

#include "hw/media/hevc/residual_syntax.h"
#include "hw/media/hevc_encode/slice_encoder.h"

namespace softgen::media::hevc {
namespace {

constexpr unsigned cells_of(unsigned log2) { return 1u << (2 * log2 - 4); }

/// Which of a record's transform units has a 4x4 block; none: they end before it.
std::optional<unsigned> unit_at(const UnitRecord& record, unsigned offset) {
  unsigned end = 0;
  for (unsigned i = 0; i < record.transform_units; ++i) {
    end += cells_of(record.transform_log2[i]);
    if (offset < end) return i;
  }
  return std::nullopt;
}

/// As a decoder has them from the levels.
void scale_levels(const PictureParameters& picture, const TransformBlock& block, std::span<const int16_t> levels, Coefficients& to) {
  const unsigned size = 1u << block.log2;
  const Scaling scaling(picture, block, to.skip_transform);
  unsigned columns = 0, rows = 0;
  for (unsigned i = 0; i < size * size; ++i) {
    const unsigned x = i & (size - 1), y = i >> block.log2;
    to.values[i] = !levels[i] || block.bypass ? levels[i] : scaling.apply(levels[i], x, y);
    if (!levels[i]) continue;
    columns = std::max(columns, x + 1), rows = std::max(rows, y + 1);
  }
  to.dc_only = columns == 1 && rows == 1;
  to.columns = static_cast<uint8_t>((columns + 3) & ~3u), to.rows = static_cast<uint8_t>((rows + 3) & ~3u);
}

}  // namespace

std::array<bool, 3> SliceEncoder::code_tree(const CodingUnit& unit, const UnitRecord& record, const TransformNode& node, unsigned offset) {
  const std::optional<unsigned> recorded = unit_at(record, offset);
  const bool wants_split = recorded && record.transform_log2[*recorded] < node.log2;
  const size_t index = nodes_.size();
  nodes_.emplace_back();
  if (!inferred_split(unit, node).value_or(wants_split)) {
    std::array<bool, 3> skips{};
    for (unsigned component = 0; component < 3 && recorded; ++component)
      skips[component] = record.transform_skip[component] >> *recorded & 1;
    nodes_[index] = code_leaf(unit, node, skips);
    return nodes_[index].coded;
  }
  std::array<bool, 3> coded{};
  for (unsigned i = 0; i < 4; ++i) {
    const std::array<bool, 3> part = code_tree(unit, record, node.child(i), offset + i * cells_of(node.log2 - 1));
    for (unsigned component = 0; component < 3; ++component) coded[component] |= part[component];
  }
  nodes_[index].splits = true, nodes_[index].coded = coded;
  return coded;
}

SliceEncoder::CodedNode SliceEncoder::code_leaf(const CodingUnit& unit, const TransformNode& node, const std::array<bool, 3>& skips) {
  CodedNode coded{.skip_transform = skips};
  coded.coded[0] = code_block(unit, 0, node.x, node.y, node.log2, unit.luma_modes[part_of(unit, node)], coded);
  begin_leaf(node, coded.coded[0]);
  if (!node.has_chroma()) return coded;
  for (unsigned component = 1; component < 3; ++component)
    coded.coded[component] = code_block(unit, component, node.chroma_x(), node.chroma_y(), node.chroma_log2(), unit.chroma_mode, coded);
  return coded;
}

/// (x, y): luma samples; `log2`: of the component's block. False: all levels are 0.
bool SliceEncoder::code_block(const CodingUnit& unit, unsigned component, int x, int y, unsigned log2, unsigned mode, CodedNode& to) {
  const unsigned shift = component ? 1 : 0, bits = picture().bits(component);
  const int at_x = x >> shift, at_y = y >> shift;
  if (unit.is_intra) input_.samples->predict_intra(component, at_x, at_y, log2, mode, presence_of(x, y, 1 << (log2 + shift)));
  const TransformBlock block = transform_block(unit, component, log2, mode);
  const size_t first = levels_.size();
  levels_.resize(first + (size_t{1} << 2 * log2));
  const Levels levels = std::span(levels_).subspan(first);
  input_.samples->read(component, at_x, at_y, log2, levels.data());
  input_.source->subtract(component, at_x, at_y, log2, levels.data());
  bool& skip = to.skip_transform[component];
  skip &= picture().transform_skip && !block.bypass && log2 == 2;
  bool any = false;
  if (block.bypass) {
    any = std::any_of(levels.begin(), levels.end(), [](int16_t level) { return level != 0; });
  } else {
    forward_transform(block, skip, bits, levels);
    any = quantize(*input_.quantizer, block, bits, picture().sign_hiding, levels);
  }
  if (!any) {
    levels_.resize(first);
    return false;
  }
  to.levels[component] = static_cast<uint32_t>(first);
  coefficients_.skip_transform = skip;
  scale_levels(picture(), block, levels, coefficients_);
  input_.samples->add_residuals(block, at_x, at_y, block.is_sine(), coefficients_);
  return true;
}

}  // namespace softgen::media::hevc
