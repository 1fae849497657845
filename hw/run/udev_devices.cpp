// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/run/udev_devices.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <tuple>

#include "hw/run/options.h"

namespace softgen::run {
namespace {

constexpr const char* pci_path = "/sys/devices/pci0000:00/0000:00:02.0";
constexpr dev_t drm_device(unsigned minor) { return static_cast<dev_t>(226) << 8 | minor; }

std::string root() {
  const char* text = getenv(root_variable);
  return text ? text : "";
}

void load_properties(Device& device) {
  std::istringstream lines(read_attribute(device, "uevent"));
  for (std::string line; std::getline(lines, line);)
    if (const size_t equals = line.find('='); equals != std::string::npos)
      device.properties[line.substr(0, equals)] = line.substr(equals + 1);
  device.properties["SUBSYSTEM"] = device.subsystem;
  device.properties["DEVPATH"] = device.syspath.substr(4);
  if (device.devnode.empty()) return;
  device.properties["DEVNAME"] = device.devnode;
  device.properties["ID_PATH"] = "pci-0000:00:02.0";
  device.properties["ID_SEAT"] = "seat0";
  // systemd's 70-uaccess.rules and 71-seat.rules.
  if (device.sysname.starts_with("card")) device.tags = {"master-of-seat", "seat", "uaccess"};
  else device.tags = {"uaccess"};
}

udev_list_entry entry_of(const std::string& name) { return {name.c_str()}; }
udev_list_entry entry_of(const std::pair<const std::string, std::string>& both) { return {both.first.c_str(), both.second.c_str()}; }

/// The same as a list of libudev's kind, whose strings are those of `all`.
std::vector<udev_list_entry> linked(const auto& all) {
  std::vector<udev_list_entry> list;
  for (const auto& one : all) list.push_back(entry_of(one));
  for (size_t i = 0; i + 1 < list.size(); ++i) list[i].next = &list[i + 1];
  return list;
}

void make_lists(Device& device) {
  std::error_code none;
  for (const auto& file : std::filesystem::directory_iterator(root() + device.syspath, none))
    if (file.is_regular_file(none)) device.attribute_names.insert(file.path().filename());
  device.property_list = linked(device.properties);
  device.tag_list = linked(device.tags);
  device.attribute_list = linked(device.attribute_names);
}

}  // namespace

std::array<Device, 3>& devices() {
  static std::array<Device, 3>& all = *new std::array<Device, 3>([] {
    std::array<Device, 3> made;
    made[0] = {.syspath = pci_path, .sysname = "0000:00:02.0", .subsystem = "pci", .number = "0"};
    for (const auto& [index, name, minor] : {std::tuple{1, "card0", 0u}, std::tuple{2, "renderD128", 128u}})
      made[static_cast<size_t>(index)] = {.syspath = std::string(pci_path) + "/drm/" + name,
                                          .sysname = name,
                                          .subsystem = "drm",
                                          .devtype = "drm_minor",
                                          .devnode = std::string("/dev/dri/") + name,
                                          .number = std::to_string(minor),
                                          .devnum = drm_device(minor)};
    for (Device& device : made) load_properties(device);
    return made;
  }());
  // What points to another of them or to their own strings: now that they are at their place.
  static const bool once = [] {
    all[1].parent = all[2].parent = &all[0];
    for (Device& device : all) make_lists(device);
    return true;
  }();
  static_cast<void>(once);
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

std::string read_attribute(const Device& device, const std::string& attribute) {
  std::ifstream file(root() + device.syspath + "/" + attribute, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  std::string all = text.str();
  while (!all.empty() && all.back() == '\n') all.pop_back();
  return all;
}

}  // namespace softgen::run
