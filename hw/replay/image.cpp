// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/replay/image.h"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/defs/register.h"
#include "hw/defs/registers/registers.h"

namespace softgen::replay {
namespace {

constexpr uint64_t page = 4096;
/// Classic captures write through the GGTT without saying what backs it: pages are made up, above what a PTE of theirs could name.
constexpr uint64_t private_pages = uint64_t{1} << 37;
constexpr uint64_t private_pages_end = uint64_t{1} << 38;

constexpr uint64_t descriptor_valid = 1, descriptor_48b = 1u << 3 | 1u << 4;

/// Dwords of the context image's register page (SKL PRM vol 3, "Register State Context"; gen9-map C6).
enum : uint32_t { ctx_ring_head = 0x05, ctx_ring_tail = 0x07, ctx_ring_start = 0x09, ctx_ring_ctl = 0x0b, ctx_pdp3_high = 0x25 };

}  // namespace

const char* name_of(EngineId engine) { return defs::engines[static_cast<unsigned>(engine)].name; }

Image::Image(memory::SparseMemory& memory, memory::Ggtt& ggtt)
    : memory_(memory), ggtt_(ggtt), ggtt_view_(memory_, nullptr), next_private_page_(private_pages) {
  ggtt_view_.set_space(memory::AddressSpace::ggtt(ggtt_));
}

void Image::memory_write(debug::aub::Space space, uint64_t address, std::span<const std::byte> data) {
  using debug::aub::Space;
  if (on_memory) on_memory();
  switch (space) {
    case Space::physical:
      if (!memory_.write(address, data.data(), data.size()))
        throw ImageError("the capture fills more memory than allowed (--memory-limit)");
      return;
    case Space::ggtt_entry: return write_ggtt_entries(address, data);
    case Space::ggtt: return write_ggtt(address, data);
    case Space::local:
    case Space::pci: break;
  }
  unsupported("AUB address space", "{} (write of {} bytes at 0x{:x})", static_cast<uint32_t>(space), data.size(), address);
}

void Image::memory_compare(debug::aub::Space space, uint64_t address, std::span<const std::byte> data) {
  if (space != debug::aub::Space::physical)
    unsupported("AUB memory compare", "address space {} ({} bytes at 0x{:x})", static_cast<uint32_t>(space), data.size(), address);
  else if (on_compare) on_compare(address, data);
}

void Image::write_ggtt_entries(uint64_t address, std::span<const std::byte> data) {
  if (address % 4 || data.size() % 4 || address > memory::Ggtt::window_size || data.size() > memory::Ggtt::window_size - address)
    throw ImageError(fmt::format("write of {} bytes at 0x{:x} of the GGTT's table", data.size(), address));
  for (size_t at = 0; at < data.size(); at += 4) {
    uint32_t dword;
    std::memcpy(&dword, data.data() + at, 4);
    ggtt_.write_window(address + at, dword, 4);
  }
}

void Image::write_ggtt(uint64_t address, std::span<const std::byte> data) {
  if (address > uint64_t{1} << 32 || data.size() > (uint64_t{1} << 32) - address)
    throw ImageError(fmt::format("write of {} bytes at GGTT address 0x{:x}", data.size(), address));
  while (!data.empty()) {
    const size_t step = std::min<size_t>(data.size(), page - address % page);
    uint64_t entry = ggtt_.pte(address / page);
    if (!(entry & 1)) {
      if (next_private_page_ == private_pages_end) throw ImageError("too many GGTT pages without entries");
      entry = next_private_page_ | 1;
      next_private_page_ += page;
      ggtt_.set_pte(address / page, entry);
    }
    if (!memory_.write((entry & 0x7f'ffff'f000) + address % page, data.data(), step))
      throw ImageError("the capture fills more memory than allowed (--memory-limit)");
    address += step;
    data = data.subspan(step);
  }
}

void Image::register_write(uint32_t offset, uint32_t value) {
  note_submission(offset, value);
  if (on_register) on_register(offset, value);
}

void Image::note_submission(uint32_t offset, uint32_t value) {
  for (unsigned i = 0; i < engine_count; i++) {
    const uint32_t base = defs::engines[i].mmio_base;
    if (offset != base + reg::RING_ELSP) continue;
    Port& port = ports_[static_cast<EngineId>(i)];
    port.written[port.count++] = value;
    if (port.count < 4) return;
    port.count = 0;
    // Written in the order element 1 high, low, element 0 high, low.
    submit(static_cast<EngineId>(i), port.written[3] | uint64_t{port.written[2]} << 32);
    submit(static_cast<EngineId>(i), port.written[1] | uint64_t{port.written[0]} << 32);
    return;
  }
}

void Image::submit(EngineId engine, uint64_t descriptor) {
  if (descriptor & descriptor_valid && on_submit) on_submit(context(engine, descriptor));
}

Submission Image::context(EngineId engine, uint64_t descriptor) {
  Submission s{};
  s.engine = engine;
  s.descriptor = descriptor;
  s.lrca = static_cast<uint32_t>(descriptor) & ~0xfffu;
  const auto value = [&](uint32_t dword) { return ggtt_view_.load<uint32_t>(uint64_t{s.lrca} + page + dword * 4); };
  s.ring_size = (value(ctx_ring_ctl) & 0x1ff000) + page;
  s.ring_start = value(ctx_ring_start) & ~0xfffu;
  s.ring_head = value(ctx_ring_head) & 0x1ffffc;
  s.ring_tail = value(ctx_ring_tail) & 0x1ffff8;
  std::array<uint64_t, 4> pdp;
  for (unsigned i = 0; i < 4; i++)  // PDP3 first, upper half first
    pdp[3 - i] = uint64_t{value(ctx_pdp3_high + 4 * i)} << 32 | value(ctx_pdp3_high + 4 * i + 2);
  s.ppgtt = (descriptor & descriptor_48b) == descriptor_48b ? memory::AddressSpace::ppgtt48(pdp[0], generation_)
                                                            : memory::AddressSpace::ppgtt32(pdp, generation_);
  return s;
}

void Image::ring_write(debug::AubRing ring, std::span<const std::byte> commands) {
  if (!on_ring) return;
  std::vector<uint32_t> dwords(commands.size() / 4);
  std::memcpy(dwords.data(), commands.data(), dwords.size() * 4);
  const EngineId engine = ring == debug::AubRing::render ? EngineId::rcs : ring == debug::AubRing::video ? EngineId::vcs0 : EngineId::bcs;
  on_ring(engine, dwords);
}

}  // namespace softgen::replay
