// SPDX-License-Identifier: GPL-2.0-or-later
// Hostile JPEG parameters and streams: decoder, output and encoder.
#include "hw/media/jpeg/encoder.h"
#include "hw/media/jpeg/output.h"
#include "hw/media/jpeg/scan_decoder.h"
#include "tests/fuzz/guest_map.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/liveness.h"

using namespace softgen;
using namespace softgen::fuzz;
using namespace softgen::media;
using namespace softgen::media::jpeg;

namespace {

constexpr uint32_t max_units = 24;  // a side, for speed

Structure structure_of(Input& in) {
  constexpr std::array<Sampling, 6> largest{Sampling{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 1}};
  constexpr std::array<Sampling, 3> smaller{Sampling{1, 1}, {1, 2}, {2, 1}};
  Structure out;
  out.components = in.take<uint8_t>() % 4 ? 3 : 1;
  const Sampling first = largest[in.take<uint8_t>() % largest.size()],
                 rest = first == Sampling{2, 2} ? smaller[in.take<uint8_t>() % 3] : Sampling{};
  out.samplings = {first, rest, rest};
  out.columns = 1 + in.take<uint8_t>() % max_units, out.rows = 1 + in.take<uint8_t>() % max_units;
  out.pixels_wide = 1 + in.take<uint16_t>() % out.width(0), out.pixels_high = 1 + in.take<uint16_t>() % out.height(0);
  return out;
}

template <class T>
void fill(Input& in, T& to) {
  const auto bytes = in.take_bytes(sizeof to);
  if (!bytes.empty()) std::memcpy(&to, bytes.data(), bytes.size());
}

PlaneLayout plane_of(Input& in, const GuestMap& map) {
  PlaneLayout out;
  out.base = map.addresses()[in.take<uint8_t>() % map.addresses().size()] + in.take<uint16_t>();
  out.pitch = in.take<uint32_t>() % 300'000;
  out.tiling = std::array{surface::Tiling::linear, surface::Tiling::x, surface::Tiling::y}[in.take<uint8_t>() % 3];
  out.first_row = in.take<uint16_t>(), out.first_byte = in.take<uint16_t>();
  return out;
}

class JpegTarget {
 public:
  void run(std::span<const uint8_t> bytes) {
    Input in(bytes);
    if (in.take<uint8_t>() % 4) decode(in);
    else encode(in);
    map_.memory.restore();
  }

 private:
  void decode(Input& in) {
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
      scan.first_column = in.take<uint16_t>() % 8192, scan.first_row = in.take<uint16_t>() % 8192;
      if (flags & 32) scan.first_column = scan.first_row = 0;
      for (auto& table : scan.tables) fill(in, table);
      // Few codes per length: a table that is full is rare among random ones.
      if (flags & 64)
        for (auto& table : scan.tables)
          for (auto* counts : {&table.dc_counts, &table.ac_counts})
            for (auto& count : *counts) count %= 4;
      fill(in, scan.matrices);
      std::vector<uint8_t> stream(in.rest().begin(), in.rest().end());
      decoder_.decode(scan, stream, stop_);
    }
    output_.store(decoder_, target, map_.view, stop_, nullptr);
  }

  void encode(Input& in) {
    EncodedScan scan;
    scan.layout = static_cast<SourceLayout>(in.take<uint8_t>() % 5);
    Structure& structure = scan.structure;
    structure.components = scan.layout == SourceLayout::luma ? 1 : 3;
    if (scan.layout == SourceLayout::nv12) structure.samplings[0] = {2, 2};
    if (scan.layout == SourceLayout::uyvy || scan.layout == SourceLayout::yuy2) structure.samplings[0] = {2, 1};
    structure.columns = 1 + in.take<uint8_t>() % max_units, structure.rows = 1 + in.take<uint8_t>() % max_units;
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
