// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/surface/stream.h"

#include <memory>
#include <vector>

#include "hw/base/host_cpu.h"
#include "tests/catch.h"

using namespace softgen::surface;

namespace {

constexpr size_t page_bytes = 4096;

/// Bytes that differ from their neighbours, the first one at a multiple of 64.
struct Bytes {
  explicit Bytes(size_t count, unsigned step)
      : own(static_cast<std::byte*>(std::aligned_alloc(64, (count + 63) & ~size_t{63})), &std::free) {
    for (size_t i = 0; i < count; ++i) own[i] = static_cast<std::byte>(i * step + i / 256);
  }
  std::byte* at(size_t i) { return own.get() + i; }
  std::unique_ptr<std::byte[], decltype(&std::free)> own;
};

const Tiling with_columns[] = {Tiling::y, Tiling::yf, Tiling::ys};

}  // namespace

TEST_CASE("streamed copies move all bytes and no others, wherever they begin and end") {
  const auto all = all_stream_kernels();
  for (size_t n = 0; n < all.count; ++n)
    for (const size_t to_at : {size_t{0}, size_t{16}, size_t{63}})
      for (const size_t from_at : {size_t{0}, size_t{5}})
        for (const size_t bytes : {size_t{0}, size_t{1}, size_t{63}, size_t{64}, size_t{1000}, size_t{4096}}) {
          Bytes to(5000, 0), from(5000, 7), before(5000, 0);
          all.tables[n]->copy(to.at(to_at), from.at(from_at), bytes);
          stream_fence();
          INFO("kernels " << n << " to " << to_at << " from " << from_at << " bytes " << bytes);
          CHECK(std::equal(to.at(to_at), to.at(to_at + bytes), from.at(from_at)));
          CHECK(std::equal(to.at(0), to.at(to_at), before.at(0)));
          CHECK(std::equal(to.at(to_at + bytes), to.at(5000), before.at(to_at + bytes)));
        }
}

TEST_CASE("streamed pages of columns are the same as copied ones, in rows at any multiple of 16") {
  constexpr size_t stride = 512 + 16;
  const auto all = all_stream_kernels();
  for (size_t n = 0; n < all.count; ++n)
    for (const Tiling tiling : with_columns)
      for (const unsigned element : {1u, 2u, 4u, 8u, 16u})
        for (const size_t at : {size_t{0}, size_t{64}, size_t{16}}) {
          INFO("kernels " << n << ' ' << tiling_name(tiling) << " element " << element << " at " << at);
          const PageShape shape = page_shape(tiling, element);
          const PagePlaces& places = places_of(tiling, element);
          Bytes page(page_bytes, 7), linear(stride * max_page_rows, 0), expected(stride * max_page_rows, 0), back(page_bytes, 0);
          page_to_linear(tiling, element, page.at(0), {0, 0, shape.width, shape.height}, expected.at(at), stride);
          std::vector<std::byte*> rows;
          for (uint32_t y = 0; y < shape.height; ++y) rows.push_back(linear.at(stride * y));
          all.tables[n]->page_to_rows(page.at(0), places, shape, rows.data(), at, page.at(0));
          stream_fence();
          CHECK(std::equal(linear.at(0), linear.at(stride * max_page_rows), expected.at(0)));
          all.tables[n]->linear_to_page(back.at(0), places, linear.at(at), stride);
          stream_fence();
          CHECK(std::equal(back.at(0), back.at(page_bytes), page.at(0)));
        }
}
