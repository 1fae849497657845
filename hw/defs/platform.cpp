// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/defs/platform.h"

#include <algorithm>

#include "hw/defs/gen11/set.h"
#include "hw/defs/gen12/set.h"
#include "hw/defs/gen5/set.h"
#include "hw/defs/gen9/set.h"

namespace softgen::defs {

namespace {

constexpr uint32_t rcs = 1, bcs = 2, vcs0 = 4, vcs1 = 8, vecs = 16, pocs = 32;

// DDR4-3200 of two channels, at one speed.
constexpr MemorySpeeds::Point ddr4_points[] = {{.clock = 96, .rp = 22, .rcd = 22, .rdpre = 12, .ras = 52}};
constexpr MemorySpeeds ddr4{.type = 0, .channels = 2, .points = ddr4_points};

// Kaby Lake: ids i915_pciids.h INTEL_KBL_GT2_IDS; revision 4 is stepping F0 (intel_step.c:kbl_revids), past the workarounds for early GTs;
// topology KBL PRM vol 3 and Mesa intel_device_info_kbl_gt2.
// Ice Lake: i915_pciids.h INTEL_ICL_IDS; 7 is the only revision that i915 takes for a product (intel_step.c:icl_revids); topology i915
// gt/intel_sseu.c:gen11_sseu_info_init and Mesa intel_device_info_icl_gt2.
// Tiger Lake: i915_pciids.h INTEL_TGL_12_GT2_IDS; revision 3 is stepping C0/D0 (intel_step.c:tgl_uy_revids), past the workarounds for early
// ones; topology i915 gt/intel_sseu.c:gen12_sseu_info_init and Mesa intel_device_info.c, GFX12_GT_FEATURES(2).
// Ironlake: i915_pciids.h INTEL_IRONLAKE_D_IDS; no driver asks for the revision; topology Mesa intel_device_info.c, intel_device_info_ilk; the timestamp's
// rate ILK PRM vol 1 part 2, chapter 4 (80 ns); GMCH_CTRL char/agp/intel-agp.h, I830_GMCH_CTRL.
// Connectors: i915 display/intel_gmbus.c, gmbus_pins_skl, gmbus_pins_icp; intel_bios.c, icp_ddc_pin_map, dvo_port_to_port, direct_aux_ch_map (on Tiger
// Lake ports D and E are Type-C ports 1 and 2). BDSM: arch/x86/kernel/early-quirks.c,
// gen3_stolen_base and gen11_stolen_base.
constexpr Platform kaby_lake = {
    .name = "kbl",
    .description = "Intel HD Graphics 630 (Kaby Lake GT2)",
    .pci_device_id = 0x5912,
    .pci_revision = 4,
    .bar0_size = 16ull << 20,
    .commands = &gen9::commands,
    .registers = &gen9::registers,
    .contexts = &gen9::context_images,
    .ggtt = &gen8_ggtt_pages,
    .ppgtt = &gen8_ppgtt_pages,
    .engines = rcs | bcs | vcs0 | vecs,
    .pipes = 3,
    .connectors = 3,
    .timestamp_hz = 12'000'000,
    .slices = 1,
    .subslices = 3,
    .eus = 8,
    .threads = 7,
    .board = {.stolen_base = 0x5c, .stolen_base_bytes = 4, .vbt = "KABYLAKE", .ddc = {{{5, 5, 1, 0x10}, {4, 4, 2, 0x20}, {6, 6, 3, 0x30}}}},
    .parts = "kbl",
};

constexpr Platform ice_lake = {
    .name = "icl",
    .description = "Intel Iris Plus Graphics (Ice Lake GT2)",
    .pci_device_id = 0x8a52,
    .pci_revision = 7,
    .bar0_size = 16ull << 20,
    .commands = &gen11::commands,
    .registers = &gen11::registers,
    .contexts = &gen11::context_images,
    .ggtt = &gen8_ggtt_pages,
    .ppgtt = &gen8_ppgtt_pages,
    .engines = rcs | bcs | vcs0 | vcs1 | vecs | pocs,
    .pipes = 3,
    .connectors = 3,
    .timestamp_hz = 12'000'000,
    .slices = 1,
    .subslices = 8,
    .eus = 8,
    .threads = 7,
    .board = {.stolen_base = 0xc0,
              .stolen_base_bytes = 8,
              .vbt = "ICELAKE",
              .ddc = {{{2, 2, 1, 0x10}, {9, 4, 2, 0x20}, {10, 5, 3, 0x30}}},
              .memory = &ddr4},
    .parts = "icl",
};

constexpr Platform tiger_lake = {
    .name = "tgl",
    .description = "Intel Iris Xe Graphics (Tiger Lake GT2)",
    .pci_device_id = 0x9a49,
    .pci_revision = 3,
    .bar0_size = 16ull << 20,
    .commands = &gen12::commands,
    .registers = &gen12::registers,
    .contexts = &gen12::context_images,
    .ggtt = &gen8_ggtt_pages,
    .ppgtt = &gen8_ppgtt_pages,
    .engines = rcs | bcs | vcs0 | vcs1 | vecs,
    .pipes = 4,
    .connectors = 3,
    .timestamp_hz = 19'200'000,
    .slices = 1,
    .subslices = 6,
    .eus = 16,
    .threads = 7,
    .board = {.stolen_base = 0xc0,
              .stolen_base_bytes = 8,
              .vbt = "TIGERLAKE",
              .ddc = {{{2, 2, 1, 0x10}, {9, 4, 3, 0x30}, {10, 5, 12, 0x50}}},
              .memory = &ddr4},
    .parts = "tgl",
};

constexpr Platform ironlake = {
    .name = "ilk",
    .description = "Intel HD Graphics (Ironlake)",
    .pci_device_id = 0x0042,
    .pci_revision = 0x12,
    .bar0_size = 4ull << 20,
    .commands = &gen5::commands,
    .registers = &gen5::registers,
    .contexts = &gen5::context_images,
    .ggtt = &gen5_ggtt_pages,
    .ppgtt = nullptr,
    .engines = rcs | vcs0,
    .pipes = 2,
    .connectors = 3,
    .timestamp_hz = 12'500'000,
    .slices = 1,
    .subslices = 1,
    .eus = 12,
    .threads = 6,
    .board = {.stolen_base = 0x5c,
              .stolen_base_bytes = 4,
              .bridge_gmch = 0x52,
              .vbt = "IRONLAKE",
              .ddc = {{{5, 5, 1, 0x10}, {4, 4, 2, 0x20}, {6, 6, 3, 0x30}}},
              .swizzle = gen5_swizzle},
    .parts = "ilk",
};

// The mobile chip: its driver sets frequencies (INTEL_IRONLAKE_M_IDS; i915_pci.c, ilk_m_info).
constexpr Platform mobile_ironlake = [] {
  Platform mobile = ironlake;
  mobile.name = "ilkm";
  mobile.description = "Intel HD Graphics (mobile Ironlake)";
  mobile.pci_device_id = 0x0046;
  return mobile;
}();

constexpr Platform table[] = {kaby_lake, ice_lake, tiger_lake, ironlake, mobile_ironlake};

}  // namespace

std::span<const Platform> platforms() { return table; }

const Platform* find_platform(std::string_view name) {
  const auto found = std::ranges::find(platforms(), name, &Platform::name);
  return found == platforms().end() ? nullptr : &*found;
}

const Platform* find_platform(uint32_t pci_device_id) {
  const auto found = std::ranges::find(platforms(), pci_device_id, &Platform::pci_device_id);
  return found == platforms().end() ? nullptr : &*found;
}

}  // namespace softgen::defs
