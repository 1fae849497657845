// SPDX-License-Identifier: GPL-2.0-or-later
// Which of the copies of a kernel table this host runs.
#pragma once

#include <array>
#include <cstddef>

namespace softgen {

/// Code that was built with -mavx2 and -mfma runs here.
inline bool host_has_avx2_fma() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has;
#else
  return false;
#endif
}

/// All of AVX-512 that compilers take for granted in servers (x86-64-v4).
inline bool host_has_avx512() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2");
  return has;
#else
  return false;
#endif
}

/// The copies of a kernel table that this host runs, the best one last.
template <typename Table>
struct KernelSet {
  std::array<const Table*, 3> tables;
  size_t count;
  const Table& best() const { return *tables[count - 1]; }
};
/// `avx2`, `avx512`: built for them; null: not built.
template <typename Table>
KernelSet<Table> kernels_of_host(const Table& baseline, const Table* avx2, const Table* avx512) {
  KernelSet<Table> all{{&baseline}, 1};
  if (avx2 && host_has_avx2_fma()) all.tables[all.count++] = avx2;
  if (avx512 && host_has_avx2_fma() && host_has_avx512()) all.tables[all.count++] = avx512;
  return all;
}

}  // namespace softgen
