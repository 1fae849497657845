// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/submission/port_submission.h"

#include <utility>
#include <vector>

#include "hw/base/log.h"
#include "hw/cs/registers.h"

namespace softgen::cs {
namespace {

namespace field = softgen::reg::field;

/// RING_EXECLIST_STATUS_LO.
uint32_t status_word(const ExeclistStatus& status) {
  uint32_t v = 0;
  if (status.queue_full)
    v |= field::RING_EXECLIST_STATUS_LO_EXECLIST_QUEUE_FULL.mask() | field::RING_EXECLIST_STATUS_LO_EXECLIST_1_VALID.mask();
  if (status.running) v |= field::RING_EXECLIST_STATUS_LO_EXECLIST_0_VALID.mask() | field::RING_EXECLIST_STATUS_LO_EXECLIST_0_ACTIVE.mask();
  v = field::RING_EXECLIST_STATUS_LO_LAST_CONTEXT_SWITCH_REASON.with(v, status.last_event);
  v = field::RING_EXECLIST_STATUS_LO_CURRENT_ACTIVE_ELEMENT_STATUS.with(v, status.running ? (status.element == 0 ? 1 : 2) : 0);
  return field::RING_EXECLIST_STATUS_LO_ARBITRATION_ENABLE.with(v, status.arbitration);
}

}  // namespace

PortSubmission::PortSubmission(std::unique_ptr<SubmitPort> port, const ExeclistLayout& layout, mmio::RegisterFile& registers,
                               uint32_t mmio_base)
    : layout_(layout), registers_(registers), base_(mmio_base), buffer_(layout.buffer, registers, mmio_base), port_(std::move(port)) {
  buffer_.reset();
}

void PortSubmission::attach(std::function<void()> submitted) {
  std::vector<uint32_t> port;
  {
    MutexLock lock(mutex_);
    port.assign(port_->registers().begin(), port_->registers().end());
  }
  for (const uint32_t reg : port) {
    registers_.on_write(base_ + reg, [this, reg, submitted](uint32_t, uint32_t value) {
      if (write(reg, value)) submitted();
    });
  }
  registers_.on_read(base_ + reg::execlist_status, 8, [this](uint32_t offset) { return registers_.peek(offset); });
  buffer_.attach();
}

bool PortSubmission::write(uint32_t reg, uint32_t value) {
  MutexLock lock(mutex_);
  const std::optional<Execlist> list = port_->write(reg, value);
  if (!list) return false;
  if (list->empty()) return guest_error("execlist without a valid element"), false;
  mailbox_.submit(*list);
  return true;
}

void PortSubmission::show(const ExeclistStatus& status) {
  registers_.poke(base_ + reg::execlist_status, status_word(status));
  registers_.poke(base_ + reg::execlist_status_udw, status.context_id);
}

void PortSubmission::reset() {
  registers_.poke(base_ + reg::execlist_status, 0);
  registers_.poke(base_ + reg::execlist_status_udw, 0);
  buffer_.reset();
  mailbox_.put(std::nullopt);
  MutexLock lock(mutex_);
  port_->reset();
}

void PortSubmission::state(Archive& archive) {
  if (archive.reading()) buffer_.forget_held();
  MutexLock lock(mutex_);
  port_->state(archive);
}

}  // namespace softgen::cs
