// SPDX-License-Identifier: GPL-2.0-or-later
// Integer search. A window is divided into search units of 4x4 vectors. Units of the payload's path come first, those outside of the window are left out.
// Then, with adaptive search, units by their distance from the best one so far (chosen: no public source has the order).
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <vector>

#include "hw/base/log.h"
#include "hw/vme/messages.h"

namespace softgen::vme {
namespace {

constexpr int unit = 4, max_units_across = (max_window - block_size) / unit;
constexpr unsigned shapes = 9, dual_reference = 7, first_record = 6;

/// Partitions by number: 16x16, 16x8, 8x16, 8x8.
constexpr struct {
  Mode mode;
  uint8_t part;
} partitions[shapes] = {{Mode::b16x16, 0}, {Mode::b16x8, 0}, {Mode::b16x8, 1}, {Mode::b8x16, 0}, {Mode::b8x16, 1},
                        {Mode::b8x8, 0},   {Mode::b8x8, 1},  {Mode::b8x8, 2},  {Mode::b8x8, 3}};

/// The best vector of a partition.
struct Best {
  uint32_t cost = 0xffff;
  Vector vector;
};
using Record = std::array<Best, shapes>;

/// Of Partitions Off.
constexpr unsigned off_bit(Mode mode) { return static_cast<unsigned>(mode); }
bool is_set(uint32_t set, unsigned bit) { return set >> bit & 1; }

class Window {
 public:
  /// `all`: partitions that are off get a vector, too.
  Window(const Request& request, const Block& source, unsigned direction, bool all)
      : request_(request),
        source_(source),
        direction_(direction),
        across_((request.window_width - block_size) / unit),
        down_((request.window_height - block_size) / unit) {
    for (unsigned i = 0; i < shapes; ++i)
      if (!i || all || !is_set(request.partitions_off, off_bit(partitions[i].mode))) wanted_[count_++] = static_cast<uint8_t>(i);
  }

  void load(const Surface& reference, memory::View& view) {
    const Vector corner = request_.window[direction_];
    reference.fetch(view, request_.source_x + corner.x, request_.source_y + corner.y, static_cast<unsigned>(request_.window_width),
                    static_cast<unsigned>(request_.window_height), samples_.data(), max_window);
  }

  Record& record() { return record_; }

  /// `path`: a byte for each step, Y and X with signs.
  void run(std::span<const uint8_t> path) {
    Vector at = request_.start[direction_ && request_.search_control == dual_reference];
    for (unsigned i = 0; i < request_.path_length && left(); ++i) {
      if (is_inside(at)) visit(at);
      if (i >= path.size()) break;
      at.x += static_cast<int8_t>(path[i] << 4) >> 4, at.y += static_cast<int8_t>(path[i] & 0xf0) >> 4;
      at.x &= 15, at.y &= 15;
    }
    if (!request_.adaptive) return;
    visit_zero();
    while (left() && visit_nearest()) {}
  }

 private:
  bool is_inside(Vector at) const { return at.x >= 0 && at.y >= 0 && at.x < across_ && at.y < down_; }
  bool left() const { return visits_ < request_.max_units; }
  bool& done(Vector at) { return done_[static_cast<size_t>(at.y * max_units_across + at.x)]; }

  /// The unit of the vector 0, where there is one.
  void visit_zero() {
    const Vector corner = request_.window[direction_], at{-corner.x >> 2, -corner.y >> 2};
    if (left() && is_inside(at)) visit(at);
  }

  bool visit_nearest() {
    const Vector corner = request_.window[direction_];
    const Vector best{(record_[0].vector.x / 4 - corner.x) / unit, (record_[0].vector.y / 4 - corner.y) / unit};
    Vector nearest;
    int distance = 1 << 20;
    for (int y = 0; y < down_; ++y)
      for (int x = 0; x < across_; ++x) {
        const int away = (x - best.x) * (x - best.x) + (y - best.y) * (y - best.y);
        if (away < distance && !done({x, y})) distance = away, nearest = {x, y};
      }
    if (distance == 1 << 20) return false;
    visit(nearest);
    return true;
  }

  void visit(Vector at) {
    if (done(at)) return;
    done(at) = true;
    ++visits_;
    for (int y = at.y * unit; y < (at.y + 1) * unit; ++y)
      for (int x = at.x * unit; x < (at.x + 1) * unit; ++x) compare(x, y);
  }

  void compare(int x, int y) {
    const Vector corner = request_.window[direction_], vector{(corner.x + x) * 4, (corner.y + y) * 4};
    const uint8_t* const at = &samples_[static_cast<size_t>(y * max_window + x)];
    const auto upper = differences(source_, at, max_window, 0);
    if (count_ == 1 && upper[0] + upper[1] >= record_[0].cost) return;
    const auto lower = differences(source_, at, max_window, 1);
    const std::array<uint32_t, 4> sums{upper[0], upper[1], lower[0], lower[1]};
    for (unsigned n = 0; n < count_; ++n) {
      const unsigned i = wanted_[n];
      uint32_t cost = 0;
      const unsigned blocks = blocks_of(partitions[i].mode, partitions[i].part);
      for (unsigned block = 0; block < 4; ++block)
        if (is_set(blocks, block)) cost += sums[block];
      if (cost >= record_[i].cost) continue;
      cost += request_.vector_cost(static_cast<unsigned>(std::countr_zero(blocks)), direction_, vector);
      if (cost < record_[i].cost) record_[i] = {cost, vector};
    }
  }

