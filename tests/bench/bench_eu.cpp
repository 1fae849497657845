// SPDX-License-Identifier: GPL-2.0-or-later
// Captured kernels compiled against interpreted, for scripts/bench: one JSON object on stdout,
// {"rows": [{"name", "softgen", "peer", "ratio", "unit", "spread"}]}; softgen is the compiler, peer the interpreter, both in threads a second
// on one host thread. Messages are answered with zeros at once, so that only the kernel counts. Median of 5.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>

#include "hw/eu/isa/gen9/isa.h"
#include "hw/eu/jit/engine.h"
#include "tests/unit/eu/data.h"
#include "tests/unit/eu/harness.h"

using namespace softgen;
using namespace softgen::eu;
using Tier = softgen::eu::Engine;

namespace {

double seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

class Bench {
 public:
  Bench(const std::vector<std::byte>& code, uint32_t mask, FastPaths* fast_paths)
      : program_(Program::decode(gen9_isa(), code, 0, fast_paths)), mask_(mask) {
    machine_.target.answer = [this](const Message& message, ThreadEnv&) {
      for (Grf& g : message.response) g = Grf{};
      machine_.thread.notify();
      return SendResult::done;
    };
  }

  void thread() {
    for (unsigned r = 0; r < 32; r++)
      for (unsigned n = 0; n < 8; n++) machine_.set<float>(r, n, static_cast<float>(r * 8 + n) / 128.0f);
    ThreadStart how;
    how.program = program_.get();
    how.dispatch_mask = mask_;
    machine_.thread.start(how);
    eu::run(machine_.thread, machine_.env, machine_.target);
  }

  /// Threads a second: median, and (max - min) / median.
  std::pair<double, double> rate() {
    thread();
    unsigned count = 1;
    for (double took = 0; took < 0.01; count *= 2) took = time(count);
    std::vector<double> rates;
    for (unsigned n = 0; n < 5; n++) rates.push_back(count / time(count));
    std::sort(rates.begin(), rates.end());
    return {rates[2], (rates[4] - rates[0]) / rates[2]};
  }

 private:
  double time(unsigned count) {
    const double start = seconds();
    for (unsigned n = 0; n < count; n++) thread();
    return seconds() - start;
  }

  test::Machine machine_;
  std::shared_ptr<const Program> program_;
  const uint32_t mask_;
};

}  // namespace

int main() {
  setenv("SOFTGEN_EU_COMPILER", EU_COMPILER, 0);
  const auto compiler = make_compiler({.engine = Tier::jit});
  std::string rows;
  double logarithms = 0;
  unsigned count = 0;
  for (const auto& [name, hex] : test::rows("kernels.txt")) {
    const auto code = test::from_hex(hex);
    const uint32_t mask = name.ends_with("_0") ? 0xff : 0xffff;
    const auto [interpreted, ignored] = Bench(code, mask, nullptr).rate();
    const auto [compiled, spread] = Bench(code, mask, compiler.get()).rate();
    logarithms += std::log(compiled / interpreted);
    count++;
    rows += fmt::format(
        "{}{{\"name\": \"eu/{}\", \"softgen\": {:.0f}, \"peer\": {:.0f}, \"ratio\": {:.2f}, \"unit\": \"threads/s\", \"spread\": {:.3f}}}",
        rows.empty() ? "" : ",\n ", name, compiled, interpreted, compiled / interpreted, spread);
  }
  const EngineStats stats = compiler->stats();
  fmt::print(
      "{{\"rows\": [{},\n {{\"name\": \"eu/geomean\", \"softgen\": 0, \"peer\": 0, \"ratio\": {:.2f}, \"unit\": \"x\", \"spread\": 0}},\n"
      " {{\"name\": \"eu/compile\", \"softgen\": {:.2f}, \"peer\": 100, \"ratio\": {:.2f}, \"unit\": \"ms, longest\", \"spread\": 0}}]}}\n",
      rows, std::exp(logarithms / count), static_cast<double>(stats.longest_ns) * 1e-6,
      stats.longest_ns ? 1e8 / static_cast<double>(stats.longest_ns) : 0.0);
  return 0;
}
