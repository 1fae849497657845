// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/oa/report_buffer.h"

#include <algorithm>

#include "hw/base/log.h"

namespace softgen::oa {
namespace {

namespace field = reg::field;

/// Bytes for size code 0; each next code doubles them.
constexpr uint64_t smallest = 128 << 10;
/// Granularity of head and tail.
constexpr uint64_t line = 64;

// One name for the fields of both generations' registers.
static_assert(field::OABUFFER_SIZE.mask() == field::OAG_OABUFFER_SIZE.mask() &&
              field::OABUFFER_BASE.mask() == field::OAG_OABUFFER_BASE.mask() &&
              field::OABUFFER_GLOBAL_GTT.mask() == field::OAG_OABUFFER_GLOBAL_GTT.mask());
static_assert(field::OASTATUS_BUFFER_OVERFLOW.mask() == field::OAG_OASTATUS_BUFFER_OVERFLOW.mask() &&
              field::OASTATUS_REPORT_LOST.mask() == field::OAG_OASTATUS_REPORT_LOST.mask() &&
              field::OASTATUS_TAIL_WRAPPED.mask() == field::OAG_OASTATUS_TAIL_WRAPPED.mask());

}  // namespace

ReportBuffer::ReportBuffer(mmio::RegisterFile& registers, const Form& form, HostMemory& memory, const memory::Ggtt& ggtt)
    : registers_(registers), form_(form), view_(memory, nullptr) {
  view_.set_space(memory::AddressSpace::ggtt(ggtt));
}

void ReportBuffer::lose() { registers_.set_bits(form_.status, field::OASTATUS_REPORT_LOST.mask()); }

ReportBuffer::Place ReportBuffer::place() const {
  const uint32_t buffer = registers_.peek(form_.buffer);
  const uint64_t size = smallest << field::OABUFFER_SIZE.of(buffer), upper = form_.buffer_upper ? registers_.peek(form_.buffer_upper) : 0,
                 base = align_down<uint64_t>(field::OABUFFER_BASE.in_place(buffer) | upper << 32, size);
  const auto offset_of = [&](uint32_t pointer) { return (pointer - base) % size / line * line; };
  return {base, size, offset_of(registers_.peek(form_.head)), offset_of(registers_.peek(form_.tail))};
}

uint64_t ReportBuffer::room() const { return place().room(); }

uint64_t ReportBuffer::below_half() const {
  if (registers_.peek(form_.status) & field::OASTATUS_BUFFER_OVERFLOW.mask()) return 0;
  const Place at = place();
  const uint64_t half = at.size / 2, used = at.size - at.room();
  return used < half ? half - used : 0;
}

void ReportBuffer::append(std::span<const uint32_t> report) {
  if (registers_.peek(form_.status) & field::OASTATUS_BUFFER_OVERFLOW.mask()) return;
  if (!field::OABUFFER_GLOBAL_GTT.of(registers_.peek(form_.buffer)))
    return unimplemented("buffer of performance reports outside of the global GTT");
  Place at = place();
  const uint64_t bytes = report.size_bytes();
  if (bytes >= at.room()) return registers_.set_bits(form_.status, field::OASTATUS_BUFFER_OVERFLOW.mask());
  const uint64_t first = std::min(bytes, at.size - at.tail);
  view_.write(at.base + at.tail, report.data(), first);
  if (first < bytes) view_.write(at.base, report.data() + first / 4, bytes - first);
  at.tail += bytes;
  if (at.tail >= at.size) at.tail -= at.size, registers_.set_bits(form_.status, field::OASTATUS_TAIL_WRAPPED.mask());
  registers_.poke(form_.tail, static_cast<uint32_t>(at.base + at.tail));
}

}  // namespace softgen::oa
