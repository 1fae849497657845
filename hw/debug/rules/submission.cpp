// SPDX-License-Identifier: GPL-2.0-or-later
// Class F: lists of contexts, rings, breadcrumbs, and registers that the kernel's part of a driver writes.
#include <fmt/format.h>

#include <bit>

#include "hw/debug/rules/rules.h"
#include "hw/defs/ids.h"

namespace softgen::debug::check {
namespace {

using defs::CommandId;

constexpr const char* vol3 = "SKL PRM vol 3, \"Execlists\"";
constexpr uint32_t half_range = 0x8000'0000;

// -- F1 to F4: lists and tails ----------------------------------------------------------------------------------------------------

void tail_outside(const EntryLook& look, Report& report) {
  const WatchedEntry& entry = look.entry;
  if (!entry.ring_size) return;
  if (entry.raw_tail & 7) report.found(fmt::format("RING_TAIL {:#x} is no multiple of 8", entry.raw_tail));
  else if (entry.raw_tail >= entry.ring_size)
    report.found(fmt::format("RING_TAIL {:#x} is outside the ring of {:#x} bytes", entry.raw_tail, entry.ring_size));
}

void same_tail(const EntryLook& look, Report& report) {
  if (look.lite && look.entry.tail == look.old_tail) report.found(fmt::format("RING_TAIL stays {:#x}", look.old_tail));
}

/// Bytes from `from` on to `to`, round the ring.
uint32_t ahead(uint32_t from, uint32_t to, uint32_t size) { return (to + size - from) % size; }

void tail_moves_back(const EntryLook& look, Report& report) {
  const WatchedEntry& entry = look.entry;
  if (!look.lite || !entry.ring_size || entry.tail == look.old_tail) return;
  if (ahead(entry.head, entry.tail, entry.ring_size) < ahead(entry.head, look.old_tail, entry.ring_size))
    report.found(fmt::format("from {:#x} to {:#x}, RING_HEAD is {:#x}", look.old_tail, entry.tail, entry.head));
}

bool valid(const WatchedContext& context) { return reg::field::RING_ELSP_VALID.of(context.low) != 0; }

void bad_list(const ListLook& look, Report& report) {
  if (!look.last_taken) report.found("the engine has not taken the list before");
  for (size_t a = 0; a < look.list.size(); ++a)
    for (size_t b = a + 1; b < look.list.size(); ++b)
      if (valid(look.list[a]) && valid(look.list[b]) &&
          reg::field::RING_ELSP_LOGICAL_RING_CONTEXT_ADDRESS.in_place(look.list[a].low) ==
              reg::field::RING_ELSP_LOGICAL_RING_CONTEXT_ADDRESS.in_place(look.list[b].low))
        report.found(fmt::format("elements {} and {} are the same context", a, b));
}

// -- F7: breadcrumbs --------------------------------------------------------------------------------------------------------------

void interrupt_without_write(const PacketLook& look, Report& report) {
  if (look.event.level == 0 && look.event.privileged && look.context.whole() && !look.context.wrote_since_interrupt()) report.found();
}

void seqno_goes_back(const PacketLook& look, Report& report) {
  if (look.event.level || !look.pipe_control->global || look.pipe_control->write != PipeControl::Write::immediate) return;
  const auto& last = look.context.breadcrumb();
  const uint32_t now = static_cast<uint32_t>(look.pipe_control->data);
  if (last && last->address == look.pipe_control->address && now - last->value >= half_range)
    report.found(fmt::format("{:#x} after {:#x} at {:#x}", now, last->value, last->address));
}

// -- F10, F12, F14: registers -----------------------------------------------------------------------------------------------------

void without_forcewake(const UnpoweredLook& look, Report& report) {
  report.found(fmt::format("the {} had no effect", look.write ? "write" : "read"));
}

void useless_write(const WriteLook& look, Report& report) {
  const defs::Register* row = look.chip.platform.registers->find(look.offset);
  if (!row || row->block) return;
  if (row->masked && look.value && !(look.value >> 16)) report.found("a masked register, and no mask bit is set");
  else if (!row->masked && !(row->write_mask | row->w1c_mask)) report.found("software cannot write this register");
}

void reset_without_request(const WriteLook& look, Report& report) {
  if (look.offset != reg::GDRST) return;
  for (const defs::EngineRow& engine : look.chip.platform.registers->engines) {
    const bool resets = look.value & engine.reset, asked = look.host.reset_requested >> static_cast<unsigned>(engine.id) & 1;
    if (resets && !asked && look.chip.platform.has(engine.id))
      report.found(fmt::format("{} was not asked whether it is ready", name_of(engine.id)));
  }
}

constexpr CommandId interrupt[] = {CommandId::MI_USER_INTERRUPT};
constexpr CommandId pipe_control[] = {CommandId::PIPE_CONTROL};

constexpr Rule rules[] = {
    {.id = "F1",
     .severity = Severity::error,
     .text = "RING_TAIL is unaligned or outside its ring",
     .needs = "a multiple of 8 below the ring's size",
     .source = vol3,
     .entry = tail_outside},
    {.id = "F2",
     .severity = Severity::error,
     .text = "lite restore with an unchanged tail",
     .needs = "new commands in the ring before the running context is submitted again",
     .source = "i915 gt/intel_execlists_submission.c, WaIdleLiteRestore",
     .entry = same_tail},
    {.id = "F3",
     .severity = Severity::error,
     .text = "lite restore that moves the tail back",
     .needs = "Force Restore in the descriptor",
     .source = "i915 gt/intel_execlists_submission.c, execlists_update_context",
     .entry = tail_moves_back},
    {.id = "F4",
     .severity = Severity::error,
     .text = "a list of contexts that the port cannot take",
     .needs = "each context once in a list, and a list only after the event of the one before",
     .source = vol3,
     .list = bad_list},
    {.id = "F7",
     .severity = Severity::warning,
     .text = "user interrupt without a write since the last one",
     .needs = "the new seqno before MI_USER_INTERRUPT",
     .source = "i915 gt/gen8_engine_cs.c, emit_xcs_breadcrumb",
     .commands = interrupt,
     .packet = interrupt_without_write},
    {.id = "F7S",
     .severity = Severity::error,
     .text = "a seqno goes back",
     .needs = "a value after the last one at the same address",
     .source = "i915 gt/gen8_engine_cs.c, gen8_emit_fini_breadcrumb_rcs",
     .commands = pipe_control,
     .packet = seqno_goes_back},
    {.id = "F10",
     .severity = Severity::error,
     .text = "access to a register whose power domain is off",
     .needs = "the domain's FORCEWAKE held, and acknowledged, during the access",
     .source = "TGL PRM vol 13, \"Force Wake and Steering Table\"; i915 intel_uncore.c",
     .parts = "tgl",
     .unpowered = without_forcewake},
    {.id = "F12",
     .severity = Severity::note,
     .text = "a register write that has no effect",
     .needs = "mask bits for masked registers; no writes of registers that software cannot write",
     .source = "SKL PRM vol 2c",
     .opt_in = "drivers write such registers for chips that have them",
     .write = useless_write},
    {.id = "F14",
     .severity = Severity::warning,
     .text = "an engine is reset that was not asked to get ready",
     .needs = "Request Reset in the engine's RESET_CTL before GDRST",
     .source = "SKL PRM vol 2c, RESET_CTL; i915 gt/intel_reset.c, gen8_engine_reset_prepare",
     .write = reset_without_request},
};

}  // namespace

std::span<const Rule> submission_rules() { return rules; }

}  // namespace softgen::debug::check
