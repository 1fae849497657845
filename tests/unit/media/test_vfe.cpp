// SPDX-License-Identifier: GPL-2.0-or-later
// VFE's threads in generic mode, from packets to the registers that a kernel sends.
#include <algorithm>
#include <numeric>

#include "hw/base/log.h"
#include "tests/quiet_log.h"
#include "tests/unit/media/vfe_rig.h"

using namespace softgen;
using namespace softgen::media::vfe;
using namespace softgen::media::vfe::test;

namespace {

constexpr uint32_t keep_entry = 1 << 4;

std::vector<uint32_t> counted(uint32_t first, size_t count) {
  std::vector<uint32_t> dwords(count);
  std::iota(dwords.begin(), dwords.end(), first);
  return dwords;
}

std::vector<uint32_t> dwords_of(const Grf& reg) { return {std::begin(reg.dw), std::end(reg.dw)}; }

gen5::INTERFACE_DESCRIPTOR with_constants(unsigned offset, unsigned length) {
  gen5::INTERFACE_DESCRIPTOR d;
  d.constant_urb_entry_read_offset = offset, d.constant_urb_entry_read_length = length;
  return d;
}

}  // namespace

TEST_CASE("vfe: a thread gets its header, constants, inline and indirect data") {
  VfeRig rig;
  rig.bases.general_state_base_address = VfeRig::general_base, rig.bases.general_state_base_address_modify_enable = true;
  rig.bases.indirect_object_base_address = VfeRig::data_at, rig.bases.indirect_object_base_address_modify_enable = true;
  rig.vfe.scratch_space_base_pointer = 0x30000, rig.vfe.per_thread_scratch_space = 1;
  rig.set_state();
  auto d = with_constants(1, 2);
  d.sampler_state_pointer = 0x1240, d.binding_table_pointer = 0x2460;
  rig.set_kernel(3, sending_kernel(0, 7), d);
  rig.set_constants(counted(0x1000, 32));
  const auto data = counted(0x3000, 12);
  rig.view.write(VfeRig::data_at + 0x100, data.data(), 48);
  gen5::MEDIA_OBJECT o;
  o.interface_descriptor_offset = 3, o.indirect_data_length = 40, o.indirect_data_start_address = 0x100;
  CHECK(rig.object(o, counted(0x2000, 10)) == ExecResult::done);
  REQUIRE(rig.sent.size() == 1);
  CHECK(rig.sent[0].op.kind == MessageKind::oword_block_write);
  CHECK(rig.sent[0].bases.binding_table == 0x2460);
  CHECK(rig.sent[0].scratch == 2048);
  const auto& payload = rig.sent[0].payload;
  REQUIRE(payload.size() == 8);
  CHECK(dwords_of(payload[1]) ==
        std::vector<uint32_t>{0, 0, VfeRig::general_base + VfeRig::descriptors_at + 48, 0x1241, 0x2460, 0x30000, 0, 0});
  CHECK(dwords_of(payload[2]) == counted(0x1008, 8));
  CHECK(dwords_of(payload[3]) == counted(0x1010, 8));
  CHECK(dwords_of(payload[4]) == counted(0x2000, 8));
  CHECK(dwords_of(payload[5]) == std::vector<uint32_t>{0x2008, 0x2009, 0, 0, 0, 0, 0, 0});
  CHECK(dwords_of(payload[6]) == counted(0x3000, 8));
  CHECK(dwords_of(payload[7]) == std::vector<uint32_t>{0x3008, 0x3009, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("vfe: threads have entries and scratch spaces of their own, in turn") {
  VfeRig rig;
  rig.vfe.scratch_space_base_pointer = 0x30000, rig.vfe.maximum_number_of_threads = 1;
  rig.set_state();
  rig.set_kernel(0, sending_kernel(0, 1));
  for (unsigned i = 0; i < 6; ++i) CHECK(rig.object(gen5::MEDIA_OBJECT{}) == ExecResult::done);
  REQUIRE(rig.sent.size() == 6);
  for (unsigned i = 0; i < 6; ++i) {
    const Grf& r0 = rig.sent[i].payload[1];
    CHECK(r0.dw[0] == i % 4 * 13);
    CHECK(r0.dw[5] == (0x30000 + i % 2 * 1024 | i % 2));
    CHECK(r0.dw[6] == i);
  }
}

TEST_CASE("vfe: an entry that a thread keeps is not given to another, and when all are kept VFE hangs") {
  quiet_log();
  clear_failure_counts();
  VfeRig rig;
  rig.vfe.children_present = true;
  rig.set_state();
  rig.set_kernel(0, sending_kernel(0, 1));
  rig.set_kernel(1, sending_kernel(0, 1, keep_entry));
  gen5::MEDIA_OBJECT keeps;
  keeps.interface_descriptor_offset = 1;
  CHECK(rig.object(keeps) == ExecResult::done);
  for (unsigned i = 0; i < 4; ++i) CHECK(rig.object(gen5::MEDIA_OBJECT{}) == ExecResult::done);
  std::vector<uint32_t> handles;
  for (const auto& s : rig.sent) handles.push_back(s.payload[1].dw[0]);
  CHECK(handles == std::vector<uint32_t>{0, 13, 26, 39, 13});
  for (unsigned i = 0; i < 3; ++i) CHECK(rig.object(keeps) == ExecResult::done);
  CHECK(rig.object(keeps) == ExecResult::fault);
  rig.execute(rig.fence.pack());
  CHECK(rig.object(keeps) == ExecResult::done);
}

TEST_CASE("vfe: without children entries come back, whatever the threads' ends say") {
  // As i965-va-driver's kernels of macroblocks end (shaders/h264/mc/header.inc, EOTMSGDSC).
  VfeRig rig;
  rig.set_state();
  rig.set_kernel(0, sending_kernel(0, 1, keep_entry));
  for (unsigned i = 0; i < 9; ++i) CHECK(rig.object(gen5::MEDIA_OBJECT{}) == ExecResult::done);
  CHECK(rig.sent.size() == 9);
}

TEST_CASE("vfe: what does not fit is cut off and counted") {
  quiet_log();
  clear_failure_counts();
  VfeRig rig;
  rig.vfe.urb_entry_allocation_size = 0;
  rig.set_state();
  rig.set_kernel(0, sending_kernel(1, 3));
  gen5::MEDIA_OBJECT o;
  o.indirect_data_length = 0x1ffff, o.indirect_data_start_address = VfeRig::data_at;
  rig.view.store<uint32_t>(VfeRig::data_at, 77);
  CHECK(rig.object(o, counted(1, 8)) == ExecResult::done);
  REQUIRE(rig.sent.size() == 1);
  CHECK(dwords_of(rig.sent[0].payload[1]) == counted(1, 8));
  CHECK(rig.sent[0].payload[2].dw[0] == 77);
  CHECK(dwords_of(rig.sent[0].payload[3]) == std::vector<uint32_t>(8));
  CHECK(failure_count(Failure::guest_error, "VFE: more data than a URB entry or a thread has room for") == 1);
  // Entries beyond the region: none.
  rig.vfe.urb_entry_allocation_size = 511;
  rig.set_state();
  rig.sent.clear();
  CHECK(rig.object(o) == ExecResult::done);
  CHECK(rig.sent.empty());
  CHECK(failure_count(Failure::guest_error, "URB entries of VFE") >= 1);
}

TEST_CASE("vfe: the pipeline that is not selected does nothing") {
  quiet_log();
  clear_failure_counts();
  VfeRig rig;
  rig.set_state(false);
  rig.set_kernel(0, sending_kernel(0, 1));
  CHECK(rig.object(gen5::MEDIA_OBJECT{}) == ExecResult::done);
  CHECK(rig.sent.empty());
  CHECK(failure_count(Failure::guest_error, "a packet of the pipeline that is not selected") == 1);
}

TEST_CASE("vfe: constants are those of when CONSTANT_BUFFER came, and come again with a context") {
  VfeRig rig;
  rig.set_state();
  rig.set_kernel(0, sending_kernel(1, 1), with_constants(0, 1));
  rig.set_constants(counted(5, 8));
  std::vector<std::byte> image(rig.engine.context_size());
  rig.engine.save_context(image);
  rig.view.store<uint32_t>(VfeRig::constants_at, 99);
  CHECK(rig.object(gen5::MEDIA_OBJECT{}) == ExecResult::done);
  rig.engine.reset_context();
  rig.engine.restore_context(image);
  CHECK(rig.object(gen5::MEDIA_OBJECT{}) == ExecResult::done);
  REQUIRE(rig.sent.size() == 2);
  CHECK(rig.sent[0].payload[1].dw[0] == 5);
  CHECK(rig.sent[1].payload[1].dw[0] == 99);
}
