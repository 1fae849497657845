// SPDX-License-Identifier: GPL-2.0-or-later
// A small mapped memory for the messages of an EU thread.
#pragma once

#include <cstdint>

#include "hw/defs/gen9/all.h"
#include "hw/iface/engine.h"
#include "hw/surface/surface.h"
#include "tests/unit/memory/mapped.h"

namespace softgen::iface::test {

struct ThreadMemory : memory::test::Mapped {
  ShaderBases bases;
  StopFlag stop;
  ThreadEnv env{view, bases, stop};

  using Mapped::Mapped;
  /// The binding table at `table` has one entry: the surface state at `state`.
  void bind(uint64_t table, uint64_t state) {
    bases.decode_surface = surface::decode_surface<defs::Gen9>;
    bases.binding_table = static_cast<uint32_t>(table);
    view.store<uint32_t>(table, static_cast<uint32_t>(state));
  }
};

}  // namespace softgen::iface::test
