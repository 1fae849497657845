// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/surface/mcs.h"

#include "hw/base/bits.h"

namespace softgen::surface {

Mcs::Mcs(const Surface& s) {
  // Auxiliary mode CCS_D is the MCS on multisampled surfaces (SKL PRM vol 2d, RENDER_SURFACE_STATE, Auxiliary Surface Mode).
  if (s.samples < 2 || s.interleaved || s.is_null() || s.aux == AuxMode::none || s.aux == AuxMode::hiz) return;
  base_ = strip_canonical(s.aux_base);
  pitch_ = s.aux_pitch;
  qpitch_ = s.aux_qpitch;
  samples_ = s.samples;
  bytes_ = samples_ <= 4 ? 1 : samples_ == 8 ? 4 : 8;  // Mesa isl.c, isl_surf_get_mcs_surf
}

uint64_t Mcs::identity(unsigned samples) {
  switch (samples) {
    case 2: return 0x2;
    case 4: return 0xe4;
    case 8: return 0xfac688;
    case 16: return 0xfedcba9876543210;
    default: return 0;
  }
}

uint64_t Mcs::address(uint32_t x, uint32_t y, uint32_t slice) const { return base_ + offset_y(x * bytes_, y + slice * qpitch_, pitch_); }

uint64_t Mcs::read(memory::View& view, uint32_t x, uint32_t y, uint32_t slice) const {
  const uint64_t at = address(x, y, slice);
  switch (bytes_) {
    case 1: return view.load<uint8_t>(at);
    case 4: return view.load<uint32_t>(at);
    default: return view.load<uint64_t>(at);
  }
}

void Mcs::write(memory::View& view, uint32_t x, uint32_t y, uint32_t slice, uint64_t code) const {
  const uint64_t at = address(x, y, slice);
  switch (bytes_) {
    case 1: return view.store(at, static_cast<uint8_t>(code));
    case 4: return view.store(at, static_cast<uint32_t>(code));
    default: return view.store(at, code);
  }
}

}  // namespace softgen::surface
