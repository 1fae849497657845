// SPDX-License-Identifier: GPL-2.0-or-later
// What is known of parents with children: their registration (i915 gt/uc/intel_guc_submission.c), records, saved states.
#include "hw/base/archive.h"
#include "tests/unit/guc/group_rig.h"

using namespace softgen;
using namespace softgen::guc::test;

namespace {

constexpr EngineId first = GroupRig::first, second = GroupRig::second;

}  // namespace

TEST_CASE("guc: a group is deregistered with its children once it has left, and its ids are free") {
  GroupRig rig;
  rig.run(6);
  const auto refused = [&](std::initializer_list<uint32_t> action, uint32_t error) {
    rig.do_request(action);
    return rig.answers == std::vector<Message>{{rig.fence << 16 | 1, failure | error}};
  };
  CHECK(refused({0x4502, 1, 7, 0, 1, 0, 0, 0, 0, 0, 0x119, 0}, 0x0a));  // the child's id
  rig.send(0, 1, {0x4503, 6});
  rig.take_on(second);
  CHECK(rig.receive().empty());
  rig.take_on(first);
  CHECK(rig.got({0x9000'4600, 6}));  // the host knows the parent alone: intel_guc_deregister_done_process_msg()
  CHECK(rig.receive().empty());
  CHECK(refused({0x1000, 6}, 0x0a));
  rig.add(7);
  rig.add_group(6);  // a context that is known and off makes room
  rig.add(7);        // and so does a group
  CHECK(refused({0x1000, 6}, 0x0a));
}

TEST_CASE("guc: requests name parents, not children") {  // their __guc_action_*() begin with GEM_BUG_ON(intel_context_is_child(ce))
  GroupRig rig;
  rig.add_group(6);
  for (const std::initializer_list<uint32_t> action :
       {std::initializer_list<uint32_t>{0x1001, 7, 1}, {0x1001, 7, 0}, {0x1000, 7}, {0x4503, 7}, {0x100b, 7, 0x2003 << 16 | 1, 0}}) {
    rig.do_request(action);
    CHECK(rig.answers == std::vector<Message>{{rig.fence << 16 | 1, failure | 0x0a}});
  }
}

TEST_CASE("guc: registrations of groups that make no sense are refused") {
  GroupRig rig;
  constexpr uint32_t descriptor = GroupRig::descriptor_of(1), queue = GroupRig::queue_of(1), image = GroupRig::image_of(1);
  const auto refused = [&](std::initializer_list<uint32_t> action, uint32_t error) {
    rig.do_request(action);
    return rig.answers == std::vector<Message>{{rig.fence << 16 | 1, failure | error}};
  };
  CHECK(rig.register_group(1, video, 2) == (failure | 0x60));  // no neighbour
  CHECK(rig.register_group(1, render) == (failure | 0x60));
  CHECK(rig.register_group(1, 5) == (failure | 0x60));                                         // no such class
  CHECK(rig.register_group(0xfffe) == (failure | 0x60));                                       // the child has no id
  CHECK(refused({0x4601, 1, 1, video, 1, descriptor, 0, queue, 0, 2048, 0}, 0x60));            // none
  CHECK(refused({0x4601, 1, 1, video, 1, descriptor, 0, queue, 0, 2048, 2, image, 0}, 0x60));  // an address is missing
  CHECK(refused({0x4601, 1, 1, video, 1, descriptor, 0, queue, 0, 2048, 0x80000001, image, 0}, 0x60));
  CHECK(refused({0x4601, 1, 1, video, 1, descriptor, 0, queue, 0, 2048, 1, image, 1}, 0x60));
  CHECK(refused({0x4601, 1, 1, video}, 0x60));
  for (const uint32_t address : {0x1000u, 0xfedf'fffcu, descriptor + 2})
    CHECK(refused({0x4601, 1, 1, video, 1, address, 0, queue, 0, 2048, 1, image, 0}, 0x80));
  CHECK(refused({0x4601, 1, 1, video, 1, descriptor, 1, queue, 0, 2048, 1, image, 0}, 0x80));
  CHECK(refused({0x4601, 1, 1, video, 1, descriptor, 0, 0xfedf'f900, 0, 2048, 1, image, 0}, 0x80));
  for (const uint32_t bytes : {0u, 6u, 0x10000u})
    CHECK(refused({0x4601, 1, 1, video, 1, descriptor, 0, queue, 0, bytes, 1, image, 0}, 0x80));
  CHECK(refused({0x4601, 1, 1, video, 1, descriptor, 0, queue, 0, 2048, 1, 0xfedf'f000, 0}, 0x80));
  CHECK(refused({0x4601, 1, 1, video, 1, descriptor, 0, queue, 0, 2048, 1, 0x1000, 0}, 0x80));
  rig.add(1);
  rig.set_mode(1, 1);
  CHECK(rig.register_group(1) == (failure | 0x0a));
  CHECK(rig.register_group(0) == (failure | 0x0a));
}

namespace {

/// Firmware 69, with contexts as i915 6.1 registers them there: prepare_context_registration_info_v69(), in a pool of descriptors in memory.
struct RigV69 : GroupRig {
  static constexpr uint32_t pool = buffers_at + 0x60000;
  static constexpr uint32_t at(uint32_t id) { return pool + id * 128; }
  RigV69() : GroupRig(0x450003) {}
  void describe(uint32_t id, uint32_t cls, uint32_t mask) {
    for (uint32_t offset = 0; offset < 128; offset += 4) store(at(id) + offset, 0);
    store(at(id), image_of(id) | 0x119);
    store(at(id) + 12, mask), store(at(id) + 16, 0x77777700 | cls), store(at(id) + 20, 2);
    store(at(id) + 40, 30'000), store(at(id) + 44, 640'000);
  }
  uint32_t request(std::initializer_list<uint32_t> action) {
    do_request(action);
    return answers.at(0).at(1);
  }
};

}  // namespace

TEST_CASE("guc: version 69 has a context's registration in memory, with its policies") {
  RigV69 rig;
  rig.describe(3, render, 1), rig.describe(4, render, 1);
  CHECK(rig.request({0x4502, 3, RigV69::at(3)}) == success);
  CHECK(rig.request({0x4502, 4, RigV69::at(4)}) == success);
  rig.set_mode(3, 1);
  REQUIRE(rig.in_port() == GroupRig::image_of(3));
  rig.take();
  CHECK(rig.engines.wakes.back() == rig.host.now + 30 * ms);
  rig.set_mode(4, 1);
  CHECK(rig.none_listed());
  CHECK(rig.request({0x1005, 4, 1}) == success);  // __guc_context_set_prio()
  CHECK(rig.in_port() == GroupRig::image_of(4));
  rig.take();
  CHECK(rig.request({0x1006, 3, 40'000}) == success);
  CHECK(rig.request({0x1007, 3, 1}) == success);
  rig.complete();
  rig.take();
  CHECK(rig.engines.wakes.back() == rig.host.now + 40 * ms);
  rig.set_mode(3, 0);
  rig.advance(20 * ms);
  CHECK(rig.engines.resets.size() == 1);
}

TEST_CASE("guc: version 69's parents have their queue in a process descriptor") {  // struct guc_process_desc_v69
  RigV69 rig;
  rig.prepare_queue(6);
  rig.store(GroupRig::descriptor_of(6) + 12, 0);
  rig.store(GroupRig::descriptor_of(6) + 36, 1);
  rig.describe(6, video, 1), rig.describe(7, 0, 0);
  rig.store(RigV69::at(6) + 24, GroupRig::descriptor_of(6));
  rig.store(RigV69::at(6) + 28, GroupRig::queue_of(6));
  rig.store(RigV69::at(6) + 32, 2048);
  CHECK(rig.request({0x4601, 6, 2, RigV69::at(6), RigV69::at(7)}) == success);
  rig.append(6, 0x40, 0x48);
  rig.store(GroupRig::descriptor_of(6) + 4, 0);
  rig.store(GroupRig::descriptor_of(6) + 16, 20);
  rig.set_mode(6, 1);
  rig.schedule(6);
  CHECK(rig.both_listed(6));
  CHECK(rig.tail_in_image(7) == 0x48);
  CHECK(rig.load(GroupRig::descriptor_of(6) + 12) == 20);
  rig.store(GroupRig::descriptor_of(6) + 16, 24);
  CHECK(rig.request({0x1000, 6}) == (failure | 0x60));
  CHECK(rig.load(GroupRig::descriptor_of(6) + 20) == 20);
  CHECK(rig.load(GroupRig::descriptor_of(6) + 36) == 3);
}

TEST_CASE("guc: each version has its own form of registrations") {
  RigV69 rig;
  rig.describe(3, render, 1);
  CHECK(rig.request({0x4502, 1, 1, render, 1, 0, 0, 0, 0, 0, 0x119, 0}) == (failure | 0x60));
  CHECK(rig.request({0x4502, 3}) == (failure | 0x60));
  CHECK(rig.request({0x4601, 3, 2, RigV69::at(3)}) == (failure | 0x60));
  CHECK(rig.request({0x4601, 3, 0}) == (failure | 0x60));
  CHECK(rig.request({0x4601, 3, 0xffff'ffff, RigV69::at(3)}) == (failure | 0x60));
  for (const uint32_t address : {0x1000u, 0xfedf'ffc0u, RigV69::at(3) + 2}) CHECK(rig.request({0x4502, 3, address}) == (failure | 0x80));
  CHECK(rig.request({0x1005, 9, 1}) == (failure | 0x0a));
  GroupRig newer;
  newer.do_request({0x1005, 9, 1});
  CHECK(newer.answers.at(0).at(1) == (failure | 0x30));
}

TEST_CASE("guc: records of engines' use have the ids behind the parent's for children") {  // __guc_action_register_multi_lrc_v70(): next_id
  GroupRig rig;
  constexpr uint32_t table = buffers_at + 0x10000;
  rig.do_request({0x550a, table, 0});
  rig.run(6);
  CHECK(rig.load(table + (1 * 32 + 0) * 32) == 6);
  CHECK(rig.load(table + (1 * 32 + 1) * 32) == 7);
}

namespace {

/// Another GuC with the state and the memory of `rig`.
std::string load_into(GroupRig& other, GroupRig& rig, std::vector<std::byte> bytes) {
  for (uint32_t address = buffers_at; address < buffers_at + 0xc0000; address += 4) other.store(address, rig.load(address));
  Archive loaded(bytes);
  other.guc->state(loaded);
  other.tail = rig.tail, other.head = rig.head, other.on_engine = rig.on_engine, other.queue_tail = rig.queue_tail;
  other.engines.lists = rig.engines.lists;
  return loaded.error();
}

std::vector<std::byte> saved(GroupRig& rig) {
  Archive archive;
  rig.guc->state(archive);
  return archive.take();
}

}  // namespace

TEST_CASE("guc: a saved state has groups on engines and groups that wait") {
  GroupRig rig;
  rig.run(6);
  rig.prepare_queue(10);
  rig.add_group(10);
  rig.start(10);
  rig.complete(second);
  GroupRig other;
  REQUIRE(load_into(other, rig, saved(rig)).empty());
  CHECK(other.none_listed());
  other.complete(first);
  REQUIRE(other.both_listed(10));
  other.take_both();
  other.set_mode(10, 0);
  other.take_both();
  CHECK(other.mode_done(10, 0));
}

TEST_CASE("guc: a saved state of groups that contradicts itself is refused") {
  GroupRig rig;
  rig.run(6);
  const std::vector<std::byte> good = saved(rig);
  // The group: id, members, queue with its descriptor first, flags.
  std::array<uint32_t, 3> begin = {6, 2, GroupRig::descriptor_of(6)};
  const auto bytes_of_begin = std::as_bytes(std::span(begin));
  const auto found = std::ranges::search(good, bytes_of_begin);
  REQUIRE_FALSE(found.empty());
  const auto at = static_cast<size_t>(found.begin() - good.begin());
  const auto fails = [&](size_t offset, uint8_t value) {
    std::vector<std::byte> bytes = good;
    bytes[offset] = std::byte{value};
    GroupRig other;
    return !load_into(other, rig, bytes).empty();
  };
  CHECK(fails(at, 7));  // whose child is unknown
  CHECK(fails(at + 4, 0));
  CHECK(fails(at + 4, 7));
  CHECK(fails(at + 15, 1));  // the descriptor above 4 GiB
  CHECK(fails(at + 29, 1));  // it waits, and runs
}
