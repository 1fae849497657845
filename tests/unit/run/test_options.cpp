// SPDX-License-Identifier: GPL-2.0-or-later
#include <filesystem>
#include <fstream>

#include "hw/run/options.h"
#include "hw/run/stand_ins.h"
#include "tests/catch.h"

using namespace softgen::run;

TEST_CASE("options travel as JSON") {
  Options options;
  options.threads = 7;
  options.record = "/a b/c\".aub";
  options.refresh_hz = 0;
  const Options back = options_from_json(options_to_json(options));
  CHECK(back.threads == 7);
  CHECK(back.record == options.record);
  CHECK(back.refresh_hz == 0);
  CHECK(back.hang_timeout_s == options.hang_timeout_s);
  CHECK_THROWS_AS(options_from_json("{"), std::runtime_error);
  CHECK_THROWS_AS(options_from_json(R"({"threads": "many"})"), std::runtime_error);
}

TEST_CASE("the stand-ins show one Intel device with two nodes") {
  namespace fs = std::filesystem;
  const fs::path root = make_stand_ins("kbl");
  std::string vendor;
  std::ifstream(root / "sys/dev/char/226:128/device/vendor") >> vendor;
  CHECK(vendor == "0x8086");
  CHECK(fs::exists(root / "dev/dri/card0"));
  CHECK(fs::exists(root / "sys/class/drm/renderD128/device/config"));
  CHECK(fs::canonical(root / "sys/dev/char/226:0/device") == fs::canonical(root / "sys/devices/pci0000:00/0000:00:02.0"));
  fs::remove_all(root);
  CHECK_THROWS_AS(make_stand_ins("nv50"), std::runtime_error);
}
