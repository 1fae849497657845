// SPDX-License-Identifier: GPL-2.0-or-later
// Which of the compiled kernel tables this host runs.
#include "hw/base/host_cpu.h"
#include "hw/eu/program/lanes.h"

namespace softgen::eu {

extern const KernelTable eu_kernels_baseline;
#if defined(EU_HAVE_AVX2)
extern const KernelTable eu_kernels_avx2;
#endif

const KernelTable& baseline_kernels() { return eu_kernels_baseline; }

const KernelTable& kernels() {
#if defined(EU_HAVE_AVX2)
  if (host_has_avx2_fma()) return eu_kernels_avx2;
#endif
  return eu_kernels_baseline;
}

}  // namespace softgen::eu
