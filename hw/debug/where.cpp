// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/where.h"

#include <fmt/format.h>

#include <cstring>
#include <deque>
#include <vector>

#include "hw/base/bits.h"
#include "hw/debug/kernel_text.h"
#include "hw/debug/printer.h"
#include "hw/eu/interp/inspect.h"
#include "hw/gt/abi.h"
#include "hw/gt/guard.h"
#include "hw/gt/parts.h"

namespace softgen::debug {
namespace {

class Where {
 public:
  Where(gt::Device& device, EngineId id)
      : platform_(device.platform()),
        registers_(device.registers()),
        id_(id),
        ppgtt_(device.memory(), nullptr),
        ggtt_(device.memory(), nullptr) {
    ppgtt_.set_space(device.streamers().engine(id)->streamer().address_space());
    ggtt_.set_space(memory::AddressSpace::ggtt(device.ggtt()));
  }

  /// The command that the engine is at, with its fields. Empty: it never parsed one.
  std::string position() {
    if (!peek(reg::RING_IPEHR)) return {};
    const uint64_t at = peek(reg::RING_ACTHD) | uint64_t{peek(reg::RING_ACTHD_UDW)} << 32;
    const bool in_batch = peek(reg::RING_BBADDR) & 1;
    memory::View& view = in_batch ? ppgtt_ : ggtt_;
    const auto header = view.load<uint32_t>(at);
    const defs::Command* command = platform_.commands->find(class_of(id_), header);
    std::vector<uint32_t> dwords(defs::command_length(command, header));
    view.read(at, dwords.data(), dwords.size() * 4);
    const auto level = in_batch ? BatchLevel::first : BatchLevel::ring;
    return fmt::format("{} stands at {}", name_of(id_),
                       node_text(packet_json({at, level, in_batch, command, dwords}, *platform_.registers, id_), false));
  }

  std::string bound(const StatePackets& store) {
    ContextState state;
    std::vector<WalkedPacket> packets;
    // The engine may run on and change what it keeps: what is shown is one copy of each packet.
    std::deque<std::vector<uint32_t>> copies;
    for (const defs::Command& command : platform_.commands->commands) {
      const auto packet = command.valid_on(defs::EngineClass::render) ? store.packet(command.id) : std::span<const uint32_t>{};
      if (packet.empty()) continue;
      const std::vector<uint32_t>& copy = copies.emplace_back(packet.begin(), packet.end());
      packets.push_back({0, BatchLevel::first, true, &command, copy});
      state.note(packets.back());
    }
    FollowOptions options;
    options.platform = &platform_;
    options.data = false;
    options.disassemble = [this](memory::View& view, uint64_t address) {
      return disassemble_kernel(gt::isa_of(platform_), view, address).lines;
    };
    StateFollower follower(ppgtt_, state, options);
    std::string text = "bound state:\n";
    for (const WalkedPacket& packet : packets) {
      Json node = packet_json(packet, *platform_.registers);
      if (Json points_to = follower.follow(packet); !points_to.empty()) node["points_to"] = std::move(points_to);
      text += node_text(node, false);
    }
    return text;
  }

 private:
  uint32_t peek(uint32_t relative) const { return registers_.peek(id_, relative); }

  const defs::Platform& platform_;
  mmio::RegisterFile& registers_;
  const EngineId id_;
  memory::View ppgtt_, ggtt_;
};

}  // namespace

std::string describe_position(gt::Device& device, const WhereOptions& options) {
  std::string text;
  for (unsigned i = 0; i < engine_count; ++i) {
    const auto id = static_cast<EngineId>(i);
    cs::EngineCs* engine = device.streamers().engine(id);
    if (!engine) continue;
    Where where(device, id);
    text += where.position();
    if (const auto abandoned = engine->streamer().abandoned(); abandoned.stands)
      text += fmt::format("  abandoned: {:#010x} at {:#x} ran on while the engine was to stand still; it hangs there until it is reset\n",
                          abandoned.header, abandoned.address);
    if (id != EngineId::rcs || !engine->streamer().busy()) continue;
    if (const StatePackets* const state = device.render_state(); options.bound_state && state) text += where.bound(*state);
    for (const std::string& thread : eu::Inspector::get().look(options.patience)) text += thread;
  }
  return text;
}

}  // namespace softgen::debug

char* sg_where(sg_device* dev) {
  return softgen::gt::guarded("sg_where", static_cast<char*>(nullptr),
                              [&] { return strdup(softgen::debug::describe_position(softgen::gt::device_of(dev)).c_str()); });
}
