// SPDX-License-Identifier: GPL-2.0-or-later
// Structures of hw/defs in graphics memory.
#pragma once

#include <array>
#include <cstdint>

#include "hw/memory/view.h"

namespace softgen::memory {

/// `address`: canonical bits stripped.
template <typename Structure>
Structure load_structure(View& view, uint64_t address) {
  std::array<uint32_t, Structure::dwords> dwords;
  view.read(address, dwords.data(), sizeof dwords);
  return Structure::unpack(dwords);
}

}  // namespace softgen::memory
