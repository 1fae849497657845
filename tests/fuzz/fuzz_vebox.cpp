// SPDX-License-Identifier: GPL-2.0-or-later
// Hostile pictures for VEBOX and SFC behind it, of each generation: surfaces, modes, addresses, and the states that VEBOX_STATE points to.
#include <string_view>
#include <utility>
#include <vector>

#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/media/vebox.h"
#include "hw/mmio/register_file.h"
#include "tests/fuzz/guest_map.h"
#include "tests/fuzz/liveness.h"
#include "tests/fuzz/sfc_packets.h"
#include "tests/fuzz/state_source.h"
#include "tests/registers_of.h"

namespace softgen::fuzz {
namespace {

template <class G>
class VeboxTarget {
 public:
  void run(std::span<const uint8_t> bytes) {
    StateSource in(bytes, map_.addresses());
    LimitedRun limit(stop_);
    for (unsigned pictures = 1 + in.below(3); pictures; --pictures) {
      scales_ = in.one_in(2);
      send(in, state_);
      for (unsigned surfaces = 2 + in.below(2); surfaces; --surfaces) send(in, surface_, surfaces & 1);
      if (scales_) sfc_.send(in, [&](const defs::Command& command, const std::vector<uint32_t>& packet) { execute(command, packet); });
      if (has_conversion && in.one_in(8)) send(in, convert_);
      send(in, object_);
    }
    vebox_.reset_context();
    map_.memory.restore();
  }

 private:
  static constexpr bool has_conversion = requires { typename G::VEBOX_TILING_CONVERT::InputTiledResourceMode; };
  static constexpr uint32_t small = 20, large = 80, state_dwords = 133;
  static constexpr uint32_t formats[] = {0, 1, 2, 3, 4, 4, 4, 5, 8, 12, 17};  ///< those that are built

  /// A command, and the fields that make_small() changes.
  struct Sent {
    enum class Change : uint8_t { size, end, pitch, format, zero, one };
    static std::optional<Change> change_of(std::string_view name) {
      if (name == "Height" || name == "Width") return Change::size;
      if (name == "Ending X") return Change::end;
      if (name == "Surface Pitch" || name == "Derived Surface Pitch") return Change::pitch;
      if (name == "Surface Format") return Change::format;
      if (name == "Starting X" || name == "Demosaic Enable" || name.starts_with("X Offset") || name == "Half Pitch for Chroma" ||
          name.ends_with("Tiled Resource Mode"))
        return Change::zero;
      if (name == "Interleave Chroma") return Change::one;
      return std::nullopt;
    }

    explicit Sent(const char* name) : command(*G::commands.find(name)), small(chosen_fields<Change>(command, change_of)) {}
    const defs::Command& command;
    const std::vector<ChosenField<Change>> small;
  };

  void send(StateSource& in, const Sent& sent, uint32_t surface = 0) {
    const defs::Command& command = sent.command;
    std::vector<uint32_t> packet = in.packet(command);
    if (!in.one_in(16)) make_small(in, sent, packet);
    if (command.id == defs::CommandId::VEBOX_SURFACE_STATE && !in.one_in(8)) packet[1] = surface, packet[6] = 0;
    if (command.id == defs::CommandId::VEBOX_STATE) write_states(in, packet);
    execute(command, packet);
  }
  void execute(const defs::Command& command, const std::vector<uint32_t>& packet) {
    EngineEnv env{EngineId::vecs, map_.view, map_.view, registers_, stop_};
    vebox_.execute({0, &command, packet}, env);
  }
  /// Pictures of few pixels reach more, and more of them.
  void make_small(StateSource& in, const Sent& sent, std::vector<uint32_t>& packet) {
    for (const auto& field : sent.small) {
      const auto put = [&](uint32_t value) { StateSource::put(packet, field.start, field.width, value); };
      switch (field.kind) {
        // SFC's input, of less than `large / 2` as a rule, lies in the picture.
        case Sent::Change::size: put(in.one_in(4) ? in.below(large) : scales_ ? large / 2 + in.below(small) : in.below(small)); break;
        case Sent::Change::end: put(in.one_in(4) ? in.below(large) : large); break;
        // Of any pitch, each row has pages of its own: finding them took most of the time.
        case Sent::Change::pitch:
          if (!in.one_in(4)) put((128u << in.below(3)) - 1);
          break;
        case Sent::Change::format: put(in.one_of(formats)); break;
        case Sent::Change::zero: put(0); break;
        case Sent::Change::one: put(1); break;
      }
    }
  }
  /// DNDI's and IECP's: any fields, with IECP's last.
  void write_states(StateSource& in, const std::vector<uint32_t>& packet) {
    for (const auto& [structure, at] : {std::pair{dndi_, 2u}, std::pair{iecp_, 4u}}) {
      std::vector<uint32_t> state(state_dwords);
      in.fill(*structure, state);
      map_.view.write((packet[at] | uint64_t{packet[at + 1]} << 32) & ~uint64_t{0xfff}, state.data(), structure->dwords * sizeof state[0]);
    }
  }

  const Sent state_{"VEBOX_STATE"}, surface_{"VEBOX_SURFACE_STATE"}, object_{"VEB_DI_IECP"}, convert_{"VEBOX_TILING_CONVERT"};
  const SfcPackets sfc_{G::commands, media::SfcClient::vebox};
  const defs::Structure* const iecp_ = G::commands.find_structure("VEBOX_IECP_STATE");
  const defs::Structure* const dndi_ = G::commands.find_structure("VEBOX_DNDI_STATE");
  bool scales_ = false;
  GuestMap map_{96};
  StopFlag stop_;
  mmio::RegisterFile registers_{defs::registers_of<G>()};
  media::Vebox vebox_{media::make_vebox_decoder<G>()};
};

}  // namespace
}  // namespace softgen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace softgen;
  static fuzz::VeboxTarget<defs::Gen9> kbl;
  static fuzz::VeboxTarget<defs::Gen11> icl;
  static fuzz::VeboxTarget<defs::Gen12> tgl;
  // The last byte says whose packets they are; the other ones are choices.
  const std::span<const uint8_t> bytes(data, size);
  const uint8_t last = bytes.empty() ? 0 : bytes.back();
  if (last % 3 == 0) kbl.run(bytes);
  else if (last % 3 == 1) icl.run(bytes);
  else tgl.run(bytes);
  return 0;
}
