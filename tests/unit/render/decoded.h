// SPDX-License-Identifier: GPL-2.0-or-later
// A draw's state, decoded from packets.
#pragma once

#include "hw/defs/gen9/all.h"
#include "hw/render/state_decoder.h"

namespace softgen::render::test {

namespace gen9 = defs::gen9;

struct State : DrawState {
  std::unique_ptr<StateDecoder> decoder;
  explicit State(std::unique_ptr<StateDecoder> by = make_state_decoder<defs::Gen9>()) : decoder(std::move(by)) {}

  void refresh(const StateStore& store) { decoder->refresh(store, *this); }
  /// The same with the structures that packets point to.
  void refresh(const StateStore& store, memory::View& view) {
    refresh(store);
    decoder->read(store, view, *this);
  }
};

}  // namespace softgen::render::test
