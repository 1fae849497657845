// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "hw/base/hash.h"
#include "hw/base/host_cpu.h"
#include "hw/base/log.h"
#include "hw/eu/jit/chains.h"
#include "hw/eu/jit/emitter.h"

namespace softgen::eu::jit {

namespace {

// Conversion to SSA and cheap passes only: there is one function, and the driver's compiler has optimized it already. instcombine would
// cost as much as all of these, and breaks up patterns that instruction selection turns into masked operations.
constexpr const char* passes = "function(mem2reg,early-cse,simplifycfg,adce,loop-mssa(licm))";

std::string features_text() {
  char* text = llvm::GetHostCPUFeatures();
  std::string features = text;
  llvm::DisposeMessage(text);
  return features;
}

std::string cpu_text() {
  char* text = llvm::GetHostCPUName();
  std::string name = text;
  llvm::DisposeMessage(text);
  return name;
}

class TargetMachine {
 public:
  explicit TargetMachine(HostIsa isa) {
    char* triple = llvm::GetDefaultTargetTriple();
    LLVMTargetRef target = nullptr;
    char* error = nullptr;
    if (llvm::GetTargetFromTriple(triple, &target, &error)) {
      llvm::DisposeMessage(error);
    } else {
      const std::string cpu = isa == HostIsa::host ? cpu_text() : "x86-64-v3", features = isa == HostIsa::host ? features_text() : "";
      machine_ = llvm::CreateTargetMachine(target, triple, cpu.c_str(), features.c_str(), LLVMCodeGenLevelLess, LLVMRelocPIC,
                                           LLVMCodeModelDefault);
    }
    llvm::DisposeMessage(triple);
  }
  ~TargetMachine() {
    if (machine_) llvm::DisposeTargetMachine(machine_);
  }
  LLVMTargetMachineRef get() const { return machine_; }

 private:
  LLVMTargetMachineRef machine_ = nullptr;
};

void append_text(const Ir& ir, std::string* text) {
  if (!text) return;
  char* printed = llvm::PrintModuleToString(ir.module());
  *text += printed;
  llvm::DisposeMessage(printed);
}

const char* optimize(Ir& ir, LLVMTargetMachineRef machine) {
  LLVMPassBuilderOptionsRef options = llvm::CreatePassBuilderOptions();
  LLVMErrorRef error = llvm::RunPasses(ir.module(), passes, machine, options);
  llvm::DisposePassBuilderOptions(options);
  if (!error) return nullptr;
  llvm::ConsumeError(error);
  return "LLVM's passes failed";
}

}  // namespace

bool host_is_wide() {
#if defined(__x86_64__)
  static const bool wide = host_has_avx2_fma() && __builtin_cpu_supports("bmi2");
  return wide;
#else
  return false;
#endif
}

HostIsa best_host_isa() {
  static const bool narrow = [] {
    const char* choice = std::getenv("SOFTGEN_JIT_ISA");
    if (choice && std::strcmp(choice, "avx2") != 0 && std::strcmp(choice, "host") != 0)
      note("SOFTGEN_JIT_ISA", "{} is none of avx2, host", choice);
    return choice && !std::strcmp(choice, "avx2");
  }();
  if (!host_is_wide()) return HostIsa::none;
  return narrow ? HostIsa::avx2 : HostIsa::host;
}

namespace {

/// Whether a series can be one loop: no op needs the thread's registers in memory, and none can block the thread.
bool fits_series(const Program& program, const FlowGraph& graph) {
  if (program.isa().limits().mask_stacks) return false;
  for (size_t n = 0; n < graph.steps.size(); n++) {
    if (!graph.reached[n]) continue;
    const Op& op = program.ops()[n];
    const bool sends = graph.steps[n] == Step::send || graph.steps[n] == Step::end_of_thread;
    if (graph.steps[n] == Step::leave || graph.steps[n] == Step::wait || (sends && !has_fixed_form(op))) return false;
    if (sends && op.instruction->sfid() == static_cast<unsigned>(Sfid::gateway)) return false;
  }
  return true;
}
constexpr const char* no_series = "its threads are started one by one";

}  // namespace

ObjectFile compile(const Program& program, const Variant& variant, HostIsa isa, std::string* text) {
  ObjectFile object;
  if (!llvm::available()) return object.refused = "there is no LLVM", object;
  FlowGraph graph;
  object.refused = analyze(program, graph);
  if (!object.refused && variant.of_series() && !fits_series(program, graph)) object.refused = no_series;
  if (object.refused) return object;
  const TargetMachine machine(isa);
  if (!machine.get()) return object.refused = "LLVM has no target for this host", object;
  Findings first{RawFlow(program, graph), {}};
  const unsigned lanes = isa == HostIsa::host && host_has_avx512() ? 16 : 8;
  const bool blocks = std::count(graph.leaders.begin(), graph.leaders.end(), true) > 1;
  if (blocks) {
    Ir scratch("scratch", lanes);
    Emitter(scratch, program, graph, variant, lanes, nullptr, &first).run();
    first.raw.solve();
    first.pairs.choose();
  }
  Ir ir(code_name(program, variant, isa).c_str(), lanes);
  LLVMTargetDataRef layout = llvm::CreateTargetDataLayout(machine.get());
  llvm::SetModuleDataLayout(ir.module(), layout);
  llvm::DisposeTargetData(layout);
  const auto emitter_of = [&] { return Emitter(ir, program, graph, variant, lanes, blocks ? &first : nullptr, nullptr); };
  Emitter emitter = emitter_of();
  if (variant.of_series() && variant.channels == 0xffff && lanes == 16 && gains_from_pairing(program, graph)) {
    Emitter second = emitter_of();
    emitter.run(&second);
  } else {
    emitter.run();
  }
  object.stepped = emitter.stepped();
  if (variant.of_series() && object.stepped) return object.refused = no_series, object;
  append_text(ir, text);
  object.refused = optimize(ir, machine.get());
  if (object.refused) return object;
  append_text(ir, text);
  LLVMMemoryBufferRef buffer = nullptr;
  char* error = nullptr;
  if (llvm::TargetMachineEmitToMemoryBuffer(machine.get(), ir.module(), LLVMObjectFile, &error, &buffer)) {
    llvm::DisposeMessage(error);
    return object.refused = "LLVM made no code", object;
  }
  const char* start = llvm::GetBufferStart(buffer);
  object.bytes.assign(start, start + llvm::GetBufferSize(buffer));
  llvm::DisposeMemoryBuffer(buffer);
  return object;
}

std::string code_name(const Program& program, const Variant& variant, HostIsa isa) {
  const std::array<uint64_t, 2> place = {program.isa().cache_id(), program.start()};
  const Hash128 hash = hash128(program.bytes(), hash64(std::as_bytes(std::span(place))));
  const SeriesLayout& s = variant.series;
  return fmt::format("eu_{:016x}{:016x}_{:x}_{}{}{}{}{}", hash.high, hash.low, variant.channels, variant.flush_f32 ? "z" : "d",
                     variant.keep_registers ? "k" : "", variant.alternate ? "a" : "", isa == HostIsa::host ? "h" : "v3",
                     variant.of_series() ? fmt::format("_{}_{}_{}{}", s.constants, s.attributes, s.end, s.has_planes ? "_p" : "") : "");
}

}  // namespace softgen::eu::jit
