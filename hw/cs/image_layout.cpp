// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/image_layout.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "hw/cs/decode/packets.h"
#include "hw/cs/registers.h"

namespace softgen::cs {
namespace {

// Header dwords of render's other lists. Two places are fixed by software: i915_perf.c writes OACTXCONTROL's value at dword 129h and those
// of EU_PERF_CNTL0-6 from 3DFh on, in that order. The third is where INDIRECT_CTX runs by default, 26h cachelines in (i915 gt/intel_lrc.c,
// GEN9_CTX_RCS_INDIRECT_CTX_OFFSET_DEFAULT): what its batch changes and a context keeps, COMMON_SLICE_CHICKEN2 for one, stands behind it
// (IGT gem_ctx_isolation@preservation). The rest of a chip's order is not known; all headers are at odd dwords, as there.
constexpr uint32_t streamer_list = 0xb1, oa_list = 0x127, units_list = 0x261, flex_list = 0x3dd;
constexpr uint32_t streamer_end = 0x260;
constexpr uint32_t flex_registers = 7;
constexpr std::array<uint32_t, 32> no_ops{};
constexpr uint32_t first_unit_register = 0x5000;  ///< render's streamer and arbiter are below, the units of the pipelines from here on

/// The engine that owns a per-context register outside the engine blocks.
bool owns(EngineId id, const defs::Register& row) {
  const auto owner = std::ranges::find(defs::engines, row.domain, &defs::EngineRow::domain);
  return id == (owner == defs::engines.end() ? EngineId::rcs : static_cast<EngineId>(owner - defs::engines.begin()));
}

bool has_slot(defs::EngineClass engine_class, uint32_t relative) {
  const auto slots = image_slots(engine_class);
  return std::any_of(slots.begin(), slots.end(), [&](const ImageSlot& slot) { return slot.reg == relative; });
}

Restore documented(const ImageSlot& slot) {
  switch (slot.reg) {
    case reg::bb_addr:
    case reg::sbb_addr: return Restore::batch;
    case reg::ctx_timestamp: return Restore::counter;
    default: break;
  }
  switch (slot.load) {
    case Load::masked: return Restore::masked;
    case Load::never: return Restore::never;
    default: return Restore::value;
  }
}

/// EU_PERF_CNTL0-6 in i915's order: E458, E558, E658, E758, E45C, E55C, E65C.
uint32_t flex_offset(uint32_t n) { return softgen::reg::EU_PERF_CNTL(n % 4, n / 4); }

}  // namespace

std::vector<OtherRegister> other_context_registers(defs::EngineClass engine_class, EngineId id) {
  const uint32_t base = defs::engines[static_cast<size_t>(id)].mmio_base;
  std::vector<OtherRegister> found;
  for (const defs::Register& row : defs::registers()) {
    if (!row.context || row.block || (row.engine && engine_class != defs::EngineClass::render)) continue;
    defs::for_each_instance(row, [&](uint32_t offset) {
      const bool mine = row.engine ? offset - base < streamer_block && !has_slot(engine_class, offset - base) : owns(id, row);
      if (mine) found.push_back({offset, row.masked});
    });
  }
  std::ranges::sort(found, {}, &OtherRegister::offset);
  return found;
}

ImageLayout::ImageLayout(defs::EngineClass engine_class, uint32_t mmio_base, Registers others) : base_(mmio_base), frame_(list_dwords(engine_class)) {
  write_image_frame(frame_, engine_class, mmio_base);
  for (const ImageSlot& slot : image_slots(engine_class)) add_slot(slot.dword, mmio_base + slot.reg, documented(slot));
  if (engine_class == defs::EngineClass::render) {
    add_render_lists(others);
  } else {
    [[maybe_unused]] const Registers left = add_lists(streamer_list, list_dwords(engine_class) - 1, others);
    assert(left.empty());
  }
  size_t end = documented_dwords;
  for (const LayoutSlot& slot : slots_) end = std::max<size_t>(end, slot.dword + 2u);
  frame_[end] = mi_batch_buffer_end;
  frame_.resize(end + 1);
}

void ImageLayout::add_slot(uint32_t dword, uint32_t offset, Restore restore) {
  const size_t index = (offset - base_) / 4;
  if (restore_.size() <= index) restore_.resize(index + 1, Restore::skip);
  restore_[index] = restore;
  frame_[dword] = offset;
  slots_.push_back({static_cast<uint16_t>(dword), restore, offset});
}

void ImageLayout::add_render_lists(Registers others) {
  std::vector<OtherRegister> streamer, oa, units, flex;
  const auto take = [&](uint32_t offset, std::vector<OtherRegister>& to) {
    const auto found = std::ranges::find(others, offset, &OtherRegister::offset);
    if (found != others.end()) to.push_back(*found);
  };
  take(softgen::reg::OACTXCONTROL, oa);
  for (uint32_t n = 0; n < flex_registers; ++n) take(flex_offset(n), flex);
  const auto placed = [&](const OtherRegister& other) {
    const auto same = [&](const OtherRegister& r) { return r.offset == other.offset; };
    return std::ranges::any_of(oa, same) || std::ranges::any_of(flex, same);
  };
  for (const OtherRegister& other : others)
    if (!placed(other)) (other.offset < first_unit_register ? streamer : units).push_back(other);

  const Registers behind_oa = add_lists(streamer_list, oa_list, streamer);
  oa.insert(oa.end(), behind_oa.begin(), behind_oa.end());
  [[maybe_unused]] const bool room = add_lists(oa_list, streamer_end, oa).empty() && add_lists(units_list, flex_list, units).empty() &&
                                     add_lists(flex_list, static_cast<uint32_t>(frame_.size()) - 1, flex).empty();
  assert(room);
}

/// Lists with headers at odd dwords from `header` on, up to dword `end`. Gives back the registers that find no room.
ImageLayout::Registers ImageLayout::add_lists(uint32_t header, uint32_t end, Registers registers) {
  while (!registers.empty() && header + 3 <= end) {
    const uint32_t count = std::min({static_cast<uint32_t>(registers.size()), lri_max_registers, (end - header - 1) / 2});
    frame_[header] = lri_header(count);
    for (uint32_t i = 0; i < count; ++i) add_slot(header + 1 + 2 * i, registers[i].offset, registers[i].masked ? Restore::rules_masked : Restore::rules);
    registers = registers.subspan(count);
    header += 2 * count + 2;
  }
  return registers;
}

std::optional<ImageWalk::List> ImageWalk::next(size_t until) {
  if (bad_ || ended_) return std::nullopt;
  until = std::min(until, page_.size());
  for (; at_ < until; ++at_) {
    const uint32_t header = page_[at_];
    if (header == 0) {  // MI_NOOP, in long runs between render's lists
      while (until - at_ > no_ops.size() && std::memcmp(&page_[at_ + 1], no_ops.data(), sizeof no_ops) == 0) at_ += no_ops.size();
      continue;
    }
    const defs::Command* command = defs::find_command(engine_class_, header);
    if (command && command->id == defs::CommandId::MI_NOOP) continue;
    ended_ = command && command->id == defs::CommandId::MI_BATCH_BUFFER_END;
    if (ended_) return std::nullopt;
    const uint32_t dwords = defs::command_length(command, header) - 1;  // behind the header
    bad_ = !command || command->id != defs::CommandId::MI_LOAD_REGISTER_IMM || dwords % 2 || dwords >= page_.size() - at_;
    if (bad_) return std::nullopt;
    const List list{at_ + 1, dwords / 2, load_register_imm_kept(header)};
    at_ += 1 + dwords;
    return list;
  }
  return std::nullopt;
}

}  // namespace softgen::cs
