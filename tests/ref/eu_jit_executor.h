// SPDX-License-Identifier: GPL-2.0-or-later
// Compiles the program of each thread, in a variant that keeps its registers in memory for tests, and runs it. Threads of one program that follow each
// other run the same code.
#pragma once

#include <memory>

#include "hw/eu/interp/run.h"
#include "hw/eu/jit/loaded_code.h"
#include "hw/eu/jit/start_mode.h"

namespace softgen::eu::fuzz {

class JitExecutor {
 public:
  explicit JitExecutor(jit::HostIsa isa) : isa_(isa) {}

  RunResult operator()(Thread& thread, ThreadEnv& env, MessageTarget& target) {
    if (!jit::mode_is_compiled(thread.regs.control[0])) return interpret(thread, env, target);
    const Program& program = *thread.program();
    const jit::Variant variant{.flush_f32 = !((thread.regs.control[0] | jit::start_mode(program).bits) & cr0::denorm_f32),
                               .channels = thread.dispatched == 0xffffffff ? thread.dispatched : 0,
                               .keep_registers = true,
                               .alternate = (thread.regs.control[0] & cr0::alt_mode) != 0};
    if (last_.get() != &program || variant != variant_) compile(program, variant);
    if (!code_ || !code_->compiled().code) return interpret(thread, env, target);
    return jit::run_compiled(code_->compiled(), thread, env, target);
  }
  /// Programs that were not compiled.
  unsigned refused() const { return refused_; }
  uint64_t stepped() const { return stepped_; }
  uint64_t ops() const { return ops_; }

 private:
  void compile(const Program& program, const jit::Variant& variant) {
    code_.reset();
    last_ = program.shared_from_this(), variant_ = variant;
    const jit::ObjectFile object = jit::compile(program, variant, isa_);
    if (object.refused) {
      refused_++;
      return;
    }
    stepped_ += object.stepped;
    ops_ += program.ops().size();
    code_ = std::make_unique<jit::LoadedCode>(program, variant, object, jit::code_name(program, variant, isa_), arena_);
    refused_ += !code_->compiled().code;
  }

  const jit::HostIsa isa_;
  jit::CodeArena arena_{size_t{16} << 20};
  std::shared_ptr<const Program> last_;  ///< that code_ is of
  jit::Variant variant_;
  std::unique_ptr<jit::LoadedCode> code_;  ///< null: refused
  unsigned refused_ = 0;
  uint64_t stepped_ = 0, ops_ = 0;
};

}  // namespace softgen::eu::fuzz
