// SPDX-License-Identifier: GPL-2.0-or-later
// The media pipeline: root threads of MEDIA_OBJECT and its relatives. They run one after the other in the order of the commands, so that
// whatever a scoreboard would make them wait for has happened.
#pragma once

#include <cstdint>
#include <span>

#include "hw/gpgpu/walker.h"

namespace softgen::gpgpu {

class MediaThreads {
 public:
  MediaThreads(Kernel kernel, MessageTarget& shared, EngineEnv& env) : kernel_(std::move(kernel)), shared_(shared), env_(env) {}

  /// Data after the constants of every thread: inline data, then indirect data.
  void set_data(std::span<const uint32_t> inline_data, uint64_t indirect_offset, uint32_t indirect_bytes);
  ExecResult run(Worker& worker, const MediaPosition& position);

 private:
  Kernel kernel_;
  MessageTarget& shared_;
  EngineEnv& env_;
  std::vector<Grf> inline_, indirect_;
};

/// The positions of MEDIA_OBJECT_WALKER in order (SKL PRM vol 7, "Walker Algorithm").
class MediaWalk {
 public:
  explicit MediaWalk(const MediaWalkCommand& command) : c_(command) {}
  /// visit(position) for each after the first `visited`, until it returns something else than done. A pause ends it between two of them, after
  /// one at least: preempted, and `visited` is where to resume. Polls `stop` in long runs without a visit.
  template <typename Visit>
  ExecResult run(const StopFlag& stop, uint64_t& visited, Visit&& visit) const;

 private:
  struct Point {
    int32_t x, y;
    Point operator+(const Point& o) const { return {x + o.x, y + o.y}; }
  };
  static bool inside(const Point& p, const Point& size) { return p.x >= 0 && p.y >= 0 && p.x < size.x && p.y < size.y; }
  /// Whether steps of `unit` from `p` on can meet the rectangle again.
  static bool ahead(const Point& p, const Point& unit, const Point& size) {
    const auto axis = [](int32_t at, int32_t step, int32_t n) { return step > 0 ? at < n : step < 0 ? at >= 0 : at >= 0 && at < n; };
    return axis(p.x, unit.x, size.x) && axis(p.y, unit.y, size.y);
  }
  /// first, first + unit, … while they are or come inside; body(point) for those inside. A unit of zero: once.
  template <typename Body>
  static ExecResult line(const StopFlag& stop, Point first, const Point& unit, const Point& size, Body&& body) {
    for (Point p = first; ahead(p, unit, size); p = p + unit) {
      if (stop.aborting()) return ExecResult::aborted;
      if (inside(p, size))
        if (const ExecResult result = body(p); result != ExecResult::done) return result;
      if (unit.x == 0 && unit.y == 0) break;
    }
    return ExecResult::done;
  }

  const MediaWalkCommand& c_;
};

template <typename Visit>
ExecResult MediaWalk::run(const StopFlag& stop, uint64_t& visited, Visit&& visit) const {
  uint64_t number = 0;
  const uint64_t first = visited;
  const auto next = [&](const MediaPosition& position) {
    if (number++ < first) return ExecResult::done;
    if (visited > first && (stop.reasons() & StopFlag::pause)) return ExecResult::preempted;
    const ExecResult result = visit(position);
    if (result == ExecResult::done) visited = number;
    return result;
  };
  const Point block{static_cast<int32_t>(c_.block_resolution_x), static_cast<int32_t>(c_.block_resolution_y)};
  const Point global{static_cast<int32_t>(c_.global_resolution_x), static_cast<int32_t>(c_.global_resolution_y)};
  const auto local_line = [&](const Point& origin, const Point& start) {
    const Point unit{c_.local_steps.inner_x, c_.local_steps.inner_y};
    return line(stop, start, unit, block, [&](const Point& p) {
      const Point at = origin + p;
      if (!inside(at, global)) return ExecResult::done;
      for (uint32_t color = 0; color <= c_.color_count_minus_one; ++color)
        if (const ExecResult result = next(MediaPosition{static_cast<uint32_t>(at.x), static_cast<uint32_t>(at.y), color});
            result != ExecResult::done)
          return result;
      return ExecResult::done;
    });
  };
  const auto local = [&](const Point& origin) {
    Point outer{static_cast<int32_t>(c_.local_start_x), static_cast<int32_t>(c_.local_start_y)};
    for (uint32_t i = 0; i <= c_.local_loop_exec_count; ++i) {
      Point middle = outer;
      for (uint32_t k = 0; k <= c_.middle_loop_extra_steps; ++k) {
        if (const ExecResult result = local_line(origin, middle); result != ExecResult::done) return result;
        middle = middle + Point{c_.mid_loop_unit_x, c_.local_mid_loop_unit_y};
      }
      outer = outer + Point{c_.local_steps.outer_x, c_.local_steps.outer_y};
      if (stop.aborting()) return ExecResult::aborted;
    }
    return ExecResult::done;
  };
  Point outer{c_.global_start_x, c_.global_start_y};
  for (uint32_t i = 0; i <= c_.global_loop_exec_count; ++i) {
    const Point unit{c_.global_steps.inner_x, c_.global_steps.inner_y};
    if (const ExecResult result = line(stop, outer, unit, global, local); result != ExecResult::done) return result;
    outer = outer + Point{c_.global_steps.outer_x, c_.global_steps.outer_y};
  }
  return ExecResult::done;
}

}  // namespace softgen::gpgpu
