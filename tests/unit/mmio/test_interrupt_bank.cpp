// SPDX-License-Identifier: GPL-2.0-or-later
// The rules of the GT's interrupts, one by one (TGL PRM vol 13, "Interrupt Aggregating Logic", whose sentences the tests quote).
#include "hw/base/log.h"
#include "hw/mmio/interrupts/bank.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"

using namespace softgen;
using namespace softgen::mmio;

namespace {

constexpr unsigned a = 3, b = 15;
constexpr uint32_t a_bit = 1u << a, b_bit = 1u << b;

struct Bank : InterruptBank {
  Bank() {
    quiet_log();
    set_open(a, 0xffff);
    set_open(b, 0xffff);
  }
  /// As a driver: what it finds for a source of its snapshot.
  std::optional<Events> serve(unsigned source) {
    const auto events = select(1u << source);
    if (events) end_service();
    return events;
  }
};

}  // namespace

TEST_CASE("bank: events collapse in a register of the source, and make one event of the second level") {
  // "Unmasked events in the per-Instance Collapsing Register are OR-ed together to produce a single second level interrupt event."
  Bank bank;
  bank.post(a, 1);
  bank.post(a, 0x100);
  bank.post(a, 1);
  CHECK(bank.read() == a_bit);
  CHECK(bank.serve(a) == 0x101);
  CHECK_FALSE(bank.clear(a_bit));
  CHECK(bank.read() == 0);
}

TEST_CASE("bank: masked events stay until they are unmasked") {
  // "Masked events remain in the per-Instance Collapsing Register until they are unmasked."
  Bank bank;
  bank.set_open(a, 0x100);
  bank.post(a, 1);
  CHECK(bank.read() == 0);
  bank.post(a, 0x100);
  CHECK(bank.read() == a_bit);
  CHECK(bank.serve(a) == 0x100);  // "presents all the unmasked interrupt bits"
  CHECK_FALSE(bank.clear(a_bit));
  bank.set_open(a, 0x101);
  CHECK(bank.read() == a_bit);
  CHECK(bank.serve(a) == 1);
}

TEST_CASE("bank: masking again what the second level has reported leaves its bit, without the event") {
  Bank bank;
  bank.post(a, 1);
  bank.set_open(a, 0);
  CHECK(bank.read() == a_bit);
  CHECK(bank.serve(a) == 0);
  CHECK_FALSE(bank.clear(a_bit));
}

TEST_CASE("bank: what software reads does not change while it serves it") {
  // "A snapshot of events is taken when SW reads the IIR. From the time of read to the time of SW completely clearing the second-level IIR (to
  // indicate end of service), all incoming interrupts are logged in a secondary storage structure."
  Bank bank;
  bank.post(a, 1);
  CHECK(bank.read() == a_bit);
  bank.post(b, 1);
  CHECK(bank.read() == a_bit);
  CHECK(bank.serve(a) == 1);
  // "If events exist in the secondary storage at the time that the IIR is completely cleared, a second DW-level event will be generated."
  CHECK(bank.clear(a_bit));
  CHECK(bank.pending());
  CHECK(bank.read() == b_bit);
  CHECK(bank.serve(b) == 1);
  CHECK_FALSE(bank.clear(b_bit));
  CHECK_FALSE(bank.pending());
}

TEST_CASE("bank: before software has read there is no secondary storage") {
  Bank bank;
  bank.post(a, 1);
  bank.post(b, 1);
  CHECK(bank.read() == (a_bit | b_bit));
}

TEST_CASE("bank: bits may be cleared one by one, and the secondary storage waits for the last") {
  // "This clearing can be done after each iteration [...], or all at once after all engines have been serviced."
  Bank bank;
  bank.post(a, 1);
  bank.post(b, 2);
  CHECK(bank.read() == (a_bit | b_bit));
  CHECK(bank.serve(a) == 1);
  CHECK_FALSE(bank.clear(a_bit));
  bank.post(a, 4);
  CHECK(bank.read() == b_bit);
  CHECK(bank.serve(b) == 2);
  CHECK(bank.clear(b_bit));
  CHECK(bank.read() == a_bit);
  CHECK(bank.serve(a) == 4);
}

TEST_CASE("bank: an event between the reading and the selection is served with the others, and announced again") {
  Bank bank;
  bank.post(a, 1);
  CHECK(bank.read() == a_bit);
  bank.post(a, 2);
  CHECK(bank.serve(a) == 3);
  CHECK(bank.clear(a_bit));  // the secondary storage has it
  CHECK(bank.read() == a_bit);
  CHECK(bank.serve(a) == 0);
  CHECK_FALSE(bank.clear(a_bit));
}

TEST_CASE("bank: a source whose bit was cleared may be selected again in the same service") {
  // "Selector must not have a bit set that is not set in the second-level IIR at the time of SW read": it was.
  Bank bank;
  bank.post(a, 1);
  bank.post(b, 1);
  CHECK(bank.read() == (a_bit | b_bit));
  CHECK(bank.serve(a) == 1);
  CHECK_FALSE(bank.clear(a_bit));
  bank.post(a, 4);
  CHECK(bank.serve(a) == 4);
  CHECK(bank.read() == b_bit);  // another reading
  CHECK_FALSE(bank.select(a_bit));
  CHECK(bank.serve(b) == 1);
  CHECK(bank.clear(b_bit));
  CHECK(bank.read() == a_bit);  // the secondary storage has the event that was served already
  CHECK(bank.serve(a) == 0);
  CHECK_FALSE(bank.clear(a_bit));
}

TEST_CASE("bank: an event after the selection waits for the next round, in this service or a later one") {
  // "Multiple rounds of Selector write-Shared IIR clear may be required to service a DW level interrupt a single time."
  Bank bank;
  bank.post(a, 1);
  CHECK(bank.read() == a_bit);
  CHECK(bank.select(a_bit) == 1);
  bank.post(a, 1);
  bank.end_service();
  CHECK(bank.serve(a) == 1);
}

TEST_CASE("bank: the selector is one-hot, of the snapshot, and one at a time") {
  // "Note that the Selector data must be one-hot. Selector must not have a bit set that is not set in the second-level IIR at the time of SW read."
  Bank bank;
  bank.post(a, 1);
  bank.post(b, 1);
  CHECK(bank.read() == (a_bit | b_bit));
  const uint64_t before = failure_count(Failure::guest_error, "interrupt selector");
  for (const uint32_t selector : {0u, a_bit | b_bit, 1u, ~0u}) CHECK_FALSE(bank.select(selector));
  // "SW must then service engines one at a time", each until it has cleared Data Valid.
  CHECK(bank.select(a_bit) == 1);
  CHECK_FALSE(bank.select(b_bit));
  CHECK(failure_count(Failure::guest_error, "interrupt selector") == before + 5);
  bank.end_service();
  CHECK(bank.select(b_bit) == 1);
}

TEST_CASE("bank: a bit that is cleared without service comes again, as its events are still there") {
  // "Second-level IIR bits must not be cleared without first servicing that engine's interrupts": what happens then is chosen.
  Bank bank;
  bank.post(a, 1);
  CHECK(bank.read() == a_bit);
  CHECK(bank.clear(a_bit));
  CHECK(bank.read() == a_bit);
  CHECK_FALSE(bank.clear(0));
  CHECK(bank.serve(a) == 1);
}
