// SPDX-License-Identifier: GPL-2.0-or-later
// A second platform: Kaby Lake with another PCI id, without video engines, one pipe less, and the commands and registers of defs/.
#pragma once

#include "hw/defs/platform.h"
#include "tests/unit/kbl2/set.h"

namespace softgen::defs::kbl2 {
extern const RegisterSet registers;
}

namespace softgen::test {

inline constexpr uint32_t kbl2_engines = 1 << 0 | 1 << 1;  // RCS, BCS
/// Other bits than Gen8's, and 40 bits of addresses.
inline constexpr defs::PageFormat kbl2_pages{
    .present = 1 << 4, .writable = 1 << 5, .address = 0xff'ffff'f000, .page_2m = 1 << 9, .page_64k = 0};
inline constexpr defs::Platform kbl2 = {
    .name = "kbl2",
    .description = "a chip that does not exist",
    .pci_device_id = 0x5999,
    .pci_revision = 1,
    .bar0_size = 16ull << 20,
    .commands = &defs::kbl2::commands,
    .registers = &defs::kbl2::registers,
    .contexts = &defs::gen9::context_images,
    .ggtt = &kbl2_pages,
    .ppgtt = &kbl2_pages,
    .engines = kbl2_engines,
    .pipes = 2,
    .connectors = 3,
    .timestamp_hz = 12'000'000,
    .slices = 1,
    .subslices = 3,
    .eus = 8,
    .threads = 7,
    .parts = "kbl",
};

}  // namespace softgen::test
