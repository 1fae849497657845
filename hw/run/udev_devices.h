// SPDX-License-Identifier: GPL-2.0-or-later
// Our devices as libudev shows devices: the PCI function and its two DRM nodes.
#pragma once

#include <sys/types.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

struct udev;
struct udev_device;
struct udev_enumerate;

/// An entry of a list of our devices. Its address is inside our lists, unlike those of libudev's entries.
struct udev_list_entry {
  const char* name = nullptr;
  const char* value = nullptr;
  udev_list_entry* next = nullptr;
};

namespace softgen::run {

/// A device of ours. They live for ever: three of them, and what they hand out are pointers into themselves.
struct Device {
  std::string syspath, sysname, subsystem, devtype, devnode, number;
  dev_t devnum = 0;
  std::map<std::string, std::string> properties;
  std::set<std::string> tags;
  std::set<std::string> attribute_names;
  std::map<std::string, std::string> attributes;  // as asked for
  Device* parent = nullptr;
  udev* context = nullptr;  // of the program's last call that found it
  std::vector<udev_list_entry> property_list, tag_list, attribute_list;
};

std::array<Device, 3>& devices();

/// The device of a program's pointer; null when it is not ours.
Device* ours(const void* device);

/// Of a path below /sys; null when there is none of ours.
Device* by_path(std::string_view path);

/// The contents of `attribute` (a file of the device's folder) in our sysfs, without line ends; empty when there is none.
std::string read_attribute(const Device& device, const std::string& attribute);

}  // namespace softgen::run
