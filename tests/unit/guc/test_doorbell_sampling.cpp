// SPDX-License-Identifier: GPL-2.0-or-later
// How the doorbells' lines are observed (docs/guc.md), and the doorbells' saved state.
#include <vector>

#include "hw/base/archive.h"
#include "tests/unit/guc/bell_rig.h"

using namespace softgen;
using namespace softgen::guc::test;

namespace {

constexpr int64_t us = 1000;

}  // namespace

TEST_CASE("doorbells: lines are looked at by a timer that slows down while nothing rings") {
  BellRig rig;
  rig.bells->look();
  CHECK_FALSE(rig.timer);  // nothing is armed
  rig.arm(0);
  REQUIRE(rig.timer == 50 * us);
  rig.host.now = *rig.timer;
  for (const int64_t interval : {100, 200, 400, 800, 1600, 2000, 2000}) {
    rig.bells->look();
    REQUIRE(rig.timer == rig.host.now + interval * us);
    rig.host.now = *rig.timer;
  }
  rig.write_cookie(0, 1);
  rig.bells->look();
  CHECK(rig.status(0) == 1);
  CHECK(rig.timer == rig.host.now + 50 * us);
  rig.timer.reset();
  rig.write_cookie(0, 2);
  rig.host.now += 10 * us;
  rig.bells->look();  // the timer of somebody else: it asks for its own again
  CHECK(rig.bells->rung_groups() == 1);
  CHECK(rig.timer == rig.host.now + 40 * us);
  rig.write_line(BellRig::line_of(0), 0, 2);
  rig.host.now = *rig.timer;
  rig.timer.reset();
  rig.bells->look();
  CHECK_FALSE(rig.timer);  // none is armed any more
}

TEST_CASE("doorbells: what the host reads of the GuC looks at the lines, and hurries the timer") {
  BellRig rig;
  rig.arm(0);
  rig.host.now = 50 * us;
  rig.bells->look();
  rig.write_cookie(0, 1);
  rig.registers.read(0xc000);
  CHECK(rig.log == "wm");
  CHECK(rig.timer == rig.host.now + 50 * us);
  CHECK(rig.registers.read(0xc000) == 1);  // GUC_STATUS is what it was
}

TEST_CASE("doorbells: their state is saved") {
  BellRig rig, other;
  rig.arm(0);
  rig.arm(200);
  rig.ring(0, 7);
  rig.bells->route_to_guc(false);
  rig.ring(200, 7);
  Archive saved;
  rig.bells->state(saved);
  const std::vector<std::byte> bytes = saved.take();
  other.write_cookie(0, 7);
  other.write_cookie(200, 7);
  other.arm(9);
  Archive loaded(bytes);
  other.bells->state(loaded);
  REQUIRE_FALSE(loaded.failed());
  CHECK(other.timer == 50 * us);
  CHECK_FALSE(other.is_valid(9));
  CHECK(other.is_valid(0));
  CHECK(other.bells->rung_groups() == (1u << 0 | 1u << 6));
  CHECK(other.status(6) == 1u << 8);
  CHECK(other.log.empty());
  other.bells->route_to_guc(true);
  other.bells->sample();  // no cookie has moved; the message was due
  CHECK(other.log == "m");
  Archive cut{std::span(bytes).first(100)};
  other.bells->state(cut);
  CHECK(cut.failed());
}
