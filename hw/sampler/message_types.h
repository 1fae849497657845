// SPDX-License-Identifier: GPL-2.0-or-later
// Parameters of sampler messages by their letters (hw/defs/gen9/messages.def).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hw/defs/message.h"

namespace softgen::sampler {

inline constexpr uint8_t absent = defs::no_parameter;

/// The place of each parameter in a type's payload, by letter: see index_of_letter.
using Positions = decltype(defs::SamplerType::positions);

/// Index into Positions, by letter.
inline constexpr auto index_of_letter = [] {
  std::array<uint8_t, 128> table{};
  for (size_t i = 0; i < defs::parameter_letters.size(); ++i)
    table[static_cast<size_t>(defs::parameter_letters[i])] = static_cast<uint8_t>(i);
  return table;
}();

}  // namespace softgen::sampler
