// SPDX-License-Identifier: GPL-2.0-or-later
// The intra check. Samples around the macroblock come with the message; inner blocks are predicted from the source (chosen: nothing else is there).
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "hw/defs/messages/headers.h"
#include "hw/vme/messages.h"

namespace softgen::vme {
namespace {

enum IntraMode : uint8_t { vertical, horizontal, dc, plane };
constexpr unsigned left_flag = 0x20, above_flag = 0x10, above_left_flag = 0x04;  ///< of Request::neighbours (i965 vme8.inc)
constexpr unsigned luma_off = 2;

/// M5 and M6.
struct Payload {
  explicit Payload(const Message& message) {
    const auto byte = [&](unsigned reg, unsigned i) { return static_cast<uint8_t>(message.reg(reg).dw[i / 4] >> i % 4 * 8); };
    modes_off = byte(5, 4) & 15, type = byte(5, 5) & 3;
    corner = byte(5, 7);
    for (unsigned i = 0; i < block_size; ++i) above[i] = byte(5, 8 + i), left[i] = byte(6, i);
    for (unsigned i = 0; i < penalty.size(); ++i) penalty[i] = byte(6, 28 + i);
  }
  unsigned modes_off, type;
  uint8_t corner;
  std::array<uint8_t, block_size> above, left;
  std::array<uint8_t, 3> penalty;  ///< of modes that are not the predicted one: 16x16, 8x8, 4x4
};

/// A block's samples above and left of it.
struct Edge {
  bool has_above = false, has_left = false, has_corner = false;
  const uint8_t* above = nullptr;
  std::array<uint8_t, block_size> left;
  uint8_t corner = 0;
};

bool is_possible(IntraMode mode, const Edge& edge) {
  switch (mode) {
    case vertical: return edge.has_above;
    case horizontal: return edge.has_left;
    case plane: return edge.has_above && edge.has_left && edge.has_corner;
    default: return true;
  }
}

uint8_t mean_of(const Edge& edge, unsigned size) {
  unsigned sum = 0, count = 0;
  for (unsigned i = 0; i < size; ++i) {
    if (edge.has_above) sum += edge.above[i], ++count;
    if (edge.has_left) sum += edge.left[i], ++count;
  }
  return static_cast<uint8_t>(count ? (sum + count / 2) / count : 128);
}

/// H.264, 8.3.3.4; of 16x16 blocks.
void predict_plane(const Edge& edge, uint8_t* to) {
  const auto above = [&](int i) { return int{i < 0 ? edge.corner : edge.above[i]}; };
  const auto left = [&](int i) { return int{i < 0 ? edge.corner : edge.left[static_cast<size_t>(i)]}; };
  int h = 0, v = 0;
  for (int i = 0; i < 8; ++i) h += (i + 1) * (above(8 + i) - above(6 - i)), v += (i + 1) * (left(8 + i) - left(6 - i));
  const int a = 16 * (left(15) + above(15)), b = (5 * h + 32) >> 6, c = (5 * v + 32) >> 6;
  for (int y = 0; y < block_size; ++y)
    for (int x = 0; x < block_size; ++x) *to++ = static_cast<uint8_t>(std::clamp((a + b * (x - 7) + c * (y - 7) + 16) >> 5, 0, 255));
}

/// Into rows of 16 samples.
void predict(IntraMode mode, const Edge& edge, unsigned size, uint8_t* to) {
  if (mode == plane) return predict_plane(edge, to);
  const uint8_t mean = mode == dc ? mean_of(edge, size) : uint8_t{0};
  for (unsigned y = 0; y < size; ++y, to += block_size) {
    if (mode == vertical) std::memcpy(to, edge.above, size);
    else std::memset(to, mode == dc ? mean : edge.left[y], size);
  }
}

class IntraCheck {
 public:
  IntraCheck(const Request& request, const Payload& payload, const Block& source) : request_(request), payload_(payload), source_(source) {}

  struct Result {
    unsigned shape = 0;
    uint32_t cost = ~0u;
    std::array<uint8_t, sub_blocks> modes{};
  };
  Result best() const {
    Result best;
    for (unsigned shape = 0; shape < 3; ++shape) {
      if (request_.intra_off >> shape & 1) continue;
      const Result next = of_shape(shape);
      if (next.cost < best.cost) best = next;
    }
    return best;
  }

 private:
  Edge edge_of(unsigned x, unsigned y, unsigned size) const {
    Edge edge;
    const unsigned flags = request_.neighbours;
    edge.has_left = x || flags & left_flag, edge.has_above = y || flags & above_flag, edge.has_corner = flags & above_left_flag;
    edge.above = y ? &source_[(y - 1) * block_size + x] : &payload_.above[x];
    for (unsigned i = 0; i < size; ++i) edge.left[i] = x ? source_[(y + i) * block_size + x - 1] : payload_.left[y + i];
    edge.corner = payload_.corner;
    return edge;
  }

  /// Each block's best mode, among V, H, DC, and plane of 16x16.
  Result of_shape(unsigned shape) const {
    const unsigned size = block_size >> shape, step = 16u >> 2 * shape;  // 4x4 blocks of a block
    Result result{.shape = shape, .cost = request_.intra_cost(shape), .modes = {}};
    Block block = source_;
    for (unsigned first = 0; first < sub_blocks; first += step) {
      const unsigned x = column_of(first), y = row_of(first);
      const Edge edge = edge_of(x, y, size);
      uint32_t best = ~0u;
      IntraMode chosen = dc;
      for (const IntraMode mode : {dc, vertical, horizontal, plane}) {
        if (shape ? mode == plane : payload_.modes_off >> mode & 1) continue;
        if (!is_possible(mode, edge)) continue;
        predict(mode, edge, size, &block[y * block_size + x]);
        const Distortions parts = distortions(source_, block.data(), block_size, request_.intra);
        uint32_t cost = mode == dc ? 0 : payload_.penalty[shape];
        for (unsigned i = first; i < first + step; ++i) cost += parts[i];
        if (cost < best) best = cost, chosen = mode;
      }
      // All of the modes are off, or need samples that are not there.
      if (best == ~0u) return {.shape = shape, .cost = ~0u, .modes = {}};
      result.cost += best;
      std::fill_n(result.modes.begin() + first, step, chosen);
    }
    return result;
  }

  const Request& request_;
  const Payload& payload_;
  const Block& source_;
};

}  // namespace

void check(const Message& message, const Request& request, Pictures& pictures, const Block& source, ThreadEnv& env, Reply& reply) {
  const Payload payload(message);
  const uint32_t skip = request.skip ? check_skip(message, request, pictures, source, env, reply) : ~0u;
  reply.set_inter_cost(skip);
  reply.set_skip_distortion(skip);
  if (payload.type >= luma_off) return reply.set_no_intra();
  const IntraCheck::Result intra = IntraCheck(request, payload, source).best();
  if (intra.cost == ~0u) return reply.set_no_intra();
  reply.set_intra(intra.shape, intra.modes, intra.cost, request.neighbours);
  if (intra.cost < skip) reply.set_intra_is_best();
}

}  // namespace softgen::vme
