// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/oa/report.h"

#include <algorithm>

#include "hw/base/log.h"

namespace softgen::oa {
namespace {

uint64_t whole(double count) { return static_cast<uint64_t>(count); }
uint32_t low(double count) { return static_cast<uint32_t>(whole(count)); }

/// Appends dwords.
class Writer {
 public:
  explicit Writer(Observation::Report& room) : room_(room) {}
  void put(uint32_t dword) { room_[at_++] = dword; }
  void put(std::span<const double> counts) {
    for (const double count : counts) put(low(count));
  }
  std::span<const uint32_t> done() const { return std::span<const uint32_t>(room_).first(at_); }

 private:
  Observation::Report& room_;
  size_t at_ = 0;
};

/// A7 to A18.
constexpr size_t first_of_a12 = 7, of_a12 = 12;
/// A0 to A31, which have 40 bits.
constexpr size_t wide_counters = 32;

void put_a36(Writer& writer, std::span<const double> a) {
  writer.put(a);
  for (size_t first = 0; first < wide_counters; first += 4) {
    uint32_t high = 0;
    for (size_t i = 0; i < 4; ++i) high |= static_cast<uint32_t>(whole(a[first + i]) >> 32 & 0xff) << 8 * i;
    writer.put(high);
  }
}

}  // namespace

std::span<const uint32_t> write_report(uint32_t format, const ReportHead& head, const Counters& counters, Observation::Report& room) {
  const std::span<const double> a = counters.a, b = counters.b, c = counters.c;
  Writer writer(room);
  for (const uint32_t dword : {head.id, head.timestamp, head.context, static_cast<uint32_t>(counters.ticks)}) writer.put(dword);
  switch (format) {
    case defs::oa_a12: writer.put(a.subspan(first_of_a12, of_a12)); break;
    case defs::oa_a12_b8_c8:
      writer.put(a.subspan(first_of_a12, of_a12));
      writer.put(b);
      writer.put(c);
      break;
    case defs::oa_a36_b8_c8:
      put_a36(writer, a);
      writer.put(b);
      writer.put(c);
      break;
    case defs::oa_c4_b8:
      writer.put(c.first(4));
      writer.put(b);
      break;
    default: return guest_error("reserved format of a performance report", "{}", format), std::span<const uint32_t>();
  }
  return writer.done();
}

}  // namespace softgen::oa
