// SPDX-License-Identifier: GPL-2.0-or-later
// SAMPLER_STATE, decoded from dwords that are written by hand.
#include "hw/base/log.h"
#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/sampler/sampler.h"
#include "tests/unit/sampler/message_fixture.h"

using namespace softgen;
using namespace softgen::sampler;

namespace {

constexpr DecodeState decode = decode_state<defs::Gen9>;

}  // namespace

TEST_CASE("a sampler state of zeros filters nearest texels of the first level") {
  const State s = decode({});
  CHECK(s.mag_filter == TexelFilter::nearest);
  CHECK(s.min_filter == TexelFilter::nearest);
  CHECK(s.mip_filter == MipFilter::none);
  CHECK(s.mode_u == AddressMode::wrap);
  CHECK(s.reduction == Reduction::average);
  CHECK(s.max_taps == 2);
  CHECK_FALSE(s.seamless);
  CHECK_FALSE(s.preclamp);
  CHECK_FALSE(s.non_normalized);
}

TEST_CASE("each field of a sampler state is decoded from its bits") {
  CHECK(decode({2u << 27}).preclamp);
  CHECK(decode({3u << 20}).mip_filter == MipFilter::linear);
  CHECK(decode({1u << 20}).mip_filter == MipFilter::nearest);
  CHECK(decode({1u << 17}).mag_filter == TexelFilter::linear);
  CHECK(decode({2u << 17}).mag_filter == TexelFilter::anisotropic);
  CHECK(decode({1u << 14}).min_filter == TexelFilter::linear);
  CHECK(decode({0x1f00u << 1}).lod_bias == -1);
  CHECK(decode({0, 0x180u << 20}).min_lod == 1.5f);
  CHECK(decode({0, 0xe00u << 8}).max_lod == 14);
  CHECK(decode({0, 4u << 1}).shadow_function == ShadowFunction::less_equal);
  CHECK(decode({0, 7u << 1}).shadow_function == ShadowFunction::greater_equal);
  CHECK(decode({0, 1}).seamless);
  CHECK(decode({0, 0, 0x00ff'ffc0}).border_color == 0x00ff'ffc0);
  CHECK(decode({0, 0, 0, 7u << 19}).max_taps == 16);
  CHECK(decode({0, 0, 0, 1u << 10}).non_normalized);
  CHECK(decode({0, 0, 0, 6u << 6}).mode_u == AddressMode::half_border);
  CHECK(decode({0, 0, 0, 4u << 3}).mode_v == AddressMode::clamp_border);
  CHECK(decode({0, 0, 0, 5}).mode_r == AddressMode::mirror_once);
  const unsigned bit = GENERATE(18, 17, 16, 15, 14, 13);  // U mag, U min, V mag, V min, R mag, R min
  const State s = decode({0, 0, 0, 1u << bit});
  CHECK(s.mag_rounding.u == (bit == 18));
  CHECK(s.min_rounding.u == (bit == 17));
  CHECK(s.mag_rounding.v == (bit == 16));
  CHECK(s.min_rounding.v == (bit == 15));
  CHECK(s.mag_rounding.r == (bit == 14));
  CHECK(s.min_rounding.r == (bit == 13));
}

TEST_CASE("a reduction has an effect only if it is enabled") {
  CHECK(decode({0, 0, 0, 2u << 22}).reduction == Reduction::average);
  CHECK(decode({0, 0, 0, 2u << 22 | 1 << 9}).reduction == Reduction::minimum);
  CHECK(decode({0, 0, 0, 3u << 22 | 1 << 9}).reduction == Reduction::maximum);
  CHECK(decode({0, 0, 0, 1u << 22 | 1 << 9}).reduction == Reduction::average);
}

TEST_CASE("what only Gen11's sampler states say") {
  constexpr DecodeState gen11 = decode_state<defs::Gen11>;
  CHECK(gen11({0, 0, 2}).skips_srgb);
  CHECK_FALSE(gen11({0, 0, 1}).skips_srgb);
  CHECK_FALSE(decode({0, 0, 2}).skips_srgb);
  const auto [bit, what] = GENERATE(table<unsigned, const char*>({{2, "sampler with Return Filter Weight for Null Texels"},
                                                                  {3, "sampler with Return Filter Weight for Border Texels"},
                                                                  {5, "sampler with Force gather4 Behavior"}}));
  const uint64_t before = failure_count(Failure::unimplemented, what);
  decode({0, 0, 1u << bit});
  CHECK(failure_count(Failure::unimplemented, what) == before);
  gen11({0, 0, 1u << bit});
  CHECK(failure_count(Failure::unimplemented, what) == before + 1);
}

TEST_CASE("Gen12's sampler states have a border colour anywhere in 4 GiB, and what Gen11's have") {
  constexpr DecodeState gen12 = decode_state<defs::Gen12>;
  CHECK(gen12({0, 0, 0xffff'ffc0}).border_color == 0xffff'ffc0);
  CHECK(decode_state<defs::Gen11>({0, 0, 0xffff'ffc0}).border_color == 0x00ff'ffc0);
  CHECK(gen12({0, 0, 2}).skips_srgb);
  CHECK(gen12({0, 0, 0, 7}).mode_r == AddressMode::mirror_101);
  CHECK(gen12({0, 0, 0, 1u << 26}).max_taps == gen12({}).max_taps);  // Low Quality Filter
}

TEST_CASE("reserved codes of a sampler state decode to valid modes") {
  CHECK(decode({0, 0, 0, 7}).mode_r == AddressMode::clamp);
  for (uint32_t code = 3; code < 8; ++code) CHECK(decode({code << 17}).mag_filter == TexelFilter::linear);
  CHECK(decode({2u << 20}).mip_filter == MipFilter::none);
}

TEST_CASE("two samplers of one host thread may decode the same bytes differently") {
  static unsigned calls;
  calls = 0;
  test::MessageFixture f;
  f.set(defs::gen9::SurfaceFormat::R8G8B8A8_UNORM, test::SurfaceState::AuxiliarySurfaceMode::AUX_NONE, 0, 0);
  f.sent(test::sample_type);
  Sampler other([](const StateDwords& dwords) {
    ++calls;
    return decode(dwords);
  });
  f.sent(other, test::sample_type);
  CHECK(calls == 1);
  f.sent(other, test::sample_type);
  CHECK(calls == 1);
}

TEST_CASE("address mode 7 is reserved on Gen9, and mirrors at the outermost texels' centres on Gen11") {
  const StateDwords dwords{0, 0, 0, 7};
  CHECK(decode(dwords).mode_r == AddressMode::clamp);
  CHECK(decode_state<defs::Gen11>(dwords).mode_r == AddressMode::mirror_101);
  const int expected[] = {2, 3, 2, 1, 0, 1, 2, 3, 2, 1, 0};
  for (int i = -4; i < 7; ++i) CHECK(Filter::wrap(AddressMode::mirror_101, i, 4) == expected[i + 4]);
  CHECK(Filter::wrap(AddressMode::mirror_101, 5, 1) == 0);
}
