// SPDX-License-Identifier: GPL-2.0-or-later
// A draw's state, decoded from packets by the Gen9 decoder.
#pragma once

#include "hw/defs/gen9/all.h"
#include "hw/render/state_decoder.h"

namespace softgen::render::test {

namespace gen9 = defs::gen9;

struct State : DrawState {
  std::unique_ptr<StateDecoder> decoder = make_state_decoder<defs::Gen9>();

  void refresh(const StateStore& store) { decoder->refresh(store, *this); }
  /// The same with the structures that packets point to.
  void refresh(const StateStore& store, memory::View& view) {
    refresh(store);
    decoder->read(store, view, *this);
  }
};

}  // namespace softgen::render::test
