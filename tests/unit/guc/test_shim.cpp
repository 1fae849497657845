// SPDX-License-Identifier: GPL-2.0-or-later
// The shim: WOPCM, DMA, boot. What is asked for is said in i915 gt/uc and TGL PRM vol 13, "GuC".
#include "tests/unit/guc/guc_rig.h"

using namespace softgen;
using namespace softgen::guc::test;

TEST_CASE("guc: without firmware the processor is in reset") {  // intel_uc.c, __intel_uc_reset_hw()
  for (const Chip* chip : chips) {
    Rig rig(*chip);
    CHECK(rig.read(0xc000) == in_reset);
    rig.write(0xc000, 0);
    CHECK(rig.read(0xc000) == in_reset);
    CHECK(rig.read(0xc010) == 0);
  }
}

TEST_CASE(
    "guc: the partition of WOPCM is written once until a full reset") {  // intel_uc.c, uc_init_wopcm(); intel_uncore_write_and_verify()
  for (const Chip* chip : chips) {
    Rig rig(*chip);
    rig.set_wopcm();
    CHECK(rig.read(0xc050) == (wopcm_size | 1));
    CHECK(rig.read(0xc340) == (wopcm_base | 3));
    rig.set_wopcm();  // a driver that comes again
    rig.write(0xc050, 0x40000);
    rig.write(0xc340, 0x4000);
    rig.reset_guc();
    CHECK(rig.read(0xc050) == (wopcm_size | 1));
    CHECK(rig.read(0xc340) == (wopcm_base | 3));
    rig.registers.reset();
    rig.guc->reset();
    CHECK(rig.read(0xc050) == 0);
    CHECK(rig.read(0xc340) == 0);
    rig.write(0xc050, 0x40000);
    CHECK(rig.read(0xc050) == 0x40001);
  }
}

TEST_CASE("guc: a firmware with header and signature runs") {
  for (const Chip* chip : chips) {
    Rig rig(*chip);
    CHECK(rig.load_firmware() == ready);
    CHECK(rig.read(0xc010) == 1u << 8);  // PRM: BOOT_HASH_CHK says that HuC's load was tried
    CHECK((rig.read(chip->huc_status) & chip->huc_bit) == 0);
  }
}

TEST_CASE("guc: its bit of GDRST, and the full one, stop the firmware") {  // intel_reset.c, intel_reset_guc()
  for (const Chip* chip : chips) {
    for (const uint32_t bit : {chip->reset_bit, 1u}) {
      Rig rig(*chip);
      rig.load_firmware();
      rig.write(0x941c, bit);
      CHECK(rig.read(0xc000) == in_reset);
      CHECK(rig.read(0xc010) == 0);
      CHECK(rig.read(0xc050) == (wopcm_size | 1));
      rig.write(chip->mailbox, 0x4509);
      rig.write(chip->notify, 1);
      CHECK(rig.read(chip->mailbox) == 0x4509);  // no firmware runs
      CHECK(rig.load_firmware() == ready);
    }
    Rig rig(*chip);
    rig.load_firmware();
    rig.write(0x941c, 1 << 1);  // of the render engine alone
    CHECK(rig.read(0xc000) == ready);
  }
}

