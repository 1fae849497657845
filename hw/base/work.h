// SPDX-License-Identifier: GPL-2.0-or-later
// What was done, for --stats and the device's report: counted by the thread that does it, without a lock, process-wide.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace softgen {

enum class Work : uint8_t {
  draws,
  walkers,
  blits,
  vertices,          ///< fetched or taken from those fetched before, as IA_VERTICES_COUNT counts, but of all draws
  primitives,        ///< that the clipper passed on
  pixels,            ///< pixels or samples shaded
  threads,           ///< EU threads started
  objects_recorded,  ///< by the position-only pipe
  objects_culled,    ///< of them, those that no tile pass sees
  objects_skipped,   ///< by the render pipe, as a record says
  // Events of the observation counters (hw/oa), in the counters' units.
  vs_threads,
  hs_threads,
  ds_threads,
  cs_threads,  ///< of GPGPU_WALKER and media objects
  gs_threads,
  ps_threads,
  samples_rasterized,
  samples_failed_early,  ///< depth or stencil test before the pixel shader
  pixels_killed,         ///< by the pixel shader
  samples_failed_late,   ///< depth or stencil test after the pixel shader
  samples_written,       ///< to render targets, once per target
  samples_blended,       ///< of these, blended with the target's colour
  pixels_sampled,        ///< channels of sampler messages
  slm_reads,             ///< in units of 64 bytes
  slm_writes,            ///< in units of 64 bytes
  memory_accesses,       ///< by data port messages except those to shared local memory and render targets, in units of 64 bytes
  atomics,               ///< channels
  barriers,              ///< messages to the gateway
  typed_bytes_read,      ///< by data port messages, as the next three
  typed_bytes_written,
  untyped_bytes_read,
  untyped_bytes_written,
  vertex_bytes,       ///< read by vertex fetch
  alu_instructions,   ///< FPU0 instructions in the kernels of threads, once per thread: loops are not followed
  math_instructions,  ///< as above: FPU1's, which is extended math
  video_pictures,     ///< that a video engine has ended
  video_blocks,       ///< of them: macroblocks, coding tree blocks, superblocks
  video_concealed,    ///< of these, those that no slice has decoded
  video_bytes,        ///< of bitstream, read or written
  last = video_bytes
};
/// Wall time of an engine's thread in a stage. Pixels: the stage's workers included, as long as the engine waits for them.
enum class TimedStage : uint8_t { geometry, setup, pixels, compute, blit, video, last = video };

/// Ways of the hot loops, so that a slow one shows as a number.
enum class Path : uint8_t {
  pixels_filled,          ///< of objects of one colour, without a thread each
  pixels_copied,          ///< texels of another surface, without a thread each
  pixels_written_singly,  ///< samples that OutputMerger::write() wrote, one by one; the others are written eight or more at a time
  pixels_tested_singly,   ///< depth and stencil tests of one pixel each; the others are of blocks of 8x8 or, on Ironlake, 4x4
  threads_in_series,      ///< started together, with one call of compiled code
  threads_alone,
  samples_singly,  ///< sampler messages whose channels are filtered one by one; the others' are vectors
  last = samples_singly
};

struct WorkCounts {
  static constexpr size_t sfids = 16, types = 32;
  std::array<uint64_t, static_cast<size_t>(Work::last) + 1> done{};
  std::array<uint64_t, static_cast<size_t>(TimedStage::last) + 1> nanoseconds{};
  std::array<uint64_t, static_cast<size_t>(Path::last) + 1> taken{};
  using Messages = std::array<std::array<uint64_t, types>, sfids>;
  Messages messages{};  ///< by shared function and eu::message_type()
  Messages direct{};    ///< of them, those that a function of DirectAnswers answered

  uint64_t of(Work work) const { return done[static_cast<size_t>(work)]; }
  uint64_t of(Path path) const { return taken[static_cast<size_t>(path)]; }
  uint64_t of(TimedStage stage) const { return nanoseconds[static_cast<size_t>(stage)]; }
};

/// All threads' counts since the process began. Exact while no thread works, else approximate.
WorkCounts work_counts();
/// What was done from `before` to `after`.
WorkCounts work_between(const WorkCounts& before, const WorkCounts& after);

void count_work(Work work, uint64_t n);
struct WorkAmount {
  Work work;
  uint64_t n;
};
void count_work(std::initializer_list<WorkAmount> amounts);
void count_path(Path path, uint64_t n);
void count_message(unsigned sfid, unsigned type);
/// Messages that a function of DirectAnswers answered.
void count_direct_messages(unsigned sfid, unsigned type, uint64_t n);
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
