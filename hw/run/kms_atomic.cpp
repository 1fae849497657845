// SPDX-License-Identifier: GPL-2.0-or-later
// Properties of mode objects, and commits of them. Semantics: Linux drivers/gpu/drm/drm_atomic_uapi.c, drm_mode_object.c, drm_blend.c.
#include <errno.h>

#include <algorithm>

#include "hw/base/log.h"
#include "hw/run/drm_file.h"
#include "hw/run/kms.h"
#include "hw/run/kms_lists.h"

namespace softgen::run {
namespace {

struct Property {
  uint32_t id;
  const char* name;
  uint32_t flags;                        ///< DRM_MODE_PROP_*
  std::initializer_list<uint64_t> values;  ///< bounds of a range, type of an object
  std::initializer_list<uint32_t> objects;
};

constexpr uint32_t atomic_only = DRM_MODE_PROP_ATOMIC;
constexpr uint64_t uint_max = 0xffff'ffff, int_max = 0x7fff'ffff, int_min = ~int_max;
constexpr uint32_t type_primary = 1;

const Property properties[] = {
    {kms_id::type, "type", DRM_MODE_PROP_ENUM | DRM_MODE_PROP_IMMUTABLE, {0, 1, 2}, {kms_id::plane}},
    {kms_id::fb_id, "FB_ID", atomic_only | DRM_MODE_PROP_OBJECT, {DRM_MODE_OBJECT_FB}, {kms_id::plane}},
    {kms_id::crtc_id, "CRTC_ID", atomic_only | DRM_MODE_PROP_OBJECT, {DRM_MODE_OBJECT_CRTC}, {kms_id::plane, kms_id::connector}},
    {kms_id::src_x, "SRC_X", atomic_only | DRM_MODE_PROP_RANGE, {0, uint_max}, {kms_id::plane}},
    {kms_id::src_y, "SRC_Y", atomic_only | DRM_MODE_PROP_RANGE, {0, uint_max}, {kms_id::plane}},
    {kms_id::src_w, "SRC_W", atomic_only | DRM_MODE_PROP_RANGE, {0, uint_max}, {kms_id::plane}},
    {kms_id::src_h, "SRC_H", atomic_only | DRM_MODE_PROP_RANGE, {0, uint_max}, {kms_id::plane}},
    {kms_id::crtc_x, "CRTC_X", atomic_only | DRM_MODE_PROP_SIGNED_RANGE, {int_min, int_max}, {kms_id::plane}},
    {kms_id::crtc_y, "CRTC_Y", atomic_only | DRM_MODE_PROP_SIGNED_RANGE, {int_min, int_max}, {kms_id::plane}},
    {kms_id::crtc_w, "CRTC_W", atomic_only | DRM_MODE_PROP_RANGE, {0, int_max}, {kms_id::plane}},
    {kms_id::crtc_h, "CRTC_H", atomic_only | DRM_MODE_PROP_RANGE, {0, int_max}, {kms_id::plane}},
    {kms_id::in_fence_fd, "IN_FENCE_FD", atomic_only | DRM_MODE_PROP_SIGNED_RANGE, {~uint64_t{0}, int_max}, {kms_id::plane}},
    {kms_id::in_formats, "IN_FORMATS", DRM_MODE_PROP_IMMUTABLE | DRM_MODE_PROP_BLOB, {}, {kms_id::plane}},
    {kms_id::active, "ACTIVE", atomic_only | DRM_MODE_PROP_RANGE, {0, 1}, {kms_id::crtc}},
    {kms_id::mode_id, "MODE_ID", atomic_only | DRM_MODE_PROP_BLOB, {}, {kms_id::crtc}},
    {kms_id::out_fence_ptr, "OUT_FENCE_PTR", atomic_only | DRM_MODE_PROP_RANGE, {0, ~uint64_t{0}}, {kms_id::crtc}},
};

const Property* find(uint32_t id) {
  const auto row = std::find_if(std::begin(properties), std::end(properties), [id](const Property& p) { return p.id == id; });
  return row == std::end(properties) ? nullptr : row;
}

bool belongs(const Property& property, uint32_t object) {
  return std::find(property.objects.begin(), property.objects.end(), object) != property.objects.end();
}

bool in_range(const Property& property, uint64_t value) {
  if (property.flags & DRM_MODE_PROP_RANGE) return value >= property.values.begin()[0] && value <= property.values.begin()[1];
  if ((property.flags & DRM_MODE_PROP_EXTENDED_TYPE) != DRM_MODE_PROP_SIGNED_RANGE) return true;
  const auto wanted = static_cast<int64_t>(value);
  const auto bound = [&](unsigned i) { return static_cast<int64_t>(property.values.begin()[i]); };
  return wanted >= bound(0) && wanted <= bound(1);
}

}  // namespace

struct Kms::Commit {
  State state;
  FencePtr in_fence;
  int32_t* out_fence = nullptr;
};

uint64_t Kms::value_of(uint32_t property) const {
  switch (property) {
    case kms_id::type: return type_primary;
    case kms_id::fb_id: return state_.fb;
    case kms_id::crtc_id: return state_.plane_crtc;
    case kms_id::src_x: return state_.src_x;
    case kms_id::src_y: return state_.src_y;
    case kms_id::src_w: return state_.src_w;
    case kms_id::src_h: return state_.src_h;
    case kms_id::crtc_x: return static_cast<uint64_t>(int64_t{state_.crtc_x});
    case kms_id::crtc_y: return static_cast<uint64_t>(int64_t{state_.crtc_y});
    case kms_id::crtc_w: return state_.crtc_w;
    case kms_id::crtc_h: return state_.crtc_h;
    case kms_id::in_fence_fd: return ~uint64_t{0};
    case kms_id::in_formats: return kms_id::in_formats;  // the blob has the property's number
    case kms_id::active: return state_.active;
    case kms_id::mode_id: return state_.mode_blob;
    default: return 0;
  }
}

int Kms::get_properties(const DrmFile& file, drm_mode_obj_get_properties& r) {
  std::vector<uint32_t> ids;
  std::vector<uint64_t> values;
  for (const Property& property : properties) {
    if (!belongs(property, r.obj_id) || ((property.flags & DRM_MODE_PROP_ATOMIC) && !file.atomic())) continue;
    ids.push_back(property.id);
    values.push_back(r.obj_id == kms_id::connector ? state_.connector_crtc : value_of(property.id));
  }
  uint32_t count = r.count_props;
  copy_list(std::span<const uint32_t>(ids), r.props_ptr, r.count_props);
  copy_list(std::span<const uint64_t>(values), r.prop_values_ptr, count);
  return 0;
}

int Kms::get_property(drm_mode_get_property& r) {
  const Property* property = find(r.prop_id);
  if (!property) return -ENOENT;
  fmt::format_to_n(r.name, sizeof r.name - 1, "{}", property->name);
  r.flags = property->flags;
  copy_list(std::span<const uint64_t>(property->values.begin(), property->values.size()), r.values_ptr, r.count_values);
  if (!(property->flags & DRM_MODE_PROP_ENUM)) return r.count_enum_blobs = 0, 0;
  std::array<drm_mode_property_enum, 3> names = {};
  for (size_t i = 0; i < names.size(); ++i) {
    static constexpr const char* of_planes[] = {"Overlay", "Primary", "Cursor"};
    names[i].value = i;
    std::strcpy(names[i].name, of_planes[i]);
  }
  copy_list(std::span<const drm_mode_property_enum>(names), r.enum_blob_ptr, r.count_enum_blobs);
  return 0;
}

std::vector<std::byte> Kms::formats_blob() const {
  drm_format_modifier_blob head = {};
  head.version = FORMAT_BLOB_CURRENT;
  head.count_formats = plane_formats.size();
  head.formats_offset = sizeof head;
  head.count_modifiers = plane_modifiers.size();
  head.modifiers_offset = sizeof head + sizeof plane_formats;
  std::vector<std::byte> blob(head.modifiers_offset + plane_modifiers.size() * sizeof(drm_format_modifier));
  std::memcpy(blob.data(), &head, sizeof head);
  std::memcpy(blob.data() + head.formats_offset, plane_formats.data(), sizeof plane_formats);
  for (size_t i = 0; i < plane_modifiers.size(); ++i) {
    const drm_format_modifier row = {(1u << plane_formats.size()) - 1, 0, 0, plane_modifiers[i]};  // for each of the formats
    std::memcpy(blob.data() + head.modifiers_offset + i * sizeof row, &row, sizeof row);
  }
  return blob;
}

int Kms::get_blob(drm_mode_get_blob& r) {
  const auto known = blobs_.find(r.blob_id);
  if (known == blobs_.end() && r.blob_id != kms_id::in_formats) return -ENOENT;
  const std::vector<std::byte> bytes = known == blobs_.end() ? formats_blob() : known->second;
  if (r.length == bytes.size()) std::memcpy(reinterpret_cast<void*>(r.data), bytes.data(), bytes.size());
  r.length = static_cast<uint32_t>(bytes.size());
  return 0;
}

int Kms::create_blob(drm_mode_create_blob& r) {
  constexpr uint32_t largest = 64 * 1024;
  if (!r.length || r.length > largest) return -EINVAL;
  const auto* bytes = reinterpret_cast<const std::byte*>(r.data);
  blobs_[r.blob_id = next_blob_++].assign(bytes, bytes + r.length);
  return 0;
}

int Kms::destroy_blob(drm_mode_destroy_blob& r) { return blobs_.erase(r.blob_id) ? 0 : -ENOENT; }

int Kms::set_property(Commit& commit, uint32_t object, uint32_t id, uint64_t value) {
  const Property* property = find(id);
  if (!property || !belongs(*property, object)) return -ENOENT;
  if ((property->flags & DRM_MODE_PROP_IMMUTABLE) || !in_range(*property, value)) return -EINVAL;
  State& s = commit.state;
  const auto small = static_cast<uint32_t>(value);
  switch (id) {
    case kms_id::fb_id:
      if (value && !framebuffers_.contains(small)) return -EINVAL;
      s.fb = small;
      break;
    case kms_id::crtc_id:
      if (value && value != kms_id::crtc) return -EINVAL;
      (object == kms_id::connector ? s.connector_crtc : s.plane_crtc) = small;
      break;
    case kms_id::src_x: s.src_x = small; break;
    case kms_id::src_y: s.src_y = small; break;
    case kms_id::src_w: s.src_w = small; break;
    case kms_id::src_h: s.src_h = small; break;
    case kms_id::crtc_x: s.crtc_x = static_cast<int32_t>(value); break;
    case kms_id::crtc_y: s.crtc_y = static_cast<int32_t>(value); break;
    case kms_id::crtc_w: s.crtc_w = small; break;
    case kms_id::crtc_h: s.crtc_h = small; break;
    case kms_id::active: s.active = value; break;
    case kms_id::mode_id: {
      const auto blob = blobs_.find(small);
      if (value && (blob == blobs_.end() || blob->second.size() != sizeof s.mode)) return -EINVAL;
      s.mode_blob = small;
      if (value) std::memcpy(&s.mode, blob->second.data(), sizeof s.mode);
      break;
    }
    case kms_id::in_fence_fd:
      if (value == ~uint64_t{0}) break;
      commit.in_fence = import_sync_file(static_cast<int>(value));
      return commit.in_fence ? 0 : -EINVAL;
    case kms_id::out_fence_ptr: commit.out_fence = reinterpret_cast<int32_t*>(value); break;
    default: return -EINVAL;
  }
  return 0;
}

int Kms::check(const Commit& commit, uint32_t flags) const {
  const State& s = commit.state;
  const bool modeset = s.active != state_.active || s.mode_blob != state_.mode_blob || s.connector_crtc != state_.connector_crtc;
  if (modeset && !(flags & DRM_MODE_ATOMIC_ALLOW_MODESET)) return -EINVAL;
  if (s.active && (!s.mode_blob || !s.connector_crtc || s.mode.hdisplay > width_ || s.mode.vdisplay > height_)) return -EINVAL;
  if (!s.fb != !s.plane_crtc) return -EINVAL;
  if (!s.fb) return 0;
  const Framebuffer& fb = framebuffers_.at(s.fb);
  if (uint64_t{s.src_x} + s.src_w > uint64_t{fb.width} << 16 || uint64_t{s.src_y} + s.src_h > uint64_t{fb.height} << 16) return -ENOSPC;
  if (s.src_w != s.crtc_w << 16 || s.src_h != s.crtc_h << 16) {
    unsupported("KMS plane scaling", "{}x{} to {}x{}", s.src_w >> 16, s.src_h >> 16, s.crtc_w, s.crtc_h);
    return -ERANGE;
  }
  return 0;
}

int Kms::atomic(DrmFile& file, const drm_mode_atomic& r, Lock& lock) {
  if (!file.atomic() || (r.flags & ~DRM_MODE_ATOMIC_FLAGS) || r.reserved) return -EINVAL;
  if ((r.flags & DRM_MODE_PAGE_FLIP_ASYNC) || ((r.flags & DRM_MODE_ATOMIC_TEST_ONLY) && (r.flags & DRM_MODE_PAGE_FLIP_EVENT))) return -EINVAL;
  Commit commit{state_, nullptr, nullptr};
  const auto* objects = reinterpret_cast<const uint32_t*>(r.objs_ptr);
  const auto* counts = reinterpret_cast<const uint32_t*>(r.count_props_ptr);
  const auto* ids = reinterpret_cast<const uint32_t*>(r.props_ptr);
  const auto* values = reinterpret_cast<const uint64_t*>(r.prop_values_ptr);
  for (uint32_t i = 0; i < r.count_objs; ++i)
    for (uint32_t n = 0; n < counts[i]; ++n, ++ids, ++values)
      if (const int result = set_property(commit, objects[i], *ids, *values)) return result;
  if (const int result = check(commit, r.flags)) return result;
  if (r.flags & DRM_MODE_ATOMIC_TEST_ONLY) return 0;
  const bool nonblock = r.flags & DRM_MODE_ATOMIC_NONBLOCK;
  if (nonblock && flip_pending_) return -EBUSY;
  changed_.wait(lock, [this] { return !flip_pending_ || quit_; });
  Flip flip = flip_to(commit.state, file);
  flip.shown = std::make_shared<Fence>();
  if (commit.in_fence) flip.waits.push_back(commit.in_fence);
  if (commit.out_fence && (*commit.out_fence = export_sync_file(flip.shown)) < 0) return -EMFILE;
  flip.user_data = r.user_data;
  flip.event = r.flags & DRM_MODE_PAGE_FLIP_EVENT;
  flip.is_flip = flip_pending_ = true;
  const FencePtr shown = flip.shown;
  state_ = commit.state;
  flips_.push_back(std::move(flip));
  changed_.notify_all();
  if (!nonblock) changed_.wait(lock, [&] { return quit_ || FenceClock::get().signalled(shown); });
  return 0;
}

}  // namespace softgen::run
