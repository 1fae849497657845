// SPDX-License-Identifier: GPL-2.0-or-later
// What differs between platforms, as data.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "hw/defs/bit6_swizzle.h"
#include "hw/defs/command.h"
#include "hw/defs/context.h"
#include "hw/defs/memory_speeds.h"
#include "hw/defs/page_format.h"
#include "hw/defs/register.h"

namespace softgen::defs {

/// What a machine with the chip has beside it: configuration space, firmware, monitors, memory.
struct Board {
  uint8_t stolen_base, stolen_base_bytes;  ///< BDSM: its offset in configuration space, and its size
  uint8_t bridge_gmch;                     ///< GMCH_CTRL in the host bridge's configuration space; 0: GGC is in the chip's own
  const char* vbt;                         ///< the Video BIOS Table's signature, after "$VBT "
  struct Ddc {
    uint8_t pin;          ///< GMBUS pin pair
    uint8_t in_vbt;       ///< as a Video BIOS Table names it
    uint8_t dvo_port;     ///< the port's number there
    uint8_t aux_channel;  ///< and that of its AUX channel
  };
  std::array<Ddc, 3> ddc;      ///< by connector
  const MemorySpeeds* memory;  ///< as the power control unit tells; null: it does not
  Bit6Swizzle swizzle = {};    ///< of tiled memory
};

struct Platform {
  const char* name;  ///< property and device suffix: "kbl"
  const char* description;
  uint16_t pci_device_id;
  uint8_t pci_revision;
  uint64_t bar0_size;  ///< bytes; registers first, the GTT window in the upper half
  const CommandSet* commands;
  const RegisterSet* registers;
  const ContextImages* contexts;
  const PageFormat *ggtt, *ppgtt;  ///< ppgtt null: there are no tables per process
  uint32_t engines;                ///< bit i: EngineId i
  unsigned pipes;
  unsigned connectors;                       ///< the most its display has
  uint64_t timestamp_hz;                     ///< RING_TIMESTAMP
  unsigned slices, subslices, eus, threads;  ///< subslices per slice, EUs per subslice, threads per EU
  Board board;
  const char* parts;  ///< the list of what a device is built of (hw/gt/platforms/)

  bool has(EngineId engine) const { return engines >> static_cast<unsigned>(engine) & 1; }
};

std::span<const Platform> platforms();
/// Null for an unknown name.
const Platform* find_platform(std::string_view name);
/// Null: no platform has that id.
const Platform* find_platform(uint32_t pci_device_id);

}  // namespace softgen::defs
