// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/guc/firmware_file.h"

namespace softgen::guc {

using namespace defs::guc;

// i915 gt/uc/intel_uc_fw.c, check_ccs_header(): the same sums, in 64 bits.
std::optional<FirmwareFile> read_header(const CssHeader& header) {
  if (header[css_module_type] != module_firmware || header[css_header_version] != header_version_1 || header[css_vendor] != vendor_intel)
    return std::nullopt;
  const uint64_t keys = uint64_t{header[css_key_size]} + header[css_modulus_size] + header[css_exponent_size];
  if (header[css_header_size] != css_dwords + keys || header[css_size] <= header[css_header_size]) return std::nullopt;
  const uint64_t code = uint64_t{header[css_size]} - header[css_header_size];
  if ((code + css_dwords) * 4 > UINT32_MAX) return std::nullopt;
  const uint32_t version = header[css_version], version_v9 = header[css_v9_version];
  return FirmwareFile{.version = {css_major.of(version), css_minor.of(version), css_patch.of(version)},
                      .version_v9 = {css_v9_major.of(version_v9), css_v9_minor.of(version_v9), 0},
                      .copied_bytes = static_cast<uint32_t>((code + css_dwords) * 4)};
}

}  // namespace softgen::guc
