// SPDX-License-Identifier: GPL-2.0-or-later
// Properties of mode objects: which there are, their values, blobs. Semantics: Linux drivers/gpu/drm/drm_mode_object.c, drm_property.c, drm_plane.c.
#include "hw/run/kms_properties.h"

#include <errno.h>

#include <algorithm>
#include <string_view>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/run/drm_file.h"
#include "hw/run/kms.h"
#include "hw/run/kms_lists.h"

namespace softgen::run {
namespace {

constexpr uint32_t atomic_only = DRM_MODE_PROP_ATOMIC;
constexpr uint64_t uint_max = 0xffff'ffff, int_max = 0x7fff'ffff, int_min = ~int_max;
constexpr uint64_t type_primary = 1, type_cursor = 2;  // enum drm_plane_type

const Property properties[] = {
    {kms_id::type,
     "type",
     DRM_MODE_PROP_ENUM | DRM_MODE_PROP_IMMUTABLE,
     {0, type_primary, type_cursor},
     {kms_id::plane, kms_id::cursor},
     {"Overlay", "Primary", "Cursor"}},
    {kms_id::fb_id, "FB_ID", atomic_only | DRM_MODE_PROP_OBJECT, {DRM_MODE_OBJECT_FB}, {kms_id::plane, kms_id::cursor}},
    {kms_id::crtc_id,
     "CRTC_ID",
     atomic_only | DRM_MODE_PROP_OBJECT,
     {DRM_MODE_OBJECT_CRTC},
     {kms_id::plane, kms_id::cursor, kms_id::connector}},
    {kms_id::src_x, "SRC_X", atomic_only | DRM_MODE_PROP_RANGE, {0, uint_max}, {kms_id::plane, kms_id::cursor}},
    {kms_id::src_y, "SRC_Y", atomic_only | DRM_MODE_PROP_RANGE, {0, uint_max}, {kms_id::plane, kms_id::cursor}},
    {kms_id::src_w, "SRC_W", atomic_only | DRM_MODE_PROP_RANGE, {0, uint_max}, {kms_id::plane, kms_id::cursor}},
    {kms_id::src_h, "SRC_H", atomic_only | DRM_MODE_PROP_RANGE, {0, uint_max}, {kms_id::plane, kms_id::cursor}},
    {kms_id::crtc_x, "CRTC_X", atomic_only | DRM_MODE_PROP_SIGNED_RANGE, {int_min, int_max}, {kms_id::plane, kms_id::cursor}},
    {kms_id::crtc_y, "CRTC_Y", atomic_only | DRM_MODE_PROP_SIGNED_RANGE, {int_min, int_max}, {kms_id::plane, kms_id::cursor}},
    {kms_id::crtc_w, "CRTC_W", atomic_only | DRM_MODE_PROP_RANGE, {0, int_max}, {kms_id::plane, kms_id::cursor}},
    {kms_id::crtc_h, "CRTC_H", atomic_only | DRM_MODE_PROP_RANGE, {0, int_max}, {kms_id::plane, kms_id::cursor}},
    {kms_id::in_fence_fd,
     "IN_FENCE_FD",
     atomic_only | DRM_MODE_PROP_SIGNED_RANGE,
     {~uint64_t{0}, int_max},
     {kms_id::plane, kms_id::cursor}},
    {kms_id::in_formats, "IN_FORMATS", DRM_MODE_PROP_IMMUTABLE | DRM_MODE_PROP_BLOB, {}, {kms_id::plane, kms_id::cursor}},
    {kms_id::active, "ACTIVE", atomic_only | DRM_MODE_PROP_RANGE, {0, 1}, {kms_id::crtc}},
    {kms_id::mode_id, "MODE_ID", atomic_only | DRM_MODE_PROP_BLOB, {}, {kms_id::crtc}},
    {kms_id::out_fence_ptr, "OUT_FENCE_PTR", atomic_only | DRM_MODE_PROP_RANGE, {0, ~uint64_t{0}}, {kms_id::crtc}},
    {kms_id::vrr_enabled, "VRR_ENABLED", DRM_MODE_PROP_RANGE, {0, 1}, {kms_id::crtc}},
    {kms_id::dpms,
     "DPMS",
     DRM_MODE_PROP_ENUM,
     {DRM_MODE_DPMS_ON, DRM_MODE_DPMS_STANDBY, DRM_MODE_DPMS_SUSPEND, DRM_MODE_DPMS_OFF},
     {kms_id::connector},
     {"On", "Standby", "Suspend", "Off"}},
};

template <typename Format, typename Modifier>
std::vector<std::byte> formats_blob(const Format& formats, const Modifier& modifiers) {
  drm_format_modifier_blob head = {};
  head.version = FORMAT_BLOB_CURRENT;
  head.count_formats = formats.size();
  head.formats_offset = sizeof head;
  head.count_modifiers = modifiers.size();
  head.modifiers_offset = align_up<uint32_t>(sizeof head + sizeof formats, 8);
  std::vector<std::byte> blob(head.modifiers_offset + modifiers.size() * sizeof(drm_format_modifier));
  std::memcpy(blob.data(), &head, sizeof head);
  std::memcpy(blob.data() + head.formats_offset, formats.data(), sizeof formats);
  for (size_t i = 0; i < modifiers.size(); ++i) {
    const drm_format_modifier row = {(1u << formats.size()) - 1, 0, 0, modifiers[i]};  // for each of the formats
    std::memcpy(blob.data() + head.modifiers_offset + i * sizeof row, &row, sizeof row);
  }
  return blob;
}

}  // namespace

const Property* find_property(uint32_t id) {
  const auto row = std::find_if(std::begin(properties), std::end(properties), [id](const Property& p) { return p.id == id; });
  return row == std::end(properties) ? nullptr : row;
}

bool Property::belongs_to(uint32_t object) const { return std::find(objects.begin(), objects.end(), object) != objects.end(); }

bool Property::accepts(uint64_t value) const {
  if (flags & DRM_MODE_PROP_IMMUTABLE) return false;
  if (flags & DRM_MODE_PROP_RANGE) return value >= values.begin()[0] && value <= values.begin()[1];
  if (flags & DRM_MODE_PROP_ENUM) return std::find(values.begin(), values.end(), value) != values.end();
  if ((flags & DRM_MODE_PROP_EXTENDED_TYPE) != DRM_MODE_PROP_SIGNED_RANGE) return true;
  const auto wanted = static_cast<int64_t>(value);
  const auto bound = [&](unsigned i) { return static_cast<int64_t>(values.begin()[i]); };
  return wanted >= bound(0) && wanted <= bound(1);
}

uint64_t Kms::plane_value_of(const PlaneState& plane, uint32_t property) const {
  switch (property) {
    case kms_id::fb_id: return plane.fb;
    case kms_id::crtc_id: return plane.crtc;
    case kms_id::src_x: return plane.src_x;
    case kms_id::src_y: return plane.src_y;
    case kms_id::src_w: return plane.src_w;
    case kms_id::src_h: return plane.src_h;
    case kms_id::crtc_x: return static_cast<uint64_t>(int64_t{plane.crtc_x});
    case kms_id::crtc_y: return static_cast<uint64_t>(int64_t{plane.crtc_y});
    case kms_id::crtc_w: return plane.crtc_w;
    case kms_id::crtc_h: return plane.crtc_h;
    case kms_id::in_fence_fd: return ~uint64_t{0};
    default: return 0;
  }
}

uint64_t Kms::value_of(uint32_t object, uint32_t property) const {
  const bool is_cursor = object == kms_id::cursor;
  switch (property) {
    case kms_id::type: return is_cursor ? type_cursor : type_primary;
    case kms_id::in_formats: return is_cursor ? kms_id::cursor_formats : kms_id::in_formats;  // blobs have these numbers
    case kms_id::active: return state_.active;
    case kms_id::mode_id: return state_.mode_blob;
    case kms_id::vrr_enabled: return state_.vrr_enabled;
    case kms_id::dpms: return state_.active && state_.connector_crtc ? DRM_MODE_DPMS_ON : DRM_MODE_DPMS_OFF;
    default: break;
  }
  if (object == kms_id::connector) return property == kms_id::crtc_id ? state_.connector_crtc : 0;
  return plane_value_of(is_cursor ? state_.cursor : state_.primary, property);
}

int Kms::get_properties(const DrmFile& file, drm_mode_obj_get_properties& r) {
  const uint32_t type = type_of(r.obj_id);
  if (!type || (r.obj_type != DRM_MODE_OBJECT_ANY && r.obj_type != type)) return -ENOENT;
  if (!has_properties(type)) return -EINVAL;
  std::vector<uint32_t> ids;
  std::vector<uint64_t> values;
  for (const Property& property : properties) {
    if (!property.belongs_to(r.obj_id) || ((property.flags & DRM_MODE_PROP_ATOMIC) && !file.atomic())) continue;
    ids.push_back(property.id);
    values.push_back(value_of(r.obj_id, property.id));
  }
  uint32_t count = r.count_props;
  copy_list(std::span<const uint32_t>(ids), r.props_ptr, r.count_props);
  copy_list(std::span<const uint64_t>(values), r.prop_values_ptr, count);
  return 0;
}

int Kms::get_property(drm_mode_get_property& r) {
  const Property* property = find_property(r.prop_id);
  if (!property) return -ENOENT;
  fmt::format_to_n(r.name, sizeof r.name - 1, "{}", property->name);
  r.flags = property->flags;
  copy_list(std::span<const uint64_t>(property->values.begin(), property->values.size()), r.values_ptr, r.count_values);
  std::vector<drm_mode_property_enum> names;
  for (const char* name : property->names) {
    drm_mode_property_enum& row = names.emplace_back();
    row.value = property->values.begin()[names.size() - 1];
    std::string_view(name).copy(row.name, sizeof row.name - 1);
  }
  copy_list(std::span<const drm_mode_property_enum>(names), r.enum_blob_ptr, r.count_enum_blobs);
  return 0;
}

int Kms::get_blob(drm_mode_get_blob& r) {
  std::vector<std::byte> bytes;
  if (const auto known = blobs_.find(r.blob_id); known != blobs_.end()) bytes = known->second;
  else if (r.blob_id == kms_id::in_formats) bytes = formats_blob(plane_formats, plane_modifiers);
  else if (r.blob_id == kms_id::cursor_formats) bytes = formats_blob(cursor_formats, cursor_modifiers);
  else return -ENOENT;
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

}  // namespace softgen::run
