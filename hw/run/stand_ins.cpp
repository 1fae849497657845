// SPDX-License-Identifier: GPL-2.0-or-later
// Files as Linux shows them for 0000:00:02.0; read by libdrm's xf86drm.c (drmParsePciDeviceInfo, drmGetDeviceFromDevId) and Mesa's loader.
#include "hw/run/stand_ins.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "softgen/softgen.h"

namespace softgen::run {
namespace fs = std::filesystem;
namespace {

void put(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::string config_space(const sg_platform_info& info) {
  std::string config(64, '\0');
  const auto put16 = [&](size_t offset, uint16_t value) {
    config[offset] = static_cast<char>(value);
    config[offset + 1] = static_cast<char>(value >> 8);
  };
  put16(0x00, 0x8086);
  put16(0x02, info.pci_device_id);
  config[0x08] = static_cast<char>(info.pci_revision);
  put16(0x0a, 0x0300);
  put16(0x2c, 0x8086);
  put16(0x2e, 0x2212);
  return config;
}

}  // namespace

std::string make_stand_ins(const std::string& platform) {
  const sg_platform_info* info = sg_platform(platform.c_str());
  if (!info) throw std::runtime_error(fmt::format("there is no platform '{}'", platform));
  std::string pattern = (fs::temp_directory_path() / "softgen-run.XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder can be made in " + fs::temp_directory_path().string());
  const fs::path root = pattern;
  const fs::path device = root / "sys/devices/pci0000:00/0000:00:02.0";
  put(device / "vendor", "0x8086\n");
  put(device / "device", fmt::format("0x{:04x}\n", info->pci_device_id));
  put(device / "revision", fmt::format("0x{:02x}\n", info->pci_revision));
  put(device / "subsystem_vendor", "0x8086\n");
  put(device / "subsystem_device", "0x2212\n");
  put(device / "class", "0x030000\n");
  put(device / "config", config_space(*info));
  put(device / "uevent", fmt::format("DRIVER=i915\nPCI_CLASS=30000\nPCI_ID=8086:{:04X}\nPCI_SUBSYS_ID=8086:2212\n"
                                     "PCI_SLOT_NAME=0000:00:02.0\n", info->pci_device_id));
  fs::create_directories(root / "sys/bus/pci/devices");
  fs::create_symlink("../../bus/pci", device / "subsystem");
  fs::create_symlink("../../../devices/pci0000:00/0000:00:02.0", root / "sys/bus/pci/devices/0000:00:02.0");
  for (const auto& [name, minor] : {std::pair{"card0", 0}, std::pair{"renderD128", 128}}) {
    put(root / "dev/dri" / name, "");
    put(device / "drm" / name / "dev", fmt::format("226:{}\n", minor));
    put(device / "drm" / name / "uevent", fmt::format("MAJOR=226\nMINOR={}\nDEVNAME=dri/{}\nDEVTYPE=drm_minor\n", minor, name));
    fs::create_symlink("../../../0000:00:02.0", device / "drm" / name / "device");
    fs::create_directories(root / "sys/dev/char");
    fs::create_symlink(fmt::format("../../devices/pci0000:00/0000:00:02.0/drm/{}", name), root / "sys/dev/char" / fmt::format("226:{}", minor));
    fs::create_directories(root / "sys/class/drm");
    fs::create_symlink(fmt::format("../../devices/pci0000:00/0000:00:02.0/drm/{}", name), root / "sys/class/drm" / name);
  }
  return root.string();
}

}  // namespace softgen::run
