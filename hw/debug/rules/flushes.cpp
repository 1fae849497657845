// SPDX-License-Identifier: GPL-2.0-or-later
// Class B, first part: what the bits of one PIPE_CONTROL ask of each other and of the command before.
#include <fmt/format.h>

#include "hw/debug/rules/rules.h"
#include "hw/defs/ids.h"

namespace softgen::debug::check {
namespace {

using defs::CommandId;
using enum PipeControl::Bit;
using Write = PipeControl::Write;
using Pipeline = ContextTrack::Pipeline;

constexpr const char* pipe_control_page = "SKL PRM vol 2a, PIPE_CONTROL";
constexpr const char* gen9 = "kbl";

/// Work of the GPGPU pipeline that no stall has waited for.
bool walker_runs(const PacketLook& look) { return look.context.order().walker > look.context.order().stall; }
std::string walker_at(const PacketLook& look) { return fmt::format("the last walker is at {:#x}", look.context.order().walker_address); }

void vertices_without_null(const PacketLook& look, Report& report) {
  if (look.pipe_control->has(invalidate_vertices) && !look.context.null_before()) report.found();
}

void vertices_without_write(const PacketLook& look, Report& report) {
  if (look.pipe_control->has(invalidate_vertices) && !look.pipe_control->post_sync()) report.found();
}

void tlb_without_stall(const PacketLook& look, Report& report) {
  const PipeControl& control = *look.pipe_control;
  if (control.has(invalidate_tlb) && !control.has(cs_stall) && !control.post_sync()) report.found();
}

void write_behind_walker(const PacketLook& look, Report& report) {
  const PipeControl& control = *look.pipe_control;
  if (look.context.pipeline() != Pipeline::gpgpu || control.has(cs_stall)) return;
  if ((control.post_sync() || control.has(load_register)) && walker_runs(look)) report.found(walker_at(look));
}

void textures_behind_walker(const PacketLook& look, Report& report) {
  const PipeControl& control = *look.pipe_control;
  if (look.context.pipeline() != Pipeline::gpgpu || control.has(cs_stall)) return;
  if (control.has(invalidate_textures) && walker_runs(look)) report.found(walker_at(look));
}

void clears_without_stall(const PacketLook& look, Report& report) {
  if (look.pipe_control->any(clear_media_state | disable_pointers) && !look.pipe_control->has(cs_stall)) report.found();
}

void needs_write(const PacketLook& look, Report& report) {
  const PipeControl& control = *look.pipe_control;
  if (control.has(flush_llc) && control.write != Write::immediate) report.found("Flush LLC without Write Immediate Data");
  if (control.has(store_index) && !control.post_sync()) report.found("Store Data Index without a post-sync operation");
}

void snapshot_count_reset(const PacketLook& look, Report& report) {
  if (look.pipe_control->has(snapshot_reset)) report.found();
}

void query_with_flush(const PacketLook& look, Report& report) {
  const PipeControl& control = *look.pipe_control;
  const bool query = control.write == Write::depth_count || control.write == Write::timestamp;
  if (query && control.any(flush_color | scoreboard_stall) && control.write == Write::depth_count) report.found();
}

void ignored_stall(const PacketLook& look, Report& report) {
  const PipeControl& control = *look.pipe_control;
  if (control.has(scoreboard_stall) && control.any(depth_stall | flush_color)) report.found();
}

void count_without_stall(const PacketLook& look, Report& report) {
  if (look.pipe_control->write == Write::depth_count && !look.pipe_control->has(depth_stall)) report.found();
}

constexpr CommandId pipe_control[] = {CommandId::PIPE_CONTROL};

constexpr Rule rules[] = {
    {.id = "B1",
     .severity = Severity::error,
     .text = "vertex cache invalidation without a null PIPE_CONTROL before it",
     .needs = "a PIPE_CONTROL with no bit set as the command before",
     .source = "SKL PRM vol 2a, PIPE_CONTROL, VF Cache Invalidation Enable; i915 gt/gen8_engine_cs.c, gen8_emit_flush_rcs",
     .parts = gen9,
     .commands = pipe_control,
     .packet = vertices_without_null},
    {.id = "B2",
     .severity = Severity::error,
     .text = "vertex cache invalidation without a post-sync write",
     .needs = "Post Sync Operation other than No Write in the same PIPE_CONTROL",
     .source = "SKL PRM vol 2a, PIPE_CONTROL, VF Cache Invalidation Enable",
     .parts = gen9,
     .commands = pipe_control,
     .packet = vertices_without_write},
    {.id = "B3",
     .severity = Severity::error,
     .text = "TLB invalidation without a stall or a post-sync write",
     .needs = "Command Streamer Stall Enable, or a post-sync write, in the same PIPE_CONTROL",
     .source = pipe_control_page,
     .commands = pipe_control,
     .packet = tlb_without_stall},
    {.id = "B4",
     .severity = Severity::error,
     .text = "post-sync operation or register load behind a walker that was not waited for",
     .needs = "a PIPE_CONTROL with Command Streamer Stall Enable between GPGPU_WALKER and this one",
     .source = pipe_control_page,
     .parts = gen9,
     .commands = pipe_control,
     .packet = write_behind_walker},
    {.id = "B5",
     .severity = Severity::error,
     .text = "texture invalidation behind a walker without a stall",
     .needs = "Command Streamer Stall Enable in this PIPE_CONTROL or in one since the walker",
     .source = pipe_control_page,
     .parts = gen9,
     .commands = pipe_control,
     .packet = textures_behind_walker},
    {.id = "B6",
     .severity = Severity::error,
     .text = "Generic Media State Clear or Indirect State Pointers Disable without a stall",
     .needs = "Command Streamer Stall Enable in the same PIPE_CONTROL",
     .source = pipe_control_page,
     .commands = pipe_control,
     .packet = clears_without_stall},
    {.id = "B7",
     .severity = Severity::warning,
     .text = "a bit of PIPE_CONTROL that asks for a post-sync operation which is not there",
     .needs = "Write Immediate Data with Flush LLC, any post-sync operation with Store Data Index",
     .source = pipe_control_page,
     .commands = pipe_control,
     .packet = needs_write},
    {.id = "B8",
     .severity = Severity::warning,
     .text = "Global Snapshot Count Reset",
     .needs = "its bit to be zero: it is for debugging the chip",
     .source = pipe_control_page,
     .commands = pipe_control,
     .packet = snapshot_count_reset},
    {.id = "B9",
     .severity = Severity::error,
     .text = "depth count written together with a colour flush or a scoreboard stall",
     .needs = "neither Render Target Cache Flush Enable nor Stall At Pixel Scoreboard with Write PS Depth Count",
     .source = "SKL PRM vol 2a, PIPE_CONTROL, Render Target Cache Flush Enable; Mesa iris_state.c, iris_emit_raw_pipe_control",
     .commands = pipe_control,
     .packet = query_with_flush},
    {.id = "B10",
     .severity = Severity::note,
     .text = "scoreboard stall that is ignored",
     .needs = "Stall At Pixel Scoreboard without Depth Stall Enable and Render Target Cache Flush Enable",
     .source = "SKL PRM vol 2a, PIPE_CONTROL, Stall At Pixel Scoreboard; later chips want both where a render target changes",
     .parts = gen9,
     .commands = pipe_control,
     .packet = ignored_stall},
    {.id = "B11",
     .severity = Severity::error,
     .text = "depth count written without a depth stall",
     .needs = "Depth Stall Enable with Write PS Depth Count",
     .source = "SKL PRM vol 2a, PIPE_CONTROL, Depth Stall Enable; Mesa iris_query.c",
     .commands = pipe_control,
     .packet = count_without_stall},
};

}  // namespace

std::span<const Rule> flush_rules() { return rules; }

}  // namespace softgen::debug::check
