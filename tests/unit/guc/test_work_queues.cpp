// SPDX-License-Identifier: GPL-2.0-or-later
// Work queues and their items: i915 gt/uc/intel_guc_fwif.h, WQ_*; intel_guc_submission.c, __guc_wq_item_append(); xe/xe_guc_submit.c, wq_item_append().
#include "tests/unit/guc/group_rig.h"

using namespace softgen;
using namespace softgen::guc::test;

namespace {

constexpr uint32_t parent = 6, descriptor = GroupRig::descriptor_of(parent), image = GroupRig::image_of(parent);

struct QueueRig : GroupRig {
  QueueRig() { add_group(parent); }
  void set_indices(uint32_t head, uint32_t tail) { store(descriptor, head), store(descriptor + 4, tail); }
  /// The answer to a request to schedule.
  uint32_t answer() {
    do_request({0x1000, parent});
    return answers.at(0).at(1);
  }
  /// The item in the queue is refused, where it is.
  bool refuses() {
    const uint32_t head = load(descriptor);
    return answer() == (failure | 0x60) && load(descriptor) == head && load(descriptor + 8) == head && load(descriptor + 12) == 3;
  }
};

}  // namespace

TEST_CASE("guc: an item that is nonsense stays in the queue, whose descriptor says where and why") {
  const std::initializer_list<uint32_t> items[] = {
      {5 | 4 << 16, image | 0x119, parent | 8 << 18, 0},                // longer than what waits
      {5 | 3 << 16, image | 0x119, parent | 8 << 18, 0, 8},             // without the child
      {5 | 5 << 16, image | 0x119, parent | 8 << 18, 0, 8, 8},          // of more children
      {3 | 4 << 16, image | 0x119, parent | 8 << 18, 0, 8},             // WQ_TYPE_INORDER: of other versions
      {0, 0, 0, 0, 0},                                                  //
      {5 | 4 << 16, image | 0x119, (parent + 1) | 8 << 18, 0, 8},       // another context's
      {5 | 4 << 16, (image + 0x1000) | 0x119, parent | 8 << 18, 0, 8},  // another image
      {5 | 4 << 16, image | 0x119, parent | 8 << 18, 0, 0x4'0000},      // no ring is that long
      {4 | 0x7ff << 16},                                                // a NOOP of more than there is
  };
  for (const auto& item : items) {
    QueueRig rig;
    rig.store(GroupRig::image_of(parent) + 0x101c, 0x55);
    rig.put_item(parent, item);
    CHECK(rig.refuses());
    CHECK(rig.tail_in_image(parent) == 0x55);
    CHECK(rig.answer() == (failure | 0x0a));  // until it is registered anew
    rig.add_group(parent);
    rig.append(parent, 0x40, 0x40);
    CHECK(rig.answer() == success);
  }
}

TEST_CASE("guc: indices beyond a work queue are refused") {
  constexpr uint32_t indices[][2] = {{2048, 0}, {0, 2052}, {2, 20}, {0, 22}, {0xffff'fffc, 20}, {20, 0xffff'fffc}};
  for (const auto& [head, tail] : indices) {
    QueueRig rig;
    rig.set_indices(head, tail);
    CHECK(rig.refuses());
  }
}

TEST_CASE("guc: a queue that the host has not set active is not read") {  // WQ_STATUS_*
  for (const uint32_t status : {0u, 2u, 3u, 4u, 5u}) {
    QueueRig rig;
    rig.append(parent, 0x40, 0x40);
    rig.store(descriptor + 12, status);
    CHECK(rig.answer() == (failure | 0x0a));
    CHECK(rig.load(descriptor) == 0);
    CHECK(rig.load(descriptor + 12) == status);
  }
}

TEST_CASE("guc: items in front of one that is nonsense count") {
  QueueRig rig;
  rig.append(parent, 0x40, 0x48);
  rig.put_item(parent, {7});
  CHECK(rig.answer() == (failure | 0x60));
  CHECK(rig.tail_in_image(parent) == 0x40);
  CHECK(rig.tail_in_image(parent + 1) == 0x48);
  CHECK(rig.load(descriptor) == 20);
  CHECK(rig.load(descriptor + 8) == 20);
}

TEST_CASE("guc: no item goes across the end of a queue, and a tail may be the end") {
  QueueRig rig;
  rig.set_indices(2040, 12);
  rig.store(GroupRig::queue_of(parent) + 2040, 5 | 4 << 16);
  CHECK(rig.refuses());
  QueueRig other;  // xe_guc_submit.c, wq_item_append(): its tail is not wrapped
  other.set_indices(2028, 2048);
  for (uint32_t i = 0; i < 5; ++i) {
    const uint32_t item[] = {5 | 4 << 16, image | 0x119, parent | 8 << 18, 0, 9};
    other.store(GroupRig::queue_of(parent) + 2028 + 4 * i, item[i]);
  }
  CHECK(other.answer() == success);
  CHECK(other.tail_in_image(parent + 1) == 72);
  CHECK(other.load(descriptor) == 0);
  CHECK(other.answer() == success);
  CHECK(other.load(descriptor) == 0);
}

TEST_CASE("guc: the longest tails of parent and child") {  // WQ_RING_TAIL_MASK: 11 bits; the child's is a dword
  QueueRig rig;
  rig.put_item(parent, {5 | 4 << 16, image | 0x119, parent | 0x7ff << 18, 0xffff'ffff, 0x3'ffff});
  CHECK(rig.answer() == success);
  CHECK(rig.tail_in_image(parent) == 0x3ff8);
  CHECK(rig.tail_in_image(parent + 1) == 0x1f'fff8);
}
