// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/ring/contexts.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/cs/context_image.h"
#include "hw/cs/decode/ring_packets.h"
#include "hw/cs/image_layout.h"
#include "hw/cs/ring/counters.h"

namespace softgen::cs {
namespace {

namespace all = softgen::reg;
namespace field = softgen::reg::field;

/// "The maximum size of a logical context entry [...] is currently 2K bytes" (5.8.1); CXT_SIZE says so, too.
[[maybe_unused]] constexpr uint32_t image_bytes = 2048;  // used by an assertion
constexpr uint32_t engine_offset = 0x200;
constexpr size_t list_dwords = engine_offset / 4;

}  // namespace

// What hardware alone changes: the directory (1.3.2), and of the video streamer all that a context of its has.
std::vector<uint32_t> RingContexts::own_registers(EngineId id) {
  if (id == EngineId::rcs) return {all::PP_DIR_BASE, all::PP_DCLV(0), all::PP_DCLV(1)};
  return {all::VCS_PP_DIR_BASE, all::VCS_PP_DCLV(0), all::VCS_PP_DCLV(1)};
}

// INSTPM, CACHE_MODE_0, CACHE_MODE_1, MI_ARB_STATE, and the counters of the 3D pipeline (5.8); PGTBL_CTL2 and PGTBL_STR2 (1.2.2). Of the video streamer
// the ring and CTXT_SR_CTL (part 4, 1.1.8.3).
std::vector<RingContexts::Saved> RingContexts::saved_registers(const EngineCore& core, const defs::RegisterSet& set) {
  const uint32_t base = core.config().mmio_base;
  const bool render = core.config().id == EngineId::rcs;
  std::vector<Saved> found;
  const auto add = [&](uint32_t offset, uint32_t dwords, bool own) {
    const defs::Register* const row = set.find(offset);
    for (uint32_t i = 0; row && i < dwords; ++i) found.push_back({offset + 4 * i, row->masked, own});
  };
  if (render) {
    for (const uint32_t offset :
         {base + reg::instpm, all::CACHE_MODE_0_GEN4, all::CACHE_MODE_1_GEN4, all::MI_ARB_STATE, all::PGTBL_CTL2, all::PGTBL_STR2})
      add(offset, 1, false);
    for (const uint32_t counter : pipeline_counters) add(counter, 2, false);
  } else {
    for (const uint32_t ring : {reg::tail, reg::head, reg::start, reg::ctl, all::RING_CTXT_SR_CTL}) add(base + ring, 1, true);
  }
  for (const uint32_t offset : own_registers(core.config().id)) add(offset, 1, true);
  assert(2 * found.size() + 2 <= list_dwords);
  return found;
}

RingContexts::RingContexts(EngineCore& core, ProcessTables& tables)
    : core_(core),
      tables_(tables),
      registers_(saved_registers(core, core.links().registers.set())),
      engine_image_(core.links().engine.context_size()) {
  assert(core.config().engine_class != defs::EngineClass::render ||
         engine_offset + sizeof(StateHeader) + engine_image_.size() <= image_bytes);
}

// Saved where the address differs or Force Restore asks for it, and CCID names a context (5.8.1.4); restored unless inhibited, and then the state stays as
// it is (5.8.1.3.2). CCID is loaded in any case (5.8.1.2). Images have no extended part, so the Extended bits are kept in CCID only.
void RingContexts::set_context(std::span<const uint32_t> packet) {
  const ring_packets::MI_SET_CONTEXT::View command(packet);
  if (!command.memory_space_gtt()) return unimplemented("Ironlake: MI_SET_CONTEXT with an image in physical memory");
  const uint32_t next = command.logical_context_address(), previous = core_.get(reg::ccid);
  const uint32_t old = field::RING_CCID_LOGICAL_CONTEXT_ADDRESS.in_place(previous);
  const bool valid = field::RING_CCID_VALID.of(previous), switches = !valid || old != next || command.force_restore();
  if (switches && valid) save(old);
  if (switches && !command.restore_inhibit()) {
    restore(next);
    tables_.load_directory();
  }
  core_.set(reg::ccid, next | field::RING_CCID_MEMORY_SPACE_GTT.mask() | field::RING_CCID_VALID.mask() |
                           (command.extended_state_save_enable() ? field::RING_CCID_EXTENDED_STATE_SAVE_ENABLE.mask() : 0) |
                           (command.extended_state_restore_enable() ? field::RING_CCID_EXTENDED_STATE_RESTORE_ENABLE.mask() : 0));
}

void RingContexts::save(uint32_t address) {
  std::vector<uint32_t> list{lri_header(static_cast<uint32_t>(registers_.size()), false)};
  for (const Saved& each : registers_) {
    const uint32_t value = core_.links().registers.peek(each.offset);
    list.insert(list.end(), {each.offset, each.masked ? masked_all(value) : value});
  }
  list.push_back(mi_batch_buffer_end);
  StateHeader header;
  header.magic = StateHeader::magic_value;
  header.version = StateHeader::version_value;
  header.engine_bytes = static_cast<uint32_t>(engine_image_.size());
  core_.links().engine.save_context(engine_image_);
  core_.ggtt().write(address, list.data(), list.size() * 4);
  core_.ggtt().write(address + engine_offset, &header, sizeof header);
  core_.ggtt().write(address + engine_offset + sizeof header, engine_image_.data(), engine_image_.size());
}

void RingContexts::restore(uint32_t address) {
  restore_registers(address);
  restore_engine(address);
}

void RingContexts::restore_registers(uint32_t address) {
  std::array<uint32_t, list_dwords> page{};
  core_.ggtt().read(address, page.data(), sizeof page);
  ImageWalk walk(page, core_.config().commands, core_.config().engine_class);
  uint32_t skipped = 0;
  while (const std::optional<ImageWalk::Entry> list = walk.next(page.size())) {
    for (size_t at = list->first; at < list->first + 2 * size_t{list->count}; at += 2) {
      const auto known = std::ranges::find(registers_, page[at], &Saved::offset);
      if (known == registers_.end()) ++skipped;
      else if (known->own) core_.links().registers.poke(page[at], page[at + 1]);
      else core_.links().registers.write(page[at], page[at + 1], mmio::Initiator::context);
    }
  }
  if (walk.bad() || skipped) guest_error("context image that MI_SET_CONTEXT has not saved", "at {:#x}", address);
}

std::optional<uint32_t> RingContexts::value_of(uint32_t address, uint32_t offset) const {
  std::array<uint32_t, list_dwords> page{};
  core_.ggtt().read(address, page.data(), sizeof page);
  ImageWalk walk(page, core_.config().commands, core_.config().engine_class);
  std::optional<uint32_t> value;
  while (const std::optional<ImageWalk::Entry> list = walk.next(page.size()))
    for (size_t at = list->first; at < list->first + 2 * size_t{list->count}; at += 2)
      if (page[at] == offset) value = page[at + 1];
  return value;
}

void RingContexts::restore_engine(uint32_t address) {
  StateHeader header;
  core_.ggtt().read(address + engine_offset, &header, sizeof header);
  if (header.magic != StateHeader::magic_value || header.version != StateHeader::version_value ||
      header.engine_bytes != engine_image_.size()) {
    guest_error("context image that MI_SET_CONTEXT has not saved", "at {:#x}", address);
    return core_.links().engine.reset_context();
  }
  core_.ggtt().read(address + engine_offset + sizeof header, engine_image_.data(), engine_image_.size());
  core_.links().engine.restore_context(engine_image_);
}

void RingContexts::engine_state(Archive& archive) {
  Engine& engine = core_.links().engine;
  const size_t own = engine.context_size();
  if (!archive.reading()) engine.save_context(engine_image_);
  archive.blob(engine_image_, own);
  if (!archive.reading() || engine_image_.size() == own) return;
  engine_image_.resize(own);
  if (!archive.failed()) archive.fail("the engine's state has a different size");
}

void RingContexts::accept() { core_.links().engine.restore_context(engine_image_); }

}  // namespace softgen::cs
