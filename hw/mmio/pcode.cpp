// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/mmio/pcode.h"

#include "hw/base/log.h"

namespace softgen::mmio {

namespace {

namespace field = reg::field;

enum Status : uint32_t { success = 0, illegal_command = 1, illegal_data = 3 };

enum Command : uint32_t {
  write_rc6vids = 0x04,
  load_hdcp_keys = 0x05,
  read_mem_latency = 0x06,
  cdclk_control = 0x07,
  write_min_freq_table = 0x08,
  read_min_freq_table = 0x09,
  read_memory_speeds = 0x0d,
  restrict_memory_speeds = 0x0e,
  write_d_comp = 0x11,
  de_write_freq_req = 0x17,
  dynamic_duty_cycle = 0x1a,
  sagv_control = 0x21,
  read_sagv_block_time = 0x23,
  type_c_cold = 0x26,
};

/// Of read_memory_speeds, in Parameter 1; Parameter 2 is the point.
enum Question : uint32_t { about_memory = 0, about_point = 1 };

// Microseconds for the watermark levels 0-3 and 4-7, one a byte, like a desktop part with DDR4: non-decreasing, and none 0 (a 0 turns
// the levels from there off; i915 intel_pm.c:intel_read_wm_latency).
constexpr uint32_t latency_low = 0x0806'0402, latency_high = 0x100e'0c0a;
// Microseconds. Chosen: those that i915 takes for Gen11, where it cannot ask (display/skl_watermark.c, intel_sagv_block_time()).
constexpr uint32_t sagv_block_time = 10;
constexpr uint32_t efficient_ratio = 6;  // x 50 MHz: RPn of RP_STATE_CAP

}  // namespace

Pcode::Pcode(RegisterFile& registers, const defs::MemorySpeeds* memory) : memory_(memory) {
  registers.on_write(reg::GEN6_PCODE_MAILBOX, [this, &registers](uint32_t offset, uint32_t command) {
    if (!field::GEN6_PCODE_MAILBOX_RUN_BUSY.of(command)) return;
    const FaultAnswer fault = ask(registers.faults(), {.point = FaultPoint::pcode, .what = field::GEN6_PCODE_MAILBOX_COMMAND.of(command)});
    if (fault.action == FaultAction::busy) return;  // the command never ends
    if (fault.action == FaultAction::error) return registers.poke(offset, static_cast<uint32_t>(fault.value));
    Reply reply = run(command, registers.peek(reg::GEN6_PCODE_DATA), registers.peek(reg::GEN6_PCODE_DATA1));
    reply.data0 = changed(fault, reply.data0);
    registers.poke(reg::GEN6_PCODE_DATA, reply.data0);
    registers.poke(reg::GEN6_PCODE_DATA1, reply.data1);
    registers.poke(offset, reply.status);
  });
}

// i915 soc/intel_dram.c:icl_pcode_read_mem_global_info, display/intel_bw.c:icl_pcode_read_qgv_point_info.
Pcode::Reply Pcode::memory_speeds(uint32_t command) const {
  const uint32_t question = field::GEN6_PCODE_MAILBOX_PARAMETER_1.of(command), index = field::GEN6_PCODE_MAILBOX_PARAMETER_2.of(command);
  if (question == about_memory)
    return {success, uint32_t{memory_->type} | uint32_t{memory_->channels} << 4 | static_cast<uint32_t>(memory_->points.size()) << 8, 0};
  if (question != about_point || index >= memory_->points.size()) return {illegal_data, 0, 0};
  const auto& point = memory_->points[index];
  return {success, point.clock | uint32_t{point.rp} << 16 | uint32_t{point.rcd} << 24, point.rdpre | uint32_t{point.ras} << 8};
}

Pcode::Reply Pcode::run(uint32_t command, uint32_t data0, uint32_t data1) {
  uint32_t& slot = min_freq_table_[data0 & 0xff];
  switch (field::GEN6_PCODE_MAILBOX_COMMAND.of(command)) {
    case write_rc6vids:
    case write_d_comp:
    case de_write_freq_req: return {success, data0, data1};
    case load_hdcp_keys: return {illegal_command, data0, data1};  // no keys are fused
    case read_mem_latency:
      if (data0 > 1) return {illegal_data, data0, data1};
      return {success, data0 ? latency_high : latency_low, 0};
    case cdclk_control: return {success, data0 | 1, 0};  // "ready for the change"; the voltage level needs no answer
    case read_memory_speeds:
      if (memory_) return memory_speeds(command);
      break;
    case restrict_memory_speeds:
      if (memory_) return {success, 0, 0};  // done at once: the highest point may not be restricted
      break;
    case type_c_cold:
      if (memory_) return {success, 0, 0};  // blocked or unblocked; bit 0 would say that the exit from TC cold failed
      break;
    case read_sagv_block_time:
      if (memory_) return {success, sagv_block_time, 0};
      break;
    case write_min_freq_table: slot = data0; return {success, data0, 0};
    case read_min_freq_table: return {success, slot | (data0 & 0xff), 0};
    case dynamic_duty_cycle: return {success, efficient_ratio << 8, 0};
    case sagv_control: return {success, data0 == 0 ? 1u : 0u, 0};  // bit 0 acknowledges the disabling
    default: break;
  }
  unimplemented("pcode command", "0x{:02x}", field::GEN6_PCODE_MAILBOX_COMMAND.of(command));
  return {illegal_command, data0, data1};
}

void Pcode::state(Archive& archive) {
  archive.section("pcode", 1);
  archive.value(min_freq_table_);
}

}  // namespace softgen::mmio
