// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/printer.h"

#include <fmt/format.h>

#include "hw/cs/decode/packets.h"
#include "hw/cs/relative_registers.h"
#include "hw/defs/register.h"

namespace softgen::debug {
namespace {

struct Style {
  bool colour;
  std::string paint(const char* code, const std::string& text) const {
    return colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }
  std::string heading(const std::string& text) const { return paint("1;34", text); }
  std::string name(const std::string& text) const { return paint("36", text); }
  std::string bad(const std::string& text) const { return paint("1;31", text); }
  std::string dim(const std::string& text) const { return paint("2", text); }
};

const char* level_name(BatchLevel level) { return level == BatchLevel::ring ? "ring" : level == BatchLevel::first ? "batch" : "second"; }

/// Registers that MI commands name by offset; fields of the value where the value is in the command.
Json registers_json(const WalkedPacket& packet, const defs::RegisterSet& registers, EngineId engine) {
  Json out = Json::array();
  const auto base = [&](std::string_view field) {
    return packet.dwords[0] & cs::header_bit(*packet.command, field) ? registers.engine(engine)->mmio_base : 0;
  };
  const auto add = [&](uint32_t offset) -> Json& {
    out.push_back(Json{{"offset", fmt::format("0x{:x}", offset)}, {"name", registers.name_of(offset)}});
    return out.back();
  };
  const auto dw = packet.dwords;
  switch (packet.command->id) {
    case defs::CommandId::MI_LOAD_REGISTER_IMM:
      for (size_t i = 1; i + 1 < dw.size(); i += 2) {
        const uint32_t offset = base(cs::relative_field) + (dw[i] & cs::register_offset_mask);
        Json& row = add(offset);
        const uint32_t value = dw[i + 1];
        row["value"] = fmt::format("0x{:08x}", value);
        if (const defs::Register* reg = registers.find(offset))
          for (const defs::RegisterField& field : reg->fields) row["fields"][field.name] = bits(value, field.high, field.low);
      }
      break;
    case defs::CommandId::MI_LOAD_REGISTER_REG:
      if (dw.size() > 2) {
        add(base(cs::relative_source_field) + (dw[1] & cs::register_offset_mask));
        add(base(cs::relative_destination_field) + (dw[2] & cs::register_offset_mask));
      }
      break;
    case defs::CommandId::MI_LOAD_REGISTER_MEM:
    case defs::CommandId::MI_STORE_REGISTER_MEM:
      if (dw.size() > 1) add(base(cs::relative_field) + (dw[1] & cs::register_offset_mask));
      break;
    default: break;
  }
  return out;
}

std::string value_text(const Json& value) {
  if (value.is_object() && value.contains("value") && value.contains("name"))
    return value["name"].is_null() ? value["value"].dump()
                                   : fmt::format("{} ({})", value["value"].dump(), value["name"].get<std::string>());
  if (value.is_object() && value.contains("bits")) return fmt::format("{} (not a number)", value["bits"].get<std::string>());
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  return value.dump();
}

bool is_scalar(const Json& value) {
  return !value.is_array() && !(value.is_object() && !value.contains("bits") && !(value.contains("value") && value.contains("name")));
}

class TextWriter {
 public:
  explicit TextWriter(bool colour) : style_{colour} {}

  void node(const Json& node, unsigned depth) {
    heading(node, depth);
    if (node.contains("fields")) fields(node["fields"], depth + 1);
    if (node.contains("registers")) registers(node["registers"], depth + 1);
    if (node.contains("dwords") && node["dwords"].is_array()) dwords(node["dwords"], depth + 1);
    if (node.contains("disassembly"))
      for (const Json& text : node["disassembly"]) line(depth + 1, text.get<std::string>());
    if (node.contains("points_to"))
      for (const Json& target : node["points_to"]) this->node(target, depth + 1);
  }
  std::string take() { return std::move(text_); }

 private:
  void line(unsigned depth, const std::string& text) { text_ += std::string(depth * 4, ' ') + text + "\n"; }

