// SPDX-License-Identifier: GPL-2.0-or-later
// The host's own peak rates, for scripts/bench: {"fma": GFLOP/s, "copy": GB/s} of all its threads together, with its widest vectors.
#include <fmt/format.h>
#include <immintrin.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <numeric>
#include <thread>
#include <vector>

namespace {

constexpr int chains = 12, rounds = 1 << 22;  // chains hide the latency of one FMA (4 or 5 cycles, two a cycle)
// As many bytes as gl_rates' compute-copy moves at once, the threads a part each.
constexpr size_t copied_bytes = 32 << 20;
constexpr int copies = 32;

__attribute__((target("avx512f"))) float fma_512(float seed) {
  __m512 sum[chains], factor = _mm512_set1_ps(seed);
  for (int c = 0; c < chains; c++) sum[c] = _mm512_set1_ps(seed + static_cast<float>(c));
  for (int i = 0; i < rounds; i++)
#pragma GCC unroll 12
    for (int c = 0; c < chains; c++) sum[c] = _mm512_fmadd_ps(sum[c], factor, factor);
  for (int c = 1; c < chains; c++) sum[0] = _mm512_add_ps(sum[0], sum[c]);
  float lanes[16];
  _mm512_storeu_ps(lanes, sum[0]);
  return std::accumulate(std::begin(lanes), std::end(lanes), 0.0f);
}

__attribute__((target("avx2,fma"))) float fma_256(float seed) {
  __m256 sum[chains], factor = _mm256_set1_ps(seed);
  for (int c = 0; c < chains; c++) sum[c] = _mm256_set1_ps(seed + static_cast<float>(c));
  for (int i = 0; i < rounds; i++)
#pragma GCC unroll 12
    for (int c = 0; c < chains; c++) sum[c] = _mm256_fmadd_ps(sum[c], factor, factor);
  for (int c = 1; c < chains; c++) sum[0] = _mm256_add_ps(sum[0], sum[c]);
  float lanes[8];
  _mm256_storeu_ps(lanes, sum[0]);
  return std::accumulate(std::begin(lanes), std::end(lanes), 0.0f);
}

/// Seconds that `threads` threads need to do `work` once each.
template <typename Work>
double timed(unsigned threads, Work work) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> running;
  for (unsigned i = 0; i < threads; i++) running.emplace_back(work);
  for (std::thread& thread : running) thread.join();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned threads =
      argc > 1 ? static_cast<unsigned>(std::max(1, std::atoi(argv[1]))) : std::max(1u, std::thread::hardware_concurrency());
  const bool wide = __builtin_cpu_supports("avx512f"), narrow = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (!wide && !narrow) {
    fmt::print(stderr, "host_rates: this host has neither AVX2 nor AVX-512\n");
    return 1;
  }
  volatile float sink = 0;
  double fma = 1e9, copy = 1e9;
  const size_t part = copied_bytes / threads;
  std::vector<std::vector<char>> from(threads, std::vector<char>(part, 1)), to(from);
  for (int i = 0; i < 3; i++) {
    fma = std::min(fma, timed(threads, [&] { sink = wide ? fma_512(0.5f) : fma_256(0.5f); }));
    std::atomic<unsigned> next{0};
    copy = std::min(copy, timed(threads, [&] {
                      const unsigned own = next++;
                      for (int n = 0; n < copies; n++) std::memcpy(to[own].data(), from[own].data(), part);
                    }));
  }
  fmt::print(R"({{"fma": {:.6g}, "copy": {:.6g}}})"
             "\n",
             2e-9 * rounds * chains * (wide ? 16 : 8) * threads / fma, 1e-9 * static_cast<double>(part) * copies * threads / copy);
}
