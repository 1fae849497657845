// SPDX-License-Identifier: GPL-2.0-or-later
// The windowizer's table (Mesa brw_fs_thread_payload.cpp, wm_iz_table): compilers lay out payloads and messages by it.
#pragma once

#include "hw/render/ilk/state.h"

namespace softgen::render::ilk {

struct DepthUse {
  bool kills = false;  ///< the thread, or the alpha test, may discard pixels
  bool computes_depth = false;
  bool depth_write = false, depth_test = false, stencil_write = false, stencil_test = false;
};

constexpr DepthCase depth_case(const DepthUse& use) {
  constexpr auto before = DepthMode::before_thread, after = DepthMode::after_thread, carried = DepthMode::carried;
  constexpr DepthCase P{before}, Nst{after, true, true}, Nt{after, false, true}, Ctd{carried, false, true, true};
  constexpr DepthCase C{carried}, Ct{carried, false, true}, Cst{carried, true, true}, Cstd{carried, true, true, true};
  // By depth test, depth write, computed depth, kill.
  constexpr DepthCase plain[16] = {P, P, P, P, P, Nst, Nt, Nt, P, P, Ctd, Ctd, P, Nst, Ctd, Ctd};
  constexpr DepthCase stencil_written[16] = {P, C, P, Ct, P, Cst, Ct, Ct, P, Cstd, Ctd, Ctd, P, Cstd, Ctd, Ctd};
  const bool written = use.stencil_test && use.stencil_write;
  const unsigned index = (use.kills ? 1u : 0u) | (use.computes_depth ? 2u : 0u) | (use.depth_write ? 4u : 0u) | (use.depth_test ? 8u : 0u);
  DepthCase found = (written ? stencil_written : plain)[index];
  found.stored_stencil = use.stencil_test && found.mode != before;
  return found;
}

}  // namespace softgen::render::ilk
