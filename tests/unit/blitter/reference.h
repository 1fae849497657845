// SPDX-License-Identifier: GPL-2.0-or-later
// The blitter's commands pixel by pixel and byte by byte, from the bits of their dwords, with nothing of
// hw/blitter.
#pragma once

#include <cstdint>
#include <vector>

namespace softgen::test {

class ReferenceBlitter {
 public:
  /// `swizzles`: bits 9 and 10 of an address in X tiles are added to bit 6.
  explicit ReferenceBlitter(std::vector<uint8_t>& memory, bool swizzles = false) : memory_(memory), swizzles_(swizzles) {}
  void execute(const std::vector<uint32_t>& dwords, uint32_t swctrl);

 private:
  struct Surface {
    uint64_t base = 0;
    int64_t pitch = 0;
    const char* tiling = "";  // bits of the offset within a tile, "" for linear
    uint64_t tile_pitch = 1;  // bytes per row of a tile
  };
  struct Draw;
  uint8_t read(uint64_t address) const { return address < memory_.size() ? memory_[address] : 0; }
  uint64_t address(const Surface& s, int64_t x, int64_t y) const;
  uint32_t read_pixel(const Surface& s, int64_t x, int64_t y, unsigned bytes) const;
  void draw(const Draw& d);
  void fast_copy(const std::vector<uint32_t>& dw);
  void block(const std::vector<uint32_t>& dw);
  void legacy(const std::vector<uint32_t>& dw, uint32_t swctrl);
  void with_setup(const std::vector<uint32_t>& dw, uint32_t swctrl);

  std::vector<uint8_t>& memory_;
  const bool swizzles_;
  std::vector<uint32_t> setup_;
  int64_t clip_[4] = {};
};

}  // namespace softgen::test
