// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/memory/aperture.h"

#include <algorithm>

#include "hw/base/bits.h"

namespace softgen::memory {
namespace {

constexpr uint64_t tile_size = 4096;

}  // namespace

Aperture::Aperture(const Ggtt& ggtt, HostMemory& memory, FaultSink* sink, defs::Bit6Swizzle swizzle)
    : view_(memory, &host_), swizzle_(swizzle) {
  host_.next = sink;
  view_.set_space(AddressSpace::ggtt(ggtt));
}

uint64_t Aperture::fence(unsigned index) const {
  MutexLock lock(mutex_);
  return fences_[index];
}

void Aperture::set_fence(unsigned index, uint64_t value) {
  MutexLock lock(mutex_);
  set_fence_locked(index, value);
}

void Aperture::set_fence_half(unsigned index, bool high, uint32_t value) {
  MutexLock lock(mutex_);
  const unsigned low = high ? 32 : 0;
  set_fence_locked(index, with_bits<uint64_t>(fences_[index], low + 31, low, value));
}

void Aperture::set_fence_locked(unsigned index, uint64_t value) {
  fences_[index] = value;
  regions_[index].reset();
  const uint64_t first = bits(value, 31, 12) << 12, last = bits(value, 63, 44) << 12 | 0xfff;
  if ((value & 1) && first <= last) regions_[index] = Region{first, last, (bits(value, 42, 32) + 1) * 128, bit(value, 1)};
  const auto valid = std::count_if(regions_.begin(), regions_.end(), [](const auto& r) { return r.has_value(); });
  valid_fences_.store(static_cast<unsigned>(valid), std::memory_order_relaxed);
}

std::optional<Aperture::Region> Aperture::find(uint64_t offset) const {
  if (valid_fences_.load(std::memory_order_relaxed) == 0) return {};
  MutexLock lock(mutex_);
  for (const auto& r : regions_)
    if (r && offset >= r->first && offset <= r->last) return r;
  return {};
}

// SKL PRM vol 5, "Tiling Algorithm". A pitch that is no whole number of tiles is undefined; the tile row then
// has the tiles that fit.
uint64_t Aperture::tiled(const Region& region, uint64_t offset) const {
  const uint64_t linear = offset - region.first;
  const uint64_t x = linear % region.pitch, y = linear / region.pitch;
  const uint64_t tile_width = region.y_walk ? 128 : 512, tile_height = region.y_walk ? 32 : 8;
  const uint64_t row_tiles = std::max<uint64_t>(region.pitch / tile_width, 1);
  const uint64_t tile = (y / tile_height * row_tiles + x / tile_width) * tile_size;
  const uint64_t tx = x % tile_width, ty = y % tile_height;
  const uint64_t within = region.y_walk ? tx / 16 * 512 + ty * 16 + tx % 16 : ty * 512 + tx;
  return swizzle_.of(region.first + tile + within, region.y_walk);
}

uint64_t Aperture::address(uint64_t offset) const {
  const std::optional<Region> region = find(offset);
  return region ? tiled(*region, offset) : offset;
}

// Bytes of one 16-byte column stay together in both walks.
bool Aperture::in_one_piece(uint64_t offset, unsigned size) const {
  return valid_fences_.load(std::memory_order_relaxed) == 0 || offset % 16 + size <= 16;
}

uint64_t Aperture::read(uint64_t offset, unsigned size) {
  uint64_t value = 0;
  if (in_one_piece(offset, size)) {
    view_.read(address(offset), &value, size);
    return value;
  }
  for (unsigned i = 0; i < size; ++i) value |= uint64_t{view_.load<uint8_t>(address(offset + i))} << i * 8;
  return value;
}

void Aperture::write(uint64_t offset, uint64_t value, unsigned size) {
  if (in_one_piece(offset, size)) {
    view_.write(address(offset), &value, size);
    return;
  }
  for (unsigned i = 0; i < size; ++i) view_.store<uint8_t>(address(offset + i), static_cast<uint8_t>(value >> i * 8));
}

std::byte* Aperture::page(uint64_t offset) {
  if (find(offset)) return nullptr;
  const Translation t = translate(view_.space(), view_.memory(), align_down(offset, tile_size));
  if (!t.valid) return nullptr;
  const HostSpan span = view_.memory().resolve(t.gpa, Access::write);
  return span.size >= tile_size ? span.data : nullptr;
}

void Aperture::reset() {
  for (unsigned i = 0; i < fence_count; ++i) set_fence(i, 0);
}

void Aperture::state(Archive& archive) {
  archive.section("fences", 1);
  MutexLock lock(mutex_);
  auto fences = fences_;
  archive.value(fences);
  if (archive.failed()) return;
  for (unsigned i = 0; i < fence_count; ++i) set_fence_locked(i, fences[i]);
}

}  // namespace softgen::memory
