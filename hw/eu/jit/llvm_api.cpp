// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/llvm_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>

namespace softgen::eu::jit::llvm {

#define EU_JIT_DEFINE(name) decltype(&::LLVM##name) name = nullptr;
EU_JIT_LLVM_FUNCTIONS(EU_JIT_DEFINE)
#undef EU_JIT_DEFINE

namespace {

std::string error_text;

/// Its own symbols come first: the process may have another LLVM (Mesa's llvmpipe) whose C interface has the same names.
void* open_library() {
  for (const char* name : {"libLLVM.so.19.1", "libLLVM-19.so.1", "libLLVM-19.so"})
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}

bool load() {
  void* library = open_library();
  if (!library) {
    const char* text = dlerror();
    error_text = text ? text : "no libLLVM";
    return false;
  }
#define EU_JIT_FIND(name)                                                            \
  name = reinterpret_cast<decltype(name)>(dlsym(library, "LLVM" #name));             \
  if (!name) return error_text = "libLLVM has no LLVM" #name, false;
  EU_JIT_LLVM_FUNCTIONS(EU_JIT_FIND)
#undef EU_JIT_FIND
  InitializeX86TargetInfo();
  InitializeX86Target();
  InitializeX86TargetMC();
  InitializeX86AsmPrinter();
  return true;
}

}  // namespace

bool available() {
  static const bool loaded = load();
  return loaded;
}

std::string version() {
  unsigned major = 0, minor = 0, patch = 0;
  if (!available()) return "";
  GetVersion(&major, &minor, &patch);
  return fmt::format("LLVM {}.{}.{}", major, minor, patch);
}

const char* why() { return error_text.c_str(); }

}  // namespace softgen::eu::jit::llvm
