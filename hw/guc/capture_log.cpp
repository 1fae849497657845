// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/guc/capture_log.h"

namespace softgen::guc {

using namespace defs::guc;

// i915 gt/uc/intel_guc.c, guc_ctl_log_params_flags(); intel_guc_log.c, intel_guc_log_size().
void CaptureLog::start(uint32_t parameter, const AddressRange& memory, memory::View& ggtt) {
  *this = {};
  const uint64_t page = log_page.in_place(parameter);
  const uint64_t unit = log_unit.of(parameter) ? log_large_unit_bytes : log_unit_bytes;
  const uint32_t capture_unit = log_capture_unit.of(parameter) ? log_large_unit_bytes : log_unit_bytes;
  const uint64_t others = (log_crash_size.of(parameter) + 1 + log_debug_size.of(parameter) + 1) * unit;
  const uint32_t bytes = (log_capture_size.of(parameter) + 1) * capture_unit;
  if (!log_valid.of(parameter) || !memory.has(page, memory::View::page_size + others + bytes)) return;
  state_ = page + capture_state;
  ring_ = page + memory::View::page_size + others;
  bytes_ = bytes;
  // The host keeps the memory over a reset of the chip and does not clear it: its read index is of what was written before.
  for (const uint32_t index : {log_read, log_write, log_sampled_write}) ggtt.store<uint32_t>(state_ + index, 0);
}

// The reader owns the read index. One dword stays free.
bool CaptureLog::append(std::span<const uint32_t> group, memory::View& ggtt) {
  if (!bytes_) return false;
  const uint32_t read = ggtt.load_acquire<uint32_t>(state_ + log_read);
  if (read % 4 || read >= bytes_) return false;
  const uint32_t room = (read + bytes_ - write_ - 4) % bytes_;
  if (group.size() * 4 > room) return false;
  for (const uint32_t dword : group) {
    ggtt.store<uint32_t>(ring_ + write_, dword);
    write_ = (write_ + 4) % bytes_;
  }
  ggtt.store<uint32_t>(state_ + log_size, bytes_);
  ggtt.store<uint32_t>(state_ + log_write, write_);
  ggtt.store<uint32_t>(state_ + log_flags, log_flush.with(ggtt.load<uint32_t>(state_ + log_flags), 1));
  ggtt.store_release<uint32_t>(state_ + log_sampled_write, write_);
  return true;
}

void CaptureLog::state(Archive& archive) {
  archive.value(state_);
  archive.value(ring_);
  archive.value(bytes_);
  archive.value(write_);
  if (archive.reading() && (bytes_ > 4 * log_large_unit_bytes || bytes_ % 4 || write_ % 4 || (bytes_ && write_ >= bytes_)))
    archive.fail("the GuC's log in the saved state is nowhere");
}

}  // namespace softgen::guc
