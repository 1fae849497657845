// SPDX-License-Identifier: GPL-2.0-or-later
// Rasterization of prepared objects and the pixel shader's threads. Pixels belong to tiles, and a tile to one worker at a time: what it draws
// it draws in the objects' order.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hw/eu/interp/thread.h"
#include "hw/iface/engine.h"
#include "hw/render/depth_stencil.h"
#include "hw/render/kernel.h"
#include "hw/render/messages.h"
#include "hw/render/output_merger.h"
#include "hw/render/raster_state.h"
#include "hw/render/setup.h"

namespace softgen::render {

/// Everything of a draw that its pixels need; constant while they are drawn.
struct PixelDraw {
  const State& state;
  const RasterState& raster;
  Kernel kernel8, kernel16;             ///< at most one is used: 8 when there is one
  DepthStencil depth_stencil;
  OutputMerger merger;
  std::vector<RenderTarget> targets;    ///< by binding table index, those that threads may write
  MessageTarget* shared_functions;      ///< sampler, data ports; null: not there
  StopFlag& stop;
  std::atomic<uint64_t> depth_count{0}, invocations{0};
};

/// One worker's own: its window on memory, its thread.
class PixelWorker : public PixelSink {
 public:
  PixelWorker(HostMemory& memory, unsigned slot) : view_(memory, nullptr), slot_(slot) {}

  memory::View& view() { return view_; }
  /// Draws the part of `object` that lies in `tile`.
  void draw(PixelDraw& draw, const PreparedObject& object, const PixelRect& tile);
  SendResult render_target_write(const Message& message) override;

 private:
  static constexpr unsigned max_pixels = 16;
  /// Quads gathered for one thread: pixel i is (i & 1, i >> 1 & 1) of quad i / 4.
  struct Batch {
    unsigned pixels = 0;
    std::array<uint32_t, max_pixels> x, y;
    std::array<uint32_t, max_pixels> samples;  ///< coverage after the early tests
    unsigned sample_id = 0;
  };

  void add_quad(uint32_t x, uint32_t y, const std::array<uint32_t, 4>& coverage);
  void flush();
  void run(Batch& batch);
  void payload(const Batch& batch, const Kernel& kernel);
  unsigned put_barycentrics(const Batch& batch, unsigned reg);
  float depth_at(uint32_t x, uint32_t y, unsigned sample) const;
  std::array<double, 2> position(const Batch& batch, unsigned pixel, bool centroid) const;
  bool early() const;
  uint32_t test(uint32_t x, uint32_t y, uint32_t samples, std::optional<float> z, std::optional<uint8_t> stencil);

  memory::View view_;
  const unsigned slot_;
  eu::Thread thread_;
  PixelDraw* draw_ = nullptr;
  const PreparedObject* object_ = nullptr;
  Batch batch_;
  const Batch* running_ = nullptr;
  uint32_t tested_ = 0;                        ///< pixels of running_ whose late tests are done
  std::array<uint32_t, max_pixels> passed_{};  ///< and the samples that passed
  unsigned simd_ = 8;
};

}  // namespace softgen::render
