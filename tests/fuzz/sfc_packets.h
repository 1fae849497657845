// SPDX-License-Identifier: GPL-2.0-or-later
// SFC's packets of a frame, with regions that are in their frames as a rule.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/defs/command.h"
#include "hw/media/sfc_states.h"
#include "tests/fuzz/state_source.h"

namespace softgen::fuzz {

/// Of a generation's commands and a client: HCP's have names of their own.
class SfcPackets {
 public:
  SfcPackets(const defs::CommandSet& set, media::SfcClient client) : client_(client) {
    const std::string prefix = client == media::SfcClient::hcp ? "HCP_" : "";
    const auto find = [&](const char* name) { return set.find((prefix + name).c_str()); };
    commands_ = {find("SFC_LOCK"),
                 find("SFC_STATE"),
                 find("SFC_AVS_STATE"),
                 find("SFC_AVS_LUMA_COEFF_TABLE"),
                 find("SFC_AVS_CHROMA_COEFF_TABLE"),
                 find("SFC_IEF_STATE"),
                 find("SFC_FRAME_START")};
  }

  /// `execute`: takes each command and its packet.
  template <typename Execute>
  void send(StateSource& in, Execute&& execute) const {
    const auto& [lock, state, avs, luma_table, chroma_table, ief, start] = commands_;
    const bool vebox = client_ == media::SfcClient::vebox;
    for (const defs::Command* one : commands_) {
      const defs::Command& command = *one;
      // The tables' many coefficients need not be new in each frame.
      if ((one == luma_table || one == chroma_table) && in.one_in(2)) continue;
      std::vector<uint32_t> packet = in.packet(command);
      if (one == lock && !in.one_in(16)) packet[1] = (packet[1] & ~1u) | vebox;
      if (one == state && !in.one_in(16)) make_fit(in, packet);
      execute(command, packet);
    }
  }

 private:
  static constexpr uint32_t small = 80;

  /// SFC_STATE's, which later generations have in a structure behind the header.
  void make_fit(StateSource& in, std::vector<uint32_t>& packet) const {
    const defs::Structure* structure = commands_[1];
    std::span<uint32_t> fields = packet;
    for (const defs::Field& field : structure->fields)
      if (field.type == defs::FieldType::structure && field.start == 32) {
        structure = field.structure, fields = fields.subspan(1);
        break;
      }
    const bool vebox = client_ == media::SfcClient::vebox;
    const auto even = [&] { return 2 * in.below(small / 4) + !in.one_in(8); };
    const uint32_t columns = even(), rows = even(), scaled_columns = even(), scaled_rows = even();
    const uint32_t samplings = in.below(vebox ? 3 : 8);  // most decoders have 4:2:0 alone
    const std::pair<std::string_view, uint32_t> values[] = {
        {"SFC Pipe Mode", vebox                              ? 1
                          : client_ == media::SfcClient::hcp ? 2
                                                             : 0},
        {"SFC Input Chroma Sub-Sampling", samplings < 3 ? 1u << samplings : samplings != 3},
        {"Output Surface Format Type", in.one_in(4) ? 9 : in.below(7)},  // of all generations, and P016
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
    for (const auto& [name, value] : values) StateSource::put(*structure, fields, name, value);
    // Of any pitch, each row has pages of its own.
    if (!in.one_in(4)) StateSource::put(*structure, fields, "Output Surface Pitch", (128u << in.below(3)) - 1);
  }

  const media::SfcClient client_;
  std::array<const defs::Command*, 7> commands_;
};

}  // namespace softgen::fuzz
