// SPDX-License-Identifier: GPL-2.0-or-later
// A build without LLVM's headers: the interpreter runs everything.
#include "hw/base/log.h"
#include "hw/eu/jit/engine.h"

namespace softgen::eu {

bool engine_from_name(std::string_view name, Engine& engine) {
  engine = Engine::interp;
  return name == "interp" || name == "jit" || name == "tiers";
}
void set_engine(Engine engine) {
  if (engine != Engine::interp) note("EU JIT: not available", "this build has none");
}
void set_default_engine() {}
void allow_compiler_in_process() {}
EngineStats engine_stats() { return {}; }
void drain_compiler() {}

}  // namespace softgen::eu
