// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/run/oa_buffer.h"

#include <errno.h>
#include <i915_drm.h>

#include <array>
#include <cstring>

#include "hw/base/mutex.h"
#include "hw/run/program_memory.h"

namespace softgen::run {
namespace {

constexpr uint32_t pages = oa::buffer_bytes / 4096;
constexpr size_t max_report_bytes = 256;

}  // namespace

std::optional<OaFormat> oa_format(uint64_t uapi_format) {
  switch (uapi_format) {
    case I915_OA_FORMAT_A12: return OaFormat{0, 64};
    case I915_OA_FORMAT_A12_B8_C8: return OaFormat{2, 128};
    case I915_OA_FORMAT_A32u40_A4u32_B8_C8: return OaFormat{5, 256};
    case I915_OA_FORMAT_C4_B8: return OaFormat{7, 64};
    default: return std::nullopt;
  }
}

// As gen8_append_oa_reports(): context switch reports are passed on, too; a program needs them to separate its own counts from those of others.
std::optional<uint32_t> ReportFilter::pass(std::span<uint32_t> report) const {
  uint32_t context = report[2] & unit_.context_mask;
  if (unit_.context_valid && !(report[0] & unit_.context_valid)) context = report[2] = oa::no_context;
  if (!context_) return context;
  const uint32_t reason = report[0] >> oa::reason_shift & unit_.reason_mask;
  if (context != *context_ && last_ != *context_ && !(reason & oa::reason_context_switch)) return std::nullopt;
  if (context != *context_) report[2] = oa::no_context;
  return context;
}

int Records::append(uint32_t type, std::span<const uint32_t> data) {
  struct {
    drm_i915_perf_record_header header;
    std::array<std::byte, max_report_bytes> data;
  } record;
  const size_t size = sizeof record.header + data.size_bytes();
  if (room_ - bytes_ < size) return -ENOSPC;
  record.header = {type, 0, static_cast<uint16_t>(size)};
  std::memcpy(record.data.data(), data.data(), data.size_bytes());
  if (!copy_to_program(to_ + bytes_, &record, size)) return -EFAULT;
  bytes_ += size;
  return 0;
}

OaBuffer::OaBuffer(Gpu& gpu, OaFormat format)
    : gpu_(gpu), unit_(*gpu.chip().oa), registers_(gpu.device()), format_(format), filter_(unit_) {
  MutexLock lock(gpu_.lock());
  memory_ = gpu_.ggtt_allocate(pages, pages);
}

OaBuffer::~OaBuffer() {
  MutexLock lock(gpu_.lock());
  gpu_.ggtt_free(memory_);
}

/// The order is that of gen8_init_oa_buffer() and gen12_init_oa_buffer(): OABUFFER after the head and before the tail. Its memory need not be zero,
/// since the unit moves the tail only after it has written a report.
void OaBuffer::start() {
  write(unit_.status, 0);
  write(unit_.head, address(0));
  if (unit_.buffer_upper) write(unit_.buffer_upper, 0);
  write(unit_.buffer, memory_.address | oa::buffer_16m | oa::buffer_ggtt);
  write(unit_.tail, address(0));
  head_ = tail_ = 0;
  filter_.restart();
  write(unit_.control, format_.select << oa::format_shift | oa::enable);
}

void OaBuffer::stop() {
  write(unit_.control, 0);
  if (unit_.tlb_invalidate) write(unit_.tlb_invalidate, 1);
}

bool OaBuffer::refresh() {
  const uint32_t tail = (registers_.read(unit_.tail) & oa::pointer_mask) - memory_.address;
  if (tail < oa::buffer_bytes) tail_ = tail / format_.bytes * format_.bytes;  // it moves by 64 bytes
  return has_reports();
}

int OaBuffer::report_losses(Records& records) {
  uint32_t status = registers_.read(unit_.status);
  if (status & oa::buffer_overflow) {
    if (const int error = records.append(DRM_I915_PERF_RECORD_OA_BUFFER_LOST)) return error;
    stop();
    start();
    status = registers_.read(unit_.status);
  }
  if (status & oa::report_lost) {
    if (const int error = records.append(DRM_I915_PERF_RECORD_OA_REPORT_LOST)) return error;
    const uint32_t cleared = oa::counter_overflow | oa::report_lost;
    write(unit_.status, (registers_.read(unit_.status) & ~cleared) | unit_.status_kept);
  }
  return 0;
}

int OaBuffer::read(Records& records) {
  if (const int error = report_losses(records)) return error;
  const uint32_t before = head_;
  int error = 0;
  for (; head_ != tail_; head_ = (head_ + format_.bytes) % oa::buffer_bytes) {
    const std::span report(reinterpret_cast<uint32_t*>(gpu_.arena().host(memory_.gpa + head_)), format_.bytes / 4);
    const auto context = filter_.pass(report);
    if (!context) continue;
    if ((error = records.append(DRM_I915_PERF_RECORD_SAMPLE, report))) break;
    filter_.passed(*context);
  }
  if (head_ != before) write(unit_.head, address(head_));
  return error;
}

}  // namespace softgen::run
