// SPDX-License-Identifier: GPL-2.0-or-later
// A build without LLVM's headers: the interpreter runs everything.
#include "hw/base/log.h"
#include "hw/eu/jit/check_engine.h"
#include "hw/eu/jit/engine.h"

namespace softgen::eu {
namespace {

class NoCompiler final : public Compiler {
 public:
  std::unique_ptr<FastPath> attach(const Program&) override { return nullptr; }
  EngineStats stats() const override { return {}; }
  void drain() override {}
};

}  // namespace

bool engine_from_name(std::string_view name, Engine& engine) {
  engine = name == "check" ? Engine::check : Engine::interp;
  return engine == Engine::check || name == "interp" || name == "jit" || name == "tiers";
}

std::unique_ptr<Compiler> make_compiler(const CompilerOptions& options) {
  if (options.engine == Engine::check) return make_check_engine();
  if (options.engine && *options.engine != Engine::interp) note("EU JIT: not available", "this build has none");
  return std::make_unique<NoCompiler>();
}

}  // namespace softgen::eu
