// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/state_follower.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace softgen::debug {
namespace {

using defs::CommandId;

constexpr const char* stage_names[] = {"VS", "HS", "DS", "GS", "PS"};
constexpr CommandId stage_commands[] = {CommandId::_3DSTATE_VS, CommandId::_3DSTATE_HS, CommandId::_3DSTATE_DS, CommandId::_3DSTATE_GS,
                                        CommandId::_3DSTATE_PS};
/// Binding table entries looked at when the shader does not announce its number (drivers announce 0 to switch prefetch off).
constexpr uint32_t usual_table_entries = 8;
constexpr uint32_t largest_table = 256;
constexpr uint32_t surface_alignment = 32;  ///< of RENDER_SURFACE_STATE, at least
/// Of 3DSTATE_CONSTANT_*.
constexpr unsigned constant_buffers = 4;

std::string hex(uint64_t address) { return fmt::format("0x{:08x}", address); }

/// The kernel of a unit state that 3DSTATE_PIPELINED_POINTERS names; nothing: it runs none.
std::optional<uint64_t> unit_kernel(const Fields& state) {
  if (state.has("Thread Dispatch Enable") && state["Thread Dispatch Enable"]) return state["Kernel Start Pointer 0"];
  if (!state.has("Kernel Start Pointer") || (state.has("Enable") && !state["Enable"])) return std::nullopt;
  return state["Kernel Start Pointer"];
}

/// Of a buffer, which has its size or, before Gen8, its last byte.
uint64_t bytes_of(const Fields& buffer, std::string_view last) {
  const uint64_t end = buffer.optional(last);
  return end ? end + 1 - std::min(buffer["Buffer Starting Address"], end + 1) : buffer.optional("Buffer Size");
}

/// 0x7815 is CONSTANT_VS, 0x7826 BINDING_TABLE_POINTERS_VS, …: the stage by its name's end.
unsigned stage_of(const defs::Command& command) {
  const std::string_view name = command.name;
  const auto found = std::find(std::begin(stage_names), std::end(stage_names), name.substr(name.size() - 2));
  return static_cast<unsigned>(found - std::begin(stage_names));
}

}  // namespace

bool StateFollower::mapped(uint64_t address, uint64_t bytes) const {
  const auto valid = [&](uint64_t at) { return memory::translate(view_.space(), view_.memory(), at).valid; };
  return valid(address) && valid(address + bytes - 1);
}

Json StateFollower::problem(const std::string& what, uint64_t address) const {
  return Json{{"what", what}, {"problem", fmt::format("0x{:08x} is not mapped", address)}};
}

Json StateFollower::structure(const std::string& what, const defs::Structure& layout, uint64_t address, uint32_t dwords) {
  address = strip_canonical(address);
  std::vector<uint32_t> words(dwords ? dwords : layout.dwords);
  if (!mapped(address, words.size() * 4)) return problem(what, address);
  view_.read(address, words.data(), words.size() * 4);
  return Json{{"what", what}, {"struct", layout.name}, {"address", hex(address)}, {"fields", fields_json(layout, words)}};
}

Json StateFollower::kernel(const std::string& what, uint64_t offset) {
  const uint64_t address = strip_canonical(state_.instruction + offset);
  Json node{{"what", what}, {"kernel", hex(address)}};
  if (!mapped(address, 16)) return problem(what, address);
  if (options_.disassemble) node["disassembly"] = options_.disassemble(view_, address);
  return node;
}

Json StateFollower::data(const std::string& what, uint64_t address, uint64_t bytes) {
  address = strip_canonical(address);
  Json node{{"what", what}, {"data", hex(address)}, {"bytes", bytes}};
  const uint64_t shown = std::min<uint64_t>(bytes / 4, options_.data_dwords);
  if (!shown || !options_.data) return node;
  if (!mapped(address, shown * 4)) return problem(what, address);
  std::vector<uint32_t> words(shown);
  view_.read(address, words.data(), shown * 4);
  node["dwords"] = words;
  return node;
}

void StateFollower::binding_table(Json& out, const std::string& what, uint32_t offset, uint32_t count) {
  const uint64_t table = state_.binding_table(offset);
  count = std::clamp(count, usual_table_entries, largest_table);
  if (!mapped(table, 4)) return out.push_back(problem(what, table));
  for (uint32_t i = 0; i < count && mapped(table + i * 4, 4); i++) {
    const auto entry = view_.load<uint32_t>(table + i * 4);
    if (entry == 0) continue;
    // Beyond the announced count the contents are undefined: show it only if it may be a surface.
    if (entry % surface_alignment || !mapped(strip_canonical(state_.surface + entry), 64)) continue;
    out.push_back(structure(fmt::format("{} entry {}", what, i), layout("RENDER_SURFACE_STATE"), state_.surface + entry));
  }
}

