// SPDX-License-Identifier: GPL-2.0-or-later
// Hostile JPEG parameters and streams: decoder, output and encoder.
#include "hw/media/jpeg/encoder.h"
#include "hw/media/jpeg/output.h"
#include "hw/media/jpeg/scan_decoder.h"
#include "tests/fuzz/guest_map.h"
#include "tests/fuzz/liveness.h"
#include "tests/fuzz/state_source.h"

using namespace softgen;
using namespace softgen::fuzz;
using namespace softgen::media;
using namespace softgen::media::jpeg;

namespace {

constexpr uint32_t max_units = 24, stream_bytes = 1024;  // a side, for speed

Structure structure_of(StateSource& in) {
  constexpr std::array<Sampling, 6> largest{Sampling{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 1}};
  constexpr std::array<Sampling, 3> smaller{Sampling{1, 1}, {1, 2}, {2, 1}};
  Structure out;
  out.components = in.take<uint8_t>() % 4 ? 3 : 1;
  const Sampling first = largest[in.take<uint8_t>() % largest.size()],
                 rest = first == Sampling{2, 2} ? smaller[in.take<uint8_t>() % 3] : Sampling{};
  out.samplings = {first, rest, rest};
  out.columns = 1 + in.small_below(max_units), out.rows = 1 + in.small_below(max_units);
  out.pixels_wide = 1 + in.take<uint16_t>() % out.width(0), out.pixels_high = 1 + in.take<uint16_t>() % out.height(0);
  return out;
}

/// Codes that fill their space as a rule, so that most bits are codes; a few short ones have most of it.
template <size_t n>
void fill_codes(StateSource& in, std::array<uint8_t, 16>& counts, std::array<uint8_t, n>& values, bool dc) {
  in.fill_bytes(counts), in.fill_bytes(values);
  if (in.one_in(16)) return;
  uint32_t free = 1, left = n;
  for (uint8_t& count : counts) {
    free = std::min(2 * free, 256u);
    count = static_cast<uint8_t>(std::min(left, in.one_in(8) ? free : in.below(std::min(free, 5u))));
    free -= count, left -= count;
  }
  // A difference's category, or a run of zeros and a coefficient's category (T.81, F.1.2); some are beyond.
  for (uint8_t& value : values)
    value = static_cast<uint8_t>(dc ? value % (in.one_in(64) ? 16 : 12) : (value >> 4 & (value & 12 ? 1 : 15)) << 4 | (value & 15) % 11);
  // The end of a block.
  if (!dc && !in.one_in(4)) values[in.below(4)] = 0;
}
/// Bytes behind FF are 0 as a rule, now and then a restart; others end the scan.
void stuff(StateSource& in, std::span<uint8_t> bytes) {
  for (size_t i = 0; i + 1 < bytes.size(); ++i)
    if (bytes[i] == 0xff && !in.one_in(16)) bytes[i + 1] = in.one_in(8) ? static_cast<uint8_t>(0xd0 + in.below(8)) : 0;
}

PlaneLayout plane_of(StateSource& in, const GuestMap& map) {
  PlaneLayout out;
  out.base = map.addresses()[in.take<uint8_t>() % map.addresses().size()] + in.take<uint16_t>();
  // Where the rows are far apart, or far away, finding their pages takes most of the time, and what is drawn is dropped.
  const bool is_near = !in.one_in(4);
  out.pitch = is_near ? 128u << in.below(4) : in.take<uint32_t>() % 300'000;
  out.tiling = std::array{surface::Tiling::linear, surface::Tiling::x, surface::Tiling::y}[in.take<uint8_t>() % 3];
  if (is_near) out.first_row = in.below(32), out.first_byte = in.below(256);
  else out.first_row = in.take<uint16_t>(), out.first_byte = in.take<uint16_t>();
  return out;
}

class JpegTarget {
 public:
  void run(std::span<const uint8_t> bytes) {
    StateSource in(bytes, map_.addresses());
    LimitedRun limit(stop_);
    if (in.take<uint8_t>() % 4) decode(in);
    else encode(in);
    map_.memory.restore();
  }

