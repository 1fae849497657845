// SPDX-License-Identifier: GPL-2.0-or-later
// Firmware 9: start, messages, doorbells in use, sleep, log, HuC. What is asked for is said in Linux 4.19's i915: intel_guc.c, intel_guc_fwif.h,
// intel_guc_submission.c; TGL PRM vol 13, "GPU Doorbells".
#include "tests/unit/guc/v9_rig.h"

using namespace softgen;
using namespace softgen::guc::test;

TEST_CASE("guc 9: starts where its generation is, with its parameters") {  // intel_guc_init_params()
  CHECK(RigV9().load_v9() == ready);
  CHECK(RigV9().load_v9(RigV9::file_v9(9 << 16 | 14)) == ready);
  const auto status_with = [](uint32_t parameter, uint32_t value) {
    RigV9 rig;
    rig.parameters[parameter] = value;
    return rig.load_v9();
  };
  const auto kernel = [](uint32_t status) { return status >> 8 & 0xff; };
  CHECK(kernel(status_with(3, 11 << 7)) == 0x02);               // another core family
  CHECK(kernel(status_with(0, 64)) == 0x71);                    // clients in WOPCM
  CHECK(kernel(status_with(0, RigV9::pool)) == 0x71);           // no clients
  CHECK(kernel(status_with(0, 0xfede'0000 | 64)) == 0x71);      // clients beyond the top
  CHECK(kernel(status_with(8, (ads_at >> 12) << 11)) == 0x71);  // no ADS
  CHECK(status_with(7, 1 << 4) == ready);                       // without the scheduler all that is not needed
  CHECK(kernel(RigV9().load_v9(RigV9::file_v9(8 << 16))) == 0x02);
  RigV9 ice(icl), tiger(tgl);
  CHECK(kernel(ice.load_v9()) == 0x02);
  CHECK(kernel(tiger.load_v9()) == 0x02);
  RigV9 newer;
  CHECK(newer.load_firmware() == ready);  // the other interface is still there
  CHECK(newer.send_mmio({0x508, 0x902 << 16 | 2, 0x300'0000, 0}) == (success | 1));
}

TEST_CASE("guc 9: messages are answered in the first scratch register") {  // intel_guc_send_mmio()
  RigV9 rig;
  rig.load_v9();
  CHECK(rig.send({0x6, 3}) == RigV9::ok);
  CHECK(rig.send({0x30}) == RigV9::ok);
  CHECK(rig.send({0x40, 0x11}) == RigV9::ok);
  CHECK(rig.send({0xe000, 1}) == RigV9::ok);
  CHECK(rig.send({0x4505, 0, 0, 0}) == RigV9::failed);  // buffers are for later firmware
  CHECK(rig.send({0x3003}) == RigV9::failed);
  rig.write(0xc4c8, 1);  // an answer is no message
  CHECK(rig.read(0xc180) == RigV9::failed);
  CHECK(rig.send({0}) == 0);  // nor is none
  CHECK(rig.host.levels.empty());
  rig.reset_guc();
  CHECK(rig.send({0x6, 3}) == 6);  // no firmware runs
}

TEST_CASE("guc 9: without its scheduler there are no doorbells") {  // GUC_CTL_DISABLE_SCHEDULER
  RigV9 rig;
  rig.parameters[7] |= 1 << 4;
  rig.load_v9();
  Client client(rig, 0);
  CHECK(client.create() == RigV9::failed);
  CHECK_FALSE(client.is_valid());
  CHECK(rig.send({0x6, 3}) == RigV9::ok);
}

TEST_CASE("guc 9: a client's doorbell is armed and freed") {  // create_doorbell(), destroy_doorbell(), guc_verify_doorbells()
  Started rig;
  for (uint32_t bell = 0; bell < 256; ++bell) CHECK((rig.read(0x1000 + 8 * bell) & 1) == (bell == 0 || bell == 128));
  CHECK(rig.read(0x1000) == (rig.normal.line() | 1));
  CHECK(rig.send({0x10, 0}) == RigV9::no_bell);  // it has one
  Client same_bell(rig, 2, 2, 128);
  CHECK(same_bell.create() == RigV9::no_bell);
  CHECK(rig.send({0x20, 0}) == RigV9::bell_kept);  // its line is active
  CHECK(rig.normal.destroy() == RigV9::ok);
  CHECK(rig.send({0x20, 0}) == RigV9::bell_kept);
  CHECK(rig.normal.create() == RigV9::ok);
  CHECK(rig.normal.is_valid());
}

TEST_CASE("guc 9: a bell with a ring that was not served is not assigned") {  // PRM, "Work Queue and DoorBell Creation"
  Started rig;
  CHECK(rig.send({0x501, 2, RigV9::shared}) == RigV9::ok);
  rig.normal.ring();
  CHECK(rig.normal.destroy() == RigV9::ok);
  CHECK(rig.normal.create() == RigV9::no_bell);
  CHECK(rig.send({0x502, 1, RigV9::shared}) == RigV9::ok);
  CHECK(rig.normal.create() == RigV9::ok);
  rig.normal.submit(RigV9::render, 1, 0x40);
  CHECK(rig.in_port() == RigV9::lrca(1));
}

TEST_CASE("guc 9: a doorbell is for a client with sense in its descriptor") {
  Started rig;
  const auto create = [&](uint32_t offset, auto value) {
    Client client(rig, 3, 2, 9);
    client.store_bytes(offset, value);
    const uint32_t answer = client.create();
    if (answer == RigV9::ok) CHECK(client.destroy() == RigV9::ok);
    return answer;
  };
  CHECK(create(25, uint64_t{RigV9::clients_at + 3 * 0x3000 + 9 * 64}) == RigV9::ok);
  CHECK(create(225, uint8_t{0}) == RigV9::no_bell);       // not active
  CHECK(create(4, uint32_t{4}) == RigV9::no_bell);        // another's
  CHECK(create(226, uint32_t{4}) == RigV9::no_bell);      // priority
  CHECK(create(33, uint16_t{256}) == RigV9::no_bell);     // bell
  CHECK(create(25, uint64_t{0x1008}) == RigV9::no_bell);  // no line
  CHECK(create(238, wopcm_size - 4) == RigV9::no_bell);   // process descriptor
  CHECK(create(238, RigV9::clients_at + 2) == RigV9::no_bell);
  CHECK(create(242, uint32_t{0xfedf'f000}) == RigV9::no_bell);  // queue
  CHECK(create(246, uint32_t{0}) == RigV9::no_bell);
  CHECK(create(246, uint32_t{0xffff'fffc}) == RigV9::no_bell);
  CHECK(create(246, uint32_t{4095}) == RigV9::no_bell);
  CHECK(rig.send({0x10, 1024}) == RigV9::no_bell);
  CHECK(rig.send({0x10, ~0u}) == RigV9::no_bell);
}

TEST_CASE("guc 9: all 256 doorbells, each with a client") {  // selftests/intel_guc.c, igt_guc_doorbells()
  RigV9 rig;
  rig.load_v9();
  std::vector<Client> clients;
  for (uint32_t i = 0; i < 16; ++i) {  // what fits into the test's pages, over the whole range
    clients.emplace_back(rig, i, i % 4, i * 17);
    REQUIRE(clients.back().create() == RigV9::ok);
  }
  for (uint32_t i = 0; i < 16; ++i) {
    clients[i].submit(RigV9::render, i % 4, 64);
    CHECK(clients[i].head() == 16);
    CHECK(rig.read(0x1900 + 4 * (i * 17 / 32)) == 0);  // served: both stages are empty
  }
  for (Client& client : clients) CHECK(client.destroy() == RigV9::ok);
}

TEST_CASE("guc 9: asleep it takes no work, awake it catches up") {  // intel_guc_suspend(), intel_guc_resume(); Linux 5.0: SOFT_SCRATCH(14)
  Started rig;
  CHECK(rig.send({0x501, 2, RigV9::shared}) == RigV9::ok);
  CHECK(rig.read(0xc1b8) == 1);
  rig.normal.submit(RigV9::render, 1, 0x40);
  CHECK_FALSE(rig.in_port());
  CHECK(rig.read(0x1900) == 1);
  rig.write(0xc1b8, 0);
  CHECK(rig.send({0x502, 1, RigV9::shared}) == RigV9::ok);
  CHECK(rig.read(0xc1b8) == 1);
  CHECK(rig.in_port() == RigV9::lrca(1));
  CHECK(rig.read(0x1900) == 0);
}

TEST_CASE("guc 9: a forced flush of the log is an event and an interrupt") {  // intel_guc_log.c; intel_guc_to_host_event_handler()
  RigV9 rig;
  rig.load_v9();
  rig.write(0x4432c, 1u << 31);  // GT2's IER, for the GuC
  rig.write(0x44324, ~(1u << 31));
  rig.write(0x44200, 1u << 31);
  CHECK(rig.send({0x302, 0}) == RigV9::ok);
  CHECK(rig.read(0xc1bc) == 8);
  CHECK(rig.host.levels == std::vector<bool>{true});
  for (uint32_t i = 0; i < 3; ++i) CHECK((rig.load(RigV9::log_at + 32 * i + 24) & 1) == 1);
  CHECK(rig.send({0x30}) == RigV9::ok);
}

TEST_CASE("guc 9: HuC is authenticated by its signature in memory") {  // intel_guc_auth_huc()
  RigV9 rig;
  rig.store(signature_at, 0x5678);
  rig.load_v9(RigV9::file_v9(), true);
  CHECK(rig.send({0x4000, signature_at + 4096}) == RigV9::failed);  // zeros
  CHECK(rig.send({0x4000, 0x1000}) == RigV9::failed);
  CHECK((rig.read(0xd3b0) & 1 << 7) == 0);
  CHECK(rig.send({0x4000, signature_at}) == RigV9::ok);
  CHECK((rig.read(0xd3b0) & 1 << 7) != 0);
  RigV9 without;
  without.store(signature_at, 0x5678);
  without.load_v9();
  CHECK(without.send({0x4000, signature_at}) == RigV9::failed);
}

TEST_CASE(
    "guc 9: its reset keeps the bells, which the host then frees by their lines") {  // guc_clients_doorbell_fini(); intel_uc_init_hw()
  Started rig;
  rig.reset_guc();
  CHECK(rig.normal.is_valid());
  rig.normal.submit(RigV9::render, 1, 0x40);
  CHECK_FALSE(rig.in_port());
  rig.normal.clear_line();
  CHECK_FALSE(rig.normal.is_valid());
  CHECK(rig.load_v9() == ready);
  CHECK(rig.high.is_valid());
  CHECK(rig.high.create() == RigV9::ok);  // armed still: it gets the line again
  rig.high.submit(RigV9::render, 3, 0x40);
  CHECK(rig.in_port() == RigV9::lrca(3));
}
