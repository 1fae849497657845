// SPDX-License-Identifier: GPL-2.0-or-later
// Reset and saved state of the whole device.
#include "endless_work.h"
#include "hw/debug/byte_source.h"
#include "hw/mmio/register_file.h"
#include "tests/unit/gt/fake_host.h"

using namespace softgen;
using softgen::test::FakeHost;
using namespace softgen::test;

namespace {

/// Every kind of state that a driver sets.
void disturb(FakeHost& host) {
  host.write(0x1ffffc, 7);
  host.masked(reg::FORCEWAKE_RENDER, 1);
  host.write(reg::FENCE(0, 1), 3);
  host.write(reg::FENCE(0, 0), 1);
  host.map(0, 0x4000, 4);
  host.write(reg::GT_IMR(0), 0);
  host.write(reg::GT_IER(0), ~0u);
  host.write(reg::MASTER_INT_CTL, 1u << 31);
  host.write(reg::GEN6_PCODE_DATA, 0x050607);
  host.write(reg::GEN6_PCODE_MAILBOX, 1u << 31 | 8);
  host.write(reg::GFX_MOCS(5), 0x3b);
  host.write(0x80000 + 0x74, 0xd0);
  host.write(reg::RC_CONTROL, 1u << 18);
  host.masked(reg::FORCEWAKE_RENDER, 0, 1);
  host.advance(1'000'000);
  host.read(reg::GT_GFX_RC6);
}

}  // namespace

TEST_CASE("reset leaves no trace") {
  for (sg_reset_kind kind : {SG_RESET_POWER, SG_RESET_FLR}) {
    FakeHost host;
    const std::string fresh = host.save();
    disturb(host);
    CHECK((host.save() != fresh));
    sg_reset(host.device(), kind);
    CHECK((host.save() == fresh));
    CHECK_FALSE(host.level());
    CHECK(sg_aperture_page(host.device(), 0) == nullptr);
  }
}

TEST_CASE("a wake-up from suspend to RAM leaves the GGTT's entries alone") {
  FakeHost host, fresh;
  disturb(host);
  std::vector<uint32_t> entries;
  for (uint32_t offset = 0x800000; offset < 0x800100; offset += 4) entries.push_back(host.read(offset));
  CHECK(entries[0]);
  sg_reset(host.device(), SG_RESET_WAKEUP);
  for (uint32_t i = 0; i < entries.size(); ++i) {
    CHECK(host.read(0x800000 + i * 4) == entries[i]);
    host.write(0x800000 + i * 4, 0);
  }
  CHECK((host.save() == fresh.save()));
}

TEST_CASE("a saved state makes the other device the same") {
  FakeHost one, other;
  disturb(one);
  const std::string saved = one.save();
  other.write(0x1ffff8, 9);
  CHECK(other.load(saved) == "");
  CHECK((other.save() == saved));
  CHECK(other.read(0x1ffffc) == 7);
  CHECK(other.read(0x1ffff8) == 0);
  CHECK(other.read(reg::FENCE(0, 1)) == 3);
  CHECK(other.read(reg::GT_IER(0)) == ~0u);
}

TEST_CASE("a damaged state is refused with a message and leaves a reset device") {
  FakeHost host;
  const std::string fresh = host.save();
  disturb(host);
  const std::string saved = host.save();
  for (size_t size : {size_t{0}, size_t{3}, size_t{20}, saved.size() / 2, saved.size() - 1}) {
    CHECK(host.load(saved.substr(0, size)) != "");
    CHECK((host.save() == fresh));
  }
  std::string other_chip = saved;
  other_chip[4 + 6 + 4] ^= 1;  // after the section's name and version: the PCI device id
  CHECK(host.load(other_chip).find("PCI device") != std::string::npos);
}

