// SPDX-License-Identifier: GPL-2.0-or-later
// The coefficient of the IT data, which BSD writes and VFE reads.
#pragma once

#include "hw/media/bsd/it_data.h"

namespace softgen::media::bsd {

template <class G>
class ItCoefficients final : public CoefficientLayout {
 public:
  uint32_t pack(const Coefficient& coefficient) const override {
    typename G::AVC_IT_COEFFICIENT data{};
    data.value = coefficient.value, data.index = coefficient.index, data.end_of_block = coefficient.last;
    return data.pack()[0];
  }
  Coefficient unpack(uint32_t dword) const override {
    const typename G::AVC_IT_COEFFICIENT::View v(std::span<const uint32_t>(&dword, 1));
    return {static_cast<int16_t>(v.value()), static_cast<uint8_t>(v.index()), v.end_of_block()};
  }
};

}  // namespace softgen::media::bsd
