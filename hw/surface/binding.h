// SPDX-License-Identifier: GPL-2.0-or-later
// From the binding table index of a message to its surface (SKL PRM vol 7, "Binding Table", "Message Descriptor"; vol 2a,
// STATE_BASE_ADDRESS).
#pragma once

#include <array>
#include <cstdint>

#include "hw/iface/message_target.h"
#include "hw/memory/view.h"
#include "hw/surface/surface.h"

namespace softgen::surface {

constexpr uint64_t no_surface = ~uint64_t{0};
using SurfaceDwords = std::array<uint32_t, 16>;

/// Address of the RENDER_SURFACE_STATE of `binding`. Bindless states beyond Bindless Surface State Size, and the indices that have no
/// surface, give no_surface.
uint64_t surface_state_address(memory::View& view, const ShaderBases& bases, const SurfaceBinding& binding);

/// The surface of `binding`; a null surface where there is none.
Surface load_surface(memory::View& view, const ShaderBases& bases, const SurfaceBinding& binding);

/// load_surface() through a small memory of each host thread: a state whose bytes were decoded lately is not decoded again. Good until the
/// thread's next call.
const Surface& cached_surface(memory::View& view, const ShaderBases& bases, const SurfaceBinding& binding);

}  // namespace softgen::surface
