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
template <LaneTiling tiling, bool half, bool anisotropic>
bool levels(const void* levels, uint32_t* registers, uint32_t mask) {
  const auto& p = *static_cast<const LanePlainLevels*>(levels);
  using S = Levels<tiling>;
  if (mask == (half ? 0xff : 0xffff)) S::template levels<half ? Form::whole_half : Form::whole, anisotropic>(p, registers, mask);
  else S::template levels<half ? Form::part_half : Form::part, anisotropic>(p, registers, mask);
  return true;
}
#endif

template <LaneTiling tiling>
constexpr LanePlainKernels kernels_of(LanePlainSample nearest24_8, LanePlainSample nearest24_16) {
  LanePlainKernels k{
      {{eight<tiling, Way::nearest>, eight<tiling, Way::linear>}, {sixteen<tiling, Way::nearest>, sixteen<tiling, Way::linear>}},
      {nearest24_8, nearest24_16},
      {},
      {}};
#ifdef __AVX512F__
  k.levels[0] = levels<tiling, true, false>, k.levels[1] = levels<tiling, false, false>;
  k.footprints[0] = levels<tiling, true, true>, k.footprints[1] = levels<tiling, false, true>;
#endif
  return k;
}

}  // namespace

extern const LanePlainKernels LANE_PLAIN[2];
const LanePlainKernels LANE_PLAIN[2] = {
    kernels_of<LaneTiling::y>(eight<LaneTiling::y, Way::nearest24>, sixteen<LaneTiling::y, Way::nearest24>),
    // Depth buffers are Y-tiled.
    kernels_of<LaneTiling::yf>(nullptr, nullptr)};

}  // namespace softgen::sampler
