// SPDX-License-Identifier: GPL-2.0-or-later
// Bandwidth of blits against memcpy of as many bytes in the same process, for scripts/bench: one JSON object
// on stdout,
// {"rows": [{"name", "softgen", "peer", "ratio", "unit", "spread"}]}. Median of 7; spread is (max - min) /
// median of ours.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "tests/unit/blitter/bench.h"

using namespace softgen;
using namespace softgen::test;

namespace {

constexpr uint32_t width = 2048, height = 2048, pitch = width * 4;
constexpr size_t surface_bytes = size_t{pitch} * height;
constexpr uint64_t destination = 0, source = surface_bytes, memory_size = 2 * surface_bytes;
constexpr int repeats = 7;

// Both sides run on this thread alone: its processor time is the time, and other load of the host matters
// less.
double seconds(const std::function<void()>& work) {
  const auto now = [] {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
  };
  const double start = now();
  work();
  return now() - start;
}

struct Case {
  std::string name;
  uint32_t swctrl;
  std::vector<uint32_t> dwords;
};

uint32_t pitch_field(bool tiled) { return tiled ? pitch / 4 : pitch; }

Case color(std::string name, bool tiled, uint32_t swctrl) {
  return {std::move(name),
          swctrl,
          {header(0x50, 3u << 20 | (tiled ? 1u << 11 : 0), 7), 3u << 24 | 0xf0u << 16 | pitch_field(tiled), 0, xy(width, height),
           static_cast<uint32_t>(destination), 0, 0x11223344}};
}

Case copy(std::string name, unsigned rop, bool to, bool from, uint32_t swctrl) {
  return {std::move(name),
          swctrl,
          {header(0x53, 3u << 20 | (to ? 1u << 11 : 0) | (from ? 1u << 15 : 0), 10), 3u << 24 | rop << 16 | pitch_field(to), 0,
           xy(width, height), static_cast<uint32_t>(destination), 0, 0, pitch_field(from), static_cast<uint32_t>(source), 0}};
}

// Tilings: 0 linear, 1 X, 2 Y, 3 Yf, 4 Ys.
Case fast(std::string name, unsigned to, unsigned from) {
  const auto method = [](unsigned t) { return t == 4 ? 3u : t == 3 ? 2u : t; };
  return {std::move(name),
          0,
          {header(0x42, method(from) << 20 | method(to) << 13, 10),
           (from == 3 ? 1u << 31 : 0) | (to == 3 ? 1u << 30 : 0) | 3u << 24 | pitch_field(to), 0, xy(width, height),
           static_cast<uint32_t>(destination), 0, 0, pitch_field(from), static_cast<uint32_t>(source), 0}};
}

}  // namespace

int main() {
  BlitBench bench(memory_size);
  std::memset(bench.ram.get(), 1, memory_size);
  const Case cases[] = {
      color("fill linear", false, 0),
      color("fill X", true, 0),
      color("fill Y", true, 2),
      copy("copy linear to linear", 0xcc, false, false, 0),
      copy("copy X to X", 0xcc, true, true, 0),
      copy("copy linear to X", 0xcc, true, false, 0),
      copy("copy Y to linear", 0xcc, false, true, 1),
      copy("copy linear to Y", 0xcc, true, false, 2),
      copy("xor linear to linear", 0x66, false, false, 0),
      fast("fast copy linear to linear", 0, 0),
      fast("fast copy X to Y", 2, 1),
      fast("fast copy Y to Y", 2, 2),
      fast("fast copy linear to Yf", 3, 0),
      fast("fast copy Ys to linear", 0, 4),
  };
  std::string rows;
  for (const Case& c : cases) {
    bench.set_swctrl(c.swctrl);
    std::vector<double> ours, theirs;
    for (int i = 0; i < repeats + 1; ++i) {
      const double blit = seconds([&] { bench.execute(c.dwords); });
      const double plain = seconds([&] { std::memcpy(bench.ram.get() + destination, bench.ram.get() + source, surface_bytes); });
      if (i == 0) continue;  // warms up
      ours.push_back(surface_bytes / blit / 1e9);
      theirs.push_back(surface_bytes / plain / 1e9);
    }
    std::sort(ours.begin(), ours.end());
    std::sort(theirs.begin(), theirs.end());
    const double mine = ours[repeats / 2], peer = theirs[repeats / 2];
    rows += fmt::format(
        "{}{{\"name\": \"blit/{}\", \"softgen\": {:.2f}, \"peer\": {:.2f}, \"ratio\": {:.2f}, \"unit\": "
        "\"GB/s\", \"spread\": {:.2f}}}",
        rows.empty() ? "" : ",\n  ", c.name, mine, peer, mine / peer, (ours.back() - ours.front()) / mine);
  }
  fmt::print("{{\"rows\": [\n  {}\n]}}\n", rows);
}
