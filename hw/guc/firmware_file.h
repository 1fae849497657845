// SPDX-License-Identifier: GPL-2.0-or-later
// The header of a firmware file (CSS), as the boot ROM reads it from what was copied.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "hw/defs/guc_abi.h"

namespace softgen::guc {

using CssHeader = std::array<uint32_t, defs::guc::css_dwords>;

struct FirmwareVersion {
  uint32_t major = 0, minor = 0, patch = 0;
};

struct FirmwareFile {
  FirmwareVersion version;
  FirmwareVersion version_v9;  ///< where firmware 9 has its version
  uint32_t copied_bytes = 0;   ///< header and code: what is copied to WOPCM
};

/// Nothing: the header is no firmware's, or its sizes contradict each other.
std::optional<FirmwareFile> read_header(const CssHeader& header);

}  // namespace softgen::guc
