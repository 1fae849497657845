// SPDX-License-Identifier: GPL-2.0-or-later
// Hostile pictures for VEBOX and SFC behind it: surfaces, modes, addresses, and the states that VEBOX_STATE points to.
#include <string_view>
#include <vector>

#include "hw/defs/gen9/all.h"
#include "hw/media/vebox.h"
#include "hw/mmio/register_file.h"
#include "tests/fuzz/guest_map.h"
#include "tests/fuzz/liveness.h"
#include "tests/fuzz/sfc_packets.h"
#include "tests/fuzz/state_source.h"

namespace softgen::fuzz {
namespace {

class VeboxTarget {
 public:
  void run(std::span<const uint8_t> bytes) {
    StateSource in(bytes, map_.addresses());
    LimitedRun limit(stop_);
    for (unsigned pictures = 1 + in.below(3); pictures; --pictures) {
      send(in, "VEBOX_STATE");
      for (unsigned surfaces = 2 + in.below(2); surfaces; --surfaces) send(in, "VEBOX_SURFACE_STATE", surfaces & 1);
      if (in.one_in(2))
        SfcPackets::send(in, true, [&](const defs::Command& command, const std::vector<uint32_t>& packet) { execute(command, packet); });
      send(in, "VEB_DI_IECP");
    }
    vebox_.reset_context();
    map_.memory.restore();
  }

 private:
  static constexpr uint32_t small = 80, state_dwords = 91;
  static constexpr uint32_t formats[] = {0, 1, 2, 3, 4, 4, 4, 5, 8, 12};  ///< those that are built

  void send(StateSource& in, const char* name, uint32_t surface = 0) {
    const defs::Command& command = *defs::gen9::commands.find(name);
    std::vector<uint32_t> packet = in.packet(command);
    if (!in.one_in(16)) make_small(in, command, packet);
    if (command.id == defs::CommandId::VEBOX_SURFACE_STATE && !in.one_in(8)) packet[1] = surface, packet[6] = 0;
    if (command.id == defs::CommandId::VEBOX_STATE) write_states(in, packet);
    execute(command, packet);
  }
  void execute(const defs::Command& command, const std::vector<uint32_t>& packet) {
    EngineEnv env{EngineId::vecs, map_.view, map_.view, registers_, stop_};
    vebox_.execute({0, &command, packet}, env);
  }
  /// Pictures of few pixels reach more.
  static void make_small(StateSource& in, const defs::Structure& structure, std::vector<uint32_t>& packet) {
    for (const defs::Field& field : structure.fields) {
      const std::string_view name = field.name;
      if (name == "Height" || name == "Width" || name == "Ending X") StateSource::put(packet, field.start, field.width(), in.below(small));
      else if (name == "Surface Format") StateSource::put(packet, field.start, field.width(), in.one_of(formats));
      else if (name == "Starting X" || name == "Demosaic Enable" || name.starts_with("X Offset") || name == "Half Pitch for Chroma" ||
               name.ends_with("Tiled Resource Mode"))
        StateSource::put(packet, field.start, field.width(), 0);
      else if (name == "Interleave Chroma") StateSource::put(packet, field.start, field.width(), 1);
    }
  }
  /// DNDI's and IECP's: any fields, with IECP's last.
  void write_states(StateSource& in, const std::vector<uint32_t>& packet) {
    const auto& iecp = *defs::gen9::commands.find_structure("VEBOX_IECP_STATE");
    const auto& dndi = *defs::gen9::commands.find_structure("VEBOX_DNDI_STATE");
    for (const auto& [structure, at] : {std::pair{&dndi, 2u}, std::pair{&iecp, 4u}}) {
      std::vector<uint32_t> state(state_dwords);
      in.fill(*structure, state);
      map_.view.write((packet[at] | uint64_t{packet[at + 1]} << 32) & ~uint64_t{0xfff}, state.data(), structure->dwords * sizeof state[0]);
    }
  }

  GuestMap map_{96};
  StopFlag stop_;
  mmio::RegisterFile registers_{defs::gen9::registers};
  media::Vebox vebox_{media::make_vebox_enhancer<defs::Gen9>()};
};

}  // namespace
}  // namespace softgen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static softgen::fuzz::VeboxTarget target;
  target.run({data, size});
  return 0;
}