void StateFollower::samplers(Json& out, const std::string& what, uint64_t offset, uint32_t count) {
  for (uint32_t i = 0; i < std::max(count, 1u); i++) {
    const uint64_t address = state_.dynamic + offset + i * 16;
    Json node = structure(fmt::format("{} {}", what, i), layout("SAMPLER_STATE"), address);
    if (node.contains("fields")) {
      uint32_t words[4];
      view_.read(strip_canonical(address), words, sizeof words);
      const uint64_t border = state_.dynamic + Fields(layout("SAMPLER_STATE"), words)["Border Color Pointer"];
      node["points_to"].push_back(structure("border color", layout("SAMPLER_BORDER_COLOR_STATE"), border));
    }
    out.push_back(std::move(node));
  }
}

void StateFollower::stage_pointers(Json& out, const WalkedPacket& packet, unsigned stage, bool sampler) {
  const auto shader = state_.packet(stage_commands[stage]);
  const defs::Structure& command = layout(fmt::format("3DSTATE_{}", stage_names[stage]));
  const char* field = sampler ? "Sampler Count" : "Binding Table Entry Count";
  const auto count = shader.empty() ? 0 : static_cast<uint32_t>(Fields(command, shader)[field]);
  // Sampler Count is in units of four, 4 at most.
  if (sampler) samplers(out, fmt::format("{} sampler", stage_names[stage]), packet.dwords[1] & ~31u, std::min(count, 4u) * 4);
  else binding_table(out, fmt::format("{} binding table", stage_names[stage]), packet.dwords[1] & 0xffe0, count);
}

void StateFollower::shader(Json& out, const WalkedPacket& packet) {
  const std::string stage = stage_names[stage_of(*packet.command)];
  const Fields fields(*packet.command, packet.dwords);
  if (fields["Enable"]) out.push_back(kernel(stage + " kernel", fields["Kernel Start Pointer"]));
}

/// Which kernel pointer has which width depends on how many are enabled (SKL PRM vol 2a, 3DSTATE_PS, "Kernel Start Pointer [0]").
void StateFollower::pixel_shader(Json& out, const WalkedPacket& packet) {
  const Fields ps(*packet.command, packet.dwords);
  const bool e8 = ps["8 Pixel Dispatch Enable"], e16 = ps["16 Pixel Dispatch Enable"], e32 = ps["32 Pixel Dispatch Enable"];
  const auto add = [&](const char* what, uint64_t pointer) { out.push_back(kernel(what, pointer)); };
  if (e8) add("PS SIMD8 kernel", ps["Kernel Start Pointer 0"]);
  if (e16) add("PS SIMD16 kernel", e8 || e32 ? ps["Kernel Start Pointer 2"] : ps["Kernel Start Pointer 0"]);
  if (e32) add("PS SIMD32 kernel", e8 || e16 ? ps["Kernel Start Pointer 1"] : ps["Kernel Start Pointer 0"]);
}

void StateFollower::viewports(Json& out, const WalkedPacket& packet) {
  const auto clip = state_.packet(CommandId::_3DSTATE_CLIP);
  const auto count = clip.empty() ? 1 : static_cast<uint32_t>(Fields(layout("3DSTATE_CLIP"), clip)["Maximum VP Index"]) + 1;
  const auto target = std::find_if(packet.command->fields.begin(), packet.command->fields.end(),
                                   [](const defs::Field& f) { return f.target == defs::Target::structure; });
  const uint64_t address = state_.dynamic + defs::field_value(*target, packet.dwords);
  for (uint32_t i = 0; i < count; i++)
    out.push_back(structure(fmt::format("viewport {}", i), *target->structure, address + i * target->structure->dwords * 4));
}

