// SPDX-License-Identifier: GPL-2.0-or-later
// A Submission of a port, a status buffer and the status registers: what ELSP and ELSQ have in common.
#pragma once

#include "hw/base/mutex.h"
#include "hw/cs/decode/execlist_layouts.h"
#include "hw/cs/submission.h"
#include "hw/cs/submission/mailbox.h"
#include "hw/cs/submission/status_buffer.h"

namespace softgen::cs {

class PortSubmission final : public Submission {
 public:
  /// `layout` outlives this.
  PortSubmission(std::unique_ptr<SubmitPort> port, const ExeclistLayout& layout, mmio::RegisterFile& registers, uint32_t mmio_base);

  void attach(std::function<void()> submitted) override;
  unsigned elements() const override { return layout_.elements; }
  bool selected(uint32_t ring_mode) const override { return ring_mode & layout_.enable; }
  std::optional<Execlist> pending() const override { return mailbox_.pending(); }
  std::optional<Execlist> take() override { return mailbox_.take(); }
  void put(const std::optional<Execlist>& list) override { mailbox_.put(list); }
  void report(const ContextSwitch& event, memory::View& ggtt, uint64_t status_page) override {
    buffer_.write(layout_.entry(event), ggtt, status_page);
  }
  void show(const ExeclistStatus& status) override;
  void reset() override;
  void state(Archive& archive) override;

 private:
  /// True: there is a new list.
  bool write(uint32_t reg, uint32_t value);

  const ExeclistLayout& layout_;
  mmio::RegisterFile& registers_;
  const uint32_t base_;
  StatusBuffer buffer_;
  Mailbox mailbox_;
  Mutex mutex_;
  const std::unique_ptr<SubmitPort> port_ SG_PT_GUARDED_BY(mutex_);
};

}  // namespace softgen::cs
