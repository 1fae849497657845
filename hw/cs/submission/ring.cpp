// SPDX-License-Identifier: GPL-2.0-or-later
// What registers do that is not the streamer's own: START resets HEAD, EIR clears ESR, the video streamer's registers answer at 12000h, too, and what is
// not built is counted by name. Sections are those of the ILK PRM vol 1: "2:" of part 2, "4:" of part 4.
#include "hw/cs/submission/ring.h"

#include <algorithm>
#include <span>
#include <utility>

#include "hw/base/log.h"
#include "hw/cs/registers.h"
#include "hw/cs/ring/streamer.h"

namespace softgen::cs {
namespace {

namespace all = softgen::reg;
namespace field = softgen::reg::field;

class NoPort final : public SubmitPort {
 public:
  std::span<const uint32_t> registers() const override { return {}; }
  std::optional<Execlist> write(uint32_t, uint32_t) override { return std::nullopt; }
  void reset() override {}
  void state(Archive&) override {}
};

class RingSubmission final : public NoLists {
 public:
  RingSubmission(mmio::RegisterFile& registers, uint32_t mmio_base) : registers_(registers), base_(mmio_base) {}

  void attach(std::function<void()> submitted) override;
  bool selected(uint32_t) const override { return false; }
  void state(Archive&) override {}

 private:
  void attach_rules();
  void attach_alias(const defs::EngineRow& engine);

  mmio::RegisterFile& registers_;
  const uint32_t base_;
};

void RingSubmission::attach(std::function<void()>) {
  attach_rules();
  const auto engine = std::ranges::find(registers_.set().engines, base_, &defs::EngineRow::mmio_base);
  if (class_of(engine->id) == defs::EngineClass::video) attach_alias(*engine);
}

void RingSubmission::attach_rules() {
  // "Writing this register also causes the Head Offset to be reset to zero, and the Wrap Count to be reset to zero" (4: 1.1.5).
  registers_.on_write(base_ + reg::start, [this](uint32_t, uint32_t) { registers_.poke(base_ + reg::head, 0); });
  // A bit cleared in EIR is cleared in ESR (2: 5.7.2), but for page table errors, which last until a reset (4: table 1-5).
  registers_.on_write(base_ + reg::eir,
                      [this](uint32_t, uint32_t written) { registers_.clear_bits(base_ + reg::esr, written & ~reg::error_page_table); });
  // A semaphore for software: who reads it clear has the ring until TAIL is written (2: 5.3.4.6).
  registers_.on_read(base_ + reg::tail, [this](uint32_t offset) {
    constexpr uint32_t in_use = field::RING_TAIL_IN_USE.mask();
    const bool enabled = field::RING_INSTPM_RING_BUFFER_MUTEX_ENABLE.of(registers_.peek(base_ + reg::instpm));
    return enabled ? registers_.fetch_set_bits(offset, in_use) : registers_.peek(offset) & ~in_use;
  });
  registers_.on_write(base_ + reg::tail,
                      [this](uint32_t offset, uint32_t) { registers_.clear_bits(offset, field::RING_TAIL_IN_USE.mask()); });
  registers_.on_write(base_ + reg::instpm, [this](uint32_t offset, uint32_t) {
    if (field::RING_INSTPM_COMMAND_CLASS_DISABLES.of(registers_.peek(offset)))
      unimplemented("Ironlake: command classes disabled by INSTPM");
  });
}

// i915's addresses and those of the manual (4: 1.1). HWS_PGA is at 14080h there (4: 1.1.2.3).
void RingSubmission::attach_alias(const defs::EngineRow& engine) {
  const defs::RegisterSet& set = registers_.set();
  const uint32_t alias = all::VCS_ALIAS - base_;
  for (const defs::Register& row : set.rows) {
    if (!row.engine || !row.is_of(engine.id)) continue;
    for (uint32_t i = 0; i < row.count[0]; ++i) {
      const uint32_t offset = base_ + row.offset + i * row.stride[0];
      registers_.alias(alias + offset, 4, offset);
    }
  }
  registers_.alias(all::VCS_HWS_PGA, 4, base_ + reg::hws_pga);
}

std::unique_ptr<SubmitPort> port() { return std::make_unique<NoPort>(); }

std::unique_ptr<Submission> submission(mmio::RegisterFile& registers, uint32_t mmio_base) {
  return std::make_unique<RingSubmission>(registers, mmio_base);
}

std::unique_ptr<Streamer> streamer(const StreamerConfig& config, StreamerLinks links) {
  return std::make_unique<RingStreamer>(config, std::move(links));
}

}  // namespace

const SubmissionForm ring{.lists = false, .port = port, .make = submission, .streamer = streamer};

}  // namespace softgen::cs
