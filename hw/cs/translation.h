// SPDX-License-Identifier: GPL-2.0-or-later
// What an engine's registers say of its graphics addresses besides the page tables: the aux map, and tiled resources. A generation may have none of
// them.
#pragma once

#include "hw/iface/engine.h"
#include "hw/memory/address_space.h"
#include "hw/mmio/register_file.h"

namespace softgen::cs {

/// Adds it to the space of a context.
void add_translation(memory::AddressSpace& space, const mmio::RegisterFile& registers, EngineId engine);
/// A write to it may change what add_translation() says.
bool is_translation_register(uint32_t offset);

}  // namespace softgen::cs
