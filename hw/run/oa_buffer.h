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

/// Formats of reports: Counter Select, and bytes. None: not one of these chips' (oa_formats, oa_init_supported_formats).
struct OaFormat {
  uint32_t select, bytes;
};
std::optional<OaFormat> oa_format(uint64_t uapi_format);

/// Which reports of the buffer a stream's reader sees. With a context: those of its own, and those that bound them.
class ReportFilter {
 public:
  explicit ReportFilter(const OaUnit& unit) : unit_(unit) {}

  /// Reports of this context from now on. `id`: the upper half of its descriptor.
  void only(uint32_t id) { context_ = id & unit_.context_mask; }
  /// The buffer is new.
  void restart() { last_ = oa::no_context; }
  /// The report's context; none: the reader does not see the report. Other contexts' ids become no_context in it.
  std::optional<uint32_t> pass(std::span<uint32_t> report) const;
  /// The reader has got a report of this context.
  void passed(uint32_t context) { last_ = context; }

 private:
  const OaUnit& unit_;
  std::optional<uint32_t> context_;
  uint32_t last_ = oa::no_context;
};

/// Records for one read(): whole ones, as many as there is room for.
class Records {
 public:
  /// `to`: an address of the program.
  Records(uint64_t to, size_t room) : to_(to), room_(room) {}

  /// DRM_I915_PERF_RECORD_*. Not 0: -ENOSPC or -EFAULT, and it is not there.
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
  /// Looks at the unit's tail; true: there is a report.
  bool refresh();
  /// As refresh() has seen it last.
  bool has_reports() const { return head_ != tail_; }
  /// Appends records of losses and of the reports before the tail that refresh() has seen last. 0 or a negative errno.
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
