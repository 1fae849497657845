// SPDX-License-Identifier: GPL-2.0-or-later
// The streamer's context switch: state to the image and back. All that belongs to a context is in the image's bytes, since i915 clones
// and edits images (gt/intel_gt.c, __engines_record_defaults).
#include <algorithm>
#include <array>
#include <cstring>

#include "hw/base/log.h"
#include "hw/cs/context_image.h"
#include "hw/cs/executor.h"
#include "hw/cs/streamer.h"
#include "hw/defs/gen9/ids.h"
#include "hw/defs/register.h"

namespace softgen::cs {
namespace {

constexpr uint32_t list_dwords = extra_list_limit;
constexpr uint32_t mi_batch_buffer_end = 0x0500'0000;
constexpr uint32_t mask_all = 0xffff'0000;
constexpr uint64_t workaround_commands = 65536;
// i915's batches for Gen9 have about fifteen (gt/intel_lrc.c, gen9_init_indirectctx_bb); a few microseconds on the thread that submits.
constexpr uint64_t short_batch_commands = 64;

/// The engine that owns a per-context register outside the engine blocks.
bool owns(EngineId id, const defs::Register& row) {
  switch (row.domain) {
    case defs::ResetDomain::media: return id == EngineId::vcs0;
    case defs::ResetDomain::media2: return id == EngineId::vcs1;
    case defs::ResetDomain::blitter: return id == EngineId::bcs;
    case defs::ResetDomain::vebox: return id == EngineId::vecs;
    default: return id == EngineId::rcs;
  }
}

bool has_slot(defs::EngineClass engine_class, uint32_t relative) {
  const auto slots = image_slots(engine_class);
  return std::any_of(slots.begin(), slots.end(), [&](const ImageSlot& slot) { return slot.reg == relative; });
}

/// Looks through a workaround batch without running it.
class ShortBatch {
 public:
  bool ends() const { return ends_; }

  bool before(const Cursor&) { return ends_ && (ends_ = left_-- > 0); }
  Flow command(const Packet& packet, const Cursor&) {
    using defs::CommandId;
    switch (packet.command->id) {
      case CommandId::MI_BATCH_BUFFER_END: return Flow::end();
      case CommandId::MI_BATCH_BUFFER_START:
      case CommandId::MI_CONDITIONAL_BATCH_BUFFER_END:
      case CommandId::MI_SEMAPHORE_WAIT:
      case CommandId::MI_SET_CONTEXT:
      case CommandId::MI_UPDATE_GTT: return stop();
      case CommandId::PIPE_CONTROL: return Flow::next();
      default: return packet.dwords[0] >> 29 == 0 ? Flow::next() : stop();
    }
  }
  Flow unknown(const Packet&, const Cursor&) { return stop(); }
  Flow no_memory(uint64_t, const Cursor&) { return stop(); }

