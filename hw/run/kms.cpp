// SPDX-License-Identifier: GPL-2.0-or-later
// Objects and modes. Properties and commits are in kms_properties.cpp and kms_atomic.cpp, flips in kms_flip.cpp.
#include "hw/run/kms.h"

#include <drm_fourcc.h>
#include <errno.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/run/drm_file.h"
#include "hw/run/kms_lists.h"

namespace softgen::run {
namespace {

constexpr uint32_t crtc_id = kms_id::crtc, encoder_id = kms_id::encoder, connector_id = kms_id::connector;
constexpr uint32_t plane_ids[] = {kms_id::plane, kms_id::cursor};
constexpr std::span<const uint32_t> formats = plane_formats;

}  // namespace

drm_mode_modeinfo Kms::mode() const {
  drm_mode_modeinfo m = {};
  m.hdisplay = static_cast<uint16_t>(width_);
  m.hsync_start = static_cast<uint16_t>(width_ + 88);
  m.hsync_end = static_cast<uint16_t>(width_ + 132);
  m.htotal = static_cast<uint16_t>(width_ + 280);
  m.vdisplay = static_cast<uint16_t>(height_);
  m.vsync_start = static_cast<uint16_t>(height_ + 4);
  m.vsync_end = static_cast<uint16_t>(height_ + 9);
  m.vtotal = static_cast<uint16_t>(height_ + 45);
  m.vrefresh = refresh_hz_ ? refresh_hz_ : 60;
  m.clock = static_cast<uint32_t>(uint64_t{m.htotal} * m.vtotal * m.vrefresh / 1000);
  m.flags = DRM_MODE_FLAG_PHSYNC | DRM_MODE_FLAG_PVSYNC;
  m.type = DRM_MODE_TYPE_DRIVER | DRM_MODE_TYPE_PREFERRED;
  fmt::format_to_n(m.name, sizeof m.name - 1, "{}x{}", width_, height_);
  return m;
}

uint32_t Kms::type_of(uint32_t object) const {
  switch (object) {
    case kms_id::crtc: return DRM_MODE_OBJECT_CRTC;
    case kms_id::encoder: return DRM_MODE_OBJECT_ENCODER;
    case kms_id::connector: return DRM_MODE_OBJECT_CONNECTOR;
    case kms_id::plane:
    case kms_id::cursor: return DRM_MODE_OBJECT_PLANE;
    default: return framebuffers_.contains(object) ? DRM_MODE_OBJECT_FB : blobs_.contains(object) ? DRM_MODE_OBJECT_BLOB : 0;
  }
}

int Kms::get_resources(const DrmFile& file, drm_mode_card_res& r) {
  std::vector<uint32_t> fbs;
  for (const auto& [id, fb] : framebuffers_)
    if (fb.owner == &file && !fb.internal) fbs.push_back(id);
  copy_list(std::span<const uint32_t>(fbs), r.fb_id_ptr, r.count_fbs);
  copy_list(std::span(&crtc_id, 1), r.crtc_id_ptr, r.count_crtcs);
  copy_list(std::span(&encoder_id, 1), r.encoder_id_ptr, r.count_encoders);
  copy_list(std::span(&connector_id, 1), r.connector_id_ptr, r.count_connectors);
  r.min_width = r.min_height = 0;
  r.max_width = r.max_height = 8192;
  return 0;
}

int Kms::get_crtc(drm_mode_crtc& r) {
  if (r.crtc_id != crtc_id) return -ENOENT;
  r.fb_id = state_.primary.fb;
  r.x = state_.primary.src_x >> 16;
  r.y = state_.primary.src_y >> 16;
  r.gamma_size = gamma_ramp_[0].size();
  r.mode_valid = state_.active;
  r.mode = state_.active ? state_.mode : drm_mode_modeinfo{};
  return 0;
}

int Kms::get_encoder(drm_mode_get_encoder& r) {
  if (r.encoder_id != encoder_id) return -ENOENT;
  r.encoder_type = DRM_MODE_ENCODER_TMDS;
  r.crtc_id = state_.connector_crtc;
  r.possible_crtcs = 1;
  r.possible_clones = 1;
  return 0;
}

int Kms::get_connector(const DrmFile& file, drm_mode_get_connector& r) {
  if (r.connector_id != connector_id) return -ENOENT;
  const drm_mode_modeinfo m = mode();
  copy_list(std::span(&m, 1), r.modes_ptr, r.count_modes);
  copy_list(std::span(&encoder_id, 1), r.encoders_ptr, r.count_encoders);
  drm_mode_obj_get_properties properties = {r.props_ptr, r.prop_values_ptr, r.count_props, connector_id, DRM_MODE_OBJECT_CONNECTOR};
  get_properties(file, properties);
  r.count_props = properties.count_props;
  r.encoder_id = state_.connector_crtc ? encoder_id : 0;
  r.connector_type = DRM_MODE_CONNECTOR_HDMIA;
  r.connector_type_id = 1;
  r.connection = 1;
  r.mm_width = width_ * 254 / 960;
  r.mm_height = height_ * 254 / 960;
  r.subpixel = 1;
  return 0;
}

int Kms::get_plane_resources(const DrmFile& file, drm_mode_get_plane_res& r) {
  // Without the universal-planes capability a client sees overlays only, and there are none.
  const std::span<const uint32_t> seen(plane_ids, file.universal_planes() ? std::size(plane_ids) : 0);
  copy_list(seen, r.plane_id_ptr, r.count_planes);
  return 0;
}

int Kms::get_plane(drm_mode_get_plane& r) {
  if (r.plane_id != kms_id::plane && r.plane_id != kms_id::cursor) return -ENOENT;
  const bool is_cursor = r.plane_id == kms_id::cursor;
  const PlaneState& plane = is_cursor ? state_.cursor : state_.primary;
  r.crtc_id = plane.crtc;
  r.fb_id = plane.fb;
  r.possible_crtcs = 1;
  r.gamma_size = 0;
  copy_list(is_cursor ? std::span<const uint32_t>(cursor_formats) : formats, r.format_type_ptr, r.count_format_types);
  return 0;
}

int Kms::add_fb(DrmFile& file, drm_mode_fb_cmd& r) {
  drm_mode_fb_cmd2 r2 = {};
  r2.width = r.width;
  r2.height = r.height;
  r2.pitches[0] = r.pitch;
  r2.handles[0] = r.handle;
  if (r.bpp == 32) r2.pixel_format = r.depth == 32 ? DRM_FORMAT_ARGB8888 : DRM_FORMAT_XRGB8888;
  else if (r.bpp == 16 && r.depth == 16) r2.pixel_format = DRM_FORMAT_RGB565;
  else return -EINVAL;
  const int result = add_fb2(file, r2);
  r.fb_id = r2.fb_id;
  return result;
}

int Kms::add_fb2(DrmFile& file, drm_mode_fb_cmd2& r) {
  if (std::find(formats.begin(), formats.end(), r.pixel_format) == formats.end()) return -EINVAL;
  Framebuffer fb;
  {
    MutexLock lock(file.driver().gpu.lock());
    fb.bo = file.bo(r.handles[0]);
  }
  if (!fb.bo) return -ENOENT;
  fb.width = r.width;
  fb.height = r.height;
  fb.pitch = r.pitches[0];
  fb.offset = r.offsets[0];
  fb.format = r.pixel_format;
  fb.owner = &file;
  fb.swizzle = file.driver().gpu.platform().board.swizzle;
  // plane_modifiers are in the order of I915_TILING_*.
  fb.modifier = r.flags & DRM_MODE_FB_MODIFIERS ? r.modifier[0] : plane_modifiers[fb.bo->tiling()];
  if (std::find(plane_modifiers.begin(), plane_modifiers.end(), fb.modifier) == plane_modifiers.end()) return -EINVAL;
  const uint64_t rows =
      fb.modifier == DRM_FORMAT_MOD_LINEAR ? fb.height : align_up(fb.height, fb.modifier == I915_FORMAT_MOD_X_TILED ? 8u : 32u);
  const uint32_t bytes = fb.format == DRM_FORMAT_RGB565 ? 2 : 4;
  if (!fb.width || !fb.height || fb.width > 8192 || fb.height > 8192 || fb.pitch < fb.width * bytes ||
      fb.offset + rows * fb.pitch > fb.bo->size())
    return -EINVAL;
  r.fb_id = next_fb_++;
  framebuffers_[r.fb_id] = std::move(fb);
  return 0;
}

/// As the kernel (drm_framebuffer.c, atomic_remove_fb).
void Kms::drop_lost_framebuffers() {
  std::erase_if(framebuffers_, [cursor = state_.cursor.fb, primary = state_.primary.fb](const auto& entry) {
    return entry.second.internal && entry.first != cursor && entry.first != primary;
  });
  if (state_.cursor.fb && !framebuffers_.contains(state_.cursor.fb)) state_.cursor = {};
  if (!state_.primary.fb || framebuffers_.contains(state_.primary.fb)) return;
  const PlaneState kept = state_.cursor;
  state_ = {};
  state_.cursor = kept;
}

int Kms::remove_fb(DrmFile& file, uint32_t id) {
  const auto fb = framebuffers_.find(id);
  if (fb == framebuffers_.end() || fb->second.owner != &file || fb->second.internal) return -ENOENT;
  framebuffers_.erase(fb);
  const bool was_cursor = state_.cursor.fb == id;
  drop_lost_framebuffers();
  if (was_cursor) refresh(file);
  return 0;
}

/// The client has drawn into what may be shown.
int Kms::dirty_fb(DrmFile& file, uint32_t id) {
  if (!framebuffers_.contains(id)) return -ENOENT;
  if (id == state_.primary.fb || id == state_.cursor.fb) refresh(file);
  return 0;
}

int Kms::create_dumb(DrmFile& file, drm_mode_create_dumb& r) {
  if (!r.width || !r.height || r.width > 16384 || r.height > 16384 || !r.bpp || r.bpp > 64) return -EINVAL;
  r.pitch = align_up(r.width * align_up(r.bpp, 8u) / 8, 64u);
  MutexLock lock(file.driver().gpu.lock());
  const BoPtr bo = Bo::create(file.driver().gpu.arena(), uint64_t{r.pitch} * r.height);
  if (!bo) return -ENOMEM;
  r.size = bo->size();
  r.handle = file.handle_of(bo);
  return 0;
}

int Kms::map_dumb(DrmFile& file, drm_mode_map_dumb& r) {
  MutexLock lock(file.driver().gpu.lock());
  if (!file.bo(r.handle)) return -ENOENT;
  r.offset = uint64_t{r.handle} << 32;
  return 0;
}

void Kms::closed(const DrmFile& file) {
  MutexLock lock(mutex_);
  std::erase_if(framebuffers_, [&](const auto& entry) { return entry.second.owner == &file; });
  drop_lost_framebuffers();
  for (Flip& flip : flips_)
    if (flip.file == &file) flip.file = nullptr;
}

int Kms::ioctl(DrmFile& file, unsigned long request, void* arg) {
  MutexLock lock(mutex_);
  switch (_IOC_NR(request)) {
    case _IOC_NR(DRM_IOCTL_MODE_GETRESOURCES): return get_resources(file, *static_cast<drm_mode_card_res*>(arg));
    case _IOC_NR(DRM_IOCTL_MODE_GETCRTC): return get_crtc(*static_cast<drm_mode_crtc*>(arg));
    case _IOC_NR(DRM_IOCTL_MODE_SETCRTC): return set_crtc(file, *static_cast<drm_mode_crtc*>(arg));
    case _IOC_NR(DRM_IOCTL_MODE_GETENCODER): return get_encoder(*static_cast<drm_mode_get_encoder*>(arg));
    case _IOC_NR(DRM_IOCTL_MODE_GETCONNECTOR): return get_connector(file, *static_cast<drm_mode_get_connector*>(arg));
    case _IOC_NR(DRM_IOCTL_MODE_GETPLANERESOURCES): return get_plane_resources(file, *static_cast<drm_mode_get_plane_res*>(arg));
    case _IOC_NR(DRM_IOCTL_MODE_GETPLANE): return get_plane(*static_cast<drm_mode_get_plane*>(arg));
    case _IOC_NR(DRM_IOCTL_MODE_OBJ_GETPROPERTIES): return get_properties(file, *static_cast<drm_mode_obj_get_properties*>(arg));
    case _IOC_NR(DRM_IOCTL_MODE_GETPROPERTY): return get_property(*static_cast<drm_mode_get_property*>(arg));
    case _IOC_NR(DRM_IOCTL_MODE_GETPROPBLOB): return get_blob(*static_cast<drm_mode_get_blob*>(arg));
    case _IOC_NR(DRM_IOCTL_MODE_CREATEPROPBLOB): return create_blob(*static_cast<drm_mode_create_blob*>(arg));
    case _IOC_NR(DRM_IOCTL_MODE_DESTROYPROPBLOB): return destroy_blob(*static_cast<drm_mode_destroy_blob*>(arg));
    case _IOC_NR(DRM_IOCTL_MODE_ATOMIC): return atomic(file, *static_cast<drm_mode_atomic*>(arg));
    case _IOC_NR(DRM_IOCTL_MODE_ADDFB): return add_fb(file, *static_cast<drm_mode_fb_cmd*>(arg));
    case _IOC_NR(DRM_IOCTL_MODE_ADDFB2): return add_fb2(file, *static_cast<drm_mode_fb_cmd2*>(arg));
    case _IOC_NR(DRM_IOCTL_MODE_RMFB): return remove_fb(file, *static_cast<uint32_t*>(arg));
    case _IOC_NR(DRM_IOCTL_MODE_PAGE_FLIP): return page_flip(file, *static_cast<drm_mode_crtc_page_flip*>(arg));
    case _IOC_NR(DRM_IOCTL_MODE_CREATE_DUMB): return create_dumb(file, *static_cast<drm_mode_create_dumb*>(arg));
    case _IOC_NR(DRM_IOCTL_MODE_MAP_DUMB): return map_dumb(file, *static_cast<drm_mode_map_dumb*>(arg));
    case _IOC_NR(DRM_IOCTL_MODE_DESTROY_DUMB): return file.gem_close(arg);  // both structures begin with the handle
    case _IOC_NR(DRM_IOCTL_MODE_CURSOR):
    case _IOC_NR(DRM_IOCTL_MODE_CURSOR2): return cursor(file, *static_cast<drm_mode_cursor*>(arg));  // the second begins as the first
    case _IOC_NR(DRM_IOCTL_MODE_GETGAMMA): return get_gamma(*static_cast<drm_mode_crtc_lut*>(arg));
    case _IOC_NR(DRM_IOCTL_MODE_SETGAMMA): return set_gamma(file, *static_cast<drm_mode_crtc_lut*>(arg));
    case _IOC_NR(DRM_IOCTL_MODE_OBJ_SETPROPERTY): return obj_set_property(file, *static_cast<drm_mode_obj_set_property*>(arg));
    case _IOC_NR(DRM_IOCTL_MODE_SETPROPERTY): {
      const auto& r = *static_cast<drm_mode_connector_set_property*>(arg);
      return obj_set_property(file, {r.value, r.prop_id, r.connector_id, DRM_MODE_OBJECT_CONNECTOR});
    }
    case _IOC_NR(DRM_IOCTL_MODE_DIRTYFB): return dirty_fb(file, static_cast<drm_mode_fb_dirty_cmd*>(arg)->fb_id);
    default: unimplemented("KMS ioctl", "{:#x}", request); return -EINVAL;
  }
}

}  // namespace softgen::run
