// SPDX-License-Identifier: GPL-2.0-or-later
// Kernels of random words, of legal instructions and of both: decoded and run by the interpreter. (That compiled
// kernels do the same is eu_jit_differential's: tests/unit/eu.)
#include <cstring>
#include <memory>

#include "hw/base/log.h"
#include "hw/defs/gen9/all.h"
#include "hw/eu/interp/run.h"
#include "hw/eu/isa/gen11/isa.h"
#include "hw/eu/isa/gen12/isa.h"
#include "hw/eu/isa/gen5/isa.h"
#include "hw/eu/isa/gen9/isa.h"
#include "hw/gt/shared_functions.h"
#include "tests/fuzz/bound_surfaces.h"
#include "tests/ref/eu_fuzz.h"

using namespace softgen;
using namespace softgen::fuzz;
using namespace softgen::eu;

namespace {

class EuTarget {
 public:
  EuTarget() { bound_.map.memory.keep(); }

  void run(std::span<const uint8_t> bytes) {
    StateSource in(bytes, bound_.map.addresses());
    std::array<Native, 65> code;
    const size_t length = 1 + (in.one_in(8) ? in.below(64) : in.below(12));
    const uint8_t kind = in.take<uint8_t>();
    const Set& set = sets_[kind >> 6];
    for (size_t i = 0; i < length; ++i) code[i] = instruction(in, set, kind);
    const size_t size = length * sizeof(Native) - (in.one_in(16) ? in.below(16) : 0);
    const auto program =
        Program::decode(set.isa, {reinterpret_cast<const std::byte*>(code.data()), size}, in.one_in(8) ? in.take<uint32_t>() & ~7u : 0);
    ThreadStart how;
    how.program = program.get();
    how.dispatch_mask = in.one_in(2) ? 0xff : in.take<uint32_t>();
    how.vector_mask = in.one_in(4) ? in.take<uint32_t>() : 0;
    how.run_vector_mask = in.one_in(8), how.alt_mode = in.one_in(8), how.keep_denorms = in.one_in(2),
    how.single_program_flow = in.one_in(8);
    how.rounding = in.take<uint8_t>() & 3;
    how.payload = in.one_in(2) ? grf_count : in.below(grf_count);
    fill(in);
    const bool once = !in.one_in(16);  // to its first jump backwards
    LimitedRun limit(bound_.stop);
    if (once) bound_.stop.request(StopFlag::reset);
    thread_->start(how);
    interpret(*thread_, bound_.env, functions_);
    bound_.restore();
  }

 private:
  struct Set {
    const Isa& isa;
    std::vector<Native> legal = softgen::eu::fuzz::legal_instructions(isa, 1, 8192);
  };

  Native instruction(StateSource& in, const Set& set, uint8_t kind) {
    if (kind & 1 && in.one_in(2)) return {{in.take<uint64_t>(), in.take<uint64_t>()}};
    Native code = in.one_of(set.legal);
    if (kind & 2 && in.one_in(2)) {
      for (unsigned n = 1 + in.below(4); n; --n) {
        const uint32_t bit = in.below(128);
        code.q[bit / 64] ^= uint64_t{1} << bit % 64;
      }
    }
    if (kind & 4 && in.one_in(3)) code.set(6, 0, in.take<uint8_t>() & 127);  // another opcode over the same operands
    return code;
  }
  void fill(StateSource& in) {
    const uint8_t kind = in.take<uint8_t>() & 3;
    for (unsigned n = 0; n < 24; ++n)
      for (uint32_t& dword : thread_->grf(n).dw) dword = bound_.dword_of(in, kind);
  }

  BoundSurfaces bound_;
  gt::SharedFunctions functions_{sampler::decode_state<defs::Gen9>};
  std::unique_ptr<Thread> thread_ = std::make_unique<Thread>();
  const Set sets_[4] = {{gen9_isa()}, {gen5_isa()}, {gen11_isa()}, {gen12_isa()}};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static EuTarget target;
  target.run({data, size});
  return 0;
}
