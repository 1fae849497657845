// SPDX-License-Identifier: GPL-2.0-or-later
// Copies that go around the host's caches, for results larger than they are: whole lines are written without being read first, which a
// plain store would do, and what the caches hold stays there. Other threads see them in order only after stream_fence().
#pragma once

#include <cstddef>

#include "hw/surface/tiling.h"

namespace softgen {
template <typename Table>
struct KernelSet;  // hw/base/host_cpu.h
}

namespace softgen::surface {

/// From this many bytes a result is taken to be larger than the caches near a core.
constexpr size_t stream_threshold = 2u << 20;

struct StreamKernels {
  /// Where the ranges overlap (the guest may map one page at two addresses), which of both ranges' bytes are read in the end is unspecified.
  void (*copy)(std::byte* to, const std::byte* from, size_t bytes);
  /// A whole page of a tiling of 16-byte columns to byte `at` of the `rows`, which are 16-byte aligned. `next`: the page that will be read then.
  void (*page_to_rows)(const std::byte* page, const PagePlaces& places, PageShape shape, std::byte* const* rows, size_t at,
                       const std::byte* next);
  /// The other way, as surface::linear_to_page().
  void (*linear_to_page)(std::byte* page, const PagePlaces& places, const std::byte* linear, size_t stride);
};

/// The best kernels of this host, and all that run on it (the best last).
const StreamKernels& stream_kernels();
KernelSet<StreamKernels> all_stream_kernels();
void stream_fence();

}  // namespace softgen::surface
