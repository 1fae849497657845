// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/timing.h"

#include "hw/defs/registers/registers.h"

namespace softgen::display {

namespace field = reg::field;

namespace {

using u128 = unsigned __int128;
constexpr uint64_t ns_per_s = 1'000'000'000;

}  // namespace

bool Timing::valid() const {
  if (pixel_clock_hz == 0 || hactive == 0 || vactive == 0 || hactive > htotal || vactive > vblank_start) return false;
  if (htotal > raster_width || vtotal > raster_height) return false;
  if (vblank_start > vtotal || lines() == 0 || blank_line() > lines()) return false;
  return pixels() <= pixel_clock_hz && pixels() * 1000 >= pixel_clock_hz;
}

uint32_t Timing::refresh_mhz() const {
  if (!valid()) return 0;
  return static_cast<uint32_t>((pixel_clock_hz * 1000 + pixels() / 2) / pixels());
}

Timing decode_timing(uint32_t htotal, uint32_t vtotal, uint32_t vblank, bool interlaced, uint64_t pixel_clock_hz) {
  Timing timing;
  timing.hactive = field::TRANS_HTOTAL_HORIZONTAL_ACTIVE.of(htotal) + 1;
  timing.htotal = field::TRANS_HTOTAL_HORIZONTAL_TOTAL.of(htotal) + 1;
  timing.vactive = field::TRANS_VTOTAL_VERTICAL_ACTIVE.of(vtotal) + 1;
  timing.vtotal = field::TRANS_VTOTAL_VERTICAL_TOTAL.of(vtotal) + 1;
  timing.vblank_start = field::TRANS_VBLANK_VERTICAL_BLANK_START.of(vblank) + 1;
  timing.interlaced = interlaced;
  timing.pixel_clock_hz = pixel_clock_hz;
  return timing;
}

void Raster::start(const Timing& timing, int64_t now) {
  timing_ = timing;
  start_ = now;
  running_ = true;
}

uint64_t Raster::pixels_at(int64_t now) const {
  if (now <= start_) return 0;
  return static_cast<uint64_t>(u128(static_cast<uint64_t>(now - start_)) * timing_.pixel_clock_hz / ns_per_s);
}

uint64_t Raster::blanks(int64_t now) const {
  const uint64_t lead = uint64_t{timing_.lines() - timing_.blank_line()} * timing_.htotal;
  return (pixels_at(now) + lead) / timing_.pixels();
}

int64_t Raster::blank_time(uint64_t index) const {
  const u128 pixels = u128(index) * timing_.pixels() + uint64_t{timing_.blank_line()} * timing_.htotal;
  return start_ + static_cast<int64_t>((pixels * ns_per_s + timing_.pixel_clock_hz - 1) / timing_.pixel_clock_hz);
}

int64_t Raster::pixel_time(uint64_t pixels) const {
  return start_ + static_cast<int64_t>((u128(pixels) * ns_per_s + timing_.pixel_clock_hz - 1) / timing_.pixel_clock_hz);
}

int64_t Raster::hblank_time(int64_t now) const {
  const uint64_t at = pixels_at(now), column = at % timing_.htotal;
  return pixel_time(at - column + timing_.hactive + (column < timing_.hactive ? 0 : timing_.htotal));
}

int64_t Raster::line_time(int64_t now, uint32_t line) const {
  const uint64_t at = pixels_at(now), lines = timing_.lines(), current = at / timing_.htotal;
  const uint64_t ahead = (line + lines - current % lines) % lines;
  return pixel_time((current + ahead) * timing_.htotal);
}

uint32_t Raster::line(int64_t now) const { return static_cast<uint32_t>(pixels_at(now) / timing_.htotal % timing_.lines()); }

}  // namespace softgen::display
