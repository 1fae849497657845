// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/replay/draw_list.h"

#include <fmt/format.h>

#include "hw/debug/packet_json.h"

namespace softgen::replay {
namespace {

using defs::CommandId;
constexpr uint32_t shown_targets = 8;

std::string enum_text(const defs::Structure& layout, std::span<const uint32_t> dwords, std::string_view name) {
  const defs::Field& field = debug::field_named(layout, name);
  const uint64_t value = defs::field_value(field, dwords);
  const char* value_name = field.enumeration ? field.enumeration->name_of(value) : nullptr;
  return value_name ? value_name : fmt::format("{}", value);
}

}  // namespace

/// Render targets are the first entries of the PS binding table; a surface that is not one ends the guess.
std::string DrawList::targets_text() const {
  const std::optional<uint64_t> pointer = state_.pixel_table(set_);
  if (!pointer) return {};
  std::string text;
  const uint64_t table = *pointer;
  const auto mapped = [&](uint64_t at) { return memory::translate(view_.space(), view_.memory(), at).valid; };
  for (uint32_t i = 0; i < shown_targets && mapped(table + i * 4); i++) {
    const uint64_t address = strip_canonical(state_.surface + view_.load<uint32_t>(table + i * 4));
    if (address == state_.surface || address % 32 || !mapped(address)) break;
    uint32_t words[16];
    view_.read(address, words, sizeof words);
    const defs::Structure& layout = debug::layout_named(set_, "RENDER_SURFACE_STATE");
    if (enum_text(layout, words, "Surface Type") == "SURFTYPE_NULL") break;
    const debug::Fields surface(layout, words);
    const char* format = set_.surface_formats.name_of(surface["Surface Format"]);
    text += fmt::format("{}0x{:x} {}x{} {}", i ? "; " : " surfaces ", strip_canonical(surface["Surface Base Address"]),
                        surface["Width"] + 1, surface["Height"] + 1, format ? format : "?");
  }
  return text;
}

std::string DrawList::draw_text(const debug::WalkedPacket& packet) const {
  const debug::Fields draw(*packet.command, packet.dwords);
  const auto topology = state_.packet(CommandId::_3DSTATE_VF_TOPOLOGY);
  // Where no packet has the topology, the draw has it.
  const defs::Structure* const layout = set_.find("3DSTATE_VF_TOPOLOGY");
  const std::string kind = !layout            ? enum_text(*packet.command, packet.dwords, "Primitive Topology Type")
                           : topology.empty() ? "?"
                                              : enum_text(*layout, topology, "Primitive Topology Type");
  const std::string amount = draw.optional("Indirect Parameter Enable")
                                 ? "indirect"
                                 : fmt::format("{} vertices, {} instances", draw["Vertex Count Per Instance"], draw["Instance Count"]);
  return fmt::format("3DPRIMITIVE {} {}{}", kind, amount, targets_text());
}

std::string DrawList::walker_text(const debug::WalkedPacket& packet) const {
  const debug::Fields walker(*packet.command, packet.dwords);
  return fmt::format("GPGPU_WALKER {} groups {}", enum_text(*packet.command, packet.dwords, "SIMD Size"),
                     walker["Indirect Parameter Enable"]
                         ? "indirect"
                         : fmt::format("{}x{}x{}", walker["Thread Group ID X Dimension"], walker["Thread Group ID Y Dimension"],
                                       walker["Thread Group ID Z Dimension"]));
}

void DrawList::packet(const debug::WalkedPacket& packet) {
  commands_++;
  state_.note(packet);
  if (!packet.command) {
    unknown_++;
    return line_(fmt::format("      0x{:08x}  unknown command 0x{:08x}", packet.address, packet.dwords[0]));
  }
  const CommandId id = packet.command->id;
  const bool draw = packet.command->draws, walker = id == CommandId::GPGPU_WALKER;
  if (draw && packet.position) {
    line_(fmt::format(" pocs 0x{:08x}  {}", packet.address, draw_text(packet)));
  } else if (draw || walker) {
    draws_ += draw, walkers_ += walker;
    line_(fmt::format("  {:>3} 0x{:08x}  {}", number_++, packet.address, draw ? draw_text(packet) : walker_text(packet)));
  } else if (packet.command->match >> 29 == 2) {
    line_(fmt::format("      0x{:08x}  {}", packet.address, packet.command->name));
  }
}

void DrawList::problem(uint64_t address, const std::string& what) {
  problems_++;
  line_(fmt::format("      0x{:08x}  {}", address, what));
}

}  // namespace softgen::replay
