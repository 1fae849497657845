// SPDX-License-Identifier: GPL-2.0-or-later
// libudev as far as programs use it to find DRM nodes (glmark2, Weston's and waffle's choice of a card): enumerating the subsystem "drm"
// finds our two nodes, and devices of our sysfs paths answer from the stand-ins: to every call that takes a device, since libudev knows
// none of ours. libudev itself walks the real /sys component by component, which redirected paths do not reach. Everything else goes on to
// libudev. Prototypes: libudev.h.
#include <dlfcn.h>
#include <errno.h>
#include <fnmatch.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hw/base/mutex.h"
#include "hw/run/udev_devices.h"

namespace softgen::run {
namespace {

udev_device* found(Device& device, udev* context) {
  device.context = context;
  return reinterpret_cast<udev_device*>(&device);
}

udev_list_entry* first_of(std::vector<udev_list_entry>& list) { return list.empty() ? nullptr : list.data(); }

const char* text_or_null(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

/// An enumeration's filters, kept besides libudev's own object.
struct Enumeration {
  std::set<std::string> subsystems;
  std::vector<std::string> names;
  std::set<std::string> tags;
  std::vector<std::pair<std::string, std::string>> properties;
  const Device* parent = nullptr;
  std::vector<udev_list_entry> found;
};

Mutex mutex;
std::map<const udev_enumerate*, Enumeration>& enumerations() SG_REQUIRES(mutex) {
  static auto& all = *new std::map<const udev_enumerate*, Enumeration>;
  return all;
}

bool matches(const Enumeration& wanted, const Device& device) {
  const auto fits = [](const std::string& pattern, const std::string& value) { return fnmatch(pattern.c_str(), value.c_str(), 0) == 0; };
  bool name = wanted.names.empty(), property = wanted.properties.empty();
  for (const std::string& pattern : wanted.names) name |= fits(pattern, device.sysname);
  for (const auto& [key, pattern] : wanted.properties) {  // any one of them is enough
    const auto has = device.properties.find(key);
    property |= has != device.properties.end() && fits(pattern, has->second);
  }
  const bool tagged = std::ranges::includes(device.tags, wanted.tags);
  const bool below = !wanted.parent || wanted.parent == &device || wanted.parent == device.parent;
  return wanted.subsystems.contains(device.subsystem) && name && property && tagged && below;
}

bool is_ours(const udev_list_entry* entry) {
  const auto has = [entry](const std::vector<udev_list_entry>& list) {
    return std::less_equal<>{}(list.data(), entry) && std::less<>{}(entry, list.data() + list.size());
  };
  for (const Device& d : devices())
    if (has(d.property_list) || has(d.tag_list) || has(d.attribute_list)) return true;
  MutexLock lock(mutex);
  return std::ranges::any_of(enumerations(), [&](const auto& one) { return has(one.second.found); });
}

void scan(Enumeration& enumeration) {
  enumeration.found.clear();
  for (const Device& device : devices())
    if (matches(enumeration, device)) enumeration.found.push_back({device.syspath.c_str()});
  for (size_t i = 0; i + 1 < enumeration.found.size(); ++i) enumeration.found[i].next = &enumeration.found[i + 1];
}

/// libudev's function of this name; null when the program has no libudev. A library that a plugin loaded is not found by RTLD_NEXT, but by
/// its own handle.
template <typename F>
F* next(const char* name) {
  if (void* const function = dlsym(RTLD_NEXT, name)) return reinterpret_cast<F*>(function);
  void* const library = dlopen("libudev.so.1", RTLD_LAZY | RTLD_NOLOAD);
  return library ? reinterpret_cast<F*>(dlsym(library, name)) : nullptr;
}

}  // namespace
}  // namespace softgen::run

using namespace softgen::run;
using softgen::MutexLock;

#define EXPORT extern "C" __attribute__((visibility("default")))
/// Calls libudev's function; a program that has none gets `absent`.
#define PASS_ON(absent, name, ...)                           \
  do {                                                       \
    static auto* const theirs = next<decltype(name)>(#name); \
    return theirs ? theirs(__VA_ARGS__) : (absent);          \
  } while (0)

EXPORT int udev_enumerate_add_match_subsystem(udev_enumerate* e, const char* subsystem) {
  if (e && subsystem) {
    MutexLock lock(mutex);
    enumerations()[e].subsystems.insert(subsystem);
  }
  PASS_ON(-ENOSYS, udev_enumerate_add_match_subsystem, e, subsystem);
}

EXPORT int udev_enumerate_add_match_sysname(udev_enumerate* e, const char* name) {
  if (e && name) {
    MutexLock lock(mutex);
    enumerations()[e].names.push_back(name);
  }
  PASS_ON(-ENOSYS, udev_enumerate_add_match_sysname, e, name);
}

EXPORT int udev_enumerate_add_match_property(udev_enumerate* e, const char* key, const char* value) {
  if (e && key && value) {
    MutexLock lock(mutex);
    enumerations()[e].properties.emplace_back(key, value);
  }
  PASS_ON(-ENOSYS, udev_enumerate_add_match_property, e, key, value);
}

EXPORT int udev_enumerate_add_match_tag(udev_enumerate* e, const char* tag) {
  if (e && tag) {
    MutexLock lock(mutex);
    enumerations()[e].tags.insert(tag);
  }
  PASS_ON(-ENOSYS, udev_enumerate_add_match_tag, e, tag);
}

EXPORT int udev_enumerate_add_match_parent(udev_enumerate* e, udev_device* parent) {
  if (const Device* d = ours(parent)) {
    MutexLock lock(mutex);
    enumerations()[e].parent = d;
    return 0;
  }
  PASS_ON(-ENOSYS, udev_enumerate_add_match_parent, e, parent);
}

EXPORT int udev_enumerate_scan_devices(udev_enumerate* e) {
  {
    MutexLock lock(mutex);
    if (const auto it = enumerations().find(e); it != enumerations().end()) scan(it->second);
  }
  PASS_ON(-ENOSYS, udev_enumerate_scan_devices, e);
}

EXPORT udev_list_entry* udev_enumerate_get_list_entry(udev_enumerate* e) {
  {
    // Of the subsystems drm and pci the program sees our devices only; other subsystems have none of ours.
    MutexLock lock(mutex);
    if (const auto it = enumerations().find(e); it != enumerations().end() && !it->second.found.empty()) return it->second.found.data();
  }
  PASS_ON(nullptr, udev_enumerate_get_list_entry, e);
}

EXPORT udev_enumerate* udev_enumerate_unref(udev_enumerate* e) {
  {
    MutexLock lock(mutex);
    enumerations().erase(e);
  }
  PASS_ON(nullptr, udev_enumerate_unref, e);
}

EXPORT udev_list_entry* udev_list_entry_get_next(udev_list_entry* entry) {
  if (is_ours(entry)) return entry->next;
  PASS_ON(nullptr, udev_list_entry_get_next, entry);
}

EXPORT const char* udev_list_entry_get_name(udev_list_entry* entry) {
  if (is_ours(entry)) return entry->name;
  PASS_ON(nullptr, udev_list_entry_get_name, entry);
}

EXPORT const char* udev_list_entry_get_value(udev_list_entry* entry) {
  if (is_ours(entry)) return entry->value;
  PASS_ON(nullptr, udev_list_entry_get_value, entry);
}

EXPORT udev_list_entry* udev_list_entry_get_by_name(udev_list_entry* entry, const char* name) {
  if (is_ours(entry)) {
    while (entry && name && entry->name != std::string_view(name)) entry = entry->next;
    return name ? entry : nullptr;
  }
  PASS_ON(nullptr, udev_list_entry_get_by_name, entry, name);
}

EXPORT udev_device* udev_device_new_from_syspath(udev* context, const char* path) {
  if (Device* device = path ? by_path(path) : nullptr) return found(*device, context);
  PASS_ON(nullptr, udev_device_new_from_syspath, context, path);
}

EXPORT udev_device* udev_device_new_from_devnum(udev* context, char type, dev_t number) {
  for (Device& device : devices())
    if (type == 'c' && device.devnum && device.devnum == number) return found(device, context);
  PASS_ON(nullptr, udev_device_new_from_devnum, context, type, number);
}

EXPORT udev_device* udev_device_new_from_subsystem_sysname(udev* context, const char* subsystem, const char* name) {
  for (Device& device : devices())
    if (subsystem && name && device.subsystem == subsystem && device.sysname == name) return found(device, context);
  PASS_ON(nullptr, udev_device_new_from_subsystem_sysname, context, subsystem, name);
}

EXPORT udev_device* udev_device_new_from_device_id(udev* context, const char* id) {
  for (Device& device : devices()) {
    const std::string by_name = "+" + device.subsystem + ":" + device.sysname,
                      by_number = "c" + std::to_string(device.devnum >> 8) + ":" + device.number;
    if (id && (id == by_name || (device.devnum && id == by_number))) return found(device, context);
  }
  PASS_ON(nullptr, udev_device_new_from_device_id, context, id);
}

EXPORT udev_device* udev_device_ref(udev_device* device) {
  if (ours(device)) return device;
  PASS_ON(nullptr, udev_device_ref, device);
}

EXPORT udev_device* udev_device_unref(udev_device* device) {
  if (ours(device)) return nullptr;
  PASS_ON(nullptr, udev_device_unref, device);
}

EXPORT udev_device* udev_device_get_parent(udev_device* device) {
  if (const Device* d = ours(device)) return reinterpret_cast<udev_device*>(d->parent);
  PASS_ON(nullptr, udev_device_get_parent, device);
}

EXPORT udev_device* udev_device_get_parent_with_subsystem_devtype(udev_device* device, const char* subsystem, const char* devtype) {
  if (const Device* d = ours(device))
    return reinterpret_cast<udev_device*>(d->parent && subsystem && d->parent->subsystem == subsystem && !devtype ? d->parent : nullptr);
  PASS_ON(nullptr, udev_device_get_parent_with_subsystem_devtype, device, subsystem, devtype);
}

EXPORT udev* udev_device_get_udev(udev_device* device) {
  if (const Device* d = ours(device)) return d->context;
  PASS_ON(nullptr, udev_device_get_udev, device);
}

EXPORT const char* udev_device_get_devpath(udev_device* device) {
  if (const Device* d = ours(device)) return d->properties.at("DEVPATH").c_str();
  PASS_ON(nullptr, udev_device_get_devpath, device);
}

EXPORT const char* udev_device_get_driver(udev_device* device) {
  if (const Device* d = ours(device)) return d->parent ? nullptr : "i915";
  PASS_ON(nullptr, udev_device_get_driver, device);
}

// Ours come from no event.
EXPORT const char* udev_device_get_action(udev_device* device) {
  if (ours(device)) return nullptr;
  PASS_ON(nullptr, udev_device_get_action, device);
}

EXPORT unsigned long long udev_device_get_seqnum(udev_device* device) {
  if (ours(device)) return 0;
  PASS_ON(0, udev_device_get_seqnum, device);
}

EXPORT unsigned long long udev_device_get_usec_since_initialized(udev_device* device) {
  if (ours(device)) return 0;
  PASS_ON(0, udev_device_get_usec_since_initialized, device);
}

EXPORT int udev_device_has_tag(udev_device* device, const char* tag) {
  if (const Device* d = ours(device)) return tag && d->tags.contains(tag);
  PASS_ON(0, udev_device_has_tag, device, tag);
}

EXPORT int udev_device_has_current_tag(udev_device* device, const char* tag) {
  if (const Device* d = ours(device)) return tag && d->tags.contains(tag);
  PASS_ON(0, udev_device_has_current_tag, device, tag);
}

EXPORT int udev_device_set_sysattr_value(udev_device* device, const char* name, const char* value) {
  if (ours(device)) return -EACCES;
  PASS_ON(-ENOSYS, udev_device_set_sysattr_value, device, name, value);
}

#define DEFINE_LIST(function, list)                         \
  EXPORT udev_list_entry* function(udev_device* device) {   \
    if (Device* d = ours(device)) return first_of(d->list); \
    PASS_ON(nullptr, function, device);                     \
  }
DEFINE_LIST(udev_device_get_properties_list_entry, property_list)
DEFINE_LIST(udev_device_get_tags_list_entry, tag_list)
DEFINE_LIST(udev_device_get_current_tags_list_entry, tag_list)
DEFINE_LIST(udev_device_get_sysattr_list_entry, attribute_list)

EXPORT udev_list_entry* udev_device_get_devlinks_list_entry(udev_device* device) {
  if (ours(device)) return nullptr;
  PASS_ON(nullptr, udev_device_get_devlinks_list_entry, device);
}

EXPORT int udev_device_get_is_initialized(udev_device* device) {
  if (ours(device)) return 1;
  PASS_ON(-ENOSYS, udev_device_get_is_initialized, device);
}

EXPORT dev_t udev_device_get_devnum(udev_device* device) {
  if (const Device* d = ours(device)) return d->devnum;
  PASS_ON(0, udev_device_get_devnum, device);
}

#define DEFINE_TEXT(function, member)                                   \
  EXPORT const char* function(udev_device* device) {                    \
    if (const Device* d = ours(device)) return text_or_null(d->member); \
    PASS_ON(nullptr, function, device);                                 \
  }
DEFINE_TEXT(udev_device_get_syspath, syspath)
DEFINE_TEXT(udev_device_get_sysname, sysname)
DEFINE_TEXT(udev_device_get_sysnum, number)
DEFINE_TEXT(udev_device_get_subsystem, subsystem)
DEFINE_TEXT(udev_device_get_devtype, devtype)
DEFINE_TEXT(udev_device_get_devnode, devnode)

EXPORT const char* udev_device_get_property_value(udev_device* device, const char* key) {
  if (Device* d = ours(device)) {
    const auto it = d->properties.find(key ? key : "");
    return it == d->properties.end() ? nullptr : it->second.c_str();
  }
  PASS_ON(nullptr, udev_device_get_property_value, device, key);
}

EXPORT const char* udev_device_get_sysattr_value(udev_device* device, const char* name) {
  if (Device* d = ours(device)) {
    MutexLock lock(mutex);
    const auto [it, fresh] = d->attributes.try_emplace(name ? name : "");
    if (fresh) it->second = read_attribute(*d, it->first);
    return text_or_null(it->second);
  }
  PASS_ON(nullptr, udev_device_get_sysattr_value, device, name);
}
