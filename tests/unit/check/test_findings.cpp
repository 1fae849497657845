// SPDX-License-Identifier: GPL-2.0-or-later
#include <filesystem>
#include <fstream>

#include "feed.h"
#include "tests/catch.h"

using namespace softgen;
using namespace softgen::debug::check;

namespace {

Site site() { return {"rcs", 0x1000, "PIPE_CONTROL", "PIPE_CONTROL { TLB Invalidate }", "rcs, batch 0x1000"}; }

struct Printed {
  std::vector<std::string> texts;
  Findings::Sink sink() {
    return [this](const std::string& text, const Finding&) { texts.push_back(text); };
  }
};

std::string suppressions(const std::string& text) {
  const std::string path = (std::filesystem::temp_directory_path() / "softgen-test-check.supp").string();
  std::ofstream(path) << text;
  return path;
}

}  // namespace

TEST_CASE("a finding is printed once for its rule and place, and counted") {
  Printed printed;
  Findings findings(parse_options("on"), printed.sink());
  for (int i = 0; i < 3; ++i) findings.add(*find_rule("B3"), "rcs", 0x1000, "PIPE_CONTROL", site, "twice");
  findings.add(*find_rule("B3"), "rcs", 0x2000, "PIPE_CONTROL", site, "");
  REQUIRE(printed.texts.size() == 2);
  CHECK(printed.texts[0].starts_with("check B3 error: TLB invalidation"));
  CHECK(printed.texts[0].find("rcs, batch 0x1000: PIPE_CONTROL { TLB Invalidate }") != std::string::npos);
  CHECK(printed.texts[0].find("docs/rules.md#B3") != std::string::npos);
  CHECK(findings.count() == 2);
  CHECK(findings.summary() == "check: 2 findings: B3 at 2 (seen 4)");
  CHECK(findings.json()["findings"][0]["count"] == 3);
  CHECK(findings.json()["findings"][0]["detail"] == "twice");
}

TEST_CASE("of one rule a few places are printed, and a bounded number is kept") {
  Printed printed;
  Findings findings(parse_options(""), printed.sink());
  for (uint64_t i = 0; i < Findings::max_kept + 5; ++i) findings.add(*find_rule("B3"), "rcs", i * 64, "PIPE_CONTROL", site, "");
  CHECK(printed.texts.size() == Findings::max_printed);
  CHECK(findings.count() == Findings::max_kept);
  CHECK(findings.json()["not_kept"] == 5);
}

TEST_CASE("rules are turned off and on by id and by class") {
  const auto finds = [](const char* options) {
    Feed feed("kbl", options);
    return feed.flush({{"TLB Invalidate", 1}}).found().contains("B3");
  };
  CHECK(finds("commands"));
  CHECK_FALSE(finds("commands,-B3"));
  CHECK_FALSE(finds("-B"));
  CHECK(finds("-A,+B3"));
  CHECK_FALSE(Options{}.wants(*find_rule("F12")));
  CHECK(parse_options("+F12").wants(*find_rule("F12")));
}

TEST_CASE("options that do not exist are refused with a sentence") {
  CHECK_THROWS_WITH(parse_options("+Z9"), "check: there is no rule or class 'Z9' (--check=list shows all)");
  CHECK_THROWS_WITH(parse_options("bytes"), "check: this version has no level 'bytes'; it has 'commands'");
  CHECK_THROWS_WITH(parse_options("what"), "check: 'what' is not a level, +RULE, -RULE or @FILE");
  CHECK_THROWS_WITH(parse_options("@/nowhere"), "check: /nowhere cannot be read");
}

TEST_CASE("suppressions hide findings, keep their reason, and those that never match are named") {
  const std::string path = suppressions("# known\nB3 command=PIPE_CONTROL engine=rcs # the driver does so\n\nB1 engine=bcs # never\n");
  Printed printed;
  Findings findings(parse_options("@" + path), printed.sink());
  findings.add(*find_rule("B3"), "rcs", 0x1000, "PIPE_CONTROL", site, "");
  CHECK(findings.count() == 0);
  CHECK(printed.texts.empty());
  CHECK(findings.summary().empty());
  CHECK(findings.json()["suppressed"][0]["reason"] == "the driver does so");
  CHECK(findings.json()["unused_suppressions"] == nlohmann::json{path + ":4"});
}

TEST_CASE("suppressions without a reason, of no rule, or of an unknown word are refused") {
  CHECK_THROWS_AS(parse_options("@" + suppressions("B3\n")), BadOption);
  CHECK_THROWS_AS(parse_options("@" + suppressions("Z3 # so\n")), BadOption);
  CHECK_THROWS_AS(parse_options("@" + suppressions("B3 format=x # so\n")), BadOption);
}
