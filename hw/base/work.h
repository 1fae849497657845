// SPDX-License-Identifier: GPL-2.0-or-later
// What was done, for --stats and the device's report: counted by the thread that does it, without a lock, process-wide.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace softgen {

enum class Work : uint8_t {
  draws, walkers, blits,
  vertices,    ///< fetched or taken from those fetched before, as IA_VERTICES_COUNT counts, but of all draws
  primitives,  ///< that the clipper passed on
  pixels,      ///< pixels or samples shaded
  threads,     ///< EU threads started
  last = threads
};
/// Wall time of an engine's thread in a stage. Pixels: the stage's workers included, as long as the engine waits for them.
enum class TimedStage : uint8_t { geometry, setup, pixels, compute, blit, last = blit };

struct WorkCounts {
  static constexpr size_t sfids = 16, types = 32;
  std::array<uint64_t, static_cast<size_t>(Work::last) + 1> done{};
  std::array<uint64_t, static_cast<size_t>(TimedStage::last) + 1> nanoseconds{};
  std::array<std::array<uint64_t, types>, sfids> messages{};  ///< by shared function and eu::message_type()

  uint64_t of(Work work) const { return done[static_cast<size_t>(work)]; }
  uint64_t of(TimedStage stage) const { return nanoseconds[static_cast<size_t>(stage)]; }
};

/// All threads' counts since the process began. Exact when nobody works, else of about now.
WorkCounts work_counts();
/// What was done from `before` to `after`.
WorkCounts work_between(const WorkCounts& before, const WorkCounts& after);

void count_work(Work work, uint64_t n);
void count_message(unsigned sfid, unsigned type, uint64_t n = 1);
void count_time(TimedStage stage, std::chrono::steady_clock::duration time);

/// Counts the time it lives.
class StageClock {
 public:
  explicit StageClock(TimedStage stage) : stage_(stage), start_(std::chrono::steady_clock::now()) {}
  ~StageClock() { count_time(stage_, std::chrono::steady_clock::now() - start_); }
  StageClock(const StageClock&) = delete;
  StageClock& operator=(const StageClock&) = delete;

 private:
  const TimedStage stage_;
  const std::chrono::steady_clock::time_point start_;
};

}  // namespace softgen
