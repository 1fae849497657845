// SPDX-License-Identifier: GPL-2.0-or-later
// MI commands that write or copy memory (SKL PRM vol 2a). Privilege has been checked: a global bit here is allowed.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "hw/base/log.h"
#include "hw/cs/decode/packets.h"
#include "hw/cs/executor.h"
#include "hw/memory/ggtt.h"

namespace softgen::cs {
namespace {

/// Where HEAD is reported in a status page.
constexpr uint32_t status_page_head = 16;
/// Bytes between two reports, by the code in RING_CTL's Automatic Report Head Pointer; 0: off.
constexpr std::array<uint32_t, 4> report_distance{0, 64 << 10, 4 << 10, 128 << 10};

/// The operation of an ATOMIC OPCODE without its size bits ([4:0] of the code, 1..0xf).
std::optional<memory::AtomicOp> atomic_op(uint32_t code) {
  using enum memory::AtomicOp;
  static constexpr std::array ops = {and_, or_, xor_, move, inc, dec, add, sub, rsub, imax, imin, umax, umin, cmpwr, predec};
  if (code == 0 || code > ops.size()) return std::nullopt;
  return ops[code - 1];
}

/// Half 0 or 1 of operand 0 or 1 (the PRM's Operand1 and Operand2), for sizes above a dword's.
uint64_t inline_operand(const packets::MI_ATOMIC::View& command, unsigned which, unsigned half) {
  const auto qword = [](uint32_t low, uint32_t high) { return low | uint64_t{high} << 32; };
  switch (which * 2 + half) {
    case 0: return qword(command.operand1_data_dword_0(), command.operand1_data_dword_1());
    case 1: return qword(command.operand1_data_dword_2(), command.operand1_data_dword_3());
    case 2: return qword(command.operand2_data_dword_0(), command.operand2_data_dword_1());
    default: return qword(command.operand2_data_dword_2(), command.operand2_data_dword_3());
  }
}

}  // namespace

std::optional<uint64_t> Executor::planned(uint64_t value, unsigned bytes, bool to_status_page) {
  Faults* const faults = core_.links().registers.faults();
  if (!faults) [[likely]]
    return value;
  const FaultAnswer answer = ask(faults, {.point = FaultPoint::memory_write,
                                          .unit = static_cast<uint32_t>(core_.config().id),
                                          .what = to_status_page ? 1u : 0u,
                                          .value = value});
  if (answer.action == FaultAction::drop) return std::nullopt;
  if (answer.action == FaultAction::flip) flip_bits(answer, std::as_writable_bytes(std::span(&value, 1)).first(bytes));
  return value;
}

void Executor::store_data_imm(Dwords dw) {
  const packets::MI_STORE_DATA_IMM::View store(dw);
  memory::View& view = core_.view(store.use_global_gtt());
  const uint64_t address = store.address();
  const Dwords data = dw.subspan(3);
  const bool qword = data.size() == 2 && address % 8 == 0;
  const std::optional<uint64_t> value = planned(qword ? data[0] | uint64_t{data[1]} << 32 : data[0], qword ? 8 : 4, false);
  if (!value) return;
  if (data.size() == 1) view.store_release<uint32_t>(address, static_cast<uint32_t>(*value));
  else if (qword) view.store_release<uint64_t>(address, *value);
  else view.write(address, data.data(), data.size_bytes());
  core_.links().memory_written();
}

void Executor::store_data_index(Dwords dw) {
  const packets::MI_STORE_DATA_INDEX::View store(dw);
  const uint64_t page = store.use_per_process_hardware_status_page() ? core_.pphwsp() : core_.hwsp();
  const uint64_t address = page + 4 * store.offset();
  const std::optional<uint64_t> value = planned(store.data_dword_0(), 4, true);
  if (!value) return;
  core_.ggtt().store_release<uint32_t>(address, static_cast<uint32_t>(*value));
  if (dw.size() > 3) core_.ggtt().store_release<uint32_t>(address + 4, store.data_dword_1());
  core_.links().memory_written();
}

void Executor::copy_mem_mem(Dwords dw) {
  const packets::MI_COPY_MEM_MEM::View copy(dw);
  const uint32_t value = core_.view(copy.use_global_gtt_source()).load<uint32_t>(strip_canonical(copy.source_memory_address()));
  core_.view(copy.use_global_gtt_destination()).store_release<uint32_t>(strip_canonical(copy.destination_memory_address()), value);
  core_.links().memory_written();
}

// Consecutive entries of the global table, from that of the page in dword 1 on (SKL PRM vol 2a, MI_UPDATE_GTT).
void Executor::update_gtt(Dwords dw) {
  const packets::MI_UPDATE_GTT::View update(dw);
  uint64_t entry = update.entry_address() >> 12;
  for (size_t i = 0; i < update.elements() && entry < core_.links().ggtt.entries(); ++i, ++entry)
    core_.links().ggtt.set_pte(entry, update.entry_data_low(i) | uint64_t{update.entry_data_high(i)} << 32);
  if (core_.links().gtt_written) core_.links().gtt_written();
}

// Operands are inline or in CS_GPR0..3; the old value is returned in CS_GPR4 (and 5).
Flow Executor::atomic(Dwords dw) {
  const packets::MI_ATOMIC::View command(dw);
  const auto code = static_cast<uint32_t>(command.atomic_opcode()), size = static_cast<uint32_t>(command.data_size());
  const bool inline_data = command.inline_data(), returns = command.return_data_control();
  const auto op = atomic_op(code & 0x1f);
  // Codes: 0x00 + op on dwords, 0x20 + op on qwords, 0x4e the octword compare and write. The PRM has one length for all inline data; Mesa leaves out
  // the dwords that the size does not need (blorp_genX_exec.h, blorp_update_clear_color).
  const size_t needed = inline_data ? 3 + (size_t{2} << size) : 3;
  if (!op || dw.size() < needed || (size == 0 && code >> 5 != 0) || (size == 1 && code >> 5 != 1) || (size == 2 && code != 0x4e) ||
      size == 3)
    return guest_error("MI_ATOMIC", "code {:#x} size {}", code, size), fault(reg::error_instruction);
  const auto operand = [&](unsigned which, unsigned half) -> uint64_t {
    if (!inline_data) return core_.get64(reg::gpr0 + 8 * (size == 2 ? which * 2 + half : which));
    return inline_operand(command, which, half);
  };
  memory::View& view = core_.view(command.memory_type() == packets::MI_ATOMIC::MemoryType::GLOBAL_GRAPHICS_ADDRESS);
  const uint64_t address = align_down(command.memory_address(), uint64_t{4} << size);
  uint64_t old = 0;
  switch (size) {
    case 0: old = view.atomic<uint32_t>(*op, address, static_cast<uint32_t>(operand(0, 0)), static_cast<uint32_t>(operand(1, 0))); break;
    case 1: old = view.atomic<uint64_t>(*op, address, operand(0, 0), operand(1, 0)); break;
    default: {
      // No driver uses the octword form; it is done as two halves, which only a concurrent access could observe.
      const uint64_t low = view.load<uint64_t>(address), high = view.load<uint64_t>(address + 8);
      if (low == operand(0, 0) && high == operand(0, 1)) {
        view.store<uint64_t>(address, operand(1, 0));
        view.store<uint64_t>(address + 8, operand(1, 1));
      }
      if (returns) core_.set64(reg::gpr0 + 8 * 5, high);
      old = low;
    }
  }
  if (returns) core_.set64(reg::gpr0 + 8 * 4, old);
  core_.links().memory_written();
  return Flow::next();
}

void Executor::report_perf_count(Dwords dw) {
  const packets::MI_REPORT_PERF_COUNT::View command(dw);
  Observation* const observation = core_.links().observation;
  if (!observation) return unimplemented("MI_REPORT_PERF_COUNT of a platform without observation unit");
  Observation::Report room;
  const Dwords report = observation->report(command.report_id(), room);
  core_.view(command.use_global_gtt()).write(strip_canonical(command.memory_address()), report.data(), report.size_bytes());
  core_.links().memory_written();
}

// HEAD to dword 4 of the status page (SKL PRM vol 2a, MI_REPORT_HEAD).
void Executor::report_head(const Cursor& after) {
  core_.ggtt().store_release<uint32_t>(core_.hwsp() + status_page_head, after.ring.head_register());
}

// RING_CTL may ask for the same report whenever HEAD passes a multiple of 4, 64 or 128 KiB; with execlists it goes to the context's own
// status page (ILK PRM vol 1 part 4, RING_BUFFER_CTL, Automatic Report Head Pointer).
void Executor::publish_head(const Cursor& after) {
  const uint32_t before = core_.get(reg::head), now = after.ring.head_register();
  core_.set(reg::head, now);
  const uint32_t distance = report_distance[reg::head_reports.of(core_.get(reg::ctl))];
  if (!distance) return;
  const bool wrapped = (before ^ now) & ~reg::head_offset.mask();
  const bool passed = reg::head_offset.in_place(before) / distance != reg::head_offset.in_place(now) / distance;
  if (passed || (wrapped && after.ring.size >= distance)) core_.ggtt().store_release<uint32_t>(core_.pphwsp() + status_page_head, now);
}

}  // namespace softgen::cs
