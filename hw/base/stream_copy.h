// SPDX-License-Identifier: GPL-2.0-or-later
// Copies that go around the host's caches, for results larger than they are: whole lines are written without being read first, which a
// plain store would do, and what the caches hold stays there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace softgen {

/// From this many bytes a result is taken to be larger than the caches near a core.
constexpr size_t stream_threshold = 2u << 20;

typedef uint64_t StreamVector __attribute__((vector_size(16)));

#ifdef __SSE2__

/// `to` is 16-byte aligned.
inline void stream_store(std::byte* to, StreamVector v) { _mm_stream_si128(reinterpret_cast<__m128i*>(to), reinterpret_cast<__m128i>(v)); }
/// Copies `bytes`; other threads see them in order only after stream_fence(). Where the ranges overlap (the guest may map one page at two addresses),
/// which of both ranges' bytes are read in the end is unspecified.
inline void stream_copy(std::byte* to, const std::byte* from, size_t bytes) {
  constexpr size_t line = 64;
  const size_t head = std::min(bytes, (line - reinterpret_cast<uintptr_t>(to) % line) % line);
  std::memmove(to, from, head);
  size_t at = head;
  for (; at + line <= bytes; at += line) {
    const auto get = [&](size_t i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at + i)); };
    const auto put = [&](size_t i, __m128i v) { _mm_stream_si128(reinterpret_cast<__m128i*>(to + at + i), v); };
    const __m128i a = get(0), b = get(16), c = get(32), d = get(48);
    put(0, a), put(16, b), put(32, c), put(48, d);
  }
  std::memmove(to + at, from + at, bytes - at);
}
inline void stream_fence() { _mm_sfence(); }

#else

inline void stream_store(std::byte* to, StreamVector v) { std::memcpy(to, &v, sizeof v); }
inline void stream_copy(std::byte* to, const std::byte* from, size_t bytes) { std::memmove(to, from, bytes); }
inline void stream_fence() {}

#endif

}  // namespace softgen
