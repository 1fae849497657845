// SPDX-License-Identifier: GPL-2.0-or-later
// Gathers quads into pixel shader threads, and threads into series, which run together.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>

#include "hw/eu/program/thread.h"
#include "hw/render/messages.h"
#include "hw/render/pixel_payload.h"
#include "hw/render/pixel_thread.h"
#include "hw/render/target_writer.h"

namespace softgen::render {

class ThreadBatch : public PixelSink, private eu::SeriesPayloads {
 public:
  ThreadBatch(PixelContext& context, TargetWriter& targets);

  /// What follows is of this draw, which has a kernel. Nothing of another draw may be left to run.
  void begin(PixelDraw& draw);
  /// What follows is of this object. All threads of the object before have their payloads (complete()).
  void begin(const PreparedObject& object);
  /// Whether the samples of quads to come are listed (add_sampled_quad()) or there is one per pixel (add_quad(), add_square()).
  void list_samples(bool listed);

  /// A quad at (x, y): its pixels with a live sample, and those that the shader sees as covered; bit i is pixel i.
  void add_quad(uint32_t x, uint32_t y, uint32_t live, uint32_t covered);
  /// The same with the samples of each pixel.
  void add_sampled_quad(uint32_t x, uint32_t y, const std::array<uint32_t, 4>& samples, const std::array<uint32_t, 4>& coverage);
  /// A thread of 16 channels: the 4x4 pixels at `at` (x | y << 16), all live. `block`: where they are in the first target, if that is known.
  void add_square(uint32_t at, uint32_t covered, const TargetBlock& block);
  /// The squares of `blocks` times 8x8 pixels from (x, y), which is at multiples of eight, to the right; all live and covered. `placed`: the
  /// object places squares.
  void add_blocks(uint32_t x, uint32_t y, uint32_t blocks, bool placed);
  /// A quad of coarse pixels at (x, y), of which one has a live sample.
  void add_coarse_quad(uint32_t x, uint32_t y, const CoarseSize& size, const CoarseQuad& quad);
  /// Quads that do not fill a thread become one.
  void flush();
  /// Gives the object's threads their payloads, so that another object may follow.
  void complete();
  /// Runs all threads.
  void run();
  /// Runs one thread whose pixels are all covered and returns what it would write; without writing or counting.
  CapturedColor capture();
  /// The draws are over: drops what was found bound for their messages.
  void forget_draws();

  SendResult render_target_write(const Message& message) override { return targets_.write(context_.thread(), message); }
  SendResult render_target_read(const Message& message) override { return targets_.read(context_.thread(), message); }
  SendResult interpolate(const Message& message) override { return payloads_.interpolate(context_.thread(), message); }
  void direct_write(const MessageForm& form, DirectAnswer& answer) override { targets_.direct_write(form, answer); }

 private:
  void write_headers() override { write_rest(false); }
  void write_all() override { write_rest(true); }
  void write_rest(bool all);
  void dispatch_samples();
  void place_squares(const TargetBlock& block);
  void put_square(uint32_t at, uint32_t covered, std::byte* target, uint32_t row);
  void prepare_square(PixelThread& thread);
  void link(unsigned n) { threads_[n].next = n + 1 < max_threads ? &threads_[n + 1] : nullptr; }
  PixelThread& new_thread();
  void add_thread();
  void dispatch(const PixelThread& quads);
  void forget_places();
  void prepare_coarse(bool coarse);

  PixelContext& context_;
  TargetWriter& targets_;
  PayloadWriter payloads_;
  eu::Thread thread_;
  std::unordered_map<uint64_t, DirectAnswers> direct_;  ///< by PixelDraw::serial
  DirectAnswers* answers_ = nullptr;                    ///< of draw_
  PixelDraw* draw_ = nullptr;
  const PreparedObject* object_ = nullptr;
  bool per_sample_ = false;                       ///< the pixel shader runs once per sample
  PixelThread quads_;                             ///< that do not fill a thread yet
  std::array<PixelThread, max_threads> threads_;  ///< of draw_, to be run
  unsigned count_ = 0, completed_ = 0;            ///< how many, and how many of them have payloads
  unsigned prepared_ = 0;                         ///< so many of threads_ are squares of object_ but for their places
  uint32_t channels_ = 0;                         ///< of all of them; 0: they differ
  eu::SeriesLayout layout_;                       ///< of all of them
  memory::View::Stamp placed_;                    ///< of the view, for SeriesThread::target of all of them
  struct CoarseThreads {
    CoarseThread gathered;  ///< of quads_
    std::array<CoarseThread, max_threads> of;
  };
  std::unique_ptr<CoarseThreads> coarse_;  ///< null: no draw had coarse pixels yet
};

}  // namespace softgen::render