TEST_CASE("a state that an older build saved continues") {
  // Of commit e37dfd0 (23 November 2026), which wrote: the size of `ram`, the first bytes of memory, and the device's state with its render
  // engine at the semaphore of endless_work. Such a file is never regenerated: later formats must still read it.
  const auto source = debug::open_file(OLD_STATE);
  uint64_t size = 0;
  source->read(std::as_writable_bytes(std::span(&size, 1)));
  FakeHost host;
  REQUIRE(size <= FakeHost::ram_size);
  source->read({&host.ram<std::byte>(0), size});
  std::string saved(1 << 20, '\0');
  saved.resize(source->read(std::as_writable_bytes(std::span(saved))));
  host.write(reg::OACTXCONTROL, reg::field::OACTXCONTROL_COUNTER_RESUME.with(0, 1));
  host.write(reg::OACONTROL, reg::field::OACONTROL_ENABLE.with(0, 1));
  host.advance(1'000'000);
  CHECK(host.read(reg::OAPERF_TICKS) != 0);
  REQUIRE(host.load(saved) == "");
  CHECK(host.read(reg::OAPERF_TICKS) == 0);  // that build had no counters
  CHECK(host.read(0x1ffffc) == 7);
  CHECK(host.read(reg::FENCE(0, 1)) == 3);
  CHECK(host.read(reg::GFX_MOCS(5)) == 0x3b);
  CHECK(host.read(0x2000 + reg::RING_IPEHR) >> 16 == 0x0e40);
  CHECK(host.ram<uint32_t>(work_result) != work_finished);
  host.ram<uint32_t>(work_result + 8) = 1;  // what it waits for
  for (unsigned i = 0; i < 100 && host.ram<uint32_t>(work_result) != work_finished; i++) host.advance(1'000'000);
  CHECK(host.ram<uint32_t>(work_result) == work_finished);
}

TEST_CASE("the fault plan is not asked about vertical blanks that a load passes") {
  FakeHost host;
  host.write(reg::PWR_WELL_CTL(1), 0xaaaaaaaa);
  host.write(reg::DPLL_CTRL1, 1 | 2 << 1 | 0x21u << 6);
  host.write(reg::LCPLL1_CTL, 1u << 31);
  host.write(reg::gen9::DPLL_CFGCR1(0), 1u << 31 | 8192u << 9 | 371);
  host.write(reg::DPLL_CFGCR2(0), 3u << 8 | 1u << 7 | 1u << 5 | 1u << 2);
  host.write(reg::LCPLL2_CTL, 1u << 31);
  host.write(reg::DPLL_CTRL2, 3u << 3);
  host.write(reg::TRANS_HTOTAL(0), 1919 | 2199 << 16);
  host.write(reg::TRANS_VTOTAL(0), 1079 | 1124 << 16);
  host.write(reg::TRANS_VBLANK(0), 1079 | 1124 << 16);
  host.write(reg::TRANS_DDI_FUNC_CTL(0), 1u << 31 | 1u << 28);
  host.write(reg::TRANS_CONF(0), 1u << 31);
  const std::string saved = host.save();
  host.advance(100'000'000);
  FakeHost other;
  other.advance(100'000'000);
  REQUIRE(other.load(saved) == "");
  REQUIRE(other.read(reg::PIPE_FRMCNT(0)) == 6);
  REQUIRE(host.plan("on display.blank do drop") == "");
  REQUIRE(host.load(saved) == "");
  CHECK((host.save() == other.save()));
  host.advance(100'000'000);
  CHECK(host.read(reg::PIPE_FRMCNT(0)) == 6);  // it is asked again
}

TEST_CASE("behind a load the host's timer is what it was when the state was saved") {
  FakeHost host;
  const std::string idle = host.save();
  constexpr uint32_t expired = 1u << 6, iir = 0x44308;
  const auto start_watchdog = [&](uint32_t ticks) {
    host.masked(0xa278, 1);
    host.write(0x44304, ~expired), host.write(0x4430c, expired), host.write(0x20a8, ~expired);
    host.write(0x203c, 1), host.write(0x217c, ticks), host.write(0x2178, 1);
  };
  start_watchdog(24'000);
  const int64_t deadline = host.deadline(SG_TIMER_MISC);
  REQUIRE(deadline > host.now());
  const std::string armed = host.save();
  // A deadline of the time before the load does not count.
  REQUIRE(host.load(idle) == "");
  start_watchdog(48'000);
  CHECK(host.deadline(SG_TIMER_MISC) > deadline);
  FakeHost other;
  REQUIRE(other.load(armed) == "");
  CHECK(other.deadline(SG_TIMER_MISC) == deadline);
  other.advance(2'001'000);
  CHECK((other.read(iir) & expired));
}
