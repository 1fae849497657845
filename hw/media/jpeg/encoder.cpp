// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/jpeg/encoder.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "hw/media/jpeg/transform.h"

namespace softgen::media::jpeg {
namespace {

constexpr unsigned max_dc_size = 11, max_ac_size = 10;
constexpr int max_level = 1023;
constexpr uint8_t first_restart = 0xd0;

std::byte* as_bytes(uint8_t* samples) { return reinterpret_cast<std::byte*>(samples); }

uint8_t bytes_per_element(SourceLayout layout) {
  return layout == SourceLayout::rgb ? 4 : layout == SourceLayout::uyvy || layout == SourceLayout::yuy2 ? 2 : 1;
}

unsigned size_of(int value) { return static_cast<unsigned>(std::bit_width(static_cast<unsigned>(std::abs(value)))); }

/// T.81 F.1.2.1: negative numbers are one less, so that their first bit is 0.
uint32_t bits_of(int value) { return static_cast<uint32_t>(value < 0 ? value - 1 : value); }

}  // namespace

void ScanWriter::align() {
  if (count_) put(0xff, 8 - count_);
}

void ScanWriter::marker(uint8_t code) {
  align();
  bytes_.push_back(0xff);
  bytes_.push_back(code);
}

void ScanEncoder::begin(memory::View& view, const StopFlag& stop, const EncodedScan& scan) {
  scan_ = scan;
  const Structure& structure = scan.structure;
  PlaneLayout luma = scan.luma;
  luma.element = bytes_per_element(scan.layout);
  luma.width = luma.element == 2 ? (structure.pixels_wide + 1) / 2 * 2 : structure.pixels_wide;
  luma.height = structure.pixels_high;
  luma_.open(view, stop, luma, Access::read);
  chroma_.close();
  if (scan.layout == SourceLayout::nv12) {
    PlaneLayout chroma = scan.chroma;
    chroma.element = 2;
    chroma.width = (structure.pixels_wide + 1) / 2, chroma.height = (structure.pixels_high + 1) / 2;
    chroma_.open(view, stop, chroma, Access::read);
  }
  for (unsigned i = 0; i < structure.components; ++i) strip_[i].resize(structure.width(i), structure.of(i).vertical * 8u);
  writer_.begin();
  dc_ = {}, done_ = 0, bits_ = 0, lacks_code_ = false;
}

void ScanEncoder::fetch_packed(uint32_t first, uint32_t count) {
  const uint32_t width = scan_.structure.width(0), element = bytes_per_element(scan_.layout);
  line_.resize(size_t{width} * element);
  for (uint32_t y = 0; y < count; ++y) {
    luma_.fetch(0, static_cast<int>(first + y), width, 1, as_bytes(line_.data()), line_.size());
    if (scan_.layout == SourceLayout::rgb) {
      for (uint32_t x = 0; x < width; ++x)
        for (unsigned i = 0; i < 3; ++i) *strip_[i].at(x, y) = line_[4 * size_t{x} + i];
      continue;
    }
    const unsigned chroma = scan_.layout == SourceLayout::yuy2;
    for (uint32_t x = 0; x < width; ++x) *strip_[0].at(x, y) = line_[2 * size_t{x} + !chroma];
    // Beyond the picture the last pair is repeated as a whole: elements that fetch() extends are single pixels.
    const uint32_t last = (luma_.layout().width - 1) / 2;
    for (uint32_t x = 0; x < width / 2; ++x)
      for (unsigned i = 1; i < 3; ++i) *strip_[i].at(x, y) = line_[4 * size_t{std::min(x, last)} + chroma + (i == 2 ? 2 : 0)];
  }
}

void ScanEncoder::fetch(uint32_t row) {
  const Structure& structure = scan_.structure;
  const uint32_t rows = structure.of(0).vertical * 8u, first = row * rows;
  if (bytes_per_element(scan_.layout) > 1) return fetch_packed(first, rows);
  luma_.fetch(0, static_cast<int>(first), structure.width(0), rows, as_bytes(strip_[0].row(0)), strip_[0].stride());
  if (structure.components == 1) return;
  const uint32_t width = structure.width(1);
  line_.resize(size_t{width} * 2);
  for (uint32_t y = 0; y < rows / 2; ++y) {
    chroma_.fetch(0, static_cast<int>(first / 2 + y), width, 1, as_bytes(line_.data()), line_.size());
    for (uint32_t x = 0; x < width; ++x)
      for (unsigned i = 0; i < 2; ++i) *strip_[1 + i].at(x, y) = line_[2 * size_t{x} + i];
  }
}

void ScanEncoder::code(const Code& code, uint32_t value, unsigned size) {
  lacks_code_ |= code.length == 0;
  writer_.put(code.bits, std::min<unsigned>(code.length, 16));
  if (size) writer_.put(value, size);
  bits_ += code.length + size;
}

void ScanEncoder::block(unsigned component, uint32_t column, uint32_t row) {
  std::array<uint8_t, 64> samples;
  for (unsigned y = 0; y < 8; ++y) std::copy_n(strip_[component].at(column * 8, row * 8 + y), 8, samples.begin() + y * 8);
  Block coefficients;
  forward_transform(samples, coefficients);
  const auto level = [&](unsigned index) {
    const unsigned place = scan_order[index];
    const int divisor = scan_.matrices[component][place] * 8, half = divisor / 2, value = coefficients[place];
    return std::clamp((value < 0 ? value - half : value + half) / divisor, -max_level, max_level);
  };
  const int dc = level(0), difference = dc - dc_[component];
  dc_[component] = dc;
  const unsigned dc_size = std::min(size_of(difference), max_dc_size);
  code(scan_.tables[scan_.dc_table[component]].dc[dc_size], bits_of(difference), dc_size);
  const auto& ac = scan_.tables[scan_.ac_table[component]].ac;
  unsigned run = 0;
  for (unsigned index = 1; index < 64; ++index) {
    const int value = level(index);
    if (!value) {
      ++run;
      continue;
    }
    for (; run > 15; run -= 16) code(ac[151], 0, 0);
    const unsigned size = std::min(size_of(value), max_ac_size);
    code(ac[run * 10 + size + (run == 15)], bits_of(value), size);
    run = 0;
  }
  if (run) code(ac[0], 0, 0);
}

bool ScanEncoder::row() {
  const Structure& structure = scan_.structure;
  const uint32_t row = done_ / structure.columns, end = std::min(scan_.units, (row + 1) * structure.columns);
  if (row >= structure.rows || done_ >= end) return false;
  fetch(row);
  for (; done_ < end; ++done_) {
    if (scan_.interval && done_ && done_ % scan_.interval == 0) {
      writer_.marker(static_cast<uint8_t>(first_restart + (done_ / scan_.interval - 1) % 8));
      dc_ = {};
    }
    const uint32_t column = done_ % structure.columns;
    for (unsigned i = 0; i < structure.components; ++i) {
      const Sampling sampling = structure.of(i);
      for (unsigned y = 0; y < sampling.vertical; ++y)
        for (unsigned x = 0; x < sampling.horizontal; ++x) block(i, column * sampling.horizontal + x, y);
    }
  }
  return true;
}

}  // namespace softgen::media::jpeg
