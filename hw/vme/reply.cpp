// SPDX-License-Identifier: GPL-2.0-or-later
// Fields: i965 (shaders/vme, what its kernels read); media-driver's and Intel's CM kernels (VME_GET_UNIOutput_*).
#include "hw/vme/reply.h"

#include <algorithm>

namespace softgen::vme {
namespace {

/// mb_type of table 7-14 of H.264 for B slices, which names partitions and directions.
uint32_t inter_type(const InterChoice& choice, bool as_backward) {
  constexpr uint32_t b8x8 = 22;
  const auto number = [&](unsigned block) {
    const Direction direction = choice.direction[block];
    return static_cast<unsigned>(as_backward && direction == Direction::forward ? Direction::backward : direction);
  };
  const unsigned first = number(0), second = number(3);
  if (choice.mode == Mode::b16x16) return 1 + first;
  if (choice.mode == Mode::b8x8) return b8x8;
  static constexpr uint8_t types[3][3] = {{4, 8, 12}, {10, 6, 14}, {16, 18, 20}};
  return types[first][second] + (choice.mode == Mode::b8x16);
}

/// The first 8x8 block of a partition.
unsigned first_of(Mode mode, unsigned part) { return mode == Mode::b16x8 ? part * 2 : part; }

}  // namespace

// Directions are by partition, of 16x16 in all places: so MbEnc's kernels of iHD and i965 take them for their reference indexes. A remapped type has its
// own name alone: FEI's kernels set directions and reference indexes themselves.
void Reply::set(const InterChoice& inter, const Request& request) {
  unsigned vectors = 0;
  for (unsigned part = 0; part < inter.partitions(); ++part) {
    vectors += inter.direction[first_of(inter.mode, part)] == Direction::both ? 2 : 1;
  }
  choice().set_inter_mode(static_cast<uint32_t>(inter.mode));
  choice().set_inter_type(inter_type(inter, request.as_backward));
  choice().set_vectors(vectors);
  set_inter_cost(inter.cost);
  uint32_t directions = 0;
  for (unsigned part = 0; part < inter.partitions(); ++part)
    directions |= static_cast<uint32_t>(inter.direction[first_of(inter.mode, part)]) << part * 2;
  if (inter.mode == Mode::b16x16) directions *= 0x55;
  choice().set_block_directions(directions);  // shapes are 0: blocks of 8x8 are whole
  for (unsigned i = 0; i < sub_blocks; ++i) {
    for (unsigned d = 0; d < 2; ++d) w_[1 + i / 4].dw[i % 4 * 2 + d] = dword_of(inter.vectors[d][i]);
    set_half(5, i, inter.parts[i]);
  }
  blocks().set_reference_ids(request.reference_ids);
}

void Reply::set_intra(unsigned shape, const std::array<uint8_t, sub_blocks>& modes, uint32_t cost, unsigned neighbours) {
  choice().set_intra_shape(shape);
  choice().set_intra_type(shape ? 0 : 1u + modes[0]);
  set_half(0, 6, cost);
  for (unsigned i = 0; i < sub_blocks; ++i) w_[0].dw[4 + i / 8] |= uint32_t{modes[i]} << i % 8 * 4;
  choice().set_intra_neighbours(neighbours >> 2);  // the mode of chroma, below them, is 0: DC
}

// The counts' places are those of Intel's CM kernels (Blk0LumaNZC, Blk0ChromaCbNZC), those of luma's sums what PREENC's kernel of iHD adds up (tests/run,
// test_video_fei.py); those of chroma's sums are chosen.
void Reply::set_coefficients(bool chroma, unsigned block, unsigned count, uint32_t sum) {
  switch (block + (chroma ? 4 : 0)) {
    case 0: blocks().set_coefficients_0(count); break;
    case 1: blocks().set_coefficients_1(count); break;
    case 2: blocks().set_coefficients_2(count); break;
    case 3: blocks().set_coefficients_3(count); break;
    case 4: blocks().set_coefficients_cb(count); break;
    default: blocks().set_coefficients_cr(count); break;
  }
  set_half(6, (chroma ? 10 : 4) + block, sum);
}

void Reply::set_intra_is_best() { choice().set_intra(1); }

void Reply::set_half(unsigned reg, unsigned index, uint32_t value) {
  const unsigned shift = index % 2 * 16;
  uint32_t& dword = w_[reg].dw[index / 2];
  dword = (dword & ~(0xffffu << shift)) | std::min(value, 0xffffu) << shift;
}

void Reply::write(std::span<Grf> response) const {
  std::fill(response.begin(), response.end(), Grf{});
  std::copy_n(w_.begin(), std::min(response.size(), w_.size()), response.begin());
}

}  // namespace softgen::vme
