// SPDX-License-Identifier: GPL-2.0-or-later
// The buffer into which the observation unit writes its reports, and their way to the program as records (i915 i915_perf.c).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hw/run/chip_oa.h"
#include "hw/run/gpu.h"

namespace softgen::run {

/// A report format: its value of Counter Select, and its size. None: these chips do not have it (oa_formats, oa_init_supported_formats).
struct OaFormat {
  uint32_t select, bytes;
};
std::optional<OaFormat> oa_format(uint64_t uapi_format);

/// Selects the reports that a stream's reader sees. Of a stream for one context: its own, the first one after them, and all context switches.
class ReportFilter {
 public:
  explicit ReportFilter(const OaUnit& unit) : unit_(unit) {}

  /// Selects reports of one context. `id`: the upper half of its descriptor.
  void only(uint32_t id) { context_ = id & unit_.context_mask; }
  /// To be called when the buffer has been emptied.
  void restart() { last_ = oa::no_context; }
  /// The context of a report that the reader sees; none: it does not see it. Replaces ids of other contexts in the report by no_context.
  std::optional<uint32_t> pass(std::span<uint32_t> report) const;
  /// To be called when the reader has received a report of this context.
  void passed(uint32_t context) { last_ = context; }

 private:
  const OaUnit& unit_;
  std::optional<uint32_t> context_;
  uint32_t last_ = oa::no_context;
};

/// Records for one read(): complete ones, as many as fit.
class Records {
 public:
  /// `to`: address of the program's buffer.
  Records(uint64_t to, size_t room) : to_(to), room_(room) {}

  /// `type`: DRM_I915_PERF_RECORD_*. Returns 0, or -ENOSPC or -EFAULT without appending the record.
  int append(uint32_t type, std::span<const uint32_t> data = {});
  size_t bytes() const { return bytes_; }

 private:
  const uint64_t to_;
  const size_t room_;
  size_t bytes_ = 0;
};

/// 16 MB in the GGTT. Not thread safe.
class OaBuffer {
 public:
  /// Throws std::bad_alloc.
  OaBuffer(Gpu& gpu, OaFormat format);
  ~OaBuffer();
  OaBuffer(const OaBuffer&) = delete;
  OaBuffer& operator=(const OaBuffer&) = delete;

  ReportFilter& filter() { return filter_; }
  /// Empties the buffer and starts the unit.
  void start();
  void stop();
  /// Reads the unit's tail; then as has_reports().
  bool refresh();
  /// Whether there were unread reports at the last refresh().
  bool has_reports() const { return head_ != tail_; }
  /// Appends records of lost reports, and of the reports up to the tail of the last refresh(). Returns 0 or a negative errno.
  int read(Records& records);

 private:
  int report_losses(Records& records);
  void write(uint32_t offset, uint32_t value) { registers_.write(offset, value); }
  uint32_t address(uint32_t offset) const { return (memory_.address + offset) & oa::pointer_mask; }

  Gpu& gpu_;
  const OaUnit& unit_;
  const Registers registers_;
  const OaFormat format_;
  GgttMemory memory_;
  uint32_t head_ = 0, tail_ = 0;  ///< offsets in memory_
  ReportFilter filter_;
};

}  // namespace softgen::run
