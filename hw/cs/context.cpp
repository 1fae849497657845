// SPDX-License-Identifier: GPL-2.0-or-later
// The streamer's context switch: state to the image and back. All that belongs to a context is in the image's bytes, since i915 clones
// and edits images (gt/intel_gt.c, __engines_record_defaults).
#include <cstring>
#include <vector>

#include "hw/base/log.h"
#include "hw/cs/context_image.h"
#include "hw/cs/decode/packets.h"
#include "hw/cs/image_layout.h"
#include "hw/cs/streamer.h"
#include "hw/cs/workaround_batch.h"

namespace softgen::cs {
namespace {

constexpr uint32_t mask_all = 0xffff'0000;

}  // namespace

void Streamer::restore_context() {
  restore_image(current_.lrca() + uint64_t{image_page}, true, false);
  if (halted_) return;
  if (const WorkaroundBatch batch = per_context_batch(get(reg::bb_per_ctx_ptr)); batch.named)
    run_workaround_batch(batch.address, batch.bytes);
}

void Streamer::save_context() { save_image(current_.lrca() + uint64_t{image_page}, true); }

// MI_SET_CONTEXT: there the image has no status page, and its ring context is no-ops (KBL PRM vol 3, "Ring Context").
void Streamer::set_context(std::span<const uint32_t> packet) {
  const packets::MI_SET_CONTEXT::View command(packet);
  const uint32_t next = command.logical_context_address(), previous = get(reg::ccid);
  const bool names = previous & reg::context_valid, same = names && reg::context_address.in_place(previous) == next;
  if (names && !same) save_image(reg::context_address.in_place(previous), false);
  if (!same || command.force_restore()) restore_image(next, false, command.restore_inhibit());
  set(reg::ccid, next | reg::context_valid);
}

void Streamer::restore_image(uint64_t page_address, bool ring_context, bool inhibit) {
  const std::span<const uint32_t> lists = restored_;
  ggtt_.read(page_address, restored_.data(), lists.size_bytes());
  ImageWalk walk(lists, config_.commands, config_.engine_class, ring_context ? 0 : layout_.documented().ring_dwords);
  if (ring_context) {
    set(reg::ctx_control, get(reg::ctx_control) & ~reg::restore_inhibit);
    run_lists(walk, page_address, lists, layout_.documented().ring_dwords);
    inhibit = get(reg::ctx_control) & reg::restore_inhibit;
  }
  if (inhibit) inhibit_engine_registers();
  if (ring_context) {
    load_cursor();
    set_address_space();
    ppgtt_.invalidate();
    const WorkaroundBatch batch = indirect_batch(get(reg::indirect_ctx));
    // It runs amid the restore: what the image keeps behind that point comes later and prevails.
    if (batch.named && !inhibit) run_lists(walk, page_address, lists, indirect_dword(get(reg::indirect_ctx_offset)));
    if (batch.named && !halted_) run_workaround_batch(batch.address, batch.bytes);
  }
  if (!inhibit) run_lists(walk, page_address, lists, lists.size());
  restore_engine(page_address + state_offset(config_.context) - image_page, inhibit);
}

/// Does what the image's lists before dword `until` say.
void Streamer::run_lists(ImageWalk& walk, uint64_t page_address, std::span<const uint32_t> page, size_t until) {
  while (const std::optional<ImageWalk::List> list = walk.next(until)) load_list(*list, page_address, page);
  if (!walk.bad() || halted_) return;
  guest_error("command of a context image", "{:#010x} at dword {:#x} of {:#x}", page[walk.at()], walk.at(), page_address);
  const uint64_t address = page_address + walk.at() * 4;
  set(reg::ipehr, page[walk.at()]);
  set(reg::acthd, static_cast<uint32_t>(address));
  set(reg::acthd_udw, static_cast<uint32_t>(address >> 32));
  error(reg::error_instruction, true);
}

void Streamer::load_list(const ImageWalk::List& list, uint64_t page_address, std::span<const uint32_t> page) {
  mmio::RegisterFile& registers = links_.registers;
  uint32_t skipped = 0, first_skipped = 0;
  const size_t end = list.first + 2 * size_t{list.count};
  for (size_t at = list.first; at < end; at += 2) {
    const uint32_t offset = page[at] & register_offset_mask;
    uint32_t value = page[at + 1];
    if (list.kept) [[unlikely]]
      value = (value & ~list.kept) | (registers.peek(offset) & list.kept);
    switch (layout_.restore(offset)) {
      case Restore::value: registers.poke(offset, value); break;
      case Restore::masked: registers.poke(offset, masked_write(registers.peek(offset), value)); break;
      // Other units' hooks may stand behind these, which need not run where nothing changes.
      case Restore::rules:
        if (registers.peek(offset) != value) registers.write(offset, value);
        break;
      case Restore::rules_masked:
        if (registers.peek(offset) != (value & 0xffff)) registers.write(offset, value);
        break;
      case Restore::batch:
        registers.poke(offset, value);
        // The image now says where the context resumes in its batch. Software that resets the engine and rewinds HEAD does not touch that
        // (i915 gt/intel_execlists_submission.c, execlists_reset_active): it must find it cleared, or the old batch would run again.
        if (value & reg::batch_valid) ggtt_.store<uint32_t>(page_address + (at + 1) * 4, value & ~reg::batch_valid);
        break;
      case Restore::counter: start_timestamp(value); break;
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
void Streamer::inhibit_engine_registers() {
  for (const LayoutSlot& slot : layout_.slots()) {
    const bool streamer = slot.restore == Restore::value || slot.restore == Restore::rules || slot.restore == Restore::rules_masked;
    if (slot.dword >= layout_.documented().ring_dwords && streamer && slot.offset - config_.mmio_base < streamer_block)
      links_.registers.poke(slot.offset, 0);
  }
}

void Streamer::save_image(uint64_t page_address, bool ring_context) {
  if (ring_context) store_cursor();
  store_registers();
  const uint32_t* page = image_.data();
  const auto write = [&](size_t first, size_t end) { ggtt_.write(page_address + first * 4, page + first, (end - first) * 4); };
  if (ring_context) {
    // RING_TAIL belongs to the driver: saving must not undo its update.
    const size_t tail_value = image_dwords_.tail;
    set(reg::ctx_timestamp, image_[image_dwords_.timestamp]);
    timestamp_base_.store(0, std::memory_order_release);
    write(0, tail_value);
    write(tail_value + 1, image_.size());
  } else {
    const std::vector<uint32_t> no_ops(layout_.documented().ring_dwords);
    ggtt_.write(page_address, no_ops.data(), no_ops.size() * 4);
    write(no_ops.size(), image_.size());
  }
  save_engine(page_address + state_offset(config_.context) - image_page);
}

/// The registers' values to image_, whose headers and offsets stand already.
void Streamer::store_registers() {
  const mmio::RegisterFile& registers = links_.registers;
  for (const LayoutSlot& slot : layout_.slots()) {
    uint32_t& value = image_[slot.dword + 1u];
    switch (slot.restore) {
      case Restore::masked:
      case Restore::rules_masked: value = mask_all | (registers.peek(slot.offset) & 0xffff); break;
      case Restore::counter: value = context_timestamp(); break;
      case Restore::never: value = links_.registers.read(slot.offset); break;
      default: value = registers.peek(slot.offset); break;
    }
  }
  // The image now holds a state that may be loaded.
  image_[image_dwords_.context_control] &= ~reg::restore_inhibit;
  image_[image_dwords_.ring_control] &= ~reg::ring_wait_semaphore;
}

void Streamer::load_cursor() {
  load_ring_registers();
  const auto batch = [&](uint32_t low, uint32_t high, uint32_t state) {
    const uint64_t address = get(low) | uint64_t{get(high)} << 32;
    return Cursor::Batch{.address = strip_canonical(address) & ~uint64_t{3},
                         .active = (address & reg::batch_valid) != 0,
                         .ppgtt = (get(state) & reg::batch_ppgtt) != 0};
  };
  cursor_.batch[0] = batch(reg::bb_addr, reg::bb_addr_udw, reg::bb_state);
  cursor_.batch[1] = batch(reg::sbb_addr, reg::sbb_addr_udw, reg::sbb_state);
  if (!cursor_.batch[0].active) cursor_.batch[1] = {};
}

void Streamer::store_cursor() {
  store_head();
  const auto batch = [&](const Cursor::Batch& b, uint32_t low, uint32_t high, uint32_t state) {
    set(low, static_cast<uint32_t>(b.address) | (b.active ? reg::batch_valid : 0));
    set(high, static_cast<uint32_t>(b.address >> 32));
    set(state, b.active && b.ppgtt ? reg::batch_ppgtt : 0);
  };
  batch(cursor_.batch[0], reg::bb_addr, reg::bb_addr_udw, reg::bb_state);
  batch(cursor_.batch[1], reg::sbb_addr, reg::sbb_addr_udw, reg::sbb_state);
}

memory::AddressSpace Streamer::address_space() const {
  std::scoped_lock lock(space_mutex_);
  return space_;
}

void Streamer::set_address_space(const memory::AddressSpace& space) {
  ppgtt_.set_space(space);
  std::scoped_lock lock(space_mutex_);
  space_ = space;
}

void Streamer::set_address_space() {
  const auto pdp = [&](uint32_t n) { return get64(reg::pdp + 8 * n); };
  const uint32_t mode = get(reg::mode);
  const bool lists = execlists();
  const bool enabled = lists ? current_.valid() && current_.has_ppgtt() : (mode & reg::ppgtt_enable) != 0;
  const bool wide = lists ? current_.wide_ppgtt() : (mode & reg::ppgtt_48b) != 0;
  if (!enabled) set_address_space(memory::AddressSpace::ggtt(links_.ggtt));
  else if (wide) set_address_space(memory::AddressSpace::ppgtt48(pdp(0), links_.tlb));
  else set_address_space(memory::AddressSpace::ppgtt32({pdp(0), pdp(1), pdp(2), pdp(3)}, links_.tlb));
}

void Streamer::restore_engine(uint64_t state, bool inhibit) {
  StateHeader header;
  if (!inhibit) ggtt_.read(state, &header, sizeof header);
  const bool good = header.magic == StateHeader::magic_value && header.version == StateHeader::version_value &&
                    header.engine_bytes == engine_image_.size();
  set_predicate = good ? header.set_predicate & 15 : 0;
  const bool resident = resident_valid_;
  resident_valid_ = false;
  if (!good) return links_.engine.reset_context();
  ggtt_.read(state + sizeof header, engine_image_.data(), engine_image_.size());
  if (resident && std::memcmp(engine_image_.data(), resident_image_.data(), engine_image_.size()) == 0) return;
  links_.engine.restore_context(engine_image_);
}

void Streamer::save_engine(uint64_t state) {
  StateHeader header;
  header.magic = StateHeader::magic_value;
  header.version = StateHeader::version_value;
  header.engine_bytes = static_cast<uint32_t>(engine_image_.size());
  header.set_predicate = set_predicate;
  links_.engine.save_context(resident_image_);
  resident_valid_ = true;
  ggtt_.write(state, &header, sizeof header);
  ggtt_.write(state + sizeof header, resident_image_.data(), resident_image_.size());
}

}  // namespace softgen::cs