  void heading(const Json& node, unsigned depth) {
    if (node.contains("command") && node["command"].is_null())
      line(depth, fmt::format("{}  {}", string(node, "address"), style_.bad("unknown command " + string(node, "header"))));
    else if (node.contains("command"))
      line(depth, fmt::format("{}  {}  {}", string(node, "address"), style_.heading(string(node, "command")),
                              style_.dim(fmt::format("{}{} [{}]", node.contains("streamer") ? string(node, "streamer") + " " : "",
                                                     string(node, "level"), node["dwords"].dump()))));
    else if (node.contains("struct"))
      line(depth, fmt::format("{}: {} at {}", style_.name(string(node, "what")), string(node, "struct"), string(node, "address")));
    else if (node.contains("kernel")) line(depth, fmt::format("{} at {}", style_.name(string(node, "what")), string(node, "kernel")));
    else if (node.contains("data"))
      line(depth, fmt::format("{} at {}, {} bytes", style_.name(string(node, "what")), string(node, "data"), node["bytes"].dump()));
    else if (node.contains("problem")) line(depth, style_.bad(fmt::format("{}: {}", string(node, "what"), string(node, "problem"))));
  }
  static std::string string(const Json& node, const char* key) { return node.contains(key) ? node[key].get<std::string>() : std::string(); }

  void fields(const Json& object, unsigned depth) {
    for (const auto& [name, value] : object.items()) field(name, value, depth);
  }
  void field(const std::string& name, const Json& value, unsigned depth) {
    if (is_scalar(value)) return line(depth, fmt::format("{}: {}", name, value_text(value)));
    if (value.is_object()) {
      line(depth, name + ":");
      return fields(value, depth + 1);
    }
    for (size_t i = 0; i < value.size(); i++) field(fmt::format("{}[{}]", name, i), value[i], depth);
  }
  void registers(const Json& rows, unsigned depth) {
    for (const Json& row : rows) {
      line(depth, fmt::format("{} {}{}", style_.name(string(row, "name")), string(row, "offset"),
                              row.contains("value") ? " = " + string(row, "value") : ""));
      if (row.contains("fields")) fields(row["fields"], depth + 1);
    }
  }
  void dwords(const Json& words, unsigned depth) {
    std::string row;
    for (size_t i = 0; i < words.size(); i++) {
      row += fmt::format("{:08x} ", words[i].get<uint32_t>());
      if (i % 8 == 7 || i + 1 == words.size()) line(depth, row), row.clear();
    }
  }

  Style style_;
  std::string text_;
};

}  // namespace

Json packet_json(const WalkedPacket& packet, const defs::RegisterSet& registers, EngineId engine) {
  Json node{{"address", fmt::format("0x{:08x}", packet.address)}};
  if (!packet.command) {
    node["command"] = nullptr;
    node["header"] = fmt::format("0x{:08x}", packet.dwords[0]);
    node["level"] = level_name(packet.level);
    return node;
  }
  node["command"] = packet.command->name;
  node["level"] = level_name(packet.level);
  if (packet.position) node["streamer"] = name_of(EngineId::pocs);
  node["dwords"] = packet.dwords.size();
  node["fields"] = fields_json(*packet.command, packet.dwords);
  if (Json named = registers_json(packet, registers, engine); !named.empty()) node["registers"] = std::move(named);
  return node;
}

std::string node_text(const Json& node, bool colour) {
  TextWriter writer(colour);
  writer.node(node, 0);
  return writer.take();
}

void PacketPrinter::packet(const WalkedPacket& packet) {
  state_.note(packet);
  if (!packet.command) unknown_++;
  Json node = packet_json(packet, *options_.platform->registers, packet.position ? EngineId::pocs : options_.engine);
  if (view_)
    if (Json targets = StateFollower(*view_, state_, options_).follow(packet); !targets.empty()) node["points_to"] = std::move(targets);
  sink_(std::move(node));
}

void PacketPrinter::problem(uint64_t address, const std::string& what) {
  problems_++;
  sink_(Json{{"what", fmt::format("0x{:08x}", address)}, {"problem", what}});
}

}  // namespace softgen::debug
