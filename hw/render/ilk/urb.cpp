// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/ilk/urb.h"

#include <algorithm>

#include "hw/base/log.h"

namespace softgen::render::ilk {

std::span<uint32_t> Urb::dwords(uint32_t handle, uint32_t offset, size_t count) {
  const uint64_t at = uint64_t{handle} * row_dwords + offset;
  if (handle >= rows || at >= memory_.size()) return {};
  return std::span(memory_).subspan(at, std::min<uint64_t>(count, memory_.size() - at));
}

void Urb::read(uint32_t handle, uint32_t offset, std::span<uint32_t> out) {
  const std::span<uint32_t> there = dwords(handle, offset, out.size());
  std::copy(there.begin(), there.end(), out.begin());
  std::fill(out.begin() + static_cast<std::ptrdiff_t>(there.size()), out.end(), 0);
}

void Urb::write(uint32_t handle, uint32_t offset, std::span<const uint32_t> data) {
  const std::span<uint32_t> there = dwords(handle, offset, data.size());
  std::copy_n(data.begin(), there.size(), there.begin());
}

UrbEntries::UrbEntries(const UrbRegion& region, const ThreadUnit& state, unsigned least, const char* unit)
    : first_(region.first), count_(std::min(state.entries, region.rows / state.entry_rows)), entry_rows_(state.entry_rows) {
  if (state.entries * state.entry_rows > region.rows || count_ < least)
    guest_error("URB entries of a unit", "{}: {} of {} rows, its region has {}", unit, state.entries, state.entry_rows, region.rows);
  if (count_ < least) count_ = 0;
}

void urb_write(Urb& urb, const UrbMessage& how, std::span<const Grf> payload, unsigned handles) {
  if (payload.empty()) return;
  const Grf& header = payload[0];
  const std::span<const Grf> data = payload.subspan(1);
  const uint32_t at = how.offset * Urb::register_dwords;
  switch (how.swizzle) {
    case UrbMessage::Swizzle::none:
      for (uint32_t i = 0; i < data.size(); ++i) urb.write(header.dw[0], at + i * Urb::register_dwords, data[i].dw);
      return;
    case UrbMessage::Swizzle::interleave:
      for (uint32_t i = 0; i < data.size(); ++i)
        for (unsigned h = 0; h < std::min(handles, 2u); ++h) urb.write(header.dw[h], at + 4 * i, std::span(data[i].dw).subspan(4 * h, 4));
      return;
    case UrbMessage::Swizzle::transpose:
      // Three registers are d/dx, d/dy and the constant of eight components, of which each is four dwords of the entry; the third stays as it is
      // (Mesa brw_compile_sf.c, and generate_linterp() which reads them).
      constexpr unsigned places[4] = {0, 1, 3, 2};
      for (uint32_t i = 0; i < std::min<size_t>(data.size(), 4); ++i)
        for (uint32_t c = 0; c < 8; ++c) urb.write(header.dw[0], at + 4 * c + places[i], std::span(&data[i].dw[c], 1));
      return;
  }
}

}  // namespace softgen::render::ilk
