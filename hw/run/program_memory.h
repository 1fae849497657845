// SPDX-License-Identifier: GPL-2.0-or-later
// Access to the program's memory at an address that it passed and that may be invalid, as a kernel's copy_from_user() and copy_to_user().
#pragma once

#include <cstddef>
#include <cstdint>

namespace softgen::run {

/// False: some of it is not mapped, or not readable.
bool copy_from_program(void* to, uint64_t from, size_t bytes);
/// False: some of it is not mapped, or not writable; then a part may have been written.
bool copy_to_program(uint64_t to, const void* from, size_t bytes);

}  // namespace softgen::run
