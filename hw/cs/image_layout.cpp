// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/image_layout.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <iterator>

#include "hw/cs/decode/packets.h"
#include "hw/cs/parser.h"

namespace softgen::cs {
namespace {

constexpr std::array<uint32_t, 32> no_ops{};

/// The engine that owns a per-context register outside the engine blocks.
bool owns(const defs::RegisterSet& set, EngineId id, const defs::Register& row) {
  const auto owner = std::ranges::find(set.engines, row.domain, &defs::EngineRow::domain);
  return id == (owner == set.engines.end() ? EngineId::rcs : owner->id);
}

Restore restore_of(defs::ContextLoad load) {
  switch (load) {
    case defs::ContextLoad::value: return Restore::value;
    case defs::ContextLoad::masked: return Restore::masked;
    case defs::ContextLoad::batch: return Restore::batch;
    case defs::ContextLoad::counter: return Restore::counter;
    case defs::ContextLoad::never: return Restore::never;
  }
  return Restore::skip;
}

}  // namespace

std::vector<OtherRegister> other_context_registers(const defs::RegisterSet& set, const defs::ContextLayout& layout, EngineId id) {
  const uint32_t base = set.engine(id)->mmio_base;
  std::vector<OtherRegister> found;
  for (const defs::Register& row : set.rows) {
    if (!row.context || row.block || (row.engine && id != EngineId::rcs)) continue;
    defs::for_each_instance(set, row, [&](uint32_t offset) {
      const bool mine = (row.engine ? offset - base < streamer_block : owns(set, id, row)) && !layout.has_slot(offset - base);
      if (mine) found.push_back({offset, row.masked});
    });
  }
  std::ranges::sort(found, {}, &OtherRegister::offset);
  return found;
}

ImageLayout::ImageLayout(const defs::ContextLayout& documented, uint32_t mmio_base, Registers others, uint32_t relative)
    : mmio_base_(mmio_base),
      relative_(relative),
      first_(others.empty() ? mmio_base : std::min(mmio_base, others.front().offset)),
      layout_(documented),
      frame_(layout_.list_dwords) {
  write_image_frame(frame_, layout_, mmio_base, layout_.relative ? relative : 0);
  for (const defs::ContextSlot& slot : layout_.slots) add_slot(slot.dword, mmio_base + slot.reg, restore_of(slot.load));
  fill_spaces(others);
  size_t end = layout_.documented_dwords;
  for (const LayoutSlot& slot : slots_) end = std::max<size_t>(end, slot.dword + 2u);
  for (const defs::ContextPacket& packet : layout_.packets) end = std::max<size_t>(end, packet.first + size_t{packet.dwords});
  frame_[end] = mi_batch_buffer_end;
  frame_.resize(end + 1);
  find_gaps();
}

void ImageLayout::find_gaps() {
  uint16_t at = 0;
  for (size_t i = 0; i < slots_.size(); ++i) {
    const uint16_t dword = slots_[i].dword;
    if (i > 0 && dword == slots_[i - 1].dword + 2) continue;  // of the same list
    if (i > 0) at = static_cast<uint16_t>(slots_[i - 1].dword + 2);
    const auto header = static_cast<uint16_t>(dword - 1);
    if (at < header) gaps_.push_back({at, header});
  }
  if (!slots_.empty()) at = static_cast<uint16_t>(slots_.back().dword + 2);
  if (at + 1u < frame_.size()) gaps_.push_back({at, static_cast<uint16_t>(frame_.size() - 1)});
}

void ImageLayout::add_slot(uint32_t dword, uint32_t offset, Restore restore) {
  const size_t index = (offset - first_) / 4;
  if (restore_.size() <= index) restore_.resize(index + 1, Restore::skip);
  restore_[index] = restore;
  frame_[dword] = offset;
  slots_.push_back({static_cast<uint16_t>(dword), restore, offset});
}

void ImageLayout::fill_spaces(Registers others) {
  const auto named = [&](const OtherRegister& other) {
    return std::ranges::any_of(
        layout_.spaces, [&](const defs::ContextSpace& space) { return std::ranges::find(space.named, other.offset) != space.named.end(); });
  };
  std::vector<OtherRegister> left;
  std::ranges::remove_copy_if(others, std::back_inserter(left), named);
  for (const defs::ContextSpace& space : layout_.spaces) {
    std::vector<OtherRegister> here;
    for (const uint32_t offset : space.named) {
      const auto found = std::ranges::find(others, offset, &OtherRegister::offset);
      if (found != others.end()) here.push_back(*found);
    }
    const auto end = std::ranges::lower_bound(left, space.below, {}, &OtherRegister::offset);
    here.insert(here.end(), left.begin(), end);
    const Registers overflow = add_lists(space.first, space.end, here);
    left.erase(left.begin(), end - static_cast<ptrdiff_t>(overflow.size()));
  }
  assert(left.empty());
}

/// Lists with headers at odd dwords from `header` on, up to dword `end`. Gives back the registers that find no room.
ImageLayout::Registers ImageLayout::add_lists(uint32_t header, uint32_t end, Registers registers) {
  while (!registers.empty() && header + 3 <= end) {
    const uint32_t count = std::min({static_cast<uint32_t>(registers.size()), lri_max_registers, (end - header - 1) / 2});
    frame_[header] = lri_header(count);
    for (uint32_t i = 0; i < count; ++i)
      add_slot(header + 1 + 2 * i, registers[i].offset, registers[i].masked ? Restore::rules_masked : Restore::rules);
    registers = registers.subspan(count);
    header += 2 * count + 2;
  }
  return registers;
}

size_t ImageWalk::next_gap() {
  while (!gaps_.empty() && gaps_.front().first < at_) gaps_ = gaps_.subspan(1);
  return gaps_.empty() ? page_.size() : gaps_.front().first;
}

std::optional<ImageWalk::Entry> ImageWalk::next(size_t until) {
  if (bad_ || ended_) return std::nullopt;
  until = std::min(until, page_.size());
  while (at_ < until) {
    const size_t gap = next_gap();
    if (gap == at_) {
      at_ = gaps_.front().end;
      continue;
    }
    const uint32_t header = page_[at_];
    if (header == 0) {  // MI_NOOP, in long runs between render's lists
      const size_t end = std::min(until, gap);
      while (end - at_ > no_ops.size() && std::memcmp(&page_[at_ + 1], no_ops.data(), sizeof no_ops) == 0) at_ += no_ops.size();
      do ++at_;
      while (at_ < end && page_[at_] == 0);
      continue;
    }
    const defs::Command* command = commands_.find(engine_class_, header);
    if (command && command->id == defs::CommandId::MI_NOOP) {
      ++at_;
      continue;
    }
    ended_ = command && command->id == defs::CommandId::MI_BATCH_BUFFER_END;
    if (ended_) return std::nullopt;
    const std::optional<Entry> entry = command ? entry_of(*command, header) : std::nullopt;
    bad_ = !entry;
    return entry;
  }
  return std::nullopt;
}

/// None: not for an image.
std::optional<ImageWalk::Entry> ImageWalk::entry_of(const defs::Command& command, uint32_t header) {
  const uint32_t length = defs::command_length(command, header);
  if (length > page_.size() - at_) return std::nullopt;
  const bool list = command.id == defs::CommandId::MI_LOAD_REGISTER_IMM, packet = packets_ && command.keeps_state;
  if (list ? length % 2 == 0 : !packet || length < command.min_dwords) return std::nullopt;
  const size_t at = at_;
  at_ += length;
  if (packet) return Entry{&command, at, length, header, 0};
  return Entry{nullptr, at + 1, length / 2, header, load_register_imm_kept(header)};
}

}  // namespace softgen::cs
