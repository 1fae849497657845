// SPDX-License-Identifier: GPL-2.0-or-later
// Which of the copies of a kernel table this host runs.
#pragma once

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
                          __builtin_cpu_supports("avx512vl");
  return has;
#else
  return false;
#endif
}

}  // namespace softgen
