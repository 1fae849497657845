// SPDX-License-Identifier: GPL-2.0-or-later
// Built once per instruction set (STREAM_KERNELS is the table's name). A line is stored at once from registers: hosts combine non-temporal stores of
// a line only while nothing else is stored between (with the vectors of four lines, which do not fit into the registers, copies on AMD's family 26 took
// 16 times as long). Stores of 32 bytes are up to twice as fast there as those of 16.
#include <algorithm>
#include <cstring>

#include "hw/surface/stream.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace softgen::surface {
namespace {

constexpr size_t line = 64;

/// Stores a line from four places of 16 bytes. `to` is 16-byte aligned.
#ifdef __SSE2__
inline __m128i get(const std::byte* from) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); }

inline void store_quarters(std::byte* to, const std::byte* a, const std::byte* b, const std::byte* c, const std::byte* d) {
  const auto put = [&](size_t at, __m128i v) { _mm_stream_si128(reinterpret_cast<__m128i*>(to + at), v); };
  const __m128i v0 = get(a), v1 = get(b), v2 = get(c), v3 = get(d);
  put(0, v0), put(16, v1), put(32, v2), put(48, v3);
}
#else
inline void store_quarters(std::byte* to, const std::byte* a, const std::byte* b, const std::byte* c, const std::byte* d) {
  const std::byte* const from[] = {a, b, c, d};
  for (size_t i = 0; i < 4; ++i) std::memmove(to + 16 * i, from[i], 16);
}
#endif

/// The same; `to` is 32-byte aligned.
inline void store_line(std::byte* to, const std::byte* a, const std::byte* b, const std::byte* c, const std::byte* d) {
#ifdef __AVX__
  const __m256i upper = _mm256_set_m128i(get(b), get(a)), lower = _mm256_set_m128i(get(d), get(c));
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to), upper);
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to + 32), lower);
#else
  store_quarters(to, a, b, c, d);
#endif
}

/// Hosts fetch ahead within a page only. Beyond the end of memory a prefetch has no effect.
void copy(std::byte* to, const std::byte* from, size_t bytes) {
  constexpr size_t ahead = 16 * line;
  const size_t head = std::min(bytes, (line - reinterpret_cast<uintptr_t>(to) % line) % line);
  std::memmove(to, from, head);
  size_t at = head;
  for (; at + line <= bytes; at += line) {
    const std::byte* const now = from + at;
    __builtin_prefetch(now + ahead);
    store_line(to + at, now, now + 16, now + 32, now + 48);
  }
  std::memmove(to + at, from + at, bytes - at);
}

/// The next page is fetched in the order of its memory, which is what helps the host most.
void page_to_rows(const std::byte* page, const PagePlaces& places, PageShape shape, std::byte* const* rows, size_t at,
                  const std::byte* next) {
  for (uint32_t y = 0; y < shape.height; ++y) {
    const std::byte* const row = page + places.row[y];
    std::byte* const to = rows[y] + at;
    const bool aligned = reinterpret_cast<uintptr_t>(to) % 32 == 0;
    for (uint32_t x = 0; x < shape.width; x += line, next += line) {
      __builtin_prefetch(next);
      const uint16_t* const column = &places.column[x / 16];
      const std::byte *const a = row + column[0], *const b = row + column[1], *const c = row + column[2], *const d = row + column[3];
      if (aligned) store_line(to + x, a, b, c, d);
      else store_quarters(to + x, a, b, c, d);
    }
  }
}

void linear_to_page(std::byte* page, const PagePlaces& places, const std::byte* linear, size_t stride) {
  for (unsigned n = 0; n < PagePlaces::lines; ++n) {
    const std::byte* const first = linear + places.row_of_line[n] * stride + size_t{16} * places.column_of_line[n];
    store_line(page + line * n, first, first + stride, first + 2 * stride, first + 3 * stride);
  }
}

}  // namespace

extern const StreamKernels STREAM_KERNELS;
const StreamKernels STREAM_KERNELS{copy, page_to_rows, linear_to_page};

}  // namespace softgen::surface
