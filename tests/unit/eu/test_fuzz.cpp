// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/catch.h"
#include "tests/ref/eu_fuzz.h"

#include "hw/eu/program/lanes.h"

#include <cstring>
#include <random>

using namespace softgen::eu;

TEST_CASE("eu fuzz: random legal instructions against the reference") {
  for (const Isa* isa : isas()) {
    for (const uint64_t seed : {1u, 2u, 3u, 4u}) {
      INFO(isa->name() << ", seed " << seed);
      const auto outcome = fuzz::run(*isa, seed, 10000);
      CHECK(outcome.difference == "");
      CHECK(outcome.instructions >= 10000);
    }
  }
}

TEST_CASE("eu fuzz: every kernel table gives the same bits") {
  const uint32_t seed = 99;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  const KernelTable &a = kernels(), &b = baseline_kernels();
  for (unsigned round = 0; round < 200; round++) {
    Lanes in[3];
    for (Lanes& l : in)
      for (unsigned n = 0; n < 32; n++) l.uq[n] = random() & (random() % 4 ? ~uint64_t{0} : 0x7f8000007f800000);
    // Shift counts as the caller masks them; halves and quarters for the fused sums.
    Lanes counts = in[1];
    for (unsigned n = 0; n < 64; n++) counts.u[n] &= 31;
    // Operations that a kind does not have trap; nothing chooses them.
    const auto has = [](bool integer, unsigned op) {
      const auto k = static_cast<KernelOp>(op);
      const bool bits = k >= KernelOp::and_ && k <= KernelOp::asr;
      const bool floats = k == KernelOp::mad || (k >= KernelOp::frc && k <= KernelOp::pln);
      return integer ? !floats : !bits;
    };
    const auto compare = [&](Kernel x, Kernel y, const Lanes& second, const char* what, unsigned op) {
      Lanes r1, r2;
      std::memset(&r1, 0, sizeof(r1));
      std::memset(&r2, 0, sizeof(r2));
      x(&r1, &in[0], &second, &in[2], 4);
      y(&r2, &in[0], &second, &in[2], 4);
      INFO(what << " " << op);
      CHECK(std::memcmp(&r1, &r2, 256) == 0);
    };
    for (unsigned op = 0; op < static_cast<unsigned>(KernelOp::count); op++) {
      const bool shift = op >= static_cast<unsigned>(KernelOp::shl) && op <= static_cast<unsigned>(KernelOp::asr);
      if (has(false, op)) compare(a.f32[op], b.f32[op], in[1], "f32", op);
      if (has(false, op) && op != static_cast<unsigned>(KernelOp::pln)) compare(a.f64[op], b.f64[op], in[1], "f64", op);
      if (has(true, op)) compare(a.i32[op], b.i32[op], shift ? counts : in[1], "i32", op);
      Lanes wide = counts;
      for (unsigned n = 0; n < 32; n++) wide.uq[n] &= 63;
      if (has(true, op)) compare(a.i64[op], b.i64[op], shift ? wide : in[1], "i64", op);
    }
  }
}
