// SPDX-License-Identifier: GPL-2.0-or-later
// Messages by registers and by buffers: i915 gt/uc/abi/guc_*_abi.h, intel_guc.c, intel_guc_ct.c.
#include "hw/base/archive.h"
#include "tests/unit/guc/guc_rig.h"

using namespace softgen;
using namespace softgen::guc::test;

TEST_CASE("guc: the mailbox answers in place") {
  for (const Chip* chip : chips) {
    Rig rig(*chip);
    rig.load_firmware();
    CHECK(rig.send_mmio({0x508, 0x902 << 16 | 2, 0x300'0000, 0}) == (success | 1));
    CHECK(rig.send_mmio({0x508, 0x904 << 16 | 1, 4096, 0}) == (success | 1));
    CHECK(rig.send_mmio({0x508, 0x908 << 16 | 1, 4096, 0}) == success);  // an unknown key is not parsed
    CHECK(rig.send_mmio({0x508, 0x902 << 16 | 1, 0, 0}) == (failure | 0x60));
    CHECK(rig.send_mmio({0x5507}) == success);
    CHECK(rig.send_mmio({0x4100, 0, 0, 0}) == (failure | 0x20));  // no table: intel_guc_hwconfig.c
    CHECK(rig.send_mmio({0x1234}) == (failure | 0x30));
    CHECK(rig.send_mmio({0x1001, 1, 1}) == (failure | 0x20));  // an action of the buffers
    CHECK(rig.send_mmio({0x7000'0000}) == (failure | 0x04));   // an answer is no request
    // The answer is no message.
    rig.write(chip->notify, 1);
    CHECK(rig.read(chip->mailbox) == (failure | 0x04));
    rig.write(chip->mailbox, 0x5507);
    rig.write(chip->notify, 0);  // from Gen11 on any write interrupts: xe_guc.c, xe_guc_notify()
    CHECK(rig.read(chip->mailbox) == (chip == &kbl ? 0x5507 : success));
    CHECK(rig.host.levels.empty());
  }
}

TEST_CASE("guc: buffers are put to use only where the GuC has memory") {  // guc_klvs_abi.h: above WOPCM, below the APIC; multiples of 4K
  BufferRig rig;
  CHECK(rig.send_mmio({0x4509, 0}) == success);
  const auto opened = [&](uint32_t key, uint32_t dwords, uint32_t value, uint32_t good) {
    rig.configure(key, dwords, value);
    const uint32_t answer = rig.send_mmio({0x4509, 1});
    rig.configure(key, dwords, good);
    return answer;
  };
  CHECK(opened(0x902, 2, wopcm_size - 4096, BufferRig::to_guc_ring) == (failure | 0x80));
  CHECK(opened(0x905, 2, 0xfee0'0000, BufferRig::to_host_ring) == (failure | 0x80));
  CHECK(opened(0x903, 2, BufferRig::to_guc + 2, BufferRig::to_guc) == (failure | 0x80));
  CHECK(opened(0x906, 2, 0xfedf'fff0, BufferRig::to_host) == (failure | 0x80));
  CHECK(opened(0x904, 1, 0, 4096) == (failure | 0x80));
  CHECK(opened(0x904, 1, 4100, 4096) == (failure | 0x80));
  CHECK(opened(0x907, 1, 0xffff'f000, 16384) == (failure | 0x80));
  CHECK(rig.send_mmio({0x4509, 2}) == (failure | 0x60));
  rig.store(BufferRig::to_guc, 1024);  // a head outside
  CHECK(rig.send_mmio({0x4509, 1}) == (failure | 0x60));
  CHECK(rig.open() == success);
}

TEST_CASE("guc: a request by buffer is answered with its fence and an interrupt") {
  for (const Chip* chip : chips) {
    BufferRig rig(*chip);
    rig.send(7, 0, {0x40, 0});
    CHECK(rig.receive() == Message{7 << 16 | 1, success});
    CHECK(rig.receive().empty());
    CHECK(rig.load(BufferRig::to_guc) == 3);  // the head has followed
    rig.send(8, 0, {0x999});
    CHECK(rig.receive() == Message{8 << 16 | 1, failure | 0x30});
    rig.send(9, 0, {0x508, 0x904 << 16 | 1, 4096, 0});  // an action of the registers
    CHECK(rig.receive() == Message{9 << 16 | 1, failure | 0x20});
    rig.send(10, 0, {0x3004});
    CHECK(rig.receive() == Message{10 << 16 | 1, failure | 0x60});
    rig.send(11, 0, {0x509, 0x1001 << 16 | 2, 1000, 10});
    CHECK(rig.receive() == Message{11 << 16 | 1, success | 1});
    rig.send(12, 0, {0x509, 0x1001 << 16 | 3, 1000, 10});
    CHECK(rig.receive() == Message{12 << 16 | 1, failure | 0x60});
    CHECK(rig.to_guc_status() == 0);
    CHECK(rig.to_host_status() == 0);
  }
}

namespace {

/// Gives one point one answer, once.
struct OneFault final : Faults {
  OneFault(FaultPoint point, const FaultAnswer& answer) : answer_(answer) { points_ = 1u << static_cast<unsigned>(point); }
  FaultAnswer ask(const FaultSite& site) override {
    asked.push_back(site.what);
    return std::exchange(answer_, {});
  }
  bool later(int64_t, std::function<void()>) override { return false; }
  std::vector<uint32_t> asked;

 private:
  FaultAnswer answer_;
};

}  // namespace

TEST_CASE("guc: a fault plan drops, doubles and changes messages") {
  using Messages = std::vector<Message>;
  const auto answers = [](FaultPoint point, const FaultAnswer& answer) {
    OneFault fault(point, answer);
    BufferRig rig;
    rig.registers.set_faults(&fault);
    rig.send(7, 0, {0x40, 0});
    rig.send(8, 0, {0x40, 0});
    CHECK((fault.asked.size() == 2 || answer.action == FaultAction::drop));
    if (point == FaultPoint::guc_receive) CHECK(fault.asked[0] == 0x40);
    Messages received;
    for (Message message = rig.receive(); !message.empty(); message = rig.receive()) received.push_back(message);
    rig.registers.set_faults(nullptr);
    return received;
  };
  const Message first{7 << 16 | 1, success}, second{8 << 16 | 1, success};
  for (const FaultPoint point : {FaultPoint::guc_receive, FaultPoint::guc_send}) {
    CAPTURE(static_cast<unsigned>(point));
    CHECK(answers(point, {}) == Messages{first, second});
    CHECK(answers(point, {.action = FaultAction::drop}) == Messages{second});
    CHECK(answers(point, {.action = FaultAction::twice}) == Messages{first, first, second});
    const auto flipped = answers(point, {.action = FaultAction::flip, .value = 1, .random = 2});
    REQUIRE(!flipped.empty());
    CHECK(flipped.back() == second);
    CHECK(flipped.front() != first);
  }
}

TEST_CASE("guc: an event is not answered, a fast request only when it fails") {  // xe/abi/guc_messages_abi.h
  BufferRig rig;
  rig.send(1, 1, {0x30, 0});
  rig.send(2, 1, {0x999});
  rig.send(3, 2, {0x30, 0});
  CHECK(rig.receive().empty());
  rig.send(4, 2, {0x999});
  CHECK(rig.receive() == Message{4 << 16 | 1, failure | 0x30});
}

TEST_CASE("guc: a forced flush of the log is an event to the host, before the answer") {  // intel_guc_log.c, guc_action_flush_log()
  BufferRig rig;
  rig.send(5, 0, {0x302, 0});
  CHECK(rig.receive() == Message{1, 0x9000'8003});
  CHECK(rig.receive() == Message{5 << 16 | 1, success});
}

TEST_CASE("guc: several messages at one interrupt, across the ring's end") {
  BufferRig rig;
  for (uint32_t round = 0; round < 700; ++round) {
    rig.queue(2 * round, 0, {0x40, 0});
    rig.send(2 * round + 1, 0, {0x40, 0});
    CHECK(rig.receive() == Message{2 * round << 16 | 1, success});
    CHECK(rig.receive() == Message{(2 * round + 1) << 16 | 1, success});
  }
  CHECK(rig.to_guc_status() == 0);
}

TEST_CASE("guc: nonsense in a buffer shows in its status and ends the traffic") {  // guc_communication_ctb_abi.h; intel_guc_ct.c, ct_read()
  const auto after = [](auto&& spoil) {
    BufferRig rig;
    spoil(rig);
    rig.write(rig.chip.notify, 1);
    const uint32_t status = rig.to_guc_status();
    rig.store(BufferRig::to_guc + 8, 0);
    rig.send(1, 0, {0x40, 0});
    CHECK(rig.receive().empty());
    CHECK(rig.open() == success);  // until the host begins anew
    rig.send(2, 0, {0x40, 0});
    CHECK(rig.receive() == Message{2 << 16 | 1, success});
    return status;
  };
  CHECK(after([](BufferRig& rig) { rig.store(BufferRig::to_guc + 4, 1024); }) == 1);  // tail outside
  CHECK(after([](BufferRig& rig) {                                                    // longer than what is there
          rig.queue(1, 0, {0x40, 0});
          rig.store(BufferRig::to_guc_ring, 1 << 16 | 3);
        }) == 2);
  CHECK(after([](BufferRig& rig) { rig.store(BufferRig::to_guc, 5); }) == 4);  // a head that is not the GuC's
  CHECK(after([](BufferRig& rig) {                                             // another format
          rig.queue(1, 0, {0x40, 0});
          rig.store(BufferRig::to_guc_ring, 1 << 16 | 1 << 12 | 2);
        }) == 4);
  CHECK(after([](BufferRig& rig) { rig.queue(1, 0, {}); }) == 4);  // without a message
}

TEST_CASE("guc: zeros in a buffer are skipped") {  // Linux 6.12 xe/xe_guc_ct.c, h2g_write(): no message of xe crosses the ring's end
  BufferRig rig;
  for (uint32_t round = 0; round < 300; ++round) {
    if (rig.tail + 5 > BufferRig::ring_dwords)
      while (rig.tail) rig.put(0);
    rig.send(round + 1, 0, {0x509, 0x1001 << 16 | 2, 1000, 10});
    CHECK(rig.receive() == Message{(round + 1) << 16 | 1, success | 1});
  }
  for (uint32_t i = 0; i < 3; ++i) rig.put(0);
  rig.store(BufferRig::to_guc + 4, rig.tail);
  rig.write(rig.chip.notify, 1);
  CHECK(rig.load(BufferRig::to_guc) == rig.tail);
  CHECK(rig.receive().empty());
  CHECK(rig.to_guc_status() == 0);
}

TEST_CASE("guc: an answer without room overflows") {
  BufferRig rig;
  rig.store(BufferRig::to_host, 2);  // the host reads slowly: one dword is free
  rig.send(1, 0, {0x40, 0});
  CHECK(rig.to_host_status() == 1);
  CHECK(rig.load(BufferRig::to_host + 4) == 0);
  rig.open();
  rig.store(BufferRig::to_host, 3);
  rig.send(1, 0, {0x40, 0});
  CHECK(rig.to_host_status() == 0);
  CHECK(rig.load(BufferRig::to_host + 4) == 2);
  rig.open();
  rig.store(BufferRig::to_host, 4096);
  rig.send(1, 0, {0x40, 0});
  CHECK(rig.to_host_status() == 1);
}

TEST_CASE("guc: buffers that are nowhere end the traffic") {
  BufferRig rig;
  rig.send_mmio({0x4509, 0});
  rig.configure(0x903, 2, 0x800'0000);
  CHECK(rig.send_mmio({0x4509, 1}) == success);
  rig.send(1, 0, {0x40, 0});
  CHECK(rig.receive().empty());
}

TEST_CASE("guc: HuC is verified when its image is there and signed") {  // intel_huc.c, intel_huc_auth()
  for (const Chip* chip : chips) {
    BufferRig rig(*chip);
    const auto verified = [&] { return (rig.read(chip->huc_status) & chip->huc_bit) != 0; };
    rig.send(1, 0, {0x4000, signature_at + 4096});
    CHECK(rig.receive() == Message{1 << 16 | 1, failure | 0xf000});  // zeros
    rig.send(2, 0, {0x4000, 0x1000});
    CHECK(rig.receive() == Message{2 << 16 | 1, failure | 0x80});
    CHECK_FALSE(verified());
    rig.send(3, 0, {0x4000, signature_at});
    CHECK(rig.receive() == Message{3 << 16 | 1, success});
    CHECK(verified());
    rig.reset_guc();
    CHECK_FALSE(verified());

    Rig without(*chip);
    without.load_firmware(Rig::file(), false);
    CHECK(without.send_mmio({0x4000, signature_at}) == (failure | 0xf000));
    CHECK((without.read(chip->huc_status) & chip->huc_bit) == 0);
  }
}

TEST_CASE("guc: a HuC file without a header is not verified") {
  Rig rig;
  rig.place(image_at, Rig::file());
  rig.store(signature_at, 1);
  rig.set_wopcm();
  rig.set_parameters();
  rig.set_signature();
  REQUIRE(rig.transfer_huc());
  CHECK(rig.read(0xc010) == 1u << 8);
  REQUIRE(rig.transfer_guc());
  CHECK(rig.send_mmio({0x4000, signature_at}) == (failure | 0xf000));
}

TEST_CASE("guc: the interrupt to the host is bit 15 of its vector") {
  SECTION("Gen9: the high half of GT2") {  // intel_guc.c, gen9_enable_guc_interrupts(); i915_irq.c
    BufferRig rig(kbl);
    rig.write(0x44200, 1u << 31);
    rig.write(0x44324, 0x7fff'ffff);
    rig.write(0x4432c, 0x8000'0000);
    rig.send(1, 0, {0x40, 0});
    CHECK(rig.read(0x44328) == 0x8000'0000);
    CHECK(rig.read(0x44200) == (1u << 31 | 1u << 5));
    CHECK(rig.host.levels == std::vector<bool>{true});
    rig.write(0x44328, 0x8000'0000);
    CHECK(rig.host.levels == std::vector<bool>{true, false});
  }
  SECTION("Gen11: class 4, instance 0") {  // gt/intel_gt_irq.c; intel_guc.c, gen11_enable_guc_interrupts()
    for (const Chip* chip : {&icl, &tgl}) {
      BufferRig rig(*chip);
      rig.write(0x190010, 1u << 31);
      rig.send(1, 0, {0x40, 0});
      CHECK(rig.host.levels.empty());  // not enabled
      rig.write(0x190038, 0x8000'0000);
      rig.send(2, 0, {0x40, 0});
      CHECK(rig.host.levels.empty());  // masked, and kept
      rig.write(0x1900e8, 0x7fff'ffff);
      CHECK(rig.host.levels == std::vector<bool>{true});
      CHECK(rig.read(0x190010) == (1u << 31 | 1));
      CHECK(rig.read(0x190018) == 1u << 25);
      rig.write(0x190070, 1u << 25);
      CHECK(rig.read(0x190060) == (1u << 31 | 4 << 16 | 1 << 15));
      rig.write(0x190060, 1u << 31);
      rig.write(0x190018, 1u << 25);
      CHECK(rig.host.levels == std::vector<bool>{true, false});
    }
  }
}

TEST_CASE("guc: contexts are refused while the scheduler is off") {  // intel_guc_fwif.h, GUC_CTL_DISABLE_SCHEDULER
  BufferRig rig;
  rig.send(1, 0, {0x1001, 5, 1});
  CHECK(rig.receive() == Message{1 << 16 | 1, failure | 0x0a});
}

TEST_CASE("guc: a saved state goes on where it was") {
  BufferRig rig(icl), other(icl);
  rig.send(1, 0, {0x40, 0});
  rig.receive();
  rig.queue(2, 0, {0x4000, signature_at});
  Archive saved;
  rig.registers.state(saved);
  rig.interrupts->state(saved);
  rig.guc->state(saved);
  for (uint32_t address = buffers_at; address < buffers_at + 0x6000; address += 4) other.store(address, rig.load(address));
  other.reset_guc();
  Archive loaded(saved.output());
  other.registers.state(loaded);
  other.interrupts->state(loaded);
  other.guc->state(loaded);
  REQUIRE(loaded.error().empty());
  CHECK(other.read(0xc000) == ready);
  other.head = rig.head;
  other.write(other.chip.notify, 1);
  CHECK(other.receive() == Message{2 << 16 | 1, success});
  CHECK(other.read(0xc1dc) == 1);
  CHECK_FALSE(other.transfer_guc());
}

TEST_CASE("guc: a spoilt saved state is refused, or harmless") {
  BufferRig rig, other;
  Archive saved;
  rig.guc->state(saved);
  const std::vector<std::byte> good = saved.take();
  unsigned refused = 0;
  for (size_t at = 0; at + 4 <= good.size(); ++at) {
    std::vector<std::byte> bytes = good;
    std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(at), 4, std::byte{0xff});
    Archive loaded(bytes);
    other.guc->state(loaded);
    if (loaded.failed()) ++refused, other.guc->reset();
    other.queue(1, 0, {0x40, 0});
    other.write(other.chip.notify, 1);
  }
  CHECK(refused > 8);
}

TEST_CASE(
    "guc: translations are invalidated, and an event has the number that the host gave") {  // intel_guc_ct.c, intel_guc_tlb_invalidation_done()
  BufferRig rig;
  const auto generation = [&] { return rig.tlb.value().load(); };
  for (const uint32_t kind : {0u, 1u, 2u, 3u}) {  // XE_GUC_TLB_INVAL_*; heavy, with the caches
    const uint64_t before = generation();
    rig.send(9, 2, {0x7000, 0x1234 + kind, kind | 1u << 31});
    CHECK(rig.receive() == Message{2, 0x9000'7001, 0x1234 + kind});
    CHECK((generation() != before) == (kind != 3));  // the last is the GuC's own
    CHECK(rig.receive().empty());
  }
  rig.send(9, 2, {0x7000, 7, 1, 0x55, 0x1000, 0, 3});  // xe: address space, address, length
  CHECK(rig.receive() == Message{2, 0x9000'7001, 7});
  rig.send(9, 0, {0x7000, 7, 4});
  CHECK(rig.receive() == Message{9 << 16 | 1, failure | 0x60});
  rig.send(9, 0, {0x7000, 7});
  CHECK(rig.receive() == Message{9 << 16 | 1, failure | 0x60});
}
