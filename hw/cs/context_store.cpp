// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/context_store.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <vector>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/cs/context_image.h"
#include "hw/cs/decode/packets.h"
#include "hw/cs/relative_registers.h"
#include "hw/cs/ring_registers.h"

namespace softgen::cs {
namespace {

constexpr uint32_t save_inhibit = field::RING_CONTEXT_CONTROL_ENGINE_CONTEXT_SAVE_INHIBIT.mask();

/// An Engine's own block in images of this layout.
std::vector<std::byte> blank_image(Engine& engine, const defs::ContextLayout& layout) {
  engine.place_packets(layout.packets);
  std::vector<std::byte> image(engine.context_size());
  engine.save_context(image);
  return image;
}

}  // namespace

ContextStore::ContextStore(EngineCore& core, Walk walk, std::function<void(const WorkaroundBatch& batch)> run)
    : core_(core),
      walk_(walk),
      run_(std::move(run)),
      layout_(core.config().context, core.config().mmio_base,
              other_context_registers(core.links().registers.set(), core.config().context, core.config().id),
              RelativeRegisters(core.config().commands).load_imm),
      image_dwords_(layout_.documented()),
      image_(layout_.frame().begin(), layout_.frame().end()),
      restored_(layout_.documented().list_dwords),
      blank_image_(blank_image(core.links().engine, core.config().context)) {
  engine_image_ = resident_image_ = blank_image_;
  assert(engine_image_.size() + sizeof(StateHeader) <= state_room(core.config().context));
}

void ContextStore::restore() {
  restore_image(core_.context().lrca() + uint64_t{image_page}, true, false);
  if (core_.halted()) return;
  if (const WorkaroundBatch batch = per_context_batch(core_.get(reg::bb_per_ctx_ptr)); batch.named) run_(batch);
}

void ContextStore::save() { save_image(core_.context().lrca() + uint64_t{image_page}, true); }

uint32_t ContextStore::tail_of(const Descriptor& context) {
  return core_.ggtt().load<uint32_t>(context.lrca() + uint64_t{image_page} + image_dwords_.tail * 4) & reg::ring_offset_mask;
}

WatchedEntry ContextStore::entry_of(const Descriptor& context) {
  const auto value = [&](uint32_t dword) { return core_.ggtt().load<uint32_t>(context.lrca() + uint64_t{image_page} + dword * 4); };
  const uint32_t control = value(image_dwords_.ring_control), tail = value(image_dwords_.tail);
  return {.engine = core_.config().id,
          .context = {context.low, context.high},
          .address = context.lrca(),
          .head = reg::head_offset.in_place(value(image_dwords_.head)),
          .tail = tail & reg::ring_offset_mask,
          .ring_size = control & reg::ring_valid ? (reg::ring_pages.of(control) + 1) * 4096 : 0,
          .blank = (value(image_dwords_.context_control) & reg::restore_inhibit) != 0,
          .raw_tail = tail};
}

std::array<WorkaroundBatch, 2> ContextStore::batches_of(const Descriptor& context) {
  const auto value = [&](uint32_t dword) { return core_.ggtt().load<uint32_t>(context.lrca() + uint64_t{image_page} + dword * 4); };
  return {per_context_batch(value(image_dwords_.per_context)), indirect_batch(value(image_dwords_.indirect))};
}

// MI_SET_CONTEXT: there the image has no status page, and its ring context is no-ops (KBL PRM vol 3, "Ring Context").
void ContextStore::set_context(std::span<const uint32_t> packet) {
  const packets::MI_SET_CONTEXT::View command(packet);
  const uint32_t next = command.logical_context_address(), previous = core_.get(reg::ccid);
  const bool names = previous & reg::context_valid, same = names && reg::context_address.in_place(previous) == next;
  if (names && !same) save_image(reg::context_address.in_place(previous), false);
  if (!same || command.force_restore()) restore_image(next, false, command.restore_inhibit());
  core_.set(reg::ccid, next | reg::context_valid);
}

void ContextStore::spoil_image(Faults& faults, uint64_t page_address) {
  const FaultAnswer answer = ask(&faults, {.point = FaultPoint::image, .unit = static_cast<uint32_t>(core_.config().id)});
  if (!answer) return;
  const std::span<std::byte> page(core_.ggtt().at_for_write(page_address), memory::View::page_size);
  if (answer.action == FaultAction::lose) std::ranges::fill(page, std::byte{0});
  else flip_bits(answer, page);
}

void ContextStore::restore_image(uint64_t page_address, bool ring_context, bool inhibit) {
  if (Faults* const faults = core_.links().registers.faults()) [[unlikely]]
    spoil_image(*faults, page_address);
  const std::span<const uint32_t> lists = restored_;
  core_.ggtt().read(page_address, restored_.data(), lists.size_bytes());
  ImageWalk walk = walk_of(lists, ring_context ? 0 : layout_.documented().ring_dwords);
  begin_engine(walk, ring_context ? lists[image_dwords_.context_control] & reg::restore_inhibit : inhibit);
  if (ring_context) {
    // Of the context before, which an image without their mask bits would leave as they are.
    const uint32_t forgotten = reg::restore_inhibit | save_inhibit | (core_.links().position ? reg::posh_enabled : 0);
    core_.set(reg::ctx_control, core_.get(reg::ctx_control) & ~forgotten);
    run_lists(walk, page_address, lists, layout_.documented().ring_dwords);
    inhibit = core_.get(reg::ctx_control) & reg::restore_inhibit;
  }
  if (inhibit) inhibit_engine_registers();
  if (inhibit && same_) {  // only an image that sets the bit from another place
    leave_as_saved(walk);
    core_.links().engine.reset_context();
  }
  if (ring_context) {
    load_cursor();
    core_.set_address_space();
    core_.ppgtt().invalidate();
    const WorkaroundBatch batch = indirect_batch(core_.get(reg::indirect_ctx));
    // It runs amid the restore: what the image has after that point is restored later and prevails.
    if (batch.named && !inhibit) run_lists(walk, page_address, lists, indirect_dword(core_.get(reg::indirect_ctx_offset)));
    if (batch.named && !core_.halted()) run_(batch);
    if (same_ && !core_.as_saved()) leave_as_saved(walk);
  }
  if (!inhibit) run_lists(walk, page_address, lists, lists.size());
  // The last lists have registers that belong to it.
  if (ring_context) core_.set_address_space();
  restore_engine(page_address + state_offset(core_.config().context) - image_page, inhibit);
}

ImageWalk ContextStore::walk_of(std::span<const uint32_t> page, size_t at) const {
  return {page, core_.config().commands, core_.config().engine_class, at, !layout_.documented().packets.empty()};
}

/// Where the image's packets are those that the Engine has, they are stepped over; else it begins anew.
void ContextStore::begin_engine(ImageWalk& walk, bool inhibit) {
  const std::span<const ContextGap> gaps = layout_.gaps();
  same_ = core_.as_saved() && !inhibit && std::ranges::all_of(gaps, [this](const ContextGap& gap) {
            return std::equal(image_.begin() + gap.first, image_.begin() + gap.end, restored_.begin() + gap.first);
          });
  if (same_) walk.step_over(gaps);
  core_.set_as_saved(same_);
  if (!same_ && !layout_.documented().packets.empty()) core_.links().engine.reset_context();
}

/// What follows in the image may differ from what the Engine has.
void ContextStore::leave_as_saved(ImageWalk& walk) {
  same_ = false;
  core_.set_as_saved(false);
  walk.step_over({});
}

void ContextStore::load_packet(ImageWalk& walk, const ImageWalk::Entry& packet, uint64_t page_address) {
  if (same_) leave_as_saved(walk);
  const std::span<const uint32_t> dwords = std::span<const uint32_t>(restored_).subspan(packet.first, packet.count);
  core_.links().engine.restore_packet({page_address + packet.first * 4, packet.packet, dwords});
}

/// Does what the image's lists and packets before dword `until` say.
void ContextStore::run_lists(ImageWalk& walk, uint64_t page_address, std::span<const uint32_t> page, size_t until) {
  while (const std::optional<ImageWalk::Entry> entry = walk.next(until)) {
    if (entry->packet) load_packet(walk, *entry, page_address);
    else load_list(*entry, page_address, page);
  }
  if (!walk.bad() || core_.halted()) return;
  guest_error("command of a context image", "{:#010x} at dword {:#x} of {:#x}", page[walk.at()], walk.at(), page_address);
  const uint64_t address = page_address + walk.at() * 4;
  core_.publish(address, page[walk.at()]);
  core_.error(reg::error_instruction, EngineCore::Error::fatal);
}

void ContextStore::load_list(const ImageWalk::Entry& list, uint64_t page_address, std::span<const uint32_t> page) {
  mmio::RegisterFile& registers = core_.links().registers;
  uint32_t skipped = 0, first_skipped = 0;
  const size_t end = list.first + 2 * size_t{list.count};
  for (size_t at = list.first; at < end; at += 2) {
    const uint32_t offset = layout_.resolve(page[at] & register_offset_mask, list.header);
    uint32_t value = page[at + 1];
    if (list.kept) [[unlikely]]
      value = (value & ~list.kept) | (registers.peek(offset) & list.kept);
    registers.join_instances(offset);
    switch (layout_.restore(offset)) {
      case Restore::value: registers.poke(offset, value); break;
      case Restore::masked: registers.poke(offset, masked_write(registers.peek(offset), value)); break;
      // Other units' hooks may be attached to these; they need not run where the value is unchanged.
      case Restore::rules:
        if (registers.peek(offset) != value) registers.write(offset, value, mmio::Initiator::context);
        break;
      case Restore::rules_masked:
        if (registers.peek(offset) != (value & 0xffff)) registers.write(offset, value, mmio::Initiator::context);
        break;
      case Restore::batch:
        registers.poke(offset, value);
        // The image now says where the context resumes in its batch. Software that resets the engine and rewinds HEAD does not touch that
        // (i915 gt/intel_execlists_submission.c, execlists_reset_active): it must find it cleared, or the old batch would run again.
        if (value & reg::batch_valid) core_.ggtt().store<uint32_t>(page_address + (at + 1) * 4, value & ~reg::batch_valid);
        break;
      case Restore::counter: core_.start_timestamp(value); break;
      case Restore::never: break;
      case Restore::skip:
        if (skipped++ == 0) first_skipped = offset;
        break;
    }
  }
  if (skipped)
    guest_error("register of a context image that its engine's contexts do not have", "{:#x}, and {} more", first_skipped, skipped - 1);
}

// A context that was never saved starts with clean registers of its own; the chip's other registers keep what software set by MMIO.
void ContextStore::inhibit_engine_registers() {
  for (const LayoutSlot& slot : layout_.slots()) {
    const bool streamer = slot.restore == Restore::value || slot.restore == Restore::rules || slot.restore == Restore::rules_masked;
    if (slot.dword >= layout_.documented().ring_dwords && streamer && slot.offset - core_.config().mmio_base < streamer_block)
      core_.links().registers.poke(slot.offset, 0);
  }
}

// With its save inhibited a context begins each time where its image says: i915 4.19 relies on it (intel_guc_submission.c, guc_fill_preempt_context()).
void ContextStore::save_image(uint64_t page_address, bool ring_context) {
  if (ring_context && core_.get(reg::ctx_control) & save_inhibit) return core_.stop_timestamp();
  if (ring_context) store_cursor();
  store_registers();
  if (!core_.as_saved()) {
    core_.links().engine.save_packets(image_);
    core_.links().engine.save_context(resident_image_);
    core_.set_as_saved(true);
  }
  const uint32_t* page = image_.data();
  const auto write = [&](size_t first, size_t end) { core_.ggtt().write(page_address + first * 4, page + first, (end - first) * 4); };
  if (ring_context) {
    // RING_TAIL belongs to the driver: saving must not undo its update.
    const size_t tail_value = image_dwords_.tail;
    core_.set(reg::ctx_timestamp, image_dwords_.timestamp ? image_[image_dwords_.timestamp] : core_.context_timestamp());
    core_.stop_timestamp();
    write(0, tail_value);
    write(tail_value + 1, image_.size());
  } else {
    const std::vector<uint32_t> no_ops(layout_.documented().ring_dwords);
    core_.ggtt().write(page_address, no_ops.data(), no_ops.size() * 4);
    write(no_ops.size(), image_.size());
  }
  save_engine(page_address + state_offset(core_.config().context) - image_page);
}

/// Writes the registers' values to image_, which has headers and offsets already.
void ContextStore::store_registers() {
  const mmio::RegisterFile& registers = core_.links().registers;
  for (const LayoutSlot& slot : layout_.slots()) {
    uint32_t& value = image_[slot.dword + 1u];
    switch (slot.restore) {
      case Restore::masked:
      case Restore::rules_masked: value = masked_all(registers.peek(slot.offset)); break;
      case Restore::counter: value = core_.context_timestamp(); break;
      case Restore::never: value = core_.links().registers.read(slot.offset); break;
      default: value = registers.peek(slot.offset); break;
    }
  }
  // The image now holds a state that may be loaded.
  image_[image_dwords_.context_control] &= ~reg::restore_inhibit;
  image_[image_dwords_.ring_control] &= ~reg::ring_wait_semaphore;
}

void ContextStore::load_cursor() {
  load_ring(core_, walk_.cursor.ring);
  const auto batch = [&](uint32_t low, uint32_t high, uint32_t state) {
    const uint64_t address = core_.get(low) | uint64_t{core_.get(high)} << 32;
    return Cursor::Batch{.address = strip_canonical(address) & ~uint64_t{3},
                         .active = (address & reg::batch_valid) != 0,
                         .ppgtt = (core_.get(state) & reg::batch_ppgtt) != 0,
                         .mode = core_.config().position ? batch_mode(core_.get(state)) : BatchMode::plain};
  };
  walk_.cursor.batch[0] = batch(reg::bb_addr, reg::bb_addr_udw, reg::bb_state);
  walk_.cursor.batch[1] = batch(reg::sbb_addr, reg::sbb_addr_udw, reg::sbb_state);
  if (!walk_.cursor.batch[0].active) walk_.cursor.batch[1] = {};
}

void ContextStore::store_cursor() {
  store_head(core_, walk_.cursor.ring);
  const auto batch = [&](const Cursor::Batch& b, uint32_t low, uint32_t high, uint32_t state) {
    core_.set(low, static_cast<uint32_t>(b.address) | (b.active ? reg::batch_valid : 0));
    core_.set(high, static_cast<uint32_t>(b.address >> 32));
    core_.set(state, b.active ? batch_state(b.ppgtt, b.mode) : 0);
  };
  batch(walk_.cursor.batch[0], reg::bb_addr, reg::bb_addr_udw, reg::bb_state);
  batch(walk_.cursor.batch[1], reg::sbb_addr, reg::sbb_addr_udw, reg::sbb_state);
}

void ContextStore::restore_engine(uint64_t state, bool inhibit) {
  StateHeader header;
  if (!inhibit) core_.ggtt().read(state, &header, sizeof header);
  const bool good = header.magic == StateHeader::magic_value && header.version == StateHeader::version_value &&
                    header.engine_bytes == engine_image_.size();
  walk_.predicate_mode = good ? header.set_predicate & 15 : 0;
  if (good) core_.ggtt().read(state + sizeof header, engine_image_.data(), engine_image_.size());
  else engine_image_ = blank_image_;
  if (core_.as_saved() && std::memcmp(engine_image_.data(), resident_image_.data(), engine_image_.size()) == 0) return;
  core_.set_as_saved(false);
  if (good || !layout_.documented().packets.empty()) core_.links().engine.restore_context(engine_image_);
  else core_.links().engine.reset_context();
}

void ContextStore::save_engine(uint64_t state) {
  StateHeader header;
  header.magic = StateHeader::magic_value;
  header.version = StateHeader::version_value;
  header.engine_bytes = static_cast<uint32_t>(engine_image_.size());
  header.set_predicate = walk_.predicate_mode;
  core_.ggtt().write(state, &header, sizeof header);
  core_.ggtt().write(state + sizeof header, resident_image_.data(), resident_image_.size());
}

void ContextStore::engine_state(Archive& archive) {
  Engine& engine = core_.links().engine;
  const size_t own = blank_image_.size();
  if (!archive.reading()) engine.save_context(engine_image_);
  archive.blob(engine_image_, state_room(core_.config().context));
  if (archive.reading() && engine_image_.empty()) engine_image_ = blank_image_;  // of a build in which the engine kept nothing
  bool fits = engine_image_.size() == own;
  if (!layout_.documented().packets.empty()) {
    std::vector<std::byte> packets(image_.size() * 4);
    if (!archive.reading()) {
      std::vector<uint32_t> page(image_.size());
      engine.save_packets(page);
      std::memcpy(packets.data(), page.data(), packets.size());
    }
    archive.blob(packets, packets.size());
    fits &= packets.size() == image_.size() * 4;
    if (fits) std::memcpy(restored_.data(), packets.data(), packets.size());
  }
  if (archive.reading() && !archive.failed() && !fits) {
    engine_image_.resize(own);
    archive.fail("the engine's state has a different size");
  }
}

void ContextStore::accept() {
  Engine& engine = core_.links().engine;
  if (!layout_.documented().packets.empty()) {
    engine.reset_context();
    ImageWalk walk = walk_of(std::span<const uint32_t>(restored_).first(image_.size()), 0);
    while (const std::optional<ImageWalk::Entry> entry = walk.next(image_.size()))
      if (entry->packet)
        engine.restore_packet({0, entry->packet, std::span<const uint32_t>(restored_).subspan(entry->first, entry->count)});
  }
  engine.restore_context(engine_image_);
}

}  // namespace softgen::cs
