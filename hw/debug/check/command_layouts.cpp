// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/check/command_layouts.h"

#include <algorithm>
#include <string>

#include "hw/base/bits.h"

namespace softgen::debug::check {
namespace {

constexpr uint32_t cache_control_bits = 7;  ///< an index of 6 bits above one that is not part of it
constexpr uint32_t max_dwords = 1024;       ///< of a layout; longer ones have data behind it

void cover(std::vector<uint32_t>& covered, uint32_t first, uint32_t last) {
  for (uint32_t bit = first; bit <= last && bit / 32 < covered.size(); ++bit) covered[bit / 32] |= 1u << bit % 32;
}

bool names_cache_control(std::string_view name) {
  return name.ends_with("MOCS") || name.ends_with("Memory Object Control State") || name.ends_with("Memory Object Control");
}

void add_field(CommandLayout& layout, const defs::Field& field, uint32_t first_bit);

void add_fields(CommandLayout& layout, const defs::Structure& of, uint32_t first_bit) {
  for (const defs::Field& field : of.fields) add_field(layout, field, first_bit);
  for (const defs::Group& group : of.groups) {
    const uint32_t room = static_cast<uint32_t>(layout.covered.size()) * 32;
    const uint32_t count = group.count ? group.count : 0;
    for (uint32_t i = 0; i < count && first_bit + group.start + i * group.size < room; ++i)
      for (const defs::Field& field : group.fields) add_field(layout, field, first_bit + group.start + i * group.size);
    // What repeats to the packet's end is not judged.
    if (!count && first_bit + group.start < room) layout.covered.resize((first_bit + group.start) / 32);
  }
}

// The bits above an address are its sign (bits 63:48), which the rule of canonical addresses judges.
void add_field(CommandLayout& layout, const defs::Field& field, uint32_t first_bit) {
  if (field.type == defs::FieldType::must_be_zero) return;
  if (field.type == defs::FieldType::structure && field.structure) return add_fields(layout, *field.structure, first_bit + field.start);
  const bool wide = field.type == defs::FieldType::address && field.width() > 32;
  const uint32_t end = wide ? (field.start / 32 + 2) * 32 - 1 : field.end;
  cover(layout.covered, first_bit + field.start, first_bit + end);
  if (wide) layout.addresses.push_back({&field, first_bit});
  if (field.type == defs::FieldType::enumeration && field.enumeration) layout.enumerations.push_back({&field, first_bit});
  if (field.type == defs::FieldType::uint && field.width() == cache_control_bits && names_cache_control(field.name))
    layout.cache_controls.push_back({&field, first_bit});
}

CommandLayout layout_of(const defs::Command& command) {
  CommandLayout layout;
  layout.command = &command;
  layout.covered.resize(std::min<uint32_t>(std::max<uint32_t>(command.dwords, 1), max_dwords));
  layout.covered[0] = command.mask;
  if (command.length_high) cover(layout.covered, command.length_low, command.length_high);
  add_fields(layout, command, 0);
  layout.needed = layout.covered.size();
  while (layout.needed > 1 && !layout.covered[layout.needed - 1]) --layout.needed;
  return layout;
}

}  // namespace

Place::Place(const defs::Structure* layout, std::string_view name) {
  if (!layout) return;
  const auto found = std::ranges::find_if(layout->fields, [&](const defs::Field& field) { return name == field.name; });
  if (found != layout->fields.end()) field_ = &*found;
}

Place CommandLayouts::place(std::string_view layout, std::string_view field) const {
  const defs::Command* command = set_.find(layout);
  return {command ? command : set_.find_structure(layout), field};
}

CommandLayouts::CommandLayouts(const defs::CommandSet& set) : set_(set) {
  layouts_.reserve(set.commands.size());
  for (const defs::Command& command : set.commands) layouts_.push_back(layout_of(command));
  static constexpr struct {
    const char* name;
    uint32_t bit;
  } flags[] = {
      {"Flush LLC", PipeControl::flush_llc},
      {"Store Data Index", PipeControl::store_index},
      {"Command Streamer Stall Enable", PipeControl::cs_stall},
      {"Global Snapshot Count Reset", PipeControl::snapshot_reset},
      {"TLB Invalidate", PipeControl::invalidate_tlb},
      {"Generic Media State Clear", PipeControl::clear_media_state},
      {"Depth Stall Enable", PipeControl::depth_stall},
      {"Render Target Cache Flush Enable", PipeControl::flush_color},
      {"Instruction Cache Invalidate Enable", PipeControl::invalidate_instructions},
      {"Texture Cache Invalidation Enable", PipeControl::invalidate_textures},
      {"Indirect State Pointers Disable", PipeControl::disable_pointers},
      {"DC Flush Enable", PipeControl::flush_data},
      {"HDC Pipeline Flush Enable", PipeControl::flush_data},
      {"VF Cache Invalidation Enable", PipeControl::invalidate_vertices},
      {"Constant Cache Invalidation Enable", PipeControl::invalidate_constants},
      {"State Cache Invalidation Enable", PipeControl::invalidate_state},
      {"Stall At Pixel Scoreboard", PipeControl::scoreboard_stall},
      {"Depth Cache Flush Enable", PipeControl::flush_depth},
      {"LRI Post Sync Operation", PipeControl::load_register},
  };
  for (const auto& [name, bit] : flags)
    if (const Place at = place("PIPE_CONTROL", name); at.there()) flags_.push_back({at, bit});
  write_ = place("PIPE_CONTROL", "Post Sync Operation");
  global_ = place("PIPE_CONTROL", "Destination Address Type");
  address_ = place("PIPE_CONTROL", "Address");
  data_ = place("PIPE_CONTROL", "Immediate Data");
  track();
}

void CommandLayouts::track() {
  TrackedFields& t = tracked_;
  t.pipeline = place("PIPELINE_SELECT", "Pipeline Selection");
  t.pipeline_mask = place("PIPELINE_SELECT", "Mask Bits");
  t.color_calc_valid = place("3DSTATE_CC_STATE_POINTERS", "Color Calc State Pointer Valid");
  t.fast_clear = place("3DSTATE_PS", "Render Target Fast Clear Enable");
  t.resolve = place("3DSTATE_PS", "Render Target Resolve Type");
  static constexpr const char* clears[] = {"Stencil Buffer Clear Enable", "Depth Buffer Clear Enable", "Depth Buffer Resolve Enable",
                                           "Hierarchical Depth Buffer Resolve Enable"};
  std::ranges::transform(clears, t.clears.begin(), [&](const char* name) { return place("3DSTATE_WM_HZ_OP", name); });
  t.arbitration = place("MI_ARB_ON_OFF", "Arbitration Enable");
  t.context = place("MI_SET_CONTEXT", "Logical Context Address");
  t.restore_inhibit = place("MI_SET_CONTEXT", "Restore Inhibit");
  static constexpr const char* stages[] = {"VS", "HS", "DS", "GS", "PS"};
  for (size_t i = 0; i < t.urb.size(); ++i) {
    const std::string stage = stages[i], command = "3DSTATE_URB_" + stage;
    t.urb[i] = {place(command, stage + " URB Starting Address"), place(command, stage + " URB Entry Allocation Size"),
                place(command, stage + " Number of URB Entries")};
  }
  for (size_t i = 0; i < t.constant_space.size(); ++i)
    t.constant_space[i] = place(std::string("3DSTATE_PUSH_CONSTANT_ALLOC_") + stages[i], "Constant Buffer Size");
  t.flush_write = place("MI_FLUSH_DW", "Post-Sync Operation");
  t.flush_global = place("MI_FLUSH_DW", "Destination Address Type");
  t.flush_address = place("MI_FLUSH_DW", "Address");
  t.flush_data = place("MI_FLUSH_DW", "Immediate Data");
  t.store_address = place("MI_STORE_DATA_IMM", "Address");
  t.store_global = place("MI_STORE_DATA_IMM", "Use Global GTT");
  t.store_data = place("MI_STORE_DATA_IMM", "Immediate Data");
}

PipeControl CommandLayouts::pipe_control(std::span<const uint32_t> dwords) const {
  PipeControl control;
  for (const Flag& flag : flags_)
    if (flag.place.of(dwords)) control.bits |= flag.bit;
  control.write = static_cast<PipeControl::Write>(write_.of(dwords));
  control.global = global_.of(dwords);
  control.address = address_.of(dwords);
  control.data = data_.of(dwords);
  control.null = !control.bits && !control.post_sync() && dwords.size() > 1 && dwords[1] == 0;
  return control;
}

}  // namespace softgen::debug::check
