// SPDX-License-Identifier: GPL-2.0-or-later
// Class A: how commands are encoded, and what they need to be in a context at all.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "hw/base/bits.h"
#include "hw/debug/check/packet_text.h"
#include "hw/debug/rules/rules.h"
#include "hw/defs/ids.h"

namespace softgen::debug::check {
namespace {

using defs::CommandId;

constexpr const char* vol2a = "SKL PRM vol 2a";
constexpr const char* mocs = "SKL PRM vol 2c, GFX_MOCS; i915 gt/intel_mocs.c";
constexpr uint64_t noops_per_page = 4096 / 4;

// -- A1, A3, A4, A6: every command ----------------------------------------------------------------------------------------------

void reserved_bits(const PacketLook& look, Report& report) {
  const std::vector<uint32_t>& covered = look.layout().covered;
  const std::span<const uint32_t> dwords = look.dwords();
  for (size_t i = 0; i < std::min(covered.size(), dwords.size()); ++i)
    if (const uint32_t extra = dwords[i] & ~covered[i]) return report.found(fmt::format("dword {} has {:#010x} set", i, extra));
}

/// Whether an enumeration names each bit of its field: values are combinations of them. Two names may also be the exclusive values 1 and 2.
bool names_bits(const defs::Field& field) {
  const std::span<const defs::EnumValue> values = field.enumeration->values;
  return values.size() == field.width() && values.size() > 2 &&
         std::ranges::all_of(values, [](const defs::EnumValue& one) { return std::has_single_bit(one.value); });
}

// The declarations often leave out the name of 0, the normal case. An enumeration of one name is a number with a special value.
void unnamed_value(const PacketLook& look, Report& report) {
  for (const auto& [field, first_bit] : look.layout().enumerations) {
    const uint64_t value = defs::field_value(*field, look.dwords(), first_bit);
    if (value && field->enumeration->values.size() > 1 && !field->enumeration->name_of(value) && !names_bits(*field))
      return report.found(fmt::format("{} has {}", field->name, value));
  }
}

// Dwords at the end in which no field stands may be left out: 3DSTATE_TE of Tiger Lake has four in Mesa 22.3, five in later ones.
void odd_length(const PacketLook& look, Report& report) {
  const defs::Command& command = *look.event.packet.command;
  const size_t has = look.dwords().size(), needed = look.layout().needed;
  if (has < needed || (!command.variable && has > command.dwords))
    return report.found(
        fmt::format("it has {} dwords, {} has {}{}", has, command.name, command.dwords, command.variable ? " at least" : ""));
  for (const defs::Group& group : command.groups)
    if (!group.count && (has * 32 - group.start) % group.size) report.found(fmt::format("{} dwords end inside an element", has));
}

// Bits 63:48 repeat bit 47. Addresses of the GGTT have 32 bits.
void not_canonical(const PacketLook& look, Report& report) {
  for (const auto& [field, first_bit] : look.layout().addresses) {
    const uint32_t at = (first_bit + field->start) / 32;
    if (at + 1 >= look.dwords().size()) continue;
    const uint64_t address = look.dwords()[at] | uint64_t{look.dwords()[at + 1]} << 32;
    if (sign_extend(address, 48) != static_cast<int64_t>(address) && address >> 48)
      return report.found(fmt::format("{} is {:#x}", field->name, address));
  }
}

// -- A7: cache controls -----------------------------------------------------------------------------------------------------------

void cache_control_not_programmed(const PacketLook& look, Report& report) {
  const CacheControls& controls = look.chip.cache_controls;
  const EngineId engine = look.event.engine;
  if (look.layout().cache_controls.empty() || !controls.known(engine)) return;
  for (const auto& [field, first_bit] : look.layout().cache_controls) {
    if ((first_bit + field->end) / 32 >= look.dwords().size()) continue;
    const auto index = static_cast<unsigned>(defs::field_value(*field, look.dwords(), first_bit) >> 1);
    if (!controls.entry(engine, index)) return report.found(fmt::format("{} names entry {}", field->name, index));
  }
}

void l3_evictions_not_programmed(const EntryLook& look, Report& report) {
  const CacheControls& controls = look.chip.cache_controls;
  if (look.entry.engine == EngineId::rcs && controls.known(EngineId::rcs) && !controls.entry(EngineId::rcs, CacheControls::l3_evictions))
    report.found(fmt::format("entry {}, which evictions of L3 use", CacheControls::l3_evictions));
}

// An application names the same entry to all engines.
void cache_controls_differ(const EntryLook& look, Report& report) {
  const CacheControls& controls = look.chip.cache_controls;
  if (look.entry.engine == EngineId::rcs) return;
  for (unsigned i = 0; i < CacheControls::entry_count; ++i) {
    const auto render = controls.entry(EngineId::rcs, i), own = controls.entry(look.entry.engine, i);
    if (render && own && *render != *own) return report.found(fmt::format("entry {} is {:#x}, that of rcs is {:#x}", i, *own, *render));
  }
}

// -- A8 to A11 -------------------------------------------------------------------------------------------------------------------

void runs_away(const PacketLook& look, Report& report) {
  if (look.engine.noops == noops_per_page) report.found("a page of MI_NOOPs ends here");
}

// Which registers a batch may write is known once the kernel has written its whitelist; captures have no kernel part.
void privileged(const PacketLook& look, Report& report) {
  if (look.event.outcome != WatchedPacket::Outcome::refused) return;
  const std::span<const uint32_t> dwords = look.dwords();
  const bool loads = look.id() == CommandId::MI_LOAD_REGISTER_IMM || look.id() == CommandId::MI_LOAD_REGISTER_MEM ||
                     look.id() == CommandId::MI_LOAD_REGISTER_REG || look.id() == CommandId::MI_MATH;
  if (loads && !look.has_whitelist) return;
  std::string names;
  if (look.id() == CommandId::MI_LOAD_REGISTER_IMM)
    for (size_t i = 1; i + 1 < dwords.size(); i += 2)
      names += (i > 1 ? ", " : "registers ") + look.chip.platform.registers->name_of(dwords[i]);
  report.found(names);
}

void wrong_pipeline(const PacketLook& look, Report& report) {
  using enum ContextTrack::Pipeline;
  const ContextTrack::Pipeline selected = look.context.pipeline();
  if (selected == unknown) return;
  const bool draws = look.event.packet.command->draws;
  const bool walks = look.id() == CommandId::GPGPU_WALKER;
  if (draws && selected != three_d) report.found("the pipeline selected last is not 3D");
  if (walks && selected != gpgpu) report.found("the pipeline selected last is not GPGPU");
}

/// What iris, anv, blorp and the batch of i915 that makes the default state (gt/gen9_renderstate.c) set before any draw and walker, since a context
/// has no defined values there.
constexpr std::array needed_by_draws = {
    CommandId::PIPELINE_SELECT, CommandId::STATE_BASE_ADDRESS, CommandId::_3DSTATE_VS,         CommandId::_3DSTATE_HS,
    CommandId::_3DSTATE_TE,     CommandId::_3DSTATE_DS,        CommandId::_3DSTATE_GS,         CommandId::_3DSTATE_CLIP,
    CommandId::_3DSTATE_SF,     CommandId::_3DSTATE_RASTER,    CommandId::_3DSTATE_SBE,        CommandId::_3DSTATE_WM,
    CommandId::_3DSTATE_PS,     CommandId::_3DSTATE_PS_EXTRA,  CommandId::_3DSTATE_URB_VS,     CommandId::_3DSTATE_URB_HS,
    CommandId::_3DSTATE_URB_DS, CommandId::_3DSTATE_URB_GS,    CommandId::_3DSTATE_MULTISAMPLE};
constexpr std::array needed_by_walkers = {CommandId::PIPELINE_SELECT, CommandId::STATE_BASE_ADDRESS, CommandId::MEDIA_VFE_STATE,
                                          CommandId::MEDIA_INTERFACE_DESCRIPTOR_LOAD};

void never_set(const PacketLook& look, Report& report) {
  if (!look.context.whole()) return;
  const std::span<const CommandId> needed =
      look.event.packet.command->draws ? std::span<const CommandId>(needed_by_draws) : needed_by_walkers;
  std::string missing;
  for (const CommandId id : needed) {
    if (look.context.has_set(id)) continue;
    for (const defs::Command& command : look.chip.layouts.set().commands)
      if (command.id == id) missing += std::string(missing.empty() ? "" : ", ") + command.name;
  }
  if (!missing.empty()) report.found(missing);
}

constexpr CommandId noop[] = {CommandId::MI_NOOP};
constexpr CommandId starts_work[] = {CommandId::_3DPRIMITIVE, CommandId::GPGPU_WALKER};

constexpr Rule rules[] = {
    {.id = "A1",
     .severity = Severity::warning,
     .text = "reserved bits of a command are set",
     .needs = "zeros where the command has no field",
     .source = vol2a,
     .parts = nullptr,
     .packet = reserved_bits},
    {.id = "A3",
     .severity = Severity::warning,
     .text = "a field has a reserved value",
     .needs = "one of the values that the field's enumeration names",
     .source = vol2a,
     .parts = nullptr,
     .packet = unnamed_value},
    {.id = "A4",
     .severity = Severity::error,
     .text = "DWord Length is not the command's",
     .needs = "the length that the command is defined with",
     .source = vol2a,
     .parts = nullptr,
     .packet = odd_length},
    {.id = "A5",
     .severity = Severity::error,
     .text = "a command that this engine does not have",
     .needs = "a command of this engine's instruction set; the engine hangs here",
     .source = vol2a,
     .parts = nullptr,
     .stream = true},
    {.id = "A6",
     .severity = Severity::warning,
     .text = "an address is not canonical",
     .needs = "bits 63:48 equal to bit 47",
     .source = "SKL PRM vol 2a; vol 5, \"Canonical Addresses\"",
     .packet = not_canonical},
    {.id = "A7",
     .severity = Severity::error,
     .text = "a cache control that the driver has never programmed",
     .needs = "the entry's register written before a command names it",
     .source = mocs,
     .packet = cache_control_not_programmed},
    {.id = "A7E",
     .severity = Severity::error,
     .text = "contexts run while the cache control of L3's evictions is not programmed",
     .needs = "the last entry of the render engine's table written",
     .source = mocs,
     .parts = "kbl",
     .entry = l3_evictions_not_programmed},
    {.id = "A7T",
     .severity = Severity::error,
     .text = "engines have unlike cache controls",
     .needs = "the same value of an entry for all engines, since applications name one entry to all",
     .source = mocs,
     .entry = cache_controls_differ},
    {.id = "A8",
     .severity = Severity::error,
     .text = "a batch runs through a page of MI_NOOPs",
     .needs = "MI_BATCH_BUFFER_END where the batch ends; memory that was never written is MI_NOOPs",
     .source = vol2a,
     .parts = nullptr,
     .commands = noop,
     .packet = runs_away},
    {.id = "A8M",
     .severity = Severity::error,
     .text = "a ring or batch leaves its memory",
     .needs = "MI_BATCH_BUFFER_END, or a jump, before the last page ends; the engine hangs here",
     .source = vol2a,
     .parts = nullptr,
     .stream = true},
    {.id = "A9",
     .severity = Severity::warning,
     .text = "a user's batch does what needs privilege, which is dropped",
     .needs = "a batch of the kernel, or a register that the engine's whitelist opens",
     .source = "SKL PRM vol 2a, \"User Mode Privileged Commands\"; i915 gt/intel_workarounds.c",
     .parts = nullptr,
     .packet = privileged},
    {.id = "A10",
     .severity = Severity::error,
     .text = "work for the pipeline that is not selected",
     .needs = "PIPELINE_SELECT with 3D before 3DPRIMITIVE, with GPGPU before GPGPU_WALKER",
     .source = "SKL PRM vol 2a, PIPELINE_SELECT",
     .parts = nullptr,
     .commands = starts_work,
     .packet = wrong_pipeline},
    {.id = "A11",
     .severity = Severity::warning,
     .text = "work with state that its context has never set",
     .needs = "each of these commands once in the context",
     .source = "SKL PRM vol 2a; vol 7",
     .commands = starts_work,
     .packet = never_set},
};

}  // namespace

std::span<const Rule> encoding_rules() { return rules; }

}  // namespace softgen::debug::check
