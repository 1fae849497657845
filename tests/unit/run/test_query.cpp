// SPDX-License-Identifier: GPL-2.0-or-later
// What i915 says of the chip.
#include <i915_drm.h>

#include <bit>
#include <cstring>
#include <span>
#include <vector>

#include "hw/run/drm_file.h"
#include "tests/catch.h"

using namespace softgen::run;

namespace {

struct Node {
  explicit Node(const char* platform)
      : driver([&] {
          Options options;
          options.platform = platform;
          return options;
        }()) {}

  int param(int number) {
    int value = 0;
    drm_i915_getparam get = {.param = number, .value = &value};
    REQUIRE(file.getparam(&get) == 0);
    return value;
  }

  /// The answer to a query item: its size is asked for first.
  std::vector<uint8_t> query(uint64_t id) {
    drm_i915_query_item item = {};
    item.query_id = id;
    drm_i915_query query = {};
    query.num_items = 1;
    query.items_ptr = reinterpret_cast<uint64_t>(&item);
    REQUIRE(file.query(&query) == 0);
    REQUIRE(item.length > 0);
    std::vector<uint8_t> reply(static_cast<size_t>(item.length));
    item.data_ptr = reinterpret_cast<uint64_t>(reply.data());
    REQUIRE(file.query(&query) == 0);
    return reply;
  }

  Driver driver;
  DrmFile file{driver, false, -1};
};

unsigned count(std::span<const uint8_t> mask) {
  unsigned bits = 0;
  for (const uint8_t byte : mask) bits += static_cast<unsigned>(std::popcount(byte));
  return bits;
}

}  // namespace

// The uapi's formulas for the masks' places (i915_drm.h, drm_i915_query_topology_info; i915_query.c, fill_topology_info). Intel's OpenCL runtime
// ends the process when they do not hold.
TEST_CASE("query: the topology's masks have room for all EUs of a subslice") {
  const auto [platform, slices, subslices, eus] =
      GENERATE(table<const char*, unsigned, unsigned, unsigned>({{"kbl", 1, 3, 8}, {"icl", 1, 8, 8}, {"tgl", 1, 6, 16}}));
  CAPTURE(platform);
  Node node(platform);
  const std::vector<uint8_t> reply = node.query(DRM_I915_QUERY_TOPOLOGY_INFO);
  drm_i915_query_topology_info info;
  REQUIRE(reply.size() >= sizeof info);
  std::memcpy(&info, reply.data(), sizeof info);
  const auto masks = std::span(reply).subspan(sizeof info);
  CHECK((info.max_slices == slices && info.max_subslices == subslices && info.max_eus_per_subslice == eus));
  CHECK((info.subslice_stride == (subslices + 7) / 8 && info.eu_stride == (eus + 7) / 8));
  CHECK(info.subslice_offset == (slices + 7) / 8);
  CHECK(info.eu_offset == info.subslice_offset + slices * info.subslice_stride);
  REQUIRE(masks.size() == info.eu_offset + slices * subslices * info.eu_stride);
  CHECK(count(masks.first(info.subslice_offset)) == slices);
  CHECK(count(masks.subspan(info.subslice_offset, slices * info.subslice_stride)) == slices * subslices);
  CHECK(count(masks.subspan(info.eu_offset)) == slices * subslices * eus);
  CHECK(static_cast<unsigned>(node.param(I915_PARAM_EU_TOTAL)) == slices * subslices * eus);
}
