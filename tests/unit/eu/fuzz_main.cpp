// SPDX-License-Identifier: GPL-2.0-or-later
// eu_differential SEED COUNT [ISA]: compares COUNT random instructions of ISA (default gen9) with the reference; exit status 1 and the first difference, if there is one.
#include <cstdio>
#include <cstdlib>

#include "tests/ref/eu_fuzz.h"

int main(int argc, char** argv) {
  const auto* const isa = softgen::eu::find_isa(argc > 3 ? argv[3] : "gen9");
  if (argc < 3 || argc > 4 || !isa) {
    std::fprintf(stderr, "usage: eu_differential SEED COUNT [gen5|gen9|gen11|gen12]\n");
    return 2;
  }
  const uint64_t seed = std::strtoull(argv[1], nullptr, 0), count = std::strtoull(argv[2], nullptr, 0);
  const auto outcome = softgen::eu::fuzz::run(*isa, seed, count);
  if (!outcome.difference.empty()) std::printf("%s\n", outcome.difference.c_str());
  std::printf("seed %llu: %llu instructions in %llu programs compared\n", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(outcome.instructions), static_cast<unsigned long long>(outcome.programs));
  return outcome.difference.empty() ? 0 : 1;
}
