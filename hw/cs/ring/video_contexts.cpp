// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/ring/video_contexts.h"

namespace softgen::cs {
namespace {

namespace all = softgen::reg;

constexpr uint32_t force_pd_restore = 1 << 1;  // of the low dword
constexpr uint32_t status_id = 0xffff'f000;
constexpr uint32_t status_slots = 12;  // table 1-2
// Chosen: the status buffer begins at dword 10h of the status page, as Gen8's does. Its last dword is the Last Written Status Offset.
constexpr uint32_t buffer_offset = 0x40, last_written = buffer_offset + 15 * 4;
constexpr uint32_t restore_inhibit = 1;  // of CTXT_SR_CTL

}  // namespace

// A write of the upper dword submits (chosen): of a write of 64 bits it is the second one.
VideoContexts::VideoContexts(EngineCore& core, RingContexts& images, ProcessTables& tables)
    : core_(core), images_(images), tables_(tables) {
  core.links().registers.on_write(all::VCS_RNCID(0), 8, [this](uint32_t at, uint32_t) {
    if (at == all::VCS_RNCID(1)) pending_.store(true, std::memory_order_release);
  });
}

Descriptor VideoContexts::current() const {
  const mmio::RegisterFile& registers = core_.links().registers;
  return {registers.peek(all::VCS_RCCID(0)), registers.peek(all::VCS_RCCID(1))};
}

void VideoContexts::change(Why why) {
  pending_.store(false, std::memory_order_release);
  tables_.follow();
  mmio::RegisterFile& registers = core_.links().registers;
  const Descriptor old = current(), next{registers.peek(all::VCS_RNCID(0)), registers.peek(all::VCS_RNCID(1))};
  const bool same = old.valid() && next.valid() && old.same_context(next) && !next.force_restore();
  if (old.valid() && !same) leave(old);
  registers.poke(all::VCS_RCCID(0), next.low);
  registers.poke(all::VCS_RCCID(1), next.high);
  report((old.valid() ? old.high & status_id : 0) | why);
  if (next.valid()) enter(next, same);
  else core_.set(reg::ctl, core_.get(reg::ctl) & ~reg::ring_valid);
  if (tables_.form() == ProcessTables::Form::two_level) core_.raise(mmio::engine_event::context_switch);  // table 1-4, bit 8
}

// The image's TAIL is software's, which may have moved it since (chosen).
void VideoContexts::leave(const Descriptor& old) {
  const uint32_t tail = core_.config().mmio_base + reg::tail;
  if (const std::optional<uint32_t> moved = images_.value_of(old.lrca(), tail)) core_.set(reg::tail, *moved);
  images_.save(old.lrca());
}

// The running context again: its TAIL may have moved, and the directory is taken again where Force PD Restore says so (1.1.2.2).
void VideoContexts::enter(const Descriptor& next, bool same) {
  const uint32_t head = core_.get(reg::head);
  images_.restore_registers(next.lrca());
  if (same) {
    core_.set(reg::head, head);
  } else if (core_.get(all::RING_CTXT_SR_CTL) & restore_inhibit) {
    core_.links().engine.reset_context();
  } else {
    images_.restore_engine(next.lrca());
  }
  core_.set(all::RING_CTXT_SR_CTL, 0);
  core_.set(reg::ctl, core_.get(reg::ctl) & ~(field::RING_CTL_RBWAIT.mask() | reg::ring_wait_semaphore));
  if (!same || next.low & force_pd_restore) tables_.load_directory();
}

void VideoContexts::report(uint32_t status) {
  const uint64_t page = core_.hwsp();
  core_.ggtt().store_release<uint32_t>(page + buffer_offset + slot_ * 4, status);
  core_.ggtt().store_release<uint32_t>(page + last_written, slot_);
  slot_ = (slot_ + 1) % status_slots;
}

void VideoContexts::reset() {
  pending_.store(false, std::memory_order_release);
  slot_ = 0;
  for (const uint32_t offset : {all::VCS_RNCID(0), all::VCS_RNCID(1), all::VCS_RCCID(0), all::VCS_RCCID(1)})
    core_.links().registers.poke(offset, 0);
}

void VideoContexts::state(Archive& archive) {
  bool pending = this->pending();
  archive.value(pending);
  archive.value(slot_);
  if (!archive.reading() || archive.failed()) return;
  pending_.store(pending, std::memory_order_release);
  slot_ %= status_slots;
}

}  // namespace softgen::cs
