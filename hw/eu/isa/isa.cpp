// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/isa/isa.h"

#include <algorithm>

#include "hw/eu/isa/gen11/isa.h"
#include "hw/eu/isa/gen12/isa.h"
#include "hw/eu/isa/gen5/isa.h"
#include "hw/eu/isa/gen9/isa.h"

namespace softgen::eu {

namespace {

template <typename Value>
const Isa* find(Value (Isa::*value)() const, Value wanted) {
  const auto found = std::ranges::find_if(isas(), [&](const Isa* isa) { return (isa->*value)() == wanted; });
  return found == isas().end() ? nullptr : *found;
}

}  // namespace

std::span<const Isa* const> isas() {
  static const Isa* const all[] = {&gen5_isa(), &gen9_isa(), &gen11_isa(), &gen12_isa()};
  return all;
}

const Isa* find_isa(std::string_view name) { return find(&Isa::name, name); }
const Isa* find_isa(uint64_t cache_id) { return find(&Isa::cache_id, cache_id); }

}  // namespace softgen::eu
