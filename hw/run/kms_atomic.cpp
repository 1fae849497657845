// SPDX-License-Identifier: GPL-2.0-or-later
// Commits of properties, by the atomic ioctl and one by one. Semantics: Linux drivers/gpu/drm/drm_atomic_uapi.c, drm_mode_object.c, drm_blend.c;
// i915 display/intel_cursor.c.
#include <errno.h>

#include "hw/base/log.h"
#include "hw/run/drm_file.h"
#include "hw/run/kms.h"
#include "hw/run/kms_lists.h"
#include "hw/run/kms_properties.h"

namespace softgen::run {

struct Kms::Commit {
  State state;
  std::vector<FencePtr> in_fences;
  int32_t* out_fence = nullptr;
  bool event = false;
  uint64_t user_data = 0;
};

int Kms::set_plane_property(Commit& commit, PlaneState& plane, uint32_t id, uint64_t value) {
  const auto small = static_cast<uint32_t>(value);
  switch (id) {
    case kms_id::fb_id:
      if (value && type_of(small) != DRM_MODE_OBJECT_FB) return -EINVAL;
      plane.fb = small;
      break;
    case kms_id::crtc_id:
      if (value && value != kms_id::crtc) return -EINVAL;
      plane.crtc = small;
      break;
    case kms_id::src_x: plane.src_x = small; break;
    case kms_id::src_y: plane.src_y = small; break;
    case kms_id::src_w: plane.src_w = small; break;
    case kms_id::src_h: plane.src_h = small; break;
    case kms_id::crtc_x: plane.crtc_x = static_cast<int32_t>(value); break;
    case kms_id::crtc_y: plane.crtc_y = static_cast<int32_t>(value); break;
    case kms_id::crtc_w: plane.crtc_w = small; break;
    case kms_id::crtc_h: plane.crtc_h = small; break;
    case kms_id::in_fence_fd:
      if (value == ~uint64_t{0}) break;
      commit.in_fences.push_back(import_sync_file(static_cast<int>(value), Driver::kick_later()));
      return commit.in_fences.back() ? 0 : -EINVAL;
    default: return -EINVAL;
  }
  return 0;
}

int Kms::set_property(Commit& commit, uint32_t object, uint32_t id, uint64_t value) {
  const Property* property = find_property(id);
  if (!property || !property->belongs_to(object)) return -ENOENT;
  if (!property->accepts(value)) return -EINVAL;
  State& s = commit.state;
  const auto small = static_cast<uint32_t>(value);
  if (object == kms_id::plane) return set_plane_property(commit, s.primary, id, value);
  if (object == kms_id::cursor) return set_plane_property(commit, s.cursor, id, value);
  switch (id) {
    case kms_id::crtc_id:
      if (value && value != kms_id::crtc) return -EINVAL;
      s.connector_crtc = small;
      break;
    case kms_id::active: s.active = value; break;
    case kms_id::vrr_enabled: s.vrr_enabled = value; break;
    case kms_id::mode_id: {
      const auto blob = blobs_.find(small);
      if (value && (blob == blobs_.end() || blob->second.size() != sizeof s.mode)) return -EINVAL;
      s.mode_blob = small;
      if (value) std::memcpy(&s.mode, blob->second.data(), sizeof s.mode);
      break;
    }
    case kms_id::out_fence_ptr: commit.out_fence = reinterpret_cast<int32_t*>(value); break;
    default: return -EINVAL;  // DPMS among them: by the legacy calls only
  }
  return 0;
}

/// What holds for every plane.
int Kms::check_plane(const PlaneState& plane) const {
  if (!plane.fb != !plane.crtc) return -EINVAL;
  if (!plane.fb) return 0;
  const Framebuffer& fb = framebuffers_.at(plane.fb);
  if (uint64_t{plane.src_x} + plane.src_w > uint64_t{fb.width} << 16 || uint64_t{plane.src_y} + plane.src_h > uint64_t{fb.height} << 16)
    return -ENOSPC;
  if (int64_t{plane.crtc_x} + plane.crtc_w > INT32_MAX || int64_t{plane.crtc_y} + plane.crtc_h > INT32_MAX) return -ERANGE;
  if (plane.src_w == uint64_t{plane.crtc_w} << 16 && plane.src_h == uint64_t{plane.crtc_h} << 16) return 0;
  unsupported("KMS plane scaling", "{}x{} to {}x{}", plane.src_w >> 16, plane.src_h >> 16, plane.crtc_w, plane.crtc_h);
  return -ERANGE;
}

/// What i915's cursor takes (i9xx_check_cursor): Kaby Lake's has no stride or start of its own.
int Kms::check_cursor(const State& next) const {
  if (const int result = check_plane(next.cursor)) return result;
  if (!next.cursor.fb) return 0;
  const Framebuffer& fb = framebuffers_.at(next.cursor.fb);
  const bool fits = fb.format == cursor_formats[0] && fb.modifier == cursor_modifiers[0] &&
                    is_cursor_size(next.cursor.crtc_w, next.cursor.crtc_h) && fb.pitch == 4 * next.cursor.crtc_w && !next.cursor.src_x &&
                    !next.cursor.src_y;
  return fits ? 0 : -EINVAL;
}

int Kms::check(const State& next, bool allow_modeset) const {
  const bool modeset = next.active != state_.active || next.mode_blob != state_.mode_blob || next.connector_crtc != state_.connector_crtc;
  if (modeset && !allow_modeset) return -EINVAL;
  if (next.active && (!next.mode_blob || !next.connector_crtc || next.mode.hdisplay > width_ || next.mode.vdisplay > height_))
    return -EINVAL;
  if (const int result = check_plane(next.primary)) return result;
  return check_cursor(next);
}

/// Makes a checked commit the state, and shows it.
int Kms::apply(DrmFile& file, Commit& commit, bool nonblock) {
  if (nonblock && flip_pending_) return -EBUSY;
  while (flip_pending_ && !quit_) changed_.wait(mutex_);
  Flip flip = flip_to(commit.state, file);
  flip.shown = std::make_shared<Fence>();
  flip.waits.insert(flip.waits.end(), commit.in_fences.begin(), commit.in_fences.end());
  if (commit.out_fence && (*commit.out_fence = export_sync_file(flip.shown)) < 0) return -EMFILE;
  flip.user_data = commit.user_data;
  flip.event = commit.event;
  flip.is_flip = flip_pending_ = true;
  const FencePtr shown = flip.shown;
  state_ = commit.state;
  drop_lost_framebuffers();
  flips_.push_back(std::move(flip));
  changed_.notify_all();
  while (!nonblock && !quit_ && !FenceClock::get().signalled(shown)) changed_.wait(mutex_);
  return 0;
}

int Kms::atomic(DrmFile& file, const drm_mode_atomic& r) {
  if (!file.atomic() || (r.flags & ~DRM_MODE_ATOMIC_FLAGS) || r.reserved) return -EINVAL;
  if ((r.flags & DRM_MODE_PAGE_FLIP_ASYNC) || ((r.flags & DRM_MODE_ATOMIC_TEST_ONLY) && (r.flags & DRM_MODE_PAGE_FLIP_EVENT)))
    return -EINVAL;
  Commit commit;
  commit.state = state_;
  const auto* objects = reinterpret_cast<const uint32_t*>(r.objs_ptr);
  const auto* counts = reinterpret_cast<const uint32_t*>(r.count_props_ptr);
  const auto* ids = reinterpret_cast<const uint32_t*>(r.props_ptr);
  const auto* values = reinterpret_cast<const uint64_t*>(r.prop_values_ptr);
  for (uint32_t i = 0; i < r.count_objs; ++i)
    for (uint32_t n = 0; n < counts[i]; ++n, ++ids, ++values)
      if (const int result = set_property(commit, objects[i], *ids, *values)) return result;
  if (const int result = check(commit.state, r.flags & DRM_MODE_ATOMIC_ALLOW_MODESET)) return result;
  if (r.flags & DRM_MODE_ATOMIC_TEST_ONLY) return 0;
  commit.event = r.flags & DRM_MODE_PAGE_FLIP_EVENT;
  commit.user_data = r.user_data;
  return apply(file, commit, r.flags & DRM_MODE_ATOMIC_NONBLOCK);
}

/// One property, by a client of legacy calls: set_property_atomic() of the kernel, which lets it change the mode.
int Kms::obj_set_property(DrmFile& file, const drm_mode_obj_set_property& r) {
  const uint32_t type = type_of(r.obj_id);
  if (!type || (r.obj_type != DRM_MODE_OBJECT_ANY && r.obj_type != type)) return -ENOENT;
  const Property* property = find_property(r.prop_id);
  if (!has_properties(type) || !property || !property->belongs_to(r.obj_id) || !property->accepts(r.value)) return -EINVAL;
  // Earlier commits and flips come first: this change is applied to their result.
  while (flip_pending_ && !quit_) changed_.wait(mutex_);
  Commit commit;
  commit.state = state_;
  if (r.prop_id == kms_id::dpms) {
    // The pipe of the connector goes on or off (drm_atomic_connector_commit_dpms).
    if (!state_.connector_crtc) return 0;
    commit.state.active = r.value == DRM_MODE_DPMS_ON;
  } else if (const int result = set_property(commit, r.obj_id, r.prop_id, r.value)) {
    return result;
  }
  if (const int result = check(commit.state, true)) return result;
  return apply(file, commit, false);
}

}  // namespace softgen::run
