// SPDX-License-Identifier: GPL-2.0-or-later
// Memory of the program, seen at a second address of the process: what GEM_USERPTR needs.
#pragma once

#include <cstdint>

namespace softgen::run {

/// Maps the pages of [memory, memory + size) at `copy`, too (page aligned; replaces what was mapped there). False: a page is not mapped, not readable,
/// or (`write`) not writable, or the system refuses; then `copy` is in no defined state.
///
/// Private pages move into a file of their own, which takes their place. What another thread writes to such a page during the call can be lost.
/// That happens once to a page: it is shared from then on, also when its object has gone.
bool share_memory(void* memory, uint64_t size, bool write, void* copy);

}  // namespace softgen::run
