// SPDX-License-Identifier: GPL-2.0-or-later
// A scene whose draws are repeated by the position-only pipe, which records what is visible, and by a render pipe that reads the record.
#pragma once

#include "hw/render/position/position_engine.h"
#include "tests/unit/render/scene.h"

namespace softgen::render::test {

/// Of 3DSTATE_PTBR_TILE_PASS_INFO: tiles of 64x64 pixels, as many as are said each way.
struct Tiles {
  unsigned columns = 1, rows = 1;
};

class PositionScene : public Scene {
 public:
  static constexpr uint32_t size = 256;  ///< pixels each way
  explicit PositionScene(unsigned threads = 0);

  /// Of all draws.
  void set_scissor(const PixelRect& rect) { scissor_ = rect, put_scissor(rect); }
  /// The pixels of all draws so far, as Scene's engine draws them without a record; then the target is empty.
  std::vector<uint32_t> take();
  /// Repeats all packets in the position-only pipe. Without tiles: a pass of all pixels, and no 3DSTATE_PTBR_TILE_PASS_INFO.
  void record(std::optional<Tiles> tiles);
  /// Repeats them in a new render pipe with Visibility Enable: `tiles` as for record(), a pass with a scissor for each. All pixels.
  std::vector<uint32_t> render(std::optional<Tiles> tiles);
  /// As many times as there are batches, and with a context image between.
  bool preempt = false;
  bool predicated = false;  ///< draws have Predicate Enable
  uint32_t pool_pages = 32;
  /// Called before each draw of record() and render(): what is visible is the same.
  std::function<void(unsigned draw, bool recording)> before_draw;

  /// Of the latest record() or render().
  uint64_t count(uint32_t statistics_register) const { return registers_->peek64(statistics_register); }
  uint32_t peek(uint32_t offset) const { return registers_->peek(offset); }
  uint64_t preempted() const { return preempted_; }
  void set_predicate(bool set) { predicate_ = set; }

  static constexpr uint64_t render_list = 0xc0000, free_list = 0xc2000, pool = 0xd0000;

 private:
  void run(Engine& engine, std::span<const uint32_t> dwords);
  void repeat(Engine& engine, bool recording);
  void put_scissor(const PixelRect& rect);

  std::unique_ptr<mmio::RegisterFile> registers_;
  StopFlag stop_;
  uint64_t preempted_ = 0;
  bool predicate_ = true;
  PixelRect scissor_{0, 0, size, size};
};

}  // namespace softgen::render::test
