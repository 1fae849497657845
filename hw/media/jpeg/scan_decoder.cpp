// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/jpeg/scan_decoder.h"

#include <algorithm>

#include "hw/media/jpeg/transform.h"

namespace softgen::media::jpeg {
namespace {

constexpr unsigned polled_units = 256;

/// T.81 F.2.2.1, EXTEND: `bits` bits, of which a leading 0 means a negative number.
int extended(uint32_t value, unsigned bits) {
  return bits && !(value >> (bits - 1)) ? static_cast<int>(value) - (1 << bits) + 1 : static_cast<int>(value);
}

}  // namespace

void ScanDecoder::begin(const Structure& structure) {
  structure_ = structure;
  units_ = lost_ = 0;
  for (unsigned i = 0; i < structure.components; ++i) {
    planes_[i].resize(structure.width(i), structure.height(i));
    for (uint32_t y = 0; y < structure.height(i); ++y) std::fill_n(planes_[i].row(y), structure.width(i), uint8_t{128});
  }
}

// T.81 B.1.1.5: FF 00 is the byte FF; FF D0 to FF D7 are restarts; FF FF is fill; any other marker ends the scan.
void ScanDecoder::split(std::span<uint8_t> bytes, bool restarts) {
  segments_.clear();
  size_t to = 0, begin = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const uint8_t byte = bytes[i];
    if (byte != 0xff) {
      bytes[to++] = byte;
      continue;
    }
    const uint8_t marker = i + 1 < bytes.size() ? bytes[i + 1] : 0xd9;
    if (marker == 0xff) continue;
    ++i;
    if (marker == 0) {
      bytes[to++] = 0xff;
    } else if ((marker & 0xf8) == 0xd0) {
      if (restarts) segments_.emplace_back(bytes.subspan(begin, to - begin)), begin = to;
    } else {
      break;
    }
  }
  segments_.emplace_back(bytes.subspan(begin, to - begin));
}

void ScanDecoder::take_tables(const Scan& scan) {
  matrices_ = scan.matrices;
  for (unsigned i = 0; i < 2; ++i) {
    if (tables_[i] == scan.tables[i]) continue;
    tables_[i] = scan.tables[i];
    dc_[i].build(scan.tables[i].dc_counts, scan.tables[i].dc_values);
    ac_[i].build(scan.tables[i].ac_counts, scan.tables[i].ac_values);
  }
}

bool ScanDecoder::decode(const Scan& scan, std::span<uint8_t> bytes, const StopFlag& stop) {
  take_tables(scan);
  split(bytes, scan.interval != 0);
  Unit unit{structure_.columns, structure_.rows, scan.components, false};
  // A scan of one component has its blocks one after the other (T.81 A.2.2).
  if (!scan.interleaved || structure_.components == 1) {
    unsigned only = 0;
    while (only < 2 && !(scan.components >> only & 1)) ++only;
    if (only >= structure_.components) only = 0;
    unit = {(structure_.real_width(only) + 7) / 8, (structure_.real_height(only) + 7) / 8, static_cast<uint8_t>(1u << only), true};
  }
  const uint32_t first = std::min(scan.first_row * unit.columns + scan.first_column, unit.columns * unit.rows);
  const uint32_t count = std::min(scan.units, unit.columns * unit.rows - first), interval = scan.interval ? scan.interval : count;
  units_ += count;
  for (uint32_t done = 0, segment = 0; done < count; ++segment) {
    const uint32_t end = std::min(done + interval, count);
    BitReader reader(segment < segments_.size() ? segments_[segment] : std::span<const uint8_t>{});
    for (std::array<int, 3> dc{}; done < end && this->unit(unit, first + done, reader, dc); ++done)
      if (done % polled_units == 0 && stop.aborting()) return false;
    lost_ += end - done;
    done = end;
    if (stop.aborting()) return false;
  }
  return true;
}

bool ScanDecoder::unit(const Unit& unit, uint32_t index, BitReader& reader, std::array<int, 3>& dc) {
  if (!reader.left()) return false;
  const uint32_t column = index % unit.columns, row = index / unit.columns;
  for (unsigned i = 0; i < structure_.components; ++i) {
    if (!(unit.components >> i & 1)) continue;
    const Sampling sampling = unit.single ? Sampling{} : structure_.of(i);
    for (unsigned y = 0; y < sampling.vertical; ++y)
      for (unsigned x = 0; x < sampling.horizontal; ++x)
        if (!block(i, column * sampling.horizontal + x, row * sampling.vertical + y, reader, dc[i])) return false;
  }
  return true;
}

bool ScanDecoder::block(unsigned component, uint32_t column, uint32_t row, BitReader& reader, int& dc) {
  Block block{};
  unsigned last = 0;
  if (!coefficients(component, reader, dc, block, last)) return false;
  Plane<uint8_t>& plane = planes_[component];
  inverse_transform(block, last, plane.at(column * 8, row * 8), plane.stride());
  return true;
}

// T.81 F.2.2.1 and F.2.2.2.
bool ScanDecoder::coefficients(unsigned component, BitReader& reader, int& dc, Block& block, unsigned& last) const {
  const unsigned table = component != 0;
  const auto& matrix = matrices_[component];
  const auto put = [&](unsigned index, int level) {
    const unsigned place = scan_order[index];
    block[place] = static_cast<int16_t>(std::clamp(level * matrix[place], -max_coefficient, max_coefficient));
  };
  // A code and the bits behind it are 31 at most.
  const auto number = [&reader](HuffmanDecoder::Symbol symbol, uint32_t bits, unsigned size) {
    reader.skip(symbol.length + size);
    return size ? extended(bits << symbol.length >> (32 - size), size) : 0;
  };
  uint32_t bits = reader.peek32();
  HuffmanDecoder::Symbol symbol = dc_[table].find(bits);
  if (!symbol.length || symbol.value > 15) return false;
  dc = std::clamp(dc + number(symbol, bits, symbol.value), -32768, 32767);
  put(0, dc);
  for (unsigned index = 1; index < 64; ++index) {
    bits = reader.peek32();
    symbol = ac_[table].find(bits);
    const unsigned size = symbol.value & 15, run = symbol.value >> 4;
    if (!symbol.length) return false;
    if (!size && run != 15) {  // end of block
      reader.skip(symbol.length);
      break;
    }
    index += run;
    if (index > 63) return false;
    const int level = number(symbol, bits, size);
    if (size) put(index, level), last = index;
  }
  return !reader.over();
}

HostPicture host_picture(const ScanDecoder& scans) {
  const Structure& structure = scans.structure();
  HostPicture picture{.width = structure.width(0), .height = structure.height(0), .planes = {}};
  for (unsigned i = 0; i < structure.components; ++i) picture.planes[i] = {scans.plane(i).row(0), scans.plane(i).stride(), 1};
  if (structure.components > 1) {
    picture.chroma_step_x = structure.of(0).horizontal / structure.of(1).horizontal;
    picture.chroma_step_y = structure.of(0).vertical / structure.of(1).vertical;
  }
  return picture;
}

}  // namespace softgen::media::jpeg
