// SPDX-License-Identifier: GPL-2.0-or-later
// Fractional and bidirectional refinement: the partitions of the payload, around their vectors, in halves and then quarters.
#include <algorithm>
#include <bit>

#include "hw/base/log.h"
#include "hw/defs/messages/headers.h"
#include "hw/vme/messages.h"

namespace softgen::vme {
namespace {

/// Samples around a 16x16 block: what two steps (half, quarter) and six taps reach.
constexpr int reach = 4;
constexpr unsigned area = block_size + 2 * reach;

class Area {
 public:
  /// Around a vector's whole part.
  void load(const Surface& reference, memory::View& view, const Request& request, Vector vector) {
    x_ = vector.x >> 2, y_ = vector.y >> 2;
    reference.fetch(view, request.source_x + x_ - reach, request.source_y + y_ - reach, area, area, samples_.data(), area);
  }
  /// The whole block at a vector, which is less than two samples away.
  void predict(Vector vector, bool bilinear, Block& to) const {
    const int x = (vector.x >> 2) - x_ + reach, y = (vector.y >> 2) - y_ + reach;
    interpolate(&samples_[static_cast<size_t>(y) * area + static_cast<size_t>(x)], area, vector, bilinear, block_size, block_size,
                to.data());
  }

 private:
  int x_ = 0, y_ = 0;
  std::array<uint8_t, area * area> samples_;
};

uint32_t sum_of(const Distortions& parts, unsigned blocks) {
  uint32_t sum = 0;
  for (unsigned i = 0; i < sub_blocks; ++i)
    if (blocks >> i / 4 & 1) sum += parts[i];
  return sum;
}

/// What one partition has come to with a direction.
struct Refined {
  Vector vector;
  uint32_t cost = ~0u;
  Distortions parts{};
  Block block;
};

class Refiner {
 public:
  Refiner(const Request& request, const Block& source, ThreadEnv& env) : request_(request), source_(source), env_(env) {}

  Refined refine(const Surface& reference, unsigned blocks, unsigned direction, Vector start) {
    Area around;
    around.load(reference, env_.view, request_, start);
    Refined best;
    const auto consider = [&](Vector vector) {
      Refined next{.vector = vector};
      around.predict(vector, request_.bilinear, next.block);
      next.parts = distortions(source_, next.block.data(), block_size, request_.inter);
      next.cost = sum_of(next.parts, blocks) + request_.vector_cost(static_cast<unsigned>(std::countr_zero(blocks)), direction, vector);
      if (next.cost < best.cost) best = next;
    };
    consider(start);
    const int finest = request_.precision == Precision::quarter ? 1 : 2;
    for (int step = 2; step >= finest && request_.precision != Precision::whole; --step) {
      const Vector center = best.vector;
      for (int dy = -step; dy <= step; dy += step)
        for (int dx = -step; dx <= step; dx += step)
          if (dx || dy) consider({center.x + dx, center.y + dy});
    }
    return best;
  }

  /// The mean of both by the message's weight, 64 being all of the backward one.
  Distortions average(const Refined& forward, const Refined& backward) const {
    constexpr unsigned all = 64;
    const unsigned weight = request_.backward_weight;
    Block mean;
    for (size_t i = 0; i < mean.size(); ++i)
      mean[i] = static_cast<uint8_t>((forward.block[i] * (all - weight) + backward.block[i] * weight + all / 2) / all);
    return distortions(source_, mean.data(), block_size, request_.inter);
  }

 private:
  const Request& request_;
  const Block& source_;
  ThreadEnv& env_;
};

}  // namespace

void refine(const Message& message, const Request& request, Pictures& pictures, const Block& source, ThreadEnv& env, Reply& reply) {
  const message_header::VmeCosts asked{message.reg(2).dw};
  InterChoice choice{.mode = static_cast<Mode>(asked.macroblock_mode())};
  if (asked.block_shapes() && choice.mode == Mode::b8x8) unimplemented("VME refinement of blocks below 8x8");
  choice.cost = request.mode_cost(choice.mode);
  Refiner refiner(request, source, env);
  for (unsigned part = 0; part < choice.partitions(); ++part) {
    const unsigned blocks = blocks_of(choice.mode, part), first = static_cast<unsigned>(std::countr_zero(blocks));
    const unsigned direction = asked.block_directions() >> part * 2 & 3;
    const bool tries_both = request.bidirectional || direction >= 2;
    std::array<Refined, 2> found;
    for (unsigned d = 0; d < 2; ++d) {
      if (d != direction && !tries_both) continue;
      const Surface& reference = pictures.reference(d);
      if (!reference.is_there()) continue;
      found[d] = refiner.refine(reference, blocks, d, vector_of(message.reg(4 + first).dw[d]));
      if (d) found[d].cost += request.backward_cost();
    }
    const bool backward = found[1].cost < found[0].cost;
    const Refined* best = &found[backward];
    if (best->cost == ~0u) {
      guest_error("VME refinement", "no reference");
      continue;
    }
    Direction chosen = backward ? Direction::backward : Direction::forward;
    Distortions parts = best->parts;
    uint32_t cost = best->cost;
    if (tries_both && found[0].cost != ~0u && found[1].cost != ~0u) {
      const Distortions mean = refiner.average(found[0], found[1]);
      // The costs of both directions' vectors.
      const uint32_t vectors = found[0].cost - sum_of(found[0].parts, blocks) + found[1].cost - sum_of(found[1].parts, blocks);
      const uint32_t both = sum_of(mean, blocks) + vectors;
      if (both < cost) chosen = Direction::both, parts = mean, cost = both;
    }
    choice.cost += cost;
    for (unsigned i = 0; i < sub_blocks; ++i) {
      if (!(blocks >> i / 4 & 1)) continue;
      choice.direction[i / 4] = chosen, choice.parts[i] = parts[i];
      for (unsigned d = 0; d < 2; ++d)
        if (chosen == Direction::both || static_cast<unsigned>(chosen) == d) choice.vectors[d][i] = found[d].vector;
    }
  }
  reply.set(choice, request);
}

}  // namespace softgen::vme
