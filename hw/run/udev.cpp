// SPDX-License-Identifier: GPL-2.0-or-later
// libudev as far as programs use it to find DRM nodes (glmark2, Weston's and waffle's choice of a card): enumerating the subsystem "drm" finds
// our two nodes, and devices of our sysfs paths answer from the stand-ins. libudev itself walks the real /sys component by component, which
// redirected paths do not reach. Everything else goes on to libudev. Prototypes: libudev.h.
#include <dlfcn.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <sys/types.h>

#include <array>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "hw/run/options.h"

struct udev;
struct udev_device;
struct udev_enumerate;

/// An entry of a list of ours; libudev's are told from it by where they lie.
struct udev_list_entry {
  const char* name = nullptr;
  udev_list_entry* next = nullptr;
};

namespace softgen::run {
namespace {

constexpr const char* pci_path = "/sys/devices/pci0000:00/0000:00:02.0";
constexpr dev_t drm_device(unsigned minor) { return static_cast<dev_t>(226) << 8 | minor; }

/// A device of ours. They live for ever: three of them, and what they hand out are pointers into themselves.
struct Device {
  std::string syspath, sysname, subsystem, devtype, devnode, number;
  dev_t devnum = 0;
  std::map<std::string, std::string> properties;
  std::map<std::string, std::string> attributes;  // as asked for
  Device* parent = nullptr;
};

std::string root() {
  const char* text = getenv(root_variable);
  return text ? text : "";
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  std::string all = text.str();
  while (!all.empty() && all.back() == '\n') all.pop_back();
  return all;
}

void load_properties(Device& device) {
  std::istringstream lines(read_file(root() + device.syspath + "/uevent"));
  for (std::string line; std::getline(lines, line);)
    if (const size_t equals = line.find('='); equals != std::string::npos) device.properties[line.substr(0, equals)] = line.substr(equals + 1);
  device.properties["SUBSYSTEM"] = device.subsystem;
  device.properties["DEVPATH"] = device.syspath.substr(4);
  if (device.devnode.empty()) return;
  device.properties["DEVNAME"] = device.devnode;
  device.properties["ID_PATH"] = "pci-0000:00:02.0";
  device.properties["ID_SEAT"] = "seat0";
}

std::array<Device, 3>& devices() {
  static std::array<Device, 3>& all = *new std::array<Device, 3>([] {
    std::array<Device, 3> made;
    made[0] = {pci_path, "0000:00:02.0", "pci", "", "", "0", 0, {}, {}, nullptr};
    for (const auto& [index, name, minor] : {std::tuple{1, "card0", 0u}, std::tuple{2, "renderD128", 128u}})
      made[static_cast<size_t>(index)] = {std::string(pci_path) + "/drm/" + name, name, "drm", "drm_minor", std::string("/dev/dri/") + name,
                                          std::to_string(minor), drm_device(minor), {}, {}, nullptr};
    for (Device& device : made) load_properties(device);
    return made;
  }());
  all[1].parent = all[2].parent = &all[0];
  return all;
}

Device* ours(const void* device) {
  for (Device& d : devices())
    if (device == &d) return &d;
  return nullptr;
}

Device* by_path(std::string_view path) {
  for (Device& d : devices())
    if (path == d.syspath || (d.subsystem == "drm" && path == "/sys/class/drm/" + d.sysname)) return &d;
  return nullptr;
}

const char* text_or_null(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

/// What an enumeration was told, kept beside libudev's own object.
struct Enumeration {
  std::set<std::string> subsystems;
  std::vector<std::string> names;
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<udev_list_entry> found;
};

std::mutex mutex;
std::map<const udev_enumerate*, Enumeration>& enumerations() {
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
  return wanted.subsystems.contains(device.subsystem) && name && property;
}

bool is_ours(const udev_list_entry* entry) {
  std::scoped_lock lock(mutex);
  for (const auto& [key, enumeration] : enumerations()) {
    const auto& found = enumeration.found;
    if (std::less_equal<>{}(found.data(), entry) && std::less<>{}(entry, found.data() + found.size())) return true;
  }
  return false;
}

void scan(Enumeration& enumeration) {
  enumeration.found.clear();
  for (const Device& device : devices())
    if (matches(enumeration, device)) enumeration.found.push_back({device.syspath.c_str(), nullptr});
  for (size_t i = 0; i + 1 < enumeration.found.size(); ++i) enumeration.found[i].next = &enumeration.found[i + 1];
}

/// libudev's function of this name; null when the program has no libudev.
template <typename F>
F* next(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

}  // namespace
}  // namespace softgen::run

using namespace softgen::run;

#define EXPORT extern "C" __attribute__((visibility("default")))
/// Calls libudev's function; a program that has none gets `absent`.
#define PASS_ON(absent, name, ...)                              \
  do {                                                          \
    static auto* const theirs = next<decltype(name)>(#name);    \
    return theirs ? theirs(__VA_ARGS__) : (absent);             \
  } while (0)

EXPORT int udev_enumerate_add_match_subsystem(udev_enumerate* e, const char* subsystem) {
  if (e && subsystem) {
    std::scoped_lock lock(mutex);
    enumerations()[e].subsystems.insert(subsystem);
  }
  PASS_ON(-ENOSYS, udev_enumerate_add_match_subsystem, e, subsystem);
}

EXPORT int udev_enumerate_add_match_sysname(udev_enumerate* e, const char* name) {
  if (e && name) {
    std::scoped_lock lock(mutex);
    enumerations()[e].names.push_back(name);
  }
  PASS_ON(-ENOSYS, udev_enumerate_add_match_sysname, e, name);
}

EXPORT int udev_enumerate_add_match_property(udev_enumerate* e, const char* key, const char* value) {
  if (e && key && value) {
    std::scoped_lock lock(mutex);
    enumerations()[e].properties.emplace_back(key, value);
  }
  PASS_ON(-ENOSYS, udev_enumerate_add_match_property, e, key, value);
}

EXPORT int udev_enumerate_scan_devices(udev_enumerate* e) {
  {
    std::scoped_lock lock(mutex);
    if (const auto it = enumerations().find(e); it != enumerations().end()) scan(it->second);
  }
  PASS_ON(-ENOSYS, udev_enumerate_scan_devices, e);
}

EXPORT udev_list_entry* udev_enumerate_get_list_entry(udev_enumerate* e) {
  {
    // Of the subsystems drm and pci the program sees our devices only; other subsystems have none of ours.
    std::scoped_lock lock(mutex);
    if (const auto it = enumerations().find(e); it != enumerations().end() && !it->second.found.empty()) return it->second.found.data();
  }
  PASS_ON(nullptr, udev_enumerate_get_list_entry, e);
}

EXPORT udev_enumerate* udev_enumerate_unref(udev_enumerate* e) {
  {
    std::scoped_lock lock(mutex);
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

EXPORT udev_device* udev_device_new_from_syspath(udev* context, const char* path) {
  if (Device* device = path ? by_path(path) : nullptr) return reinterpret_cast<udev_device*>(device);
  PASS_ON(nullptr, udev_device_new_from_syspath, context, path);
}

EXPORT udev_device* udev_device_new_from_devnum(udev* context, char type, dev_t number) {
  for (Device& device : devices())
    if (type == 'c' && device.devnum && device.devnum == number) return reinterpret_cast<udev_device*>(&device);
  PASS_ON(nullptr, udev_device_new_from_devnum, context, type, number);
}

EXPORT udev_device* udev_device_new_from_subsystem_sysname(udev* context, const char* subsystem, const char* name) {
  for (Device& device : devices())
    if (subsystem && name && device.subsystem == subsystem && device.sysname == name) return reinterpret_cast<udev_device*>(&device);
  PASS_ON(nullptr, udev_device_new_from_subsystem_sysname, context, subsystem, name);
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
    std::scoped_lock lock(mutex);
    const auto [it, fresh] = d->attributes.try_emplace(name ? name : "");
    if (fresh) it->second = read_file(root() + d->syspath + "/" + it->first);
    return text_or_null(it->second);
  }
  PASS_ON(nullptr, udev_device_get_sysattr_value, device, name);
}
