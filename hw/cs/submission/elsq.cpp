// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/submission/elsq.h"

#include <array>

#include "hw/cs/decode/execlist_layouts.h"
#include "hw/cs/streamer.h"
#include "hw/cs/submission/port_submission.h"

namespace softgen::cs {
namespace {

namespace all = softgen::reg;

constexpr unsigned dwords_per_element = 2;

constexpr auto registers_of_port = [] {
  std::array<uint32_t, dwords_per_element * max_elements + 1> found{};
  for (uint32_t i = 0; i + 1 < found.size(); ++i) found[i] = all::RING_EXECLIST_SQ(i / dwords_per_element, i % dwords_per_element);
  found.back() = all::RING_EXECLIST_CONTROL;
  return found;
}();

/// The queue keeps its content when it has been loaded.
class ElsqPort final : public SubmitPort {
 public:
  std::span<const uint32_t> registers() const override { return registers_of_port; }

  std::optional<Execlist> write(uint32_t reg, uint32_t value) override {
    if (reg != all::RING_EXECLIST_CONTROL) {
      const uint32_t dword = (reg - all::RING_EXECLIST_SQ(0)) / 4;
      Descriptor& element = queue_[dword / dwords_per_element];
      (dword % dwords_per_element ? element.high : element.low) = value;
      return std::nullopt;
    }
    if (!all::field::RING_EXECLIST_CONTROL_LOAD.of(value)) return std::nullopt;
    return Execlist{queue_};
  }

  void reset() override { queue_ = {}; }
  void state(Archive& archive) override { archive.value(queue_); }

 private:
  std::array<Descriptor, max_elements> queue_{};
};

std::unique_ptr<SubmitPort> port() { return std::make_unique<ElsqPort>(); }

template <const ExeclistLayout& layout>
std::unique_ptr<Submission> submission(mmio::RegisterFile& registers, uint32_t mmio_base) {
  return std::make_unique<PortSubmission>(port(), layout, registers, mmio_base);
}

}  // namespace

const SubmissionForm elsq_gen11{.lists = true, .port = port, .make = submission<elsq_gen11_layout>, .streamer = list_streamer};
const SubmissionForm elsq_gen12{.lists = true, .port = port, .make = submission<elsq_gen12_layout>, .streamer = list_streamer};

}  // namespace softgen::cs
