// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/absent.h"

namespace softgen::display {
namespace {

class Absent final : public Display {
 public:
  void mode(unsigned, sg_pipe_mode* mode) override { *mode = {}; }
  void refresh(unsigned, bool) override {}
  void picture_size(unsigned, uint32_t* width, uint32_t* height) override { *width = *height = 0; }
  void draw(unsigned, void*, Picture::Size, size_t, bool, sg_dirty_rect* dirty) override { *dirty = {}; }
  bool is_vga() override { return true; }
  void plug(unsigned, bool) override {}
  bool timer_expired(unsigned) override { return false; }
  void hold_memory() override {}
  void release_memory() override {}
  void reset() override {}
  void state(Archive& ar) override { ar.section("no display", 1); }
};

}  // namespace

std::unique_ptr<Display> absent(const DisplayLinks&, const DisplayConfig&) { return std::make_unique<Absent>(); }

}  // namespace softgen::display
