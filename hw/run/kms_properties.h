// SPDX-License-Identifier: GPL-2.0-or-later
// The table of properties that mode objects have.
#pragma once

#include <drm_mode.h>

#include <cstdint>
#include <initializer_list>

namespace softgen::run {

struct Property {
  uint32_t id;
  const char* name;
  uint32_t flags;                            ///< DRM_MODE_PROP_*
  std::initializer_list<uint64_t> values;    ///< bounds of a range, type of an object, values of an enumeration
  std::initializer_list<uint32_t> objects;   ///< that have it
  std::initializer_list<const char*> names;  ///< of an enumeration's values

  bool belongs_to(uint32_t object) const;
  /// It may be set, and to this (drm_property_change_valid_get).
  bool accepts(uint64_t value) const;
};

/// Null: there is none with this number.
const Property* find_property(uint32_t id);

/// Of DRM_MODE_OBJECT_*: the other types have no list of properties at all.
constexpr bool has_properties(uint32_t type) {
  return type == DRM_MODE_OBJECT_CRTC || type == DRM_MODE_OBJECT_CONNECTOR || type == DRM_MODE_OBJECT_PLANE;
}

}  // namespace softgen::run
