// SPDX-License-Identifier: GPL-2.0-or-later
// eu_jit_differential SEED COUNT [LENGTH [ISA [STATES]]]: compares COUNT random instructions of ISA (default gen9), compiled for AVX2 and for all that the host
// has, with the interpreter; in programs of about LENGTH (default 48), each with STATES (default 1) contents of registers. Exit status 1 and the first
// difference, if there is one.
#include <cstdio>
#include <cstdlib>

#include "tests/ref/eu_fuzz.h"
#include "tests/ref/eu_jit_executor.h"

using namespace softgen::eu;

int main(int argc, char** argv) {
  const Isa* const eu_isa = find_isa(argc > 4 ? argv[4] : "gen9");
  if (argc < 3 || argc > 6 || !eu_isa) {
    std::fprintf(stderr, "usage: eu_jit_differential SEED COUNT [LENGTH [gen5|gen9|gen11|gen12 [STATES]]]\n");
    return 2;
  }
  if (jit::best_host_isa() == jit::HostIsa::none) {
    std::printf("no compiler here: %s\n", jit::host_is_wide() ? jit::llvm::why() : "the host has no AVX2");
    return 77;  // meson: skipped
  }
  const uint64_t seed = std::strtoull(argv[1], nullptr, 0), count = std::strtoull(argv[2], nullptr, 0);
  const auto length = argc > 3 ? static_cast<unsigned>(std::strtoul(argv[3], nullptr, 0)) : 48;
  const auto states = argc > 5 ? static_cast<unsigned>(std::strtoul(argv[5], nullptr, 0)) : 1;
  for (const jit::HostIsa isa : {jit::HostIsa::avx2, jit::HostIsa::host}) {
    fuzz::JitExecutor executor(isa);
    const auto outcome = fuzz::compare(*eu_isa, seed, count, length, std::ref(executor), states);
    if (!outcome.difference.empty()) std::printf("%s\n", outcome.difference.c_str());
    std::printf(
        "%s, seed %llu: %llu instructions in %llu programs compared, %llu executed; %u programs not compiled, %.1f %% of the ops stepped\n",
        isa == jit::HostIsa::avx2 ? "AVX2" : "host", static_cast<unsigned long long>(seed),
        static_cast<unsigned long long>(outcome.instructions), static_cast<unsigned long long>(outcome.programs),
        static_cast<unsigned long long>(outcome.executed), executor.refused(),
        100.0 * static_cast<double>(executor.stepped()) / static_cast<double>(executor.ops()));
    if (!outcome.difference.empty() || executor.refused()) return 1;
  }
  return 0;
}