void StateFollower::interface_descriptors(Json& out, const WalkedPacket& packet) {
  const Fields load(*packet.command, packet.dwords);
  const auto count = static_cast<uint32_t>(std::min<uint64_t>(load["Interface Descriptor Total Length"] / 32, 64));
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t address = state_.dynamic + load["Interface Descriptor Data Start Address"] + i * 32;
    Json node = structure(fmt::format("interface descriptor {}", i), layout("INTERFACE_DESCRIPTOR_DATA"), address);
    if (node.contains("fields")) {
      uint32_t words[8];
      view_.read(strip_canonical(address), words, sizeof words);
      const Fields descriptor(layout("INTERFACE_DESCRIPTOR_DATA"), words);
      Json& inside = node["points_to"] = Json::array();
      inside.push_back(kernel("CS kernel", descriptor["Kernel Start Pointer"]));
      const auto sampler_groups = std::min(static_cast<uint32_t>(descriptor["Sampler Count"]), 4u);
      if (sampler_groups) samplers(inside, "CS sampler", descriptor["Sampler State Pointer"], sampler_groups * 4);
      binding_table(inside, "CS binding table", static_cast<uint32_t>(descriptor["Binding Table Pointer"]),
                    static_cast<uint32_t>(descriptor["Binding Table Entry Count"]));
    }
    out.push_back(std::move(node));
  }
}

void StateFollower::vertex_buffers(Json& out, const WalkedPacket& packet) {
  const defs::Group& buffers = packet.command->groups.front();
  const size_t first = buffers.start / 32, step = buffers.size / 32;
  for (size_t at = first; at + step <= packet.dwords.size(); at += step) {
    const Fields buffer(layout("VERTEX_BUFFER_STATE"), packet.dwords.subspan(at));
    if (!buffer["Null Vertex Buffer"])
      out.push_back(data(fmt::format("vertex buffer {}", buffer["Vertex Buffer Index"]), buffer["Buffer Starting Address"],
                         bytes_of(buffer, "End Address")));
  }
}

void StateFollower::constants(Json& out, const WalkedPacket& packet) {
  const Fields body(layout("3DSTATE_CONSTANT_BODY"), packet.dwords.subspan(1));
  const char* stage = stage_names[stage_of(*packet.command)];
  for (unsigned i = 0; i < constant_buffers; i++) {
    const uint64_t length = body.repeated("Read Length", i);
    if (!length) continue;
    const uint64_t base = i == 0 && !state_.absolute_constants ? state_.dynamic : 0;
    out.push_back(data(fmt::format("{} constant buffer {}", stage, i), base + body.repeated("Buffer", i), length * 32));
  }
}

/// The ranges that the mask has follow each other.
void StateFollower::constants_of_stages(Json& out, const WalkedPacket& packet) {
  static constexpr const char* named[] = {"Vertex", "Hull", "Domain", "Geometry", "Pixel"};
  const Fields all(*packet.command, packet.dwords);
  std::string stages;
  for (unsigned i = 0; i < std::size(named); i++)
    if (all[fmt::format("{} Shader Update Enable", named[i])]) stages += fmt::format("{} ", stage_names[i]);
  const defs::Structure& entry = layout("3DSTATE_CONSTANT_ALL_DATA");
  size_t at = packet.command->dwords;
  for (unsigned i = 0; i < constant_buffers; i++) {
    if (!(all["Pointer Buffer Mask"] >> i & 1) || at + entry.dwords > packet.dwords.size()) continue;
    const Fields range(entry, packet.dwords.subspan(at, entry.dwords));
    at += entry.dwords;
    const uint64_t base = i == 0 && !state_.absolute_constants ? state_.dynamic : 0;
    if (const uint64_t length = range["Constant Buffer Read Length"])
      out.push_back(data(fmt::format("{}constant buffer {}", stages, i), base + range["Pointer To Constant Buffer"], length * 32));
  }
}

// Pointers are absolute; kernels count from the instruction base (hw/defs/gen5/unit_state.def).
void StateFollower::unit_states(Json& out, const WalkedPacket& packet) {
  const Fields pointers(*packet.command, packet.dwords);
  for (const defs::Field& field : packet.command->fields) {
    if (field.target != defs::Target::structure) continue;
    const std::string_view name = field.name;
    if ((name.ends_with("GS State") && !pointers["GS Enable"]) || (name.ends_with("CLIP State") && !pointers["Clip Enable"])) continue;
    const uint64_t address = defs::field_value(field, packet.dwords);
    Json node = structure(field.structure->name, *field.structure, address);
    if (node.contains("fields")) {
      std::vector<uint32_t> words(field.structure->dwords);
      view_.read(address, words.data(), words.size() * 4);
      if (const std::optional<uint64_t> start = unit_kernel({*field.structure, words}))
        node["points_to"].push_back(kernel(fmt::format("{} kernel", field.structure->name), *start));
    }
    out.push_back(std::move(node));
  }
}

void StateFollower::tables_of_stages(Json& out, const WalkedPacket& packet) {
  for (const defs::Field& field : packet.command->fields)
    if (const auto offset = static_cast<uint32_t>(defs::field_value(field, packet.dwords)); offset && field.target == defs::Target::data)
      binding_table(out, std::string(std::string_view(field.name).substr(std::string_view("Pointer to ").size())), offset, 0);
}