 private:
  void decode(StateSource& in) {
    const Structure structure = structure_of(in);
    Target target{.layout = static_cast<Layout>(in.take<uint8_t>() % 4),
                  .rotation = static_cast<Rotation>(in.take<uint8_t>() % 4),
                  .average = in.take<uint8_t>() % 2 != 0,
                  .width = structure.pixels_wide,
                  .height = structure.pixels_high};
    if (target.rotation == Rotation::left || target.rotation == Rotation::right) std::swap(target.width, target.height);
    for (auto& plane : target.planes) plane = plane_of(in, map_);
    decoder_.begin(structure);
    for (int scans = 1 + in.take<uint8_t>() % 3; scans > 0; --scans) {
      Scan scan;
      const uint8_t flags = in.take<uint8_t>();
      scan.components = flags & 7, scan.interleaved = flags & 8;
      scan.units = in.take<uint32_t>(), scan.interval = in.take<uint16_t>() % (flags & 16 ? 16 : 65536);
      if (in.one_in(2)) scan.components = 7;
      if (in.one_in(8)) scan.units = in.below(64);
      if (in.one_in(4)) scan.first_column = in.take<uint16_t>() % 8192, scan.first_row = in.take<uint16_t>() % 8192;
      else if (in.one_in(4)) scan.first_column = in.below(4), scan.first_row = in.below(4);
      for (auto& table : scan.tables)
        fill_codes(in, table.dc_counts, table.dc_values, true), fill_codes(in, table.ac_counts, table.ac_values, false);
      for (auto& matrix : scan.matrices) in.fill_bytes(matrix);
      auto stream = in.stream<stream_bytes>();
      const std::span<uint8_t> used = std::span(stream).first(in.below(stream_bytes + 1));
      if (!in.one_in(8)) stuff(in, used);
      decoder_.decode(scan, used, stop_);
    }
    output_.store(decoder_, target, map_.view, stop_, nullptr);
  }

  void encode(StateSource& in) {
    EncodedScan scan;
    scan.layout = static_cast<SourceLayout>(in.take<uint8_t>() % 5);
    Structure& structure = scan.structure;
    structure.components = scan.layout == SourceLayout::luma ? 1 : 3;
    if (scan.layout == SourceLayout::nv12) structure.samplings[0] = {2, 2};
    if (scan.layout == SourceLayout::uyvy || scan.layout == SourceLayout::yuy2) structure.samplings[0] = {2, 1};
    structure.columns = 1 + in.small_below(max_units), structure.rows = 1 + in.small_below(max_units);
    structure.pixels_wide = 1 + in.take<uint16_t>() % structure.width(0),
    structure.pixels_high = 1 + in.take<uint16_t>() % structure.height(0);
    scan.luma = plane_of(in, map_), scan.chroma = plane_of(in, map_);
    scan.units = in.take<uint32_t>(), scan.interval = in.take<uint16_t>() % 64;
    for (auto& matrix : scan.matrices)
      for (auto& divisor : matrix) divisor = std::max<uint16_t>(in.take<uint8_t>(), 1);
    for (auto& table : scan.tables) {
      for (auto& code : table.dc) code = {in.take<uint16_t>(), static_cast<uint8_t>(in.take<uint8_t>() % 17)};
      for (auto& code : table.ac) code = {in.take<uint16_t>(), static_cast<uint8_t>(in.take<uint8_t>() % 17)};
    }
    for (unsigned i = 0; i < 3; ++i) scan.dc_table[i] = in.take<uint8_t>() & 1, scan.ac_table[i] = in.take<uint8_t>() & 1;
    encoder_.begin(map_.view, stop_, scan);
    while (encoder_.row()) encoder_.writer().bytes().clear();
  }

  GuestMap map_{96};
  StopFlag stop_;
  ScanDecoder decoder_;
  Output output_;
  ScanEncoder encoder_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static JpegTarget target;
  target.run({data, size});
  return 0;
}
