// SPDX-License-Identifier: GPL-2.0-or-later
// References, modes and motion vectors of inter blocks: VP9 specification, 6.4.11 to 6.4.20.
#pragma once

#include "hw/media/vp9/mode_contexts.h"
#include "hw/media/vp9/symbol_coding.h"

namespace softgen::media::vp9 {

/// An encoder's block has its references, its filter, its modes (in sub_modes of each quarter, too) and its vectors: what they can be.
template <class Bits>
class InterModeCoder : public ModeContexts {
 protected:
  InterModeCoder(FrameState& frame, TileState<Bits>& tile) : ModeContexts(frame, tile), tile_(tile) {}
  bool is_inter(const BlockInfo& block);
  void references(BlockInfo& block);
  void inter_modes(BlockInfo& block);

  TileState<Bits>& tile_;

 private:
  void sub_block_modes(BlockInfo& block, unsigned mode_context);
  uint8_t inter_mode(unsigned context, uint8_t mode);
  void filter(BlockInfo& block);
  void assign(BlockInfo& block, unsigned quarter, uint8_t mode, const Mv (&best)[2], const Mv (&near)[2]);
  Mv code_mv(Mv best, Mv mv);
  int component(unsigned component, bool high, int value);
};

}  // namespace softgen::media::vp9