  const Request& request_;
  const Block& source_;
  const unsigned direction_;
  const int across_, down_;
  std::array<uint8_t, max_window * max_window> samples_;
  std::array<bool, max_units_across * max_units_across> done_{};
  unsigned visits_ = 0;
  std::array<uint8_t, shapes> wanted_{};
  unsigned count_ = 0;
  Record record_{};
};

// Records of streams: distortions of 16x8, 8x16, 8x8 and 16x16, then the last's vector; vectors of the others in the next register.
constexpr unsigned whole_cost = 8, whole_vector = 5;

void write_record(const Record& record, unsigned reg, Reply& reply) {
  for (unsigned i = 1; i < shapes; ++i) {
    reply.set_half(reg, i - 1, record[i].cost);
    reply.set_dword(reg + 1, i - 1, dword_of(record[i].vector));
  }
  reply.set_half(reg, whole_cost, record[0].cost);
  reply.set_dword(reg, whole_vector, dword_of(record[0].vector));
}

Record read_record(const Grf& costs, const Grf& vectors) {
  const auto half = [&](unsigned i) { return costs.dw[i / 2] >> i % 2 * 16 & 0xffff; };
  Record record;
  record[0] = {half(whole_cost), vector_of(costs.dw[whole_vector])};
  for (unsigned i = 1; i < shapes; ++i) record[i] = {half(i - 1), vector_of(vectors.dw[i - 1])};
  return record;
}

/// A mode with the best partitions of either record, and its cost.
InterChoice choice_of(Mode mode, const Request& request, const std::array<const Record*, 2>& records) {
  InterChoice choice{.mode = mode, .cost = request.mode_cost(mode)};
  for (unsigned i = 0; i < shapes; ++i) {
    if (partitions[i].mode != mode) continue;
    Best best = (*records[0])[i];
    bool backward = false;
    if (records[1]) {
      Best other = (*records[1])[i];
      other.cost += request.backward_cost();
      if (other.cost < best.cost) best = other, backward = true;
    }
    choice.cost += best.cost;
    const unsigned blocks = blocks_of(mode, partitions[i].part);
    for (unsigned block = 0; block < 4; ++block) {
      if (!is_set(blocks, block)) continue;
      choice.direction[block] = backward ? Direction::backward : Direction::forward;
      for (unsigned sub = 0; sub < 4; ++sub) {
        choice.vectors[backward][block * 4 + sub] = best.vector;
        choice.parts[block * 4 + sub] = best.cost / (4 * static_cast<unsigned>(std::popcount(blocks)));
      }
    }
  }
  return choice;
}

InterChoice best_choice(const Request& request, const std::array<const Record*, 2>& records) {
  InterChoice best;
  best.cost = ~0u;
  for (const Mode mode : {Mode::b16x16, Mode::b16x8, Mode::b8x16, Mode::b8x8}) {
    if (is_set(request.partitions_off, off_bit(mode))) continue;
    const InterChoice choice = choice_of(mode, request, records);
    if (mode != Mode::b16x16 && choice.partitions() > request.max_vectors) continue;
    if (choice.cost < best.cost) best = choice;
  }
  return best.cost == ~0u ? choice_of(Mode::b16x16, request, records) : best;
}

}  // namespace

void search(const Message& message, const Request& request, Pictures& pictures, const Block& source, ThreadEnv& env, Reply& reply) {
  const unsigned directions = request.search_control == dual_reference ? 2 : 1;
  std::array<uint8_t, 2 * sizeof(Grf)> path;
  for (unsigned i = 0; i < path.size(); ++i)
    path[i] = static_cast<uint8_t>(message.reg(4 + i / sizeof(Grf)).dw[i % sizeof(Grf) / 4] >> i % 4 * 8);
  std::array<Record, 2> records;
  std::array<const Record*, 2> used{};
  for (unsigned d = 0; d < directions; ++d) {
    const Surface& reference = pictures.reference(d);
    if (!reference.is_there()) {
      guest_error("VME search", "no reference");
      continue;
    }
    Window window(request, source, d, message.op.streams != 0);
    if (message.op.streams & 2) window.record() = read_record(message.reg(first_record + d * 2), message.reg(first_record + 1 + d * 2));
    window.load(reference, env.view);
    window.run(path);
    records[d] = window.record();
    used[d] = &records[d];
    if (message.op.streams & 1) write_record(records[d], 7 + d * 2, reply);
  }
  if (!used[0]) used[0] = &records[0];
  reply.set(best_choice(request, used), request);
}

}  // namespace softgen::vme
