// SPDX-License-Identifier: GPL-2.0-or-later
// Replicated registers, rule by rule (TGL PRM vol 13, "Force Wake and Steering Table" and "Multicast Steering and Die Recovery", whose sentences the tests
// quote). Bits of the steering registers: i915 gt/intel_gt_regs.h, GEN11_MCR_*.
#include <utility>
#include <vector>

#include "hw/mmio/register_file.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"

using namespace softgen;
using namespace softgen::mmio;

namespace {

constexpr uint32_t multicast = 1u << 31, host_selector = 0xfdc, streamer_selector = 0x20cc;
constexpr uint32_t steer(uint32_t instance, uint32_t slice = 0) { return slice << 27 | instance << 24; }

struct Steered {
  const defs::RegisterSet& set = defs::gen12::registers;
  RegisterFile file{set};
  Steered() { quiet_log(); }

  /// Through the host's steering register. Masked registers: all bits.
  void write(uint32_t selector, uint32_t offset, uint32_t value) {
    file.write(host_selector, selector);
    const defs::Register* row = set.find(offset);
    file.write(offset, row && row->masked ? 0xffff'0000 | value : value);
  }
  uint32_t read(uint32_t selector, uint32_t offset) {
    file.write(host_selector, selector);
    return file.read(offset);
  }
};

/// A register of each group.
constexpr struct {
  uint32_t offset, instances;
  uint32_t fuse, all_but_first, all_but_second;  ///< the fuse's value without instance 0, 1; fuse 0: "all instances are always present"
} groups[] = {{0x9524, 6, 0x913c, 0x3e, 0x3d}, {0xe49c, 6, 0x913c, 0x3e, 0x3d}, {0xb1c0, 8, 0x9118, 0x11, 0x22}, {0xb08, 2, 0, 0, 0}};

}  // namespace

// "Default: 1. Note: The multicast field has no impact for a non-replicated target." The manual has no other fields: "Reserved: Writes are ignored. Reads return
// zero" ("Terminology").
TEST_CASE_METHOD(Steered, "steering: multicast after reset, each initiator's own, and nothing to registers of one instance") {
  for (const uint32_t selector : {0xfd0u, 0xfd4u, 0xfd8u, 0xfdcu, 0xc060u, streamer_selector}) {
    CAPTURE(set.name_of(selector));
    CHECK(file.read(selector) == multicast);
    file.write(selector, 0x7fff'ffff);
    CHECK(file.read(selector) == 0x7f00'0000);
    for (const EngineId engine : {EngineId::rcs, EngineId::bcs, EngineId::vcs0}) CHECK_FALSE(file.is_nonpriv_writable(engine, selector));
    file.write(selector, multicast);
  }
  file.write(0x9524, 0x77);
  file.write(host_selector, steer(7));
  CHECK(file.read(0x9524) == 0);
  CHECK(file.read(0x9524, Initiator::streamer) == 0x77);
  file.write(streamer_selector, steer(6));
  CHECK(file.read(0x9524, Initiator::streamer) == 0);
  file.write(0x9524, 0x88, Initiator::streamer);
  CHECK(file.peek(0x9524) == 0x77);
  file.write(0x9424, 0x99);
  CHECK(file.read(0x9424) == 0x99);
}

// "Multicast write access - write goes to all instances; sliceid/subsliceid fields are ignored. Multicast read access [...] message channel selects single
// instance's response as the final read return. Unicast [...] only the instance specified in the steering register."
TEST_CASE_METHOD(Steered, "steering: a multicast write is in all instances, and a read gets the selected one's") {
  for (const auto& group : groups) {
    CAPTURE(set.name_of(group.offset));
    write(multicast | steer(7, 3), group.offset, 0x1234);
    for (uint32_t instance = 0; instance < 8; ++instance)
      for (const uint32_t mode : {0u, multicast})
        CHECK(read(mode | steer(instance), group.offset) == (instance < group.instances ? 0x1234 : 0));
    CHECK(read(steer(0, 1), group.offset) == 0);  // there is one slice
  }
}

// "Unicast write access - write goes to only the instance specified in the steering register".
TEST_CASE_METHOD(Steered, "steering: a unicast write is in one instance") {
  for (const auto& group : groups) {
    CAPTURE(set.name_of(group.offset));
    write(multicast, group.offset, 0x1000);
    for (uint32_t instance = 0; instance < group.instances; ++instance) {
      write(steer(instance), group.offset, 0x2000 + instance);
      for (uint32_t other = 0; other < group.instances; ++other)
        CHECK(read(steer(other), group.offset) == (other <= instance ? 0x2000 + other : 0x1000));
    }
    CHECK(file.peek(group.offset) == 0x2000);
    write(multicast, group.offset, 0x3000);
    for (uint32_t instance = 0; instance < group.instances; ++instance) CHECK(read(steer(instance), group.offset) == 0x3000);
  }
}

// Masked registers: each instance has bits of its own, and a multicast write changes in each those that it selects.
TEST_CASE_METHOD(Steered, "steering: the mask of a write is applied in each instance") {
  constexpr uint32_t row_chicken = 0xe4f4;
  REQUIRE(set.find(row_chicken)->masked);
  for (uint32_t instance = 0; instance < 6; ++instance) {
    file.write(host_selector, steer(instance));
    file.write(row_chicken, 1u << (16 + instance) | 1u << instance);
  }
  file.write(host_selector, multicast);
  file.write(row_chicken, 0x8000'8000);
  for (uint32_t instance = 0; instance < 6; ++instance) CHECK(read(steer(instance), row_chicken) == (0x8000u | 1u << instance));
}

// "If an instance is disabled [...] reads from that instance will return 0s and writes are silently dropped." "Terminated/disabled when the corresponding
// dss_enable bit is '0'"; "[...] when corresponding fuse_gt_l3disable bit is 'disable'", which is "replicated into [3:0] and [7:4]".
TEST_CASE_METHOD(Steered, "steering: an access to a disabled instance reads 0 and writes nothing") {
  for (const auto& group : groups) {
    if (!group.fuse) continue;
    CAPTURE(set.name_of(group.offset));
    const uint32_t all = file.peek(group.fuse);
    write(multicast, group.offset, 0x1234);
    file.poke(group.fuse, group.all_but_second);
    CHECK(read(steer(1), group.offset) == 0);
    CHECK(read(multicast | steer(1), group.offset) == 0);
    if (group.fuse == 0x9118) CHECK(read(steer(5), group.offset) == 0);
    CHECK(read(steer(2), group.offset) == 0x1234);
    write(steer(1), group.offset, 0x5555);
    CHECK(read(steer(0), group.offset) == 0x1234);
    write(multicast | steer(1), group.offset, 0x4321);
    CHECK(read(steer(0), group.offset) == 0x4321);
    file.poke(group.fuse, all);
  }
}

// "The default hardware behavior is to return data from instance that corresponds with sliceid/subsliceid = 0. If that instance is disabled, message channel will
// return a dummy response (0). In order to get correct/valid value the steering registers must be used to access a valid instance." "GT hardware is aware of
// the fuses and internally targets reads for context save toward the first enabled instance."
TEST_CASE_METHOD(Steered, "steering: without instance 0 the default reads 0, and contexts find the first that is there") {
  for (const auto& group : groups) {
    if (!group.fuse) continue;
    CAPTURE(set.name_of(group.offset));
    const uint32_t all = file.peek(group.fuse);
    file.poke(group.fuse, group.all_but_first);
    write(multicast, group.offset, 0x1111);
    CHECK(file.read(group.offset) == 0);
    CHECK(read(multicast | steer(1), group.offset) == 0x1111);
    write(steer(2), group.offset, 0x3333);
    CHECK(file.read(group.offset, Initiator::context) == 0x1111);
    write(steer(1), group.offset, 0x2222);
    CHECK(file.read(group.offset, Initiator::context) == 0x2222);
    CHECK(file.peek(group.offset) == 0x2222);  // what the units take
    // A restore is for all.
    const uint32_t restored = set.find(group.offset)->masked ? 0xffff'4444 : 0x4444;
    file.write(group.offset, restored, Initiator::context);
    for (const uint32_t instance : {1u, 2u, 3u}) CHECK(read(steer(instance), group.offset) == 0x4444);
    file.poke(group.fuse, all);
  }
}

TEST_CASE_METHOD(Steered, "steering: a byte that is written to one instance leaves its other bytes") {
  write(multicast, 0x9524, 0x1111'1111);
  write(steer(3), 0x9524, 0x3333'3333);
  file.write(0x9525, 0x77, 1);
  CHECK(read(steer(3), 0x9524) == 0x3333'7733);
  CHECK(read(steer(2), 0x9524) == 0x1111'1111);
}

TEST_CASE_METHOD(Steered, "steering: a streamer's unicast goes by its own steering register") {
  file.write(streamer_selector, steer(3));
  file.write(0x9524, 0x30, Initiator::streamer);
  CHECK(file.read(0x9524, Initiator::streamer) == 0x30);
  CHECK(read(multicast, 0x9524) == 0);
  CHECK(read(steer(3), 0x9524) == 0x30);
}

TEST_CASE_METHOD(Steered, "steering: a reset makes the instances alike") {
  for (const uint32_t offset : {0x9524u, 0xe49cu}) {
    CAPTURE(set.name_of(offset));
    write(steer(3), offset, 0x30);
    const defs::ResetDomain domain = set.find(offset)->domain;
    file.reset(1u << static_cast<unsigned>(domain));
    CHECK(read(steer(3), offset) == set.find(offset)->reset);
    write(steer(3), offset, 0x30);
    file.reset();
    CHECK(read(steer(3), offset) == set.find(offset)->reset);
  }
}

TEST_CASE_METHOD(Steered, "steering: instances survive save and load, and those that are not there are refused") {
  write(multicast, 0x9524, 1);
  write(steer(0), 0x9524, 2);
  write(steer(5), 0x9524, 3);
  Archive out;
  file.state(out);
  RegisterFile copy(set);
  copy.write(host_selector, steer(1));
  copy.write(0xb1c0, 9);
  Archive in(out.output());
  copy.state(in);
  REQUIRE_FALSE(in.failed());
  constexpr uint32_t expected[] = {2, 1, 1, 1, 1, 3};
  for (uint32_t instance = 0; instance < 6; ++instance) {
    copy.write(host_selector, steer(instance));
    CHECK(copy.read(0x9524) == expected[instance]);
  }
  copy.write(host_selector, steer(1));
  CHECK(copy.read(0xb1c0) == 0);
  // The last value's place, instance 5 of 9524h: instance 6; no replicated register; beyond the space.
  for (const auto& [from_end, byte] : {std::pair{8, 0x26}, {7, 0xb4}, {5, 0x7f}}) {
    std::vector<std::byte> bytes = out.output();
    bytes[bytes.size() - static_cast<size_t>(from_end)] = static_cast<std::byte>(byte);
    Archive bad(bytes);
    copy.state(bad);
    CHECK(bad.failed());
  }
}
