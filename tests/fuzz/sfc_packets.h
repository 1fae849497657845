// SPDX-License-Identifier: GPL-2.0-or-later
// SFC's packets of a frame, with regions that are in their frames as a rule.
#pragma once

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/defs/gen9/all.h"
#include "tests/fuzz/state_source.h"

namespace softgen::fuzz {

class SfcPackets {
 public:
  /// `vebox`: its client; else a decoder. `execute`: takes each command and its packet.
  template <typename Execute>
  static void send(StateSource& in, bool vebox, Execute&& execute) {
    using defs::CommandId;
    for (const defs::Command* one : commands()) {
      const defs::Command& command = *one;
      // The tables' many coefficients need not be new in each frame.
      const bool is_table = command.id == CommandId::SFC_AVS_LUMA_COEFF_TABLE || command.id == CommandId::SFC_AVS_CHROMA_COEFF_TABLE;
      if (is_table && in.one_in(2)) continue;
      std::vector<uint32_t> packet = in.packet(command);
      if (command.id == CommandId::SFC_LOCK && !in.one_in(16)) packet[1] = (packet[1] & ~1u) | vebox;
      if (command.id == CommandId::SFC_STATE && !in.one_in(16)) make_fit(in, vebox, command, packet);
      execute(command, packet);
    }
  }

 private:
  static constexpr uint32_t small = 80;

  static const std::array<const defs::Command*, 7>& commands() {
    static const std::array<const defs::Command*, 7> found = [] {
      const auto find = [](const char* name) { return defs::gen9::commands.find(name); };
      return std::array{find("SFC_LOCK"),
                        find("SFC_STATE"),
                        find("SFC_AVS_STATE"),
                        find("SFC_AVS_LUMA_COEFF_TABLE"),
                        find("SFC_AVS_CHROMA_COEFF_TABLE"),
                        find("SFC_IEF_STATE"),
                        find("SFC_FRAME_START")};
    }();
    return found;
  }

  static void make_fit(StateSource& in, bool vebox, const defs::Structure& structure, std::vector<uint32_t>& packet) {
    const auto even = [&] { return 2 * in.below(small / 4) + !in.one_in(8); };
    const uint32_t columns = even(), rows = even(), scaled_columns = even(), scaled_rows = even();
    const uint32_t samplings = in.below(vebox ? 3 : 8);  // most decoders have 4:2:0 alone
    const std::pair<std::string_view, uint32_t> values[] = {
        {"SFC Pipe Mode", vebox},
        {"SFC Input Chroma Sub-Sampling", samplings < 3 ? 1u << samplings : samplings != 3},
        {"Output Surface Format Type", in.below(7)},
        {"Input Frame Resolution Width", columns},
        {"Input Frame Resolution Height", rows},
        {"Source Region Width", in.below(columns + 1)},
        {"Source Region Height", in.below(rows + 1)},
        {"Source Region Horizontal Offset", 0},
        {"Source Region Vertical Offset", 0},
        {"Scaled Region Size Width", scaled_columns},
        {"Scaled Region Size Height", scaled_rows},
        {"Scaled Region Horizontal Offset", 2 * in.below(4)},
        {"Scaled Region Vertical Offset", 2 * in.below(4)},
        {"Output Frame Width", small + in.below(small)},
        {"Output Frame Height", small + in.below(small)},
        {"Output Frame - Tiled Mode", 0},
        {"Output Surface Interleave Chroma Enable", 1},
        {"Output Surface X Offset for U", 0},
        {"Output Surface Half Pitch for Chroma", 0}};
    for (const auto& [name, value] : values) StateSource::put(structure, packet, name, value);
    // Of any pitch, each row has pages of its own.
    if (!in.one_in(4)) StateSource::put(structure, packet, "Output Surface Pitch", (128u << in.below(3)) - 1);
  }
};

}  // namespace softgen::fuzz
