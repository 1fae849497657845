// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/submission/elsp.h"

#include <array>

#include "hw/cs/decode/execlist_layouts.h"
#include "hw/cs/streamer.h"
#include "hw/cs/submission/port_submission.h"

namespace softgen::cs {
namespace {

class ElspPort final : public SubmitPort {
 public:
  std::span<const uint32_t> registers() const override {
    static constexpr uint32_t port[] = {softgen::reg::RING_ELSP};
    return port;
  }

  /// Element 1 before element 0, and the high dword before the low one: the fourth write completes a list.
  std::optional<Execlist> write(uint32_t, uint32_t value) override {
    written_.dwords[written_.count++] = value;
    if (written_.count < written_.dwords.size()) return std::nullopt;
    written_.count = 0;
    Execlist list;
    list.element[0] = {written_.dwords[3], written_.dwords[2]};
    list.element[1] = {written_.dwords[1], written_.dwords[0]};
    return list;
  }

  void reset() override { written_ = {}; }

  void state(Archive& archive) override {
    archive.value(written_);
    if (archive.reading()) written_.count %= written_.dwords.size();  // it may come from a stranger
  }

 private:
  /// As it is saved.
  struct Written {
    std::array<uint32_t, 4> dwords{};
    uint32_t count = 0;
  } written_;
};

std::unique_ptr<SubmitPort> port() { return std::make_unique<ElspPort>(); }

std::unique_ptr<Submission> submission(mmio::RegisterFile& registers, uint32_t mmio_base) {
  return std::make_unique<PortSubmission>(port(), elsp_layout, registers, mmio_base);
}

}  // namespace

const SubmissionForm elsp{.lists = true, .port = port, .make = submission, .streamer = list_streamer};

}  // namespace softgen::cs
