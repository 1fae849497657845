// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/replay/draw_list.h"

#include <fmt/format.h>

#include "hw/debug/packet_json.h"
#include "hw/defs/gen9/all.h"

namespace softgen::replay {
namespace {

using defs::CommandId;
namespace gen9 = defs::gen9;

constexpr uint32_t shown_targets = 8;

std::string enum_text(const defs::Structure& layout, std::span<const uint32_t> dwords, std::string_view field) {
  for (const defs::Field& f : layout.fields)
    if (field == f.name) {
      const uint64_t value = defs::field_value(f, dwords);
      const char* name = f.enumeration ? f.enumeration->name_of(value) : nullptr;
      return name ? name : fmt::format("{}", value);
    }
  return "?";
}

}  // namespace

/// Render targets are the first entries of the PS binding table; a surface that is not one ends the guess.
std::string DrawList::targets_text() const {
  const auto pointers = state_.packet(CommandId::_3DSTATE_BINDING_TABLE_POINTERS_PS);
  if (pointers.size() < 2) return {};
  std::string text;
  const uint64_t table = strip_canonical(state_.surface + (pointers[1] & 0xffe0));
  const auto mapped = [&](uint64_t at) { return memory::translate(view_.space(), view_.memory(), at).valid; };
  for (uint32_t i = 0; i < shown_targets && mapped(table + i * 4); i++) {
    const uint64_t address = strip_canonical(state_.surface + view_.load<uint32_t>(table + i * 4));
    if (address == state_.surface || address % 64 || !mapped(address)) break;
    uint32_t words[16];
    view_.read(address, words, sizeof words);
    const auto surface = gen9::RENDER_SURFACE_STATE::unpack(words);
    if (surface.surface_type == gen9::RENDER_SURFACE_STATE::SurfaceType::SURFTYPE_NULL) break;
    const char* format = set_.surface_formats.name_of(static_cast<uint32_t>(surface.surface_format));
    text += fmt::format("{}0x{:x} {}x{} {}", i ? "; " : " surfaces ", strip_canonical(surface.surface_base_address), surface.width + 1,
                        surface.height + 1, format ? format : "?");
  }
  return text;
}

std::string DrawList::draw_text(const debug::WalkedPacket& packet) const {
  const auto draw = gen9::_3DPRIMITIVE::unpack(packet.dwords);
  const auto topology = state_.packet(CommandId::_3DSTATE_VF_TOPOLOGY);
  const std::string kind = topology.empty() ? "?" : enum_text(*set_.find("3DSTATE_VF_TOPOLOGY"), topology, "Primitive Topology Type");
  const std::string amount = draw.indirect_parameter_enable
                                 ? "indirect"
                                 : fmt::format("{} vertices, {} instances", draw.vertex_count_per_instance, draw.instance_count);
  return fmt::format("3DPRIMITIVE {} {}{}", kind, amount, targets_text());
}

std::string DrawList::walker_text(const debug::WalkedPacket& packet) const {
  const auto walker = gen9::GPGPU_WALKER::unpack(packet.dwords);
  return fmt::format("GPGPU_WALKER {} groups {}", enum_text(*packet.command, packet.dwords, "SIMD Size"),
                     walker.indirect_parameter_enable
                         ? "indirect"
                         : fmt::format("{}x{}x{}", walker.thread_group_id_x_dimension, walker.thread_group_id_y_dimension,
                                       walker.thread_group_id_z_dimension));
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
  if (draw || walker) {
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
