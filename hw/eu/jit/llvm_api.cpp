// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/llvm_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>

namespace softgen::eu::jit::llvm {

#define EU_JIT_DEFINE(name) decltype(&::LLVM##name) name = nullptr;
EU_JIT_LLVM_FUNCTIONS(EU_JIT_DEFINE)
#undef EU_JIT_DEFINE

namespace {

std::string error_text;

unsigned opened = 0;  ///< the library's version
void (*get_version)(unsigned*, unsigned*, unsigned*) = nullptr;

/// RTLD_LOCAL: the process may have another LLVM (Mesa's llvmpipe), whose C interface has the same names.
void* open_library(unsigned number) {
  // File names of distributions and of LLVM's own builds, before and since 18.
  for (const std::string& name :
       {fmt::format("libLLVM.so.{}.1", number), fmt::format("libLLVM-{}.so.1", number), fmt::format("libLLVM-{}.so", number)})
    if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return opened = number, library;
  return nullptr;
}

void* open_library() {
  if (const char* choice = std::getenv("SOFTGEN_LLVM")) return open_library(static_cast<unsigned>(std::strtoul(choice, nullptr, 10)));
  for (const unsigned number : {19u, 22u, 21u, 20u, 18u, 17u, 16u, 15u})
    if (void* library = open_library(number)) return library;
  return nullptr;
}

bool load() {
  void* library = open_library();
  if (!library) {
    const char* choice = std::getenv("SOFTGEN_LLVM");
    error_text = choice ? fmt::format("there is no LLVM {}", choice) : "there is no LLVM from 15 to 22";
    return false;
  }
#define EU_JIT_FIND(name)                                                \
  name = reinterpret_cast<decltype(name)>(dlsym(library, "LLVM" #name)); \
  if (!name) return error_text = "libLLVM has no LLVM" #name, false;
  EU_JIT_LLVM_FUNCTIONS(EU_JIT_FIND)
#undef EU_JIT_FIND
  get_version = reinterpret_cast<decltype(get_version)>(dlsym(library, "LLVMGetVersion"));
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
  if (!get_version) return fmt::format("LLVM {}", opened);
  get_version(&major, &minor, &patch);
  return fmt::format("LLVM {}.{}.{}", major, minor, patch);
}

const char* why() { return error_text.c_str(); }

}  // namespace softgen::eu::jit::llvm
