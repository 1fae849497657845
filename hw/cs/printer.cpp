// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/printer.h"

#include <fmt/format.h>

#include <iterator>

namespace softgen::cs {
namespace {

constexpr uint32_t max_elements = 64;  // of a group, in print

void print_fields(std::string& out, std::span<const defs::Field> fields, std::span<const uint32_t> dwords, uint32_t first_bit,
                  unsigned depth) {
  auto to = std::back_inserter(out);
  for (const defs::Field& field : fields) {
    if (field.type == defs::FieldType::must_be_zero || (first_bit + field.start) / 32 >= dwords.size()) continue;
    const std::string indent(2 * depth, ' ');
    if (field.type == defs::FieldType::structure) {
      fmt::format_to(to, "{}{}:\n", indent, field.name);
      if (field.structure && depth < 8) print_fields(out, field.structure->fields, dwords, first_bit + field.start, depth + 1);
      continue;
    }
    const uint64_t value = defs::field_value(field, dwords, first_bit);
    const char* name = field.enumeration ? field.enumeration->name_of(value) : nullptr;
    if (name) fmt::format_to(to, "{}{}: {} ({})\n", indent, field.name, value, name);
    else if (field.in_place()) fmt::format_to(to, "{}{}: {:#x}\n", indent, field.name, value);
    else if (field.type == defs::FieldType::float32)
      fmt::format_to(to, "{}{}: {}\n", indent, field.name, std::bit_cast<float>(static_cast<uint32_t>(value)));
    else if (field.type == defs::FieldType::fixed)
      fmt::format_to(to, "{}{}: {}\n", indent, field.name,
                     static_cast<double>(static_cast<int64_t>(value)) / static_cast<double>(uint64_t{1} << field.fraction_bits));
    else if (field.is_signed || field.type == defs::FieldType::sint)
      fmt::format_to(to, "{}{}: {}\n", indent, field.name, static_cast<int64_t>(value));
    else fmt::format_to(to, "{}{}: {}\n", indent, field.name, value);
  }
}

/// What both visitors share: a bound, and static flow.
struct Walk {
  uint32_t left;
  bool before(const Cursor&) { return left && left--; }
};

struct PrintVisitor : Walk {
  const PrintOptions& options;
  std::string text;

  Flow command(const Packet& packet, const Cursor& after) {
    if (options.fields) text += print_packet(packet);
    else fmt::format_to(std::back_inserter(text), "{:#x}: {}\n", packet.address, packet.command->name);
    return static_flow(packet, after);
  }
  Flow unknown(const Packet& packet, const Cursor&) {
    fmt::format_to(std::back_inserter(text), "{:#x}: unknown command {:#010x}\n", packet.address, packet.dwords[0]);
    return Flow::stop();
  }
  Flow no_memory(uint64_t address, const Cursor&) {
    fmt::format_to(std::back_inserter(text), "{:#x}: no memory\n", address);
    return Flow::stop();
  }
};

struct RangeVisitor : Walk {
  std::vector<CommandRange> ranges;
  bool fresh = true;

  Flow command(const Packet& packet, const Cursor& after) {
    const uint64_t bytes = packet.dwords.size_bytes();
    const bool ppgtt = after.in_ppgtt();
    const CommandRange* last = ranges.empty() ? nullptr : &ranges.back();
    if (fresh || !last || last->ppgtt != ppgtt || last->address + last->bytes != packet.address)
      ranges.push_back({packet.address, bytes, ppgtt});
    else ranges.back().bytes += bytes;
    const Flow flow = static_flow(packet, after);
    fresh = flow.kind != Flow::Kind::next;
    return flow;
  }
  Flow unknown(const Packet&, const Cursor&) { return Flow::stop(); }
  Flow no_memory(uint64_t, const Cursor&) { return Flow::stop(); }
};

}  // namespace

std::string print_packet(const Packet& packet) {
  std::string out = fmt::format("{:#x}: {} ({} dwords)\n", packet.address, packet.command->name, packet.dwords.size());
  print_fields(out, packet.command->fields, packet.dwords, 0, 1);
  for (const defs::Group& group : packet.command->groups) {
    const uint32_t elements = std::min(group.elements(packet.dwords.size()), max_elements);
    for (uint32_t i = 0; i < elements; ++i) {
      fmt::format_to(std::back_inserter(out), "  [{}]\n", i);
      print_fields(out, group.fields, packet.dwords, group.start + i * group.size, 2);
    }
  }
  return out;
}

std::string print_commands(Cursor cursor, ParseMemory memory, const defs::CommandSet& commands, defs::EngineClass engine,
                           const PrintOptions& options) {
  PrintVisitor visitor{{options.max_commands}, options, {}};
  parse(cursor, memory, commands, engine, visitor);
  return std::move(visitor.text);
}

std::vector<CommandRange> command_ranges(Cursor cursor, ParseMemory memory, const defs::CommandSet& commands, defs::EngineClass engine,
                                         uint32_t max_commands) {
  RangeVisitor visitor{{max_commands}, {}};
  parse(cursor, memory, commands, engine, visitor);
  return std::move(visitor.ranges);
}

}  // namespace softgen::cs
