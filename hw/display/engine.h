// SPDX-License-Identifier: GPL-2.0-or-later
// A display engine: up to four pipes, their clocks, ports. What differs between chips is its model and its clocks.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "hw/display/compositor.h"
#include "hw/display/compressor.h"
#include "hw/display/display.h"
#include "hw/display/dmc.h"
#include "hw/display/pipe.h"
#include "hw/display/ports.h"
#include "hw/display/state_buffers.h"

namespace softgen::display {

struct ChipModel {
  const PipeModel& pipes;
  PortModel ports;
  Compressor compressor;
  std::optional<uint32_t> clock_counter;  ///< a register that counts microseconds
  std::optional<SleepCounts> sleep_counts;
  bool state_buffers = false;  ///< whether its pipes have them
  /// Power wells, PLLs, DDI buffers. `changed` runs after a write that may change a port's clock.
  std::unique_ptr<Clocks> (*clocks)(mmio::RegisterFile& registers, std::function<void()> changed);
};

class DisplayEngine final : public Display {
 public:
  /// At most the model's pipes. It outlives the display.
  DisplayEngine(const DisplayLinks& links, const DisplayConfig& config, const ChipModel& model);
  ~DisplayEngine() override;

  void mode(unsigned pipe, sg_pipe_mode* mode) override;
  void refresh(unsigned pipe, bool look) override;
  std::optional<int64_t> next(const PipeWait& what) override;
  void picture_size(unsigned pipe, uint32_t* width, uint32_t* height) override;
  void draw(unsigned pipe, void* pixels, Picture::Size size, size_t stride, bool full, sg_dirty_rect* dirty) override;
  bool is_vga() override;
  void plug(unsigned connector, bool connected) override { ports_.plug(connector, connected); }
  void pulse(unsigned connector) override { ports_.pulse(connector); }
  bool timer_expired(unsigned timer) override;
  void hold_memory() override { compositor_.hold_memory(); }
  void release_memory() override { compositor_.release_memory(); }
  void reset() override;
  void state(Archive& ar) override;

 private:
  struct Canvas;
  void attach_misc(const ChipModel& model);
  void pipes_update_rasters();
  /// No pipe runs. Under a PipesLock.
  bool is_off() const;
  void compose(unsigned pipe, bool look, Compositor::Turn& turn);
  void forget_pictures();

  mmio::RegisterFile& registers_;
  Host& host_;
  std::unique_ptr<Clocks> clocks_;
  Ports ports_;
  PipeServices services_;
  std::vector<std::unique_ptr<Pipe>> pipes_;
  std::vector<std::unique_ptr<Canvas>> canvases_;
  std::unique_ptr<StateBuffers> state_buffers_;
  Compositor compositor_;  ///< last: its thread uses all of the above
};

}  // namespace softgen::display
