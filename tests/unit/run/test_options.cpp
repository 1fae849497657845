// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "hw/run/options.h"
#include "hw/run/stand_ins.h"
#include "tests/catch.h"

using namespace softgen::run;

TEST_CASE("options survive conversion to JSON and back") {
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
  std::string parent = (fs::temp_directory_path() / "test-run.XXXXXX").string();
  REQUIRE(mkdtemp(parent.data()));
  const fs::path root = make_stand_ins("kbl", parent);
  const auto word = [&](const char* path) {
    std::string text;
    std::ifstream(root / path) >> text;
    return text;
  };
  const auto vendor = [&] { return word("sys/dev/char/226:128/device/vendor"); };
  CHECK(vendor() == "0x8086");
  CHECK(word("sys/class/drm/card0/gt_max_freq_mhz") == "1150");  // hw/defs/gen9/registers_power.def: RP_STATE_CAP
  CHECK(word("sys/class/drm/card0/gt_min_freq_mhz") == "300");
  CHECK(word("proc/sys/dev/i915/perf_stream_paranoid") == "0");
  CHECK(word("proc/sys/dev/i915/oa_max_sample_rate") == "100000");
  CHECK(fs::is_directory(root / "sys/class/drm/card0/metrics"));
  CHECK(fs::exists(root / "dev/dri/card0"));
  CHECK(fs::exists(root / "sys/class/drm/renderD128/device/config"));
  CHECK(fs::canonical(root / "sys/dev/char/226:0/device") == fs::canonical(root / "sys/devices/pci0000:00/0000:00:02.0"));
  SECTION("and are made once") {
    const auto made = fs::last_write_time(root / "dev/dri/card0");
    CHECK(make_stand_ins("kbl", parent) == root);
    CHECK(fs::last_write_time(root / "dev/dri/card0") == made);
  }
  SECTION("and are repaired when a cleaner has been at them") {
    fs::remove(root / "sys/devices/pci0000:00/0000:00:02.0/vendor");
    CHECK(make_stand_ins("kbl", parent) == root);
    CHECK(vendor() == "0x8086");
  }
  SECTION("and are refused when another user could have put them there") {
    fs::permissions(root, fs::perms::all);
    CHECK_THROWS_AS(make_stand_ins("kbl", parent), std::runtime_error);
  }
  CHECK(std::distance(fs::directory_iterator(parent), {}) == 1);
  CHECK_THROWS_AS(make_stand_ins("nv50", parent), std::runtime_error);
  fs::remove_all(parent);
}