 private:
  Flow stop() {
    ends_ = false;
    return Flow::repeat();
  }
  uint64_t left_ = short_batch_commands;
  bool ends_ = true;
};

struct WorkaroundBatch {
  uint64_t address = 0;
  uint64_t bytes = 0;  ///< 0: to its MI_BATCH_BUFFER_END
  bool named = false;
};
/// As INDIRECT_CTX and BB_PER_CTX_PTR name them (SKL PRM vol 2c).
WorkaroundBatch indirect_batch(uint32_t value) { return {value & ~63u, bits(value, 5, 0) * uint64_t{64}, bits(value, 5, 0) != 0}; }
WorkaroundBatch per_context_batch(uint32_t value) { return {value & 0xffff'f000, 0, (value & 1) != 0}; }

}  // namespace

std::vector<ExtraRegister> extra_context_registers(defs::EngineClass engine_class, EngineId id) {
  const uint32_t base = defs::engine_bases[static_cast<size_t>(id)];
  std::vector<ExtraRegister> found;
  for (const defs::Register& row : defs::registers()) {
    if (!row.context || row.block) continue;
    defs::for_each_instance(row, [&](uint32_t offset) {
      const bool mine = row.engine ? offset - base < 0x800 && !has_slot(engine_class, offset - base) : owns(id, row);
      if (mine) found.push_back({offset, row.masked});
    });
  }
  std::sort(found.begin(), found.end(), [](const ExtraRegister& a, const ExtraRegister& b) { return a.offset < b.offset; });
  return found;
}

void Streamer::restore_context() {
  restore_image(current_.lrca() + uint64_t{image_page}, true, false);
  if (const WorkaroundBatch batch = per_context_batch(get(reg::bb_per_ctx_ptr)); batch.named) run_workaround_batch(batch.address, batch.bytes);
}

void Streamer::save_context() { save_image(current_.lrca() + uint64_t{image_page}, true); }

// MI_SET_CONTEXT: there the image has no status page, and its ring context is no-ops (KBL PRM vol 3, "Ring Context").
void Streamer::set_context(uint32_t word) {
  constexpr uint32_t force_restore = 1u << 1, core_valid = 1u << 8;
  const uint32_t next = word & 0xffff'f000, previous = get(reg::ccid);
  const bool same = (previous & core_valid) && (previous & 0xffff'f000) == next;
  if ((previous & core_valid) && !same) save_image(previous & 0xffff'f000, false);
  if (!same || word & force_restore) restore_image(next, false, word & 1);
  set(reg::ccid, next | core_valid);
}

void Streamer::restore_image(uint64_t page_address, bool ring_context, bool inhibit) {
  std::array<uint32_t, list_dwords> page;
  ggtt_.read(page_address, page.data(), sizeof page);
  if (ring_context) inhibit = masked_write(0, page[3]) & reg::restore_inhibit;
  if (inhibit) inhibit_engine_registers();
  load_slots(page, ring_context, !inhibit);
  if (ring_context) {
    load_cursor();
    // The image now says where the context resumes in its batch. Software that resets the engine and rewinds HEAD does not touch that
    // (i915 gt/intel_execlists_submission.c, execlists_reset_active): it must find it cleared, or the old batch would run again.
    if (cursor_.level()) {
      for (const uint32_t dword : {0x0fu, 0x15u}) ggtt_.store<uint32_t>(page_address + dword * 4, page[dword] & ~reg::batch_valid);
    }
    set_address_space();
    ppgtt_.invalidate();
    start_timestamp(page[0x23]);
    // It runs amid the restore (INDIRECT_CTX_OFFSET, on Gen9 0x26 cachelines in: behind the documented lists). What the image keeps
    // behind that point comes later and prevails, COMMON_SLICE_CHICKEN2 for one (IGT gem_ctx_isolation@preservation).
    if (const WorkaroundBatch batch = indirect_batch(get(reg::indirect_ctx)); batch.named) run_workaround_batch(batch.address, batch.bytes);
  }
  if (!inhibit) load_extra_registers(page);
  restore_engine(page_address + state_offset(config_.engine_class) - image_page, inhibit);
}

void Streamer::save_image(uint64_t page_address, bool ring_context) {
  std::array<uint32_t, list_dwords> page;
  if (ring_context) store_cursor();
  const size_t end = store_slots(page, ring_context);
  constexpr size_t tail_value = image_tail_dword + 1;
  ggtt_.write(page_address, page.data(), tail_value * 4);
  ggtt_.write(page_address + (tail_value + 1) * 4, page.data() + tail_value + 1, (end - tail_value - 1) * 4);
  save_engine(page_address + state_offset(config_.engine_class) - image_page);
}

void Streamer::load_slots(std::span<const uint32_t> page, bool ring_context, bool engine_context) {
  for (const ImageSlot& slot : image_slots(config_.engine_class)) {
    if (!(slot.dword < ring_context_dwords ? ring_context : engine_context)) continue;
    const uint32_t value = page[slot.dword + 1u];
    if (slot.load == Load::value) set(slot.reg, value);
    if (slot.load == Load::masked) set(slot.reg, masked_write(get(slot.reg), value));
  }
}

// Through the write rules, since other units' hooks may stand behind these registers.
void Streamer::load_extra_registers(std::span<const uint32_t> page) {
  if (page[extra_list_dword] != lri_header(static_cast<uint32_t>(extra_registers_.size()))) return;
  for (size_t i = 0; i < extra_registers_.size(); ++i) {
    const auto [offset, masked] = extra_registers_[i];
    const uint32_t value = page[extra_list_dword + 1 + 2 * i + 1];
    if (links_.registers.peek(offset) != (masked ? value & 0xffff : value)) links_.registers.write(offset, value);
  }
}

// A context that was never saved starts with clean registers of its own; the chip's other registers keep what software set by MMIO.
void Streamer::inhibit_engine_registers() {
  for (const ImageSlot& slot : image_slots(config_.engine_class))
    if (slot.dword >= ring_context_dwords && slot.load == Load::value) set(slot.reg, 0);
  for (const ExtraRegister& extra : extra_registers_)
    if (extra.offset - config_.mmio_base < 0x800) links_.registers.poke(extra.offset, 0);
}

size_t Streamer::store_slots(std::span<uint32_t> page, bool ring_context) {
  write_image_frame(page, config_.engine_class, config_.mmio_base);
  for (const ImageSlot& slot : image_slots(config_.engine_class)) {
    uint32_t& value = page[slot.dword + 1u];
    value = slot.load == Load::masked ? mask_all | (get(slot.reg) & 0xffff) : get(slot.reg);
  }
  // The image now holds a state that may be loaded.
  page[0x03] &= ~reg::restore_inhibit;
  page[0x0b] &= ~reg::ring_wait_semaphore;
  page[0x23] = context_timestamp();
  page[0x5d] = links_.registers.read(config_.mmio_base + reg::timestamp);
  if (ring_context) {
    timestamp_base_.store(0, std::memory_order_release);
    set(reg::ctx_timestamp, page[0x23]);
  } else {
    std::fill_n(page.begin(), ring_context_dwords, 0);
  }
  size_t at = extra_list_dword;
  page[at++] = lri_header(static_cast<uint32_t>(extra_registers_.size()));
  for (const auto& [offset, masked] : extra_registers_) {
    page[at++] = offset;
    page[at++] = links_.registers.peek(offset) | (masked ? mask_all : 0);
  }
  page[at++] = mi_batch_buffer_end;
  return at;
}

void Streamer::load_cursor() {
  Cursor::Ring& ring = cursor_.ring;
  const uint32_t head = get(reg::head), ctl = get(reg::ctl);
  ring.start = get(reg::start) & 0xffff'f000;
  ring.size = (bits(ctl, 20, 12) + 1) * 4096;
  ring.head = (head & reg::head_offset_mask) % ring.size;
  ring.wraps = head >> 21;
  ring.tail = (get(reg::tail) & reg::ring_offset_mask) % ring.size;
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
  if (!enabled)
    set_address_space(memory::AddressSpace::ggtt(links_.ggtt));
  else if (wide)
    set_address_space(memory::AddressSpace::ppgtt48(pdp(0), links_.tlb));
  else
    set_address_space(memory::AddressSpace::ppgtt32({pdp(0), pdp(1), pdp(2), pdp(3)}, links_.tlb));
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

// -- context workaround batches: INDIRECT_CTX bounded by its length, BB_PER_CTX_PTR by its MI_BATCH_BUFFER_END ----------------------

bool Streamer::is_short(uint64_t address, uint64_t bytes) {
  Cursor cursor;
  cursor.batch[0] = {.address = address, .active = true, .limit = bytes ? address + bytes : 0};
  ShortBatch visitor;
  parse(cursor, ParseMemory{ggtt_, ppgtt_, packet_}, config_.engine_class, visitor);
  return visitor.ends();
}

// The guest may change image and batches before they are restored: run_workaround_batch() counts again.
bool Streamer::restores_shortly(const Execlist& list) {
  for (const Descriptor& element : list.element) {
    if (!element.valid()) continue;
    for (const ImageSlot& slot : image_slots(config_.engine_class)) {
      if (slot.reg != reg::indirect_ctx && slot.reg != reg::bb_per_ctx_ptr) continue;
      const auto value = ggtt_.load<uint32_t>(element.lrca() + uint64_t{image_page} + (slot.dword + 1u) * 4);
      const WorkaroundBatch batch = slot.reg == reg::indirect_ctx ? indirect_batch(value) : per_context_batch(value);
      if (batch.named && !is_short(batch.address, batch.bytes)) return false;
    }
  }
  return true;
}

void Streamer::run_workaround_batch(uint64_t address, uint64_t bytes) {
  const Cursor context = cursor_;
  const uint64_t left = budget;
  const uint32_t predicate_mode = set_predicate;
  cursor_ = {};
  cursor_.batch[0] = {.address = address, .active = true, .limit = bytes ? address + bytes : 0};
  budget = leave_to_thread ? short_batch_commands : workaround_commands;
  set_predicate = 0;
  in_workaround_ = true;
  set_arbitration(false);
  Executor executor(*this);
  // Pauses wait for its end, since the restore has no boundary of its own, and abandon it.
  const ParseEnd end = parse(cursor_, ParseMemory{ggtt_, ppgtt_, packet_}, config_.engine_class, executor);
  finish();
  in_workaround_ = false;
  cursor_ = context;
  budget = left;
  set_predicate = predicate_mode;
  if (end == ParseEnd::drained || stop_.resetting() || halted_) return;
  if (stop_.aborting()) return hang_abandoned();
  guest_error("context workaround batch does not end", "at {:#x}", address);
  error(reg::error_instruction, true);
}

}  // namespace softgen::cs
