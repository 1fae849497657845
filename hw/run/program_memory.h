// SPDX-License-Identifier: GPL-2.0-or-later
// Memory of the program by an address that it gave, which may be wrong: as copy_from_user() and copy_to_user() of a kernel.
#pragma once

#include <cstddef>
#include <cstdint>

namespace softgen::run {

/// False: some of it is not mapped, or not readable.
bool copy_from_program(void* to, uint64_t from, size_t bytes);
/// False: some of it is not mapped, or not writable; then a part may have been written.
bool copy_to_program(uint64_t to, const void* from, size_t bytes);

}  // namespace softgen::run
