// SPDX-License-Identifier: GPL-2.0-or-later
// The legacy cursor and gamma. Semantics: Linux drivers/gpu/drm/drm_plane.c (drm_mode_cursor_universal), drm_color_mgmt.c.
#include <drm_fourcc.h>
#include <errno.h>

#include <algorithm>
#include <cstring>

#include "hw/run/drm_file.h"
#include "hw/run/kms.h"

namespace softgen::run {

/// The framebuffer that the kernel makes of a cursor's buffer; 0 for handle 0.
int Kms::cursor_framebuffer(DrmFile& file, const drm_mode_cursor& r, uint32_t& id) {
  id = 0;
  if (!r.handle) return 0;
  drm_mode_fb_cmd2 made = {};
  made.width = r.width;
  made.height = r.height;
  made.pixel_format = DRM_FORMAT_ARGB8888;
  made.pitches[0] = r.width * 4;
  made.handles[0] = r.handle;
  if (const int result = add_fb2(file, made)) return result;
  framebuffers_.at(made.fb_id).internal = true;
  id = made.fb_id;
  return 0;
}

/// The position is that of the upper left corner: a hotspot (CURSOR2) is for hosts of virtual machines that draw the cursor themselves.
int Kms::cursor(DrmFile& file, const drm_mode_cursor& r) {
  if (!r.flags || (r.flags & ~static_cast<uint32_t>(DRM_MODE_CURSOR_FLAGS))) return -EINVAL;
  if (r.crtc_id != kms_id::crtc) return -ENOENT;
  State next = state_;
  uint32_t fb = state_.cursor.fb;
  if (r.flags & DRM_MODE_CURSOR_BO)
    if (const int result = cursor_framebuffer(file, r, fb)) return result;
  const bool moves = r.flags & DRM_MODE_CURSOR_MOVE;
  const int32_t x = moves ? r.x : cursor_at_.x, y = moves ? r.y : cursor_at_.y;
  next.cursor = {};
  if (fb) {
    const Framebuffer& shown = framebuffers_.at(fb);
    next.cursor = {fb, kms_id::crtc, 0, 0, shown.width << 16, shown.height << 16, x, y, shown.width, shown.height};
  }
  const int result = check_cursor(next);
  if (!result) {
    state_.cursor = next.cursor;
    cursor_at_.x = x, cursor_at_.y = y;
    refresh(file);
  }
  drop_lost_framebuffers();  // the one before, or the one that was refused
  return result;
}

int Kms::get_gamma(const drm_mode_crtc_lut& r) const {
  if (r.crtc_id != kms_id::crtc) return -ENOENT;
  if (r.gamma_size != gamma_ramp_[0].size()) return -EINVAL;
  const uint64_t pointers[] = {r.red, r.green, r.blue};
  for (size_t i = 0; i < gamma_ramp_.size(); ++i)
    std::memcpy(reinterpret_cast<void*>(pointers[i]), gamma_ramp_[i].data(), sizeof gamma_ramp_[i]);
  return 0;
}

int Kms::set_gamma(DrmFile& file, const drm_mode_crtc_lut& r) {
  if (r.crtc_id != kms_id::crtc) return -ENOENT;
  if (r.gamma_size != gamma_ramp_[0].size()) return -EINVAL;
  const uint64_t pointers[] = {r.red, r.green, r.blue};
  Gamma table;
  bool changes = false;
  for (size_t i = 0; i < gamma_ramp_.size(); ++i) {
    std::memcpy(gamma_ramp_[i].data(), reinterpret_cast<const void*>(pointers[i]), sizeof gamma_ramp_[i]);
    for (size_t v = 0; v < table[i].size(); ++v) {
      // The legacy palette has eight bits; rounding: drm_color_lut_extract().
      table[i][v] = static_cast<uint8_t>(std::min(255, (gamma_ramp_[i][v] + 128) >> 8));
      changes |= table[i][v] != v;
    }
  }
  gamma_ = changes ? std::make_shared<const Gamma>(table) : nullptr;
  refresh(file);
  return 0;
}

void Kms::refresh(DrmFile& file) {
  if (!state_.active) return;
  Flip now = flip_to(state_, file);
  bool queued = false;
  for (Flip& flip : flips_) {
    if (flip.showing || !flip.active) continue;
    flip.picture.cursor = now.picture.cursor;
    flip.picture.gamma = now.picture.gamma;
    flip.cursor_drawn = now.cursor_drawn;
    queued = true;
  }
  if (!queued) {
    now.is_refresh = true;
    flips_.push_back(std::move(now));
  }
  changed_.notify_all();
}

}  // namespace softgen::run
