// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/replay/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "hw/base/log.h"
#include "hw/cs/execlists.h"
#include "hw/defs/context.h"
#include "hw/defs/register.h"
#include "hw/defs/registers/registers.h"
#include "hw/gt/parts.h"

namespace softgen::replay {
namespace {

namespace field = reg::field;

constexpr uint64_t page = 4096;
/// Classic captures write through the GGTT without saying what backs it: pages are made up, above what an entry of theirs names. The first one, and the end.
uint64_t private_pages(const defs::Platform& platform) { return std::bit_ceil(platform.ggtt->address) / 4; }
uint64_t private_pages_end(const defs::Platform& platform) { return 2 * private_pages(platform); }

}  // namespace

const defs::Platform& platform_for(const std::string& name, uint32_t pci_device_id) {
  const defs::Platform* found = name.empty() ? defs::find_platform(pci_device_id) : defs::find_platform(name);
  if (!found && !name.empty()) throw ImageError(fmt::format("there is no platform '{}'", name));
  return found ? *found : defs::platforms().front();
}

uint32_t captured_device(debug::ByteSource& source) {
  struct Known {};
  struct Head final : debug::AubVisitor {
    uint32_t pci_id = 0;
    void version(const debug::AubVersion& version) override {
      pci_id = version.pci_id;
      throw Known();
    }
    void memory_write(debug::aub::Space, uint64_t, std::span<const std::byte>) override { throw Known(); }
    void register_write(uint32_t, uint32_t) override { throw Known(); }
  } head;
  try {
    debug::read_aub(source, head);
  } catch (const Known&) {  // NOLINT: the reader has no other way to stop
  }
  return head.pci_id;
}

Image::Image(memory::SparseMemory& memory, memory::Ggtt& ggtt, std::string platform)
    : memory_(memory), ggtt_(ggtt), platform_(std::move(platform)), ggtt_view_(memory_, nullptr) {
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
  if (address % 4 || data.size() % 4 || address > ggtt_.window_size() || data.size() > ggtt_.window_size() - address)
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
    const defs::PageFormat& pages = *platform().ggtt;
    if (!(entry & pages.present)) {
      if (!next_private_page_) next_private_page_ = private_pages(platform());
      if (next_private_page_ == private_pages_end(platform())) throw ImageError("too many GGTT pages without entries");
      ggtt_.set_pte(address / page, pages.bytes_of(next_private_page_));
      entry = ggtt_.pte(address / page);
      next_private_page_ += page;
    }
    if (!memory_.write((entry & pages.address) + address % page, data.data(), step))
      throw ImageError("the capture fills more memory than allowed (--memory-limit)");
    address += step;
    data = data.subspan(step);
  }
}

void Image::register_write(uint32_t offset, uint32_t value) {
  if (gt::parts_of(platform()).submission.lists) note_submission(offset, value);
  else note_ring(offset, value);
  if (on_register) on_register(offset, value);
}

void Image::note_submission(uint32_t offset, uint32_t value) {
  for (const defs::EngineRow& engine : platform().registers->engines) {
    if (!takes_lists(engine.id)) continue;
    std::unique_ptr<cs::SubmitPort>& port = ports_[engine.id];
    if (!port) port = gt::parts_of(platform()).submission.port();
    const uint32_t reg = offset - engine.mmio_base;
    if (std::ranges::find(port->registers(), reg) == port->registers().end()) continue;
    if (const std::optional<cs::Execlist> list = port->write(reg, value))
      for (const cs::Descriptor& element : list->element) submit(engine.id, element);
    return;
  }
}

void Image::note_ring(uint32_t offset, uint32_t value) {
  for (const defs::EngineRow& engine : platform().registers->engines) {
    const std::span<const uint32_t> followed = debug::RingPort::registers();
    const uint32_t reg = offset - engine.mmio_base;
    if (std::ranges::find(followed, reg) == followed.end()) continue;
    const std::optional<debug::RingWork> work = rings_[engine.id].write(reg, value);
    if (work && on_submit)
      on_submit({.engine = engine.id,
                 .ring_start = work->start,
                 .ring_head = work->head,
                 .ring_tail = work->tail,
                 .ring_size = work->size,
                 .ppgtt = memory::AddressSpace::ggtt(ggtt_)});
    return;
  }
}

void Image::submit(EngineId engine, const cs::Descriptor& element) {
  if (element.valid() && on_submit) on_submit(context(engine, element.low | uint64_t{element.high} << 32));
}

Submission Image::context(EngineId engine, uint64_t descriptor) {
  Submission s{};
  s.engine = engine;
  s.descriptor = descriptor;
  const auto element = cs::Descriptor::from(descriptor);
  s.lrca = element.lrca();
  const defs::ContextLayout& layout = platform().contexts->of(class_of(engine));
  const auto value = [&](uint32_t reg) {
    return ggtt_view_.load<uint32_t>(uint64_t{s.lrca} + defs::context_page + layout.value_dword(reg) * 4);
  };
  s.ring_size = (field::RING_CTL_BUFFER_LENGTH.of(value(reg::RING_CTL)) + 1) * page;
  s.ring_start = field::RING_START_STARTING_ADDRESS.in_place(value(reg::RING_START));
  s.ring_head = field::RING_HEAD_HEAD_OFFSET.in_place(value(reg::RING_HEAD));
  s.ring_tail = field::RING_TAIL_TAIL_OFFSET.in_place(value(reg::RING_TAIL));
  std::array<uint64_t, 4> pdp;
  for (unsigned i = 0; i < 4; i++) pdp[i] = uint64_t{value(reg::RING_PDP(2 * i + 1))} << 32 | value(reg::RING_PDP(2 * i));
  const defs::PageFormat& pages = *platform().ppgtt;
  s.ppgtt = element.wide_ppgtt() ? memory::AddressSpace::ppgtt48(pdp[0], generation_, pages)
                                 : memory::AddressSpace::ppgtt32(pdp, generation_, pages);
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
