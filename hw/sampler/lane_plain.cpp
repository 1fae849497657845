// SPDX-License-Identifier: GPL-2.0-or-later
// The fast path of the most common samples (LanePlain, LanePlainLevels). Compiled once per instruction set (LANE_PLAIN names the table); all else is local to
// the file.
#include "hw/sampler/lane_levels.h"
#include "hw/sampler/lane_sixteen.h"

namespace softgen::sampler {
namespace {

template <LaneTiling tiling, Way way>
bool eight(const void* plain, uint32_t* registers, uint32_t mask) {
  const auto& p = *static_cast<const LanePlain*>(plain);
#ifdef __AVX512F__
  using S = Sixteen<tiling>;
  if (mask == 0xff ? S::template windowed<way, Form::whole_half>(p, registers, mask)
                   : S::template windowed<way, Form::part_half>(p, registers, mask))
    return true;
#endif
  using C = Plain<8, tiling>;
  C::template sample<way>(p, C::get(C::floats_of(registers, p.u)), C::get(C::floats_of(registers, p.v)), registers, 0, mask);
  return true;
}

/// The response may overlap the coordinates, so all of these are read before it is written.
template <LaneTiling tiling, Way way>
bool sixteen(const void* plain, uint32_t* registers, uint32_t mask) {
  const auto& p = *static_cast<const LanePlain*>(plain);
#ifdef __AVX512F__
  using S = Sixteen<tiling>;
  if (mask == 0xffff ? S::template windowed<way, Form::whole>(p, registers, mask)
                     : S::template windowed<way, Form::part>(p, registers, mask))
    return true;
  return S::template scattered<way>(p, registers, mask);
#else
  using C = Plain<8, tiling>;
  using F = typename C::F;
  const F u[2] = {C::get(C::floats_of(registers, p.u)), C::get(C::floats_of(registers, p.u + 8))};
  const F v[2] = {C::get(C::floats_of(registers, p.v)), C::get(C::floats_of(registers, p.v + 8))};
  for (unsigned part = 0; part < 2; ++part) C::template sample<way>(p, u[part], v[part], registers, part, mask);
  return true;
#endif
}

#ifdef __AVX512F__
template <LaneTiling tiling, Way way, bool half, bool anisotropic>
bool levels(const void* plain, uint32_t* registers, uint32_t mask) {
  const auto& p = *static_cast<const LanePlainLevels*>(plain);
  using S = Levels<tiling, way>;
  if (mask == (half ? 0xff : 0xffff)) S::template levels<half ? Form::whole_half : Form::whole, anisotropic>(p, registers, mask);
  else S::template levels<half ? Form::part_half : Form::part, anisotropic>(p, registers, mask);
  return true;
}
#endif

template <LaneTiling tiling, Way nearest, Way linear>
constexpr void set_codes(LanePlainKernels& k, bool srgb) {
  LanePlainSample(&sample)[2][2] = k.sample[srgb];
  sample[0][0] = eight<tiling, nearest>, sample[0][1] = sixteen<tiling, nearest>;
  sample[1][0] = eight<tiling, linear>, sample[1][1] = sixteen<tiling, linear>;
#ifdef __AVX512F__
  k.levels[srgb][0] = levels<tiling, linear, true, false>, k.levels[srgb][1] = levels<tiling, linear, false, false>;
  k.footprints[srgb][0] = levels<tiling, linear, true, true>, k.footprints[srgb][1] = levels<tiling, linear, false, true>;
#endif
}

template <LaneTiling tiling>
constexpr LanePlainKernels kernels_of(LanePlainSample nearest24_8, LanePlainSample nearest24_16) {
  LanePlainKernels k{{}, {nearest24_8, nearest24_16}, {}, {}};
  set_codes<tiling, Way::nearest, Way::linear>(k, false);
  set_codes<tiling, Way::nearest_srgb, Way::linear_srgb>(k, true);
  return k;
}

}  // namespace

extern const LanePlainKernels LANE_PLAIN[2];
const LanePlainKernels LANE_PLAIN[2] = {
    kernels_of<LaneTiling::y>(eight<LaneTiling::y, Way::nearest24>, sixteen<LaneTiling::y, Way::nearest24>),
    // Depth buffers are Y-tiled.
    kernels_of<LaneTiling::yf>(nullptr, nullptr)};

}  // namespace softgen::sampler
