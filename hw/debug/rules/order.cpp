// SPDX-License-Identifier: GPL-2.0-or-later
// Class B, second part: what must be flushed, stalled or sent before a command that changes state.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "hw/debug/rules/rules.h"
#include "hw/defs/ids.h"

namespace softgen::debug::check {
namespace {

using defs::CommandId;
using Pipeline = ContextTrack::Pipeline;

constexpr const char* gen9 = "kbl";
constexpr uint32_t max_push_registers = 64;  ///< in 256-bit units: the sum of a stage's four read lengths

std::string last_work(const WorkOrder& order) {
  if (order.walker > order.draw) return fmt::format("the last walker is at {:#x}", order.walker_address);
  return fmt::format("the last draw is at {:#x}", order.draw_address);
}

// -- B12, B13, B26: depth and stencil clears ------------------------------------------------------------------------------------

bool clears(const PacketLook& look) {
  return std::ranges::any_of(look.chip.layouts.tracked().clears, [&](const Place& place) { return place.of(look.dwords()) != 0; });
}

void clear_behind_draws(const PacketLook& look, Report& report) {
  const WorkOrder& order = look.context.order();
  if (clears(look) && order.draw > order.clear && !order.depth_settled(order.draw)) report.found(last_work(order));
}

void draw_behind_clear(const PacketLook& look, Report& report) {
  const WorkOrder& order = look.context.order();
  if (order.clear > order.draw && !order.depth_settled(order.clear))
    report.found(fmt::format("the clear is at {:#x}", order.clear_address));
}

void clear_still_set(const PacketLook& look, Report& report) {
  if (look.context.clears()) report.found(fmt::format("3DSTATE_WM_HZ_OP is at {:#x}", look.context.order().clear_address));
}

// -- B14: fast clears and resolves of colour -----------------------------------------------------------------------------------

void use_changes_in_the_pipe(const PacketLook& look, Report& report) {
  const ColorTrack& color = look.context.color();
  if (color.drawn && *color.drawn != color.use && color.end_of_pipe < look.context.order().draw)
    report.found(fmt::format("{} after {}; {}", name_of(color.use), name_of(*color.drawn), last_work(look.context.order())));
}

// -- B15 to B19: the pipeline's large switches ----------------------------------------------------------------------------------

void bases_over_dirty(const PacketLook& look, Report& report) {
  const WorkOrder& order = look.context.order();
  if (order.draw > order.color_done) report.found("colour writes are not flushed; " + last_work(order));
  else if (order.walker > order.data_done) report.found("data writes are not flushed; " + last_work(order));
}

/// The pipeline that a PIPELINE_SELECT selects; unknown: it selects none.
Pipeline selects(const PacketLook& look) {
  const TrackedFields& fields = look.chip.layouts.tracked();
  return fields.pipeline_mask.of(look.dwords()) & 3 ? static_cast<Pipeline>(fields.pipeline.of(look.dwords()) + 1) : Pipeline::unknown;
}

void select_over_work(const PacketLook& look, Report& report) {
  const Pipeline next = selects(look);
  if (next == Pipeline::unknown || next == look.context.pipeline()) return;
  const WorkOrder& order = look.context.order();
  if (order.work() <= look.context.selected()) return;
  if (order.draw > order.color_done || order.draw > order.depth_done || order.walker > order.data_done)
    return report.found("caches are not flushed, or not waited for; " + last_work(order));
  if (std::min({order.textures, order.constants, order.states, order.instructions}) < order.work())
    report.found("read-only caches are not invalidated; " + last_work(order));
}

void select_with_color_calc(const PacketLook& look, Report& report) {
  if (selects(look) == Pipeline::gpgpu && look.context.pipeline() == Pipeline::three_d && look.context.color_calc_valid()) report.found();
}

void front_end_behind_work(const PacketLook& look, Report& report) {
  const WorkOrder& order = look.context.order();
  if (order.work() > order.stall) report.found(last_work(order));
}

void load_behind_walker(const PacketLook& look, Report& report) {
  const WorkOrder& order = look.context.order();
  if (order.walker > std::max(order.media_flush, order.stall)) report.found(last_work(order));
}

// -- B24, B25: sizes --------------------------------------------------------------------------------------------------------------

constexpr std::array constant_commands = {CommandId::_3DSTATE_CONSTANT_VS, CommandId::_3DSTATE_CONSTANT_HS, CommandId::_3DSTATE_CONSTANT_DS,
                                          CommandId::_3DSTATE_CONSTANT_GS, CommandId::_3DSTATE_CONSTANT_PS};

void push_too_long(const PacketLook& look, Report& report) {
  const auto stage = static_cast<size_t>(std::ranges::find(constant_commands, look.id()) - constant_commands.begin());
  const Place body = look.chip.layouts.place(look.event.packet.command->name, "Constant Body");
  if (!body.there() || !body.field()->structure || body.field()->structure->groups.empty()) return;
  const defs::Group& lengths = body.field()->structure->groups[0];
  uint64_t sum = 0;
  for (uint32_t i = 0; i < lengths.count; ++i)
    sum += defs::field_value(lengths.fields[0], look.dwords(), body.field()->start + lengths.start + i * lengths.size);
  const uint32_t space = look.context.constant_space()[stage];
  if (sum > max_push_registers) report.found(fmt::format("{} units of 32 bytes are more than {}", sum, max_push_registers));
  else if (space && sum * 32 > space) report.found(fmt::format("{} bytes are more than the stage's space of {}", sum * 32, space));
}

void urb_overlaps(const PacketLook& look, Report& report) {
  constexpr std::array<const char*, urb_stages> names = {"VS", "HS", "DS", "GS"};
  constexpr uint64_t unit = 8192;
  const auto& parts = look.context.urb();
  for (size_t a = 0; a < urb_stages; ++a)
    for (size_t b = a + 1; b < urb_stages; ++b) {
      const UrbPart &first = parts[a], &second = parts[b];
      if (!first.known || !second.known || !first.entries || !second.entries) continue;
      const uint64_t first_end = first.start * unit + uint64_t{first.entries} * first.entry,
                     second_end = second.start * unit + uint64_t{second.entries} * second.entry;
      if (first.start * unit < second_end && second.start * unit < first_end)
        report.found(fmt::format("{} has [{:#x}, {:#x}), {} has [{:#x}, {:#x})", names[a], first.start * unit, first_end, names[b],
                                 second.start * unit, second_end));
    }
}

// -- B27, B30 ---------------------------------------------------------------------------------------------------------------------

void l3_over_work(const PacketLook& look, Report& report) {
  const WorkOrder& order = look.context.order();
  if (!order.work() || look.context.l3().ready > order.work()) return;
  const std::span<const uint32_t> dwords = look.dwords();
  for (size_t i = 1; i + 1 < dwords.size(); i += 2)
    if (const defs::Register* row = look.chip.platform.registers->find(dwords[i]); row && row->name == std::string_view("L3CNTLREG"))
      report.found(last_work(order));
}

void arbitration_left_off(const LeaveLook& look, Report& report) {
  if (look.complete && look.context.arbitration_off())
    report.found(fmt::format("it was turned off at {:#x}", look.context.arbitration_off()));
}

constexpr CommandId hz_op[] = {CommandId::_3DSTATE_WM_HZ_OP};
constexpr CommandId primitive[] = {CommandId::_3DPRIMITIVE};
constexpr CommandId bases[] = {CommandId::STATE_BASE_ADDRESS};
constexpr CommandId select[] = {CommandId::PIPELINE_SELECT};
constexpr CommandId front_end[] = {CommandId::MEDIA_VFE_STATE};
constexpr CommandId media_loads[] = {CommandId::MEDIA_INTERFACE_DESCRIPTOR_LOAD, CommandId::MEDIA_CURBE_LOAD};
constexpr CommandId register_load[] = {CommandId::MI_LOAD_REGISTER_IMM};

constexpr Rule rules[] = {
    {.id = "B12",
     .severity = Severity::error,
     .text = "depth or stencil clear behind draws whose depth writes were not flushed",
     .needs = "PIPE_CONTROL with Depth Cache Flush Enable and Depth Stall Enable between the last draw and 3DSTATE_WM_HZ_OP",
     .source = "SKL PRM vol 7, \"Depth Buffer Clear\"; Mesa iris_resolve.c, iris_hiz_exec",
     .commands = hz_op,
     .packet = clear_behind_draws},
    {.id = "B13",
     .severity = Severity::error,
     .text = "draw behind a depth or stencil clear that was not flushed",
     .needs = "PIPE_CONTROL with Depth Cache Flush Enable and Depth Stall Enable between 3DSTATE_WM_HZ_OP and the draw",
     .source = "SKL PRM vol 7, \"Depth Buffer Clear\"; Mesa iris_resolve.c, iris_hiz_exec",
     .commands = primitive,
     .packet = draw_behind_clear},
    {.id = "B14",
     .severity = Severity::error,
     .text = "rendering, fast clear and resolve follow each other within the pipe",
     .needs = "an end-of-pipe synchronization between them: PIPE_CONTROL with Render Target Cache Flush Enable, stall and post-sync write",
     .source = "SKL PRM vol 7, \"MCS Buffer for Render Target(s)\"; Mesa iris_resolve.c, iris_clear.c",
     .commands = primitive,
     .packet = use_changes_in_the_pipe},
    {.id = "B15",
     .severity = Severity::error,
     .text = "STATE_BASE_ADDRESS over writes that were not flushed",
     .needs = "a stalling PIPE_CONTROL that flushes the render target and data caches",
     .source = "Mesa anv genX_cmd_buffer.c, cmd_buffer_emit_state_base_address (\"hangs\"); iris_state.c, flush_before_state_base_change",
     .commands = bases,
     .packet = bases_over_dirty},
    {.id = "B17",
     .severity = Severity::error,
     .text = "PIPELINE_SELECT without a stalling flush and an invalidation",
     .needs =
         "a stalling PIPE_CONTROL that flushes colour, depth and data, then one that invalidates texture, constant, state and instruction caches",
     .source = "SKL PRM vol 2a, PIPELINE_SELECT",
     .commands = select,
     .packet = select_over_work},
    {.id = "B18",
     .severity = Severity::error,
     .text = "PIPELINE_SELECT to GPGPU while COLOR_CALC_STATE is valid",
     .needs = "3DSTATE_CC_STATE_POINTERS without Color Calc State Pointer Valid before it",
     .source = "SKL PRM vol 2a, PIPELINE_SELECT",
     .parts = gen9,
     .commands = select,
     .packet = select_with_color_calc},
    {.id = "B19",
     .severity = Severity::error,
     .text = "MEDIA_VFE_STATE behind work without a stalling PIPE_CONTROL",
     .needs = "PIPE_CONTROL with Command Streamer Stall Enable between the last work and MEDIA_VFE_STATE",
     .source = "SKL PRM vol 2a, MEDIA_VFE_STATE",
     .commands = front_end,
     .packet = front_end_behind_work},
    {.id = "B20",
     .severity = Severity::error,
     .text = "descriptors or constants loaded behind a walker without MEDIA_STATE_FLUSH",
     .needs = "MEDIA_STATE_FLUSH between GPGPU_WALKER and this load",
     .source = "SKL PRM vol 2a, MEDIA_STATE_FLUSH; Mesa iris_state.c, iris_upload_gpgpu_walker",
     .commands = media_loads,
     .packet = load_behind_walker},
    {.id = "B24",
     .severity = Severity::error,
     .text = "more push constants than the hardware or the stage's space holds",
     .needs = "at most 64 units of 32 bytes, and no more than 3DSTATE_PUSH_CONSTANT_ALLOC_* has",
     .source = "SKL PRM vol 2a, 3DSTATE_CONSTANT(Body)",
     .commands = constant_commands,
     .packet = push_too_long},
    {.id = "B25",
     .severity = Severity::error,
     .text = "parts of the URB overlap",
     .needs = "starting addresses, sizes and counts of 3DSTATE_URB_* that keep the stages apart",
     .source = "SKL PRM vol 2a, 3DSTATE_URB_VS",
     .commands = primitive,
     .packet = urb_overlaps},
    {.id = "B26",
     .severity = Severity::error,
     .text = "draw while 3DSTATE_WM_HZ_OP still asks for a clear or resolve",
     .needs = "3DSTATE_WM_HZ_OP without operations before the draw",
     .source = "SKL PRM vol 2a, 3DSTATE_WM_HZ_OP; Mesa blorp_genX_exec.h, blorp_emit_gfx8_hiz_op",
     .commands = primitive,
     .packet = clear_still_set},
    {.id = "B27",
     .severity = Severity::error,
     .text = "L3 allocation changed without its three flushes",
     .needs = "PIPE_CONTROLs: data flush with stall; texture, constant, instruction and state invalidation; data flush with stall",
     .source = "SKL PRM vol 7, \"L3 Allocation and Programming\"; Mesa anv genX_cmd_buffer.c, emit_l3_config",
     .commands = register_load,
     .packet = l3_over_work},
    {.id = "B30",
     .severity = Severity::warning,
     .text = "a context ends with arbitration off",
     .needs = "MI_ARB_ON_OFF with Arbitration Enable after the part that must not be preempted",
     .source = "SKL PRM vol 3, \"Preemption\"",
     .leave = arbitration_left_off},
};

}  // namespace

std::span<const Rule> order_rules() { return rules; }

}  // namespace softgen::debug::check
