// SPDX-License-Identifier: GPL-2.0-or-later
// What a submission left in memory, as our recordings say it: comments that begin with results_comment, then a line a page, its physical
// address and its hash in hexadecimal. Recordings from before the hash was XXH3 begin them otherwise, and are replayed without this check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "hw/base/hash.h"

namespace softgen::debug {

inline constexpr std::string_view results_comment = "softgen: XXH3 of memory after this\n";
inline constexpr size_t page_result_bytes = 4096;

/// A change that it misses would have to be made for it.
inline uint64_t hash_page(std::span<const std::byte, page_result_bytes> data) { return hash64(data); }

}  // namespace softgen::debug