TEST_CASE("guc: the boot ROM refuses what is no firmware") {  // intel_guc_reg.h, GS_BOOTROM_RSA_FAILED, GS_AUTH_STATUS_BAD
  const auto status_of = [](uint32_t dword, uint32_t value) {
    Rig rig;
    std::vector<uint32_t> file = Rig::file();
    file[dword] = value;
    return rig.load_firmware(file);
  };
  constexpr uint32_t refused = 0x4000'00a0;
  CHECK(status_of(0, 6) == ready);
  CHECK(status_of(0, 7) == refused);
  CHECK(status_of(1, 160) == refused);  // sizes that contradict each other
  CHECK(status_of(2, 0x20000) == refused);
  CHECK(status_of(4, 0x10de) == refused);
  CHECK(status_of(6, 161) == refused);                    // no code
  CHECK(status_of(6, 161 + code_dwords + 1) == refused);  // more than was copied
  CHECK(status_of(6, 0xffff'ffff) == refused);
  CHECK(status_of(7, 0xffff'ffff) == refused);
  Rig rig;
  rig.place(image_at, Rig::file());
  rig.set_wopcm();
  rig.set_parameters();
  REQUIRE(rig.transfer_guc());
  CHECK(rig.read(0xc000) == refused);  // without a signature
}

TEST_CASE("guc: the firmware refuses parameters that it cannot use") {  // xe/abi/guc_errors_abi.h, XE_GUC_LOAD_STATUS_*
  constexpr uint32_t device_mismatch = 0x8001'02ec, bad_init_data = 0x8001'71ec;
  CHECK(Rig().load_firmware(Rig::file(0x450003)) == ready);
  CHECK(Rig().load_firmware(Rig::file(0x310001)) == device_mismatch);  // 49: another interface, not modelled
  const auto started = [](uint32_t parameter, uint32_t value) {
    Rig rig;
    rig.place(image_at, Rig::file());
    rig.set_wopcm();
    rig.set_parameters();
    rig.set_signature();
    rig.write(0xc184 + 4 * parameter, value);
    REQUIRE(rig.transfer_guc());
    return rig.read(0xc000);
  };
  CHECK(started(5, 0x5912 << 16) == device_mismatch);
  CHECK(started(4, 0) == bad_init_data);             // ADS in WOPCM
  CHECK(started(4, 0xfee00 << 1) == bad_init_data);  // intel_guc.h, GUC_GGTT_TOP
}

TEST_CASE("guc: the DMA rejects what the manual forbids, and START stays") {  // TGL PRM vol 13, "The DMA Registers"
  constexpr uint32_t bytes = 128 + code_dwords * 4, kernel = 1 << 4, huc = 1 << 9;
  Rig rig;
  rig.place(image_at, Rig::file());
  rig.place(huc_image_at, Rig::file());
  CHECK_FALSE(rig.transfer_guc());  // WOPCM is not set
  CHECK((rig.read(0xc314) & 1) == 1);
  rig.write(0xc050, wopcm_size);
  CHECK_FALSE(rig.transfer_guc());
  rig.write(0xc340, wopcm_base);
  CHECK_FALSE(rig.transfer(image_at, 0x2000, 0, kernel));
  CHECK_FALSE(rig.transfer(image_at + 4, 0x2000, bytes, kernel));  // the low six bits
  CHECK_FALSE(rig.transfer(image_at, wopcm_size - bytes + 64, bytes, kernel));
  CHECK_FALSE(rig.transfer(image_at, 0x2000, 0xffff'ffff, kernel));
  CHECK_FALSE(rig.transfer(huc_image_at, 0, wopcm_base + 1, huc));
  CHECK_FALSE(rig.transfer(image_at, 0x2000, bytes, 0));
  CHECK_FALSE(rig.transfer(image_at, 0x2000, bytes, kernel | huc));
  CHECK(rig.read(0xc000) == in_reset);
  CHECK(rig.read(0xc010) == 0);
  rig.set_parameters();
  rig.set_signature();
  CHECK(rig.transfer_guc());
  CHECK(rig.read(0xc000) == ready);
  CHECK_FALSE(rig.transfer_guc());  // what is loaded cannot be overwritten
  CHECK_FALSE(rig.transfer_huc());
  rig.reset_guc();
  CHECK(rig.transfer_huc());
  CHECK(rig.transfer_guc());
}

TEST_CASE("guc: bit 1 of DMA_CTRL swaps source and destination") {  // TGL PRM vol 13, "The DMA Registers"
  Rig rig;
  rig.place(image_at, Rig::file());
  rig.set_wopcm();
  rig.set_parameters();
  rig.set_signature();
  const uint32_t values[] = {0x2000, 7 << 16, image_at, 8 << 16, 128 + code_dwords * 4};
  for (uint32_t i = 0; i < 5; ++i) rig.write(0xc300 + 4 * i, values[i]);
  rig.write(0xc314, 0x11 << 16 | 0x11);
  CHECK(rig.read(0xc314) == 0x11);
  rig.write(0xc314, 0x13 << 16 | 0x13);
  CHECK(rig.read(0xc314) == 0x12);
  CHECK(rig.read(0xc000) == ready);
}

TEST_CASE("guc: its timestamp is the GT's, and translations are invalidated at once") {
  for (const Chip* chip : chips) {  // intel_ggtt.c, guc_ggtt_invalidate(); intel_guc.c, intel_guc_dump_time_info()
    Rig rig(*chip);
    rig.host.now = 1'000'000;
    CHECK(rig.read(0xc3e8) == 19'200);
    if (chip != &kbl) {  // intel_guc_submission.c, guc_update_pm_timestamp()
      rig.host.now = 1'000'000'000'000;
      const unsigned shift = 3 - (rig.read(0xd00) >> 1 & 3);
      CHECK((rig.read(0xa500) | uint64_t{rig.read(0xa504)} << 32) >> shift == 19'200'000'000);
    }
    const uint32_t offset = chip == &tgl ? 0xcee8 : 0x4274;
    const uint64_t before = rig.ggtt.generation();
    rig.write(offset, 1);
    CHECK(rig.read(offset) == 0);
    CHECK(rig.ggtt.generation() != before);
  }
}
