// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/submission/elsp.h"

#include <array>
#include <utility>

#include "hw/base/mutex.h"
#include "hw/cs/decode/execlist_layouts.h"
#include "hw/cs/registers.h"
#include "hw/cs/submission/mailbox.h"
#include "hw/cs/submission/status_buffer.h"

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

class Elsp final : public Submission {
 public:
  Elsp(mmio::RegisterFile& registers, uint32_t mmio_base)
      : registers_(registers), base_(mmio_base), buffer_(elsp_layout.buffer, registers, mmio_base) {
    buffer_.reset();
  }

  void attach(std::function<void()> submitted) override;
  unsigned elements() const override { return elsp_layout.elements; }
  bool selected(uint32_t ring_mode) const override { return elsp_layout.enable.of(ring_mode) != 0; }
  std::optional<Execlist> pending() const override { return mailbox_.pending(); }
  std::optional<Execlist> take() override { return mailbox_.take(); }
  void put(const std::optional<Execlist>& list) override { mailbox_.put(list); }
  void report(uint32_t event, uint32_t context_id, memory::View& ggtt, uint64_t status_page) override {
    buffer_.write(event | uint64_t{context_id} << 32, ggtt, status_page);
  }
  void show(const ExeclistStatus& status) override;
  void reset() override;
  void state(Archive& archive) override;

 private:
  bool write(uint32_t value);

  mmio::RegisterFile& registers_;
  const uint32_t base_;
  StatusBuffer buffer_;
  Mailbox mailbox_;
  Mutex mutex_;
  /// As it is saved.
  struct Port {
    std::array<uint32_t, 4> dwords{};
    uint32_t count = 0;
  };
  Port port_ SG_GUARDED_BY(mutex_);
};

void Elsp::attach(std::function<void()> submitted) {
  registers_.on_write(base_ + reg::elsp, [this, submitted = std::move(submitted)](uint32_t, uint32_t value) {
    if (write(value)) submitted();
  });
  registers_.on_read(base_ + reg::execlist_status, 8, [this](uint32_t offset) { return registers_.peek(offset); });
  buffer_.attach();
}

/// Element 1 before element 0, and the high dword before the low one: the fourth write completes a list, which is true then.
bool Elsp::write(uint32_t value) {
  MutexLock lock(mutex_);
  port_.dwords[port_.count++] = value;
  if (port_.count < port_.dwords.size()) return false;
  port_.count = 0;
  Execlist list;
  list.element[0] = {port_.dwords[3], port_.dwords[2]};
  list.element[1] = {port_.dwords[1], port_.dwords[0]};
  mailbox_.submit(list);
  return true;
}

void Elsp::show(const ExeclistStatus& status) {
  registers_.poke(base_ + reg::execlist_status, status_word(status));
  registers_.poke(base_ + reg::execlist_status_udw, status.context_id);
}

void Elsp::reset() {
  registers_.poke(base_ + reg::execlist_status, 0);
  registers_.poke(base_ + reg::execlist_status_udw, 0);
  buffer_.reset();
  mailbox_.put(std::nullopt);
  MutexLock lock(mutex_);
  port_ = {};
}

void Elsp::state(Archive& archive) {
  MutexLock lock(mutex_);
  archive.value(port_);
  if (archive.reading()) port_.count %= port_.dwords.size();  // it may come from a stranger
}

}  // namespace

std::unique_ptr<Submission> elsp(mmio::RegisterFile& registers, uint32_t mmio_base) { return std::make_unique<Elsp>(registers, mmio_base); }

}  // namespace softgen::cs