void StateFollower::one_pointer(Json& out, const WalkedPacket& packet, uint32_t dwords) {
  for (const defs::Field& field : packet.command->fields) {
    if (field.target != defs::Target::structure || field.end >= packet.dwords.size() * 32) continue;
    const uint64_t address = state_.base(field.base) + defs::field_value(field, packet.dwords);
    out.push_back(structure(field.structure->name, *field.structure, address, dwords));
  }
}

Json StateFollower::follow(const WalkedPacket& packet) {
  Json out = Json::array();
  if (!packet.command || packet.dwords.size() < 2) return out;
  switch (packet.command->id) {
    case CommandId::_3DSTATE_BINDING_TABLE_POINTERS_VS:
    case CommandId::_3DSTATE_BINDING_TABLE_POINTERS_HS:
    case CommandId::_3DSTATE_BINDING_TABLE_POINTERS_DS:
    case CommandId::_3DSTATE_BINDING_TABLE_POINTERS_GS:
    case CommandId::_3DSTATE_BINDING_TABLE_POINTERS_PS: stage_pointers(out, packet, stage_of(*packet.command), false); break;
    case CommandId::_3DSTATE_SAMPLER_STATE_POINTERS_VS:
    case CommandId::_3DSTATE_SAMPLER_STATE_POINTERS_HS:
    case CommandId::_3DSTATE_SAMPLER_STATE_POINTERS_DS:
    case CommandId::_3DSTATE_SAMPLER_STATE_POINTERS_GS:
    case CommandId::_3DSTATE_SAMPLER_STATE_POINTERS_PS: stage_pointers(out, packet, stage_of(*packet.command), true); break;
    case CommandId::_3DSTATE_VIEWPORT_STATE_POINTERS_CC:
    case CommandId::_3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP:
    case CommandId::_3DSTATE_SCISSOR_STATE_POINTERS: viewports(out, packet); break;
    case CommandId::_3DSTATE_BLEND_STATE_POINTERS: one_pointer(out, packet, 1 + 2 * 8); break;  // eight render targets
    case CommandId::_3DSTATE_CC_STATE_POINTERS: one_pointer(out, packet, 0); break;
    case CommandId::_3DSTATE_VS:
    case CommandId::_3DSTATE_HS:
    case CommandId::_3DSTATE_DS:
    case CommandId::_3DSTATE_GS: shader(out, packet); break;
    case CommandId::_3DSTATE_PS: pixel_shader(out, packet); break;
    case CommandId::_3DSTATE_CONSTANT_VS:
    case CommandId::_3DSTATE_CONSTANT_HS:
    case CommandId::_3DSTATE_CONSTANT_DS:
    case CommandId::_3DSTATE_CONSTANT_GS:
    case CommandId::_3DSTATE_CONSTANT_PS: constants(out, packet); break;
    case CommandId::_3DSTATE_CONSTANT_ALL: constants_of_stages(out, packet); break;
    case CommandId::_3DSTATE_CPS_POINTERS: one_pointer(out, packet, 0); break;
    case CommandId::_3DSTATE_VERTEX_BUFFERS: vertex_buffers(out, packet); break;
    case CommandId::_3DSTATE_INDEX_BUFFER: {
      const Fields buffer(*packet.command, packet.dwords);
      out.push_back(data("index buffer", buffer["Buffer Starting Address"], bytes_of(buffer, "Buffer Ending Address")));
      break;
    }
    case CommandId::_3DSTATE_PIPELINED_POINTERS: unit_states(out, packet); break;
    case CommandId::_3DSTATE_BINDING_TABLE_POINTERS: tables_of_stages(out, packet); break;
    case CommandId::CONSTANT_BUFFER: {
      constexpr uint64_t unit = 64;  // of Buffer Length, which begins at one
      const Fields buffer(*packet.command, packet.dwords);
      if (buffer["Valid"]) out.push_back(data("constant buffer", buffer["Buffer Starting Address"], (buffer["Buffer Length"] + 1) * unit));
      break;
    }
    case CommandId::MEDIA_INTERFACE_DESCRIPTOR_LOAD: interface_descriptors(out, packet); break;
    case CommandId::MEDIA_CURBE_LOAD: {
      const Fields load(*packet.command, packet.dwords);
      out.push_back(data("CURBE", state_.dynamic + load["CURBE Data Start Address"], load["CURBE Total Data Length"]));
      break;
    }
    default: break;
  }
  return out;
}

}  // namespace softgen::debug
