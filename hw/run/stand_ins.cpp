// SPDX-License-Identifier: GPL-2.0-or-later
// Files as Linux shows them for 0000:00:02.0; read by libdrm's xf86drm.c (drmParsePciDeviceInfo, drmGetDeviceFromDevId) and Mesa's loader.
#include "hw/run/stand_ins.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "hw/defs/platform.h"
#include "hw/defs/registers/registers.h"
#include "hw/run/chip_oa.h"
#include "softgen/softgen.h"

namespace softgen::run {
namespace fs = std::filesystem;
namespace {

struct Entry {
  std::string path;  ///< below the root
  std::string text;  ///< of the file, or where the link points
  bool link = false, folder = false;
};

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

/// The clocks of a card's folder (i915 i915_sysfs.c:gen6_attrs) that do not change, in MHz.
/// NEO answers CL_DEVICE_MAX_CLOCK_FREQUENCY with gt_max_freq_mhz.
std::vector<Entry> clocks(const defs::Platform& platform, const std::string& card) {
  const defs::Register* const row = platform.registers->find(reg::RP_STATE_CAP);
  if (!row) return {};
  const uint32_t caps = row->reset;
  const auto mhz = [&](int shift) { return fmt::format("{}\n", 50 * (caps >> shift & 0xff)); };  // intel_rps.c:gen6_rps_get_freq_caps
  const std::string rp0 = mhz(0), rp1 = mhz(8), rpn = mhz(16);
  return {{card + "gt_RP0_freq_mhz", rp0}, {card + "gt_RP1_freq_mhz", rp1}, {card + "gt_RPn_freq_mhz", rpn},
          {card + "gt_max_freq_mhz", rp0}, {card + "gt_min_freq_mhz", rpn}, {card + "gt_boost_freq_mhz", rp0}};
}

/// The performance interface (i915 i915_perf.c, oa_table). Folders of metric sets differ between processes: node.cpp answers for them.
std::vector<Entry> performance(const std::string& card) {
  const std::string sysctl = "proc/sys/dev/i915/";
  return {{sysctl + "perf_stream_paranoid", "0\n"},
          {sysctl + "oa_max_sample_rate", fmt::format("{}\n", oa::max_sample_rate_hz)},
          {.path = card + "metrics", .folder = true}};
}

std::vector<Entry> entries_of(const sg_platform_info& info) {
  const std::string device = "sys/devices/pci0000:00/0000:00:02.0/";
  std::vector<Entry> all = {{device + "vendor", "0x8086\n"},
                            {device + "device", fmt::format("0x{:04x}\n", info.pci_device_id)},
                            {device + "revision", fmt::format("0x{:02x}\n", info.pci_revision)},
                            {device + "subsystem_vendor", "0x8086\n"},
                            {device + "subsystem_device", "0x2212\n"},
                            {device + "class", "0x030000\n"},
                            {device + "boot_vga", "1\n"},
                            {device + "config", config_space(info)},
                            {device + "uevent", fmt::format("DRIVER=i915\nPCI_CLASS=30000\nPCI_ID=8086:{:04X}\nPCI_SUBSYS_ID=8086:2212\n"
                                                            "PCI_SLOT_NAME=0000:00:02.0\n",
                                                            info.pci_device_id)},
                            {device + "subsystem", "../../bus/pci", true},
                            {"sys/bus/pci/devices/0000:00:02.0", "../../../devices/pci0000:00/0000:00:02.0", true}};
  for (const auto& [name, minor] : {std::pair{"card0", 0}, std::pair{"renderD128", 128}}) {
    const std::string node = fmt::format("{}drm/{}/", device, name);
    const std::string target = fmt::format("../../devices/pci0000:00/0000:00:02.0/drm/{}", name);
    all.insert(all.end(), {{fmt::format("dev/dri/{}", name), ""},
                           {node + "dev", fmt::format("226:{}\n", minor)},
                           {node + "uevent", fmt::format("MAJOR=226\nMINOR={}\nDEVNAME=dri/{}\nDEVTYPE=drm_minor\n", minor, name)},
                           {node + "device", "../../../0000:00:02.0", true},
                           {fmt::format("sys/dev/char/226:{}", minor), target, true},
                           {fmt::format("sys/class/drm/{}", name), target, true}});
  }
  std::ranges::move(clocks(*defs::find_platform(info.name), device + "drm/card0/"), std::back_inserter(all));
  std::ranges::move(performance(device + "drm/card0/"), std::back_inserter(all));
  return all;
}

void write_all(const fs::path& root, const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    const fs::path path = root / entry.path;
    fs::create_directories(path.parent_path());
    if (entry.folder) fs::create_directory(path);
    else if (entry.link) fs::create_symlink(entry.text, path);
    else std::ofstream(path, std::ios::binary) << entry.text;
  }
}

/// All files are there (a cleaner of temporary folders may have been at them); throws when the folder is not safely ours.
bool complete(const fs::path& root, const std::vector<Entry>& entries) {
  struct stat st;
  if (lstat(root.c_str(), &st) != 0) return false;
  if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 022))
    throw std::runtime_error(root.string() + " belongs to someone else");
  return std::all_of(entries.begin(), entries.end(), [&](const Entry& entry) {
    return lstat((root / entry.path).c_str(), &st) == 0 &&
           (entry.link || entry.folder || static_cast<size_t>(st.st_size) == entry.text.size());
  });
}

}  // namespace

fs::path stand_ins_parent() { return access("/dev/shm", W_OK) == 0 ? fs::path("/dev/shm") : fs::temp_directory_path(); }

std::string make_stand_ins(const std::string& platform, const fs::path& parent) {
  const sg_platform_info* info = sg_platform(platform.c_str());
  if (!info) throw std::runtime_error(fmt::format("there is no platform '{}'", platform));
  const std::vector<Entry> entries = entries_of(*info);
  size_t key = 0;
  for (const Entry& entry : entries) key = std::hash<std::string>{}(fmt::format("{:x}{}{}", key, entry.path, entry.text));
  const fs::path root = parent / fmt::format("softgen-run-{}-{}-{:016x}", geteuid(), info->name, key);
  if (complete(root, entries)) return root.string();
  std::string draft = (parent / "softgen-run.XXXXXX").string();
  if (!mkdtemp(draft.data())) throw std::runtime_error("no folder can be made in " + parent.string());
  write_all(draft, entries);
  // Many may do this at the same moment; readers see a whole folder at any time.
  if (rename(draft.c_str(), root.c_str()) == 0) return root.string();
  if (!complete(root, entries) && renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, root.c_str(), RENAME_EXCHANGE) != 0)
    throw std::runtime_error(fmt::format("{}: {}", root.string(), std::strerror(errno)));
  std::error_code ignored;
  fs::remove_all(draft, ignored);
  return root.string();
}

}  // namespace softgen::run
