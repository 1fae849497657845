// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/ilk/payload.h"

#include <algorithm>

#include "hw/base/log.h"
#include "hw/eu/program/loader.h"

namespace softgen::render::ilk {

void Payload::begin(const ThreadUnit& state, unsigned slot) {
  count_ = 0;
  Grf& r0 = add();
  r0.dw[3] = state.samplers;
  r0.dw[4] = state.binding_table;
  eu::put_scratch(r0, state.scratch_base, state.scratch_bytes, slot);
}

Grf& Payload::add() {
  if (count_ >= max_registers) {
    if (count_ == max_registers) guest_error("Ironlake: a payload of more than 128 registers");
    count_ = max_registers;
    return lost_;
  }
  registers_[count_] = {};
  return registers_[count_++];
}

void Payload::skip_to(unsigned reg) {
  while (count_ < std::min(reg, max_registers)) add();
}

void Payload::add_constants(const ThreadUnit& state, Constants constants) {
  skip_to(state.grf_start);
  for (unsigned i = 0; i < state.constant_length; ++i) {
    const size_t from = state.constant_offset + i;
    Grf& to = add();
    if (from < constants.size()) to = constants[from];
  }
}

void Payload::add_vertex(const ThreadUnit& state, std::span<const uint32_t> vertex) {
  for (unsigned i = 0; i < state.read_length; ++i) {
    const size_t from = size_t{state.read_offset + i} * Urb::register_dwords;
    Grf& to = add();
    if (from < vertex.size()) std::copy_n(&vertex[from], std::min<size_t>(Urb::register_dwords, vertex.size() - from), to.dw);
  }
}

}  // namespace softgen::render::ilk
