// SPDX-License-Identifier: GPL-2.0-or-later
// The compiler against the interpreter: random arithmetic, captured kernels with all their messages.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <utility>

#include "hw/base/failure_log.h"
#include "hw/eu/isa/gen9/isa.h"
#include "hw/eu/jit/engine.h"
#include "tests/catch.h"
#include "tests/ref/color_codes.h"
#include "tests/ref/eu_fuzz.h"
#include "tests/unit/eu/data.h"
#include "tests/unit/eu/harness.h"
#include "tests/unit/eu/trace.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;

namespace {

/// Random kernels whose floats pass through branches and loops: arithmetic with raw results, operations on bits, initial registers of every
/// kind, and messages with some registers in the middle and at the end.
class FloatWriter {
 public:
  explicit FloatWriter(uint32_t seed) : random_(seed) {}

  std::vector<std::byte> kernel() {
    for (const uint32_t bits : {0x7fa01234u, 0x00000123u, 0x80000001u, 0xffc00001u, 0x7f800000u})
      code_.push_back(mov_imm(8, grf(reg() + below(2), UD), UD, bits));
    code_.push_back(op_imm(Opcode::and_, 16, grf(12, UD), grf(12, UD), UD, 3));
    list(2);
    message();
    code_.push_back(end());
    return assemble(code_);
  }

 private:
  static constexpr RegType F = RegType::f, UD = RegType::ud, UW = RegType::uw;

  uint32_t below(uint32_t n) { return static_cast<uint32_t>(random_()) % n; }
  /// Of a pair; odd first registers sometimes.
  unsigned reg() { return 20 + 2 * below(8) + (below(8) == 0); }
  Operand floats() {
    Operand o = below(5) ? grf(reg(), F) : scalar(reg(), F, below(8));
    o.negate = below(6) == 0;
    o.abs = below(8) == 0;
    return o;
  }

  void message() {
    Instruction i;
    i.opcode = Opcode::send;
    i.exec_size = 16;
    i.cond_mod = static_cast<uint8_t>(Sfid::dp_data1);
    i.dst = dst_of(null(UW));
    i.src[0] = grf(reg(), UD);
    i.src[1] = imm(UD);
    i.descriptor = (2 + below(3)) << 25;
    code_.push_back(i);
  }

  void step() {
    const unsigned exec = below(4) ? 16 : 8;
    const Operand to = grf(reg(), F);
    Instruction i;
    switch (below(12)) {
      case 0:
      case 1:
      case 2: i = op(Opcode::add, exec, to, floats(), floats()); break;
      case 3:
      case 4: i = op(Opcode::mul, exec, to, floats(), floats()); break;
      case 5: i = op(Opcode::mov, exec, to, floats()); break;
      case 6: i = op(Opcode::mov, exec, grf(reg(), UD), grf(reg(), UD)); break;
      case 7: i = op(Opcode::add, exec, grf(reg(), UD), grf(reg(), UD), grf(reg(), UD)); break;
      case 8:
        i = op(Opcode::sel, exec, to, floats(), floats()), i.cond_mod = static_cast<uint8_t>(below(2) ? CondMod::l : CondMod::ge);
        break;
      case 9: i = op(Opcode::mov, exec, grf(reg(), UW), grf(reg(), UW)); break;
      case 10: i = op_imm(Opcode::mul, exec, to, floats(), F, 0x00ffffff); break;
      default: i = op(Opcode::sel, exec, to, grf(reg(), F), grf(reg(), F)), i.pred_control = 1; break;
    }
    if (i.dst.type == F && i.opcode != Opcode::sel) {
      i.saturate = below(10) == 0;
      i.pred_control = below(8) == 0;
    }
    code_.push_back(i);
    if (below(20) == 0) message();
  }

  void decide(unsigned bit) {
    Instruction i = op_imm(Opcode::and_, 16, null(UD), grf(4, UD), UD, 1u << bit);
    i.cond_mod = static_cast<uint8_t>(CondMod::nz);
    code_.push_back(i);
  }

  void list(unsigned depth) {
    for (unsigned n = 2 + below(5); n-- > 0;) {
      const unsigned kind = depth ? below(8) : 7;
      if (kind > 1) {
        step();
        continue;
      }
      const size_t first = code_.size();
      if (kind == 0) {
        decide(below(6));
        code_.push_back(branch(Opcode::if_, 16, 0));
        code_.back().pred_control = 1;
        const size_t start = code_.size() - 1;
        list(depth - 1);
        const auto distance = static_cast<int32_t>(code_.size() - start) * 16;
        code_[start].jip = code_[start].uip = distance;
        code_.push_back(branch(Opcode::endif, 16, 1));
      } else {
        const unsigned counter = 6 + 2 * depth;
        code_.push_back(mov_imm(16, grf(counter, UD), UD, 0));
        list(depth - 1);
        code_.push_back(op_imm(Opcode::add, 16, grf(counter, UD), grf(counter, UD), UD, 1));
        Instruction more = op(Opcode::cmp, 16, null(UD), grf(counter, UD), below(2) ? grf(12, UD) : scalar(12, UD, 0));
        more.cond_mod = static_cast<uint8_t>(CondMod::l);
        code_.push_back(more);
        code_.push_back(branch(Opcode::while_, 16, static_cast<int>(first + 1) - static_cast<int>(code_.size())));
        code_.back().pred_control = 1;
      }
    }
  }

  std::mt19937 random_;
  std::vector<Instruction> code_;
};

}  // namespace

TEST_CASE("eu jit: floats that stay raw across blocks give the interpreter's results") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  std::vector<uint32_t> seeds(60);
  std::iota(seeds.begin(), seeds.end(), 1u);
  // A mask of eight channels widened to the sixteen words of a register; denormals that are moved as bits and looked at as floats (with
  // AVX2).
  for (const uint32_t seed : {1713u, 1058u, 1546u}) seeds.push_back(seed);
  for (const uint32_t seed : seeds) {
    const auto code = FloatWriter(seed).kernel();
    for (const uint32_t mask : {0xffffu, 0xff3bu}) {
      INFO("seed " << seed << " mask " << mask);
      CHECK(trace(code, mask, seed, Runner::engine) == trace(code, mask, seed, Runner::interpreter));
    }
  }
}

TEST_CASE("eu jit: a series of threads gives the same result as single threads in the interpreter") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  std::vector<CapturedKernel> kernels = captured_kernels();
  for (uint32_t seed = 1; seed <= 20; seed++) kernels.push_back({gen9_isa(), "random", FloatWriter(seed).kernel()});
  constexpr SeriesLayout layouts[] = {{4, 9, 13}, {2, 2, 128}, {24, 40, 40}, {6, 6, 40, 1}, {6, 8, 12, 1}};
  const uint64_t before = compiler_now().stats().compiled_threads;
  for (size_t n = 0; n < kernels.size(); n++)
    for (const uint32_t mask : {0xffffu, 0u}) {
      const SeriesLayout& layout = layouts[n % std::size(layouts)];
      INFO("kernel " << n << " mask " << mask);
      const auto& [isa, name, code] = kernels[n];
      const Trace compiled = trace_series(code, mask, 3, layout, {}, &compiler_now(), isa);
      CHECK(compiled == trace_series(code, mask, 3, layout, {}, nullptr, isa));
    }
  CHECK(compiler_now().stats().compiled_threads > before);
}

TEST_CASE(
    "eu jit: planes of attributes are the interpreter's, also of threads with planes of their own, of neighbours with other attributes, and after a write") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  const Isa& isa = gen9_isa();
  const auto plane = [](unsigned to, Operand coefficients) {
    return op(Opcode::pln, 16, grf(to, RegType::f), coefficients, grf(2, RegType::f));
  };
  const Operand first = scalar(6, RegType::f), second = scalar(7, RegType::f, 4);
  const Instruction change = op(Opcode::mov, 8, grf(7, RegType::f), grf(2, RegType::f));
  Instruction write = end(isa);
  write.exec_size = 16;
  write.cond_mod = static_cast<uint8_t>(Sfid::dp_render);
  write.src[0] = grf(20, RegType::ud);
  write.descriptor = 8u << 25 | 12u << 14;
  const auto code = assemble({plane(20, first), plane(22, second), plane(24, negated(first)), change, plane(26, second), write}, isa);
  for (const uint32_t mask : {0xffffu, 0u})
    for (const SeriesLayout& layout : {SeriesLayout{6, 6, 8, 1}, SeriesLayout{6, 6, 8}, SeriesLayout{6, 8, 8, 1}}) {
      INFO("mask " << mask << " planes " << +layout.has_planes);
      CHECK(trace_series(code, mask, 5, layout, {}, &compiler_now(), isa) == trace_series(code, mask, 5, layout, {}, nullptr, isa));
    }
}

namespace {

/// Permits the code to write colours itself.
struct ColorTarget : MessageTarget {
  ColorCodes codes{{16, 8, 0, 24}, 255, 0, 0, {}};
  unsigned sent = 0;
  SendResult send(const Message&, ThreadEnv&) override { return ++sent, SendResult::done; }
  void direct(const MessageForm&, ThreadEnv&, DirectAnswer& answer) override {
    answer.function = [](const DirectAnswer&, Grf*, uint32_t, ThreadEnv&) { return false; };
    answer.colors = &codes;
  }
};

/// Codes without blending, and with many kinds of it.
ColorCodes some_codes(std::mt19937& random, bool blends) {
  ColorCodes codes{{16, 8, 0, 24}, 255, 0, 0, {}};
  if (!blends) return codes;
  const ColorCodes::Factor factors[] = {{}, {.constant = 1}, {0, 1, 0}, {0, 0, 1}, {1, -1, 0}, {1, 0, -1}, {.constant = 0.3f}};
  codes.blends = 1;
  for (ColorCodes::Factor& f : codes.factors) f = factors[random() % std::size(factors)];
  if (random() % 3 == 0) codes.keep = 0xff00ffu << random() % 2 * 8;
  if (random() % 3 == 0) codes.alpha = codes.shift[3] = 0;
  return codes;
}

}  // namespace

TEST_CASE("eu jit: a series writes the colours of whole squares to its threads' addresses, and sends messages if they have none") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  // In one payload, and with alpha in a second one.
  const bool split = GENERATE(false, true);
  // Rows of 16 bytes, which follow each other, or apart.
  const uint32_t row = GENERATE(16u, 32u);
  const unsigned blending = GENERATE(range(0u, 12u));
  const Isa& isa = split ? gen12_isa() : gen9_isa();
  Machine m(isa);
  m.fast_paths = &compiler_now();
  Instruction write = end(isa);
  write.exec_size = 16;
  write.cond_mod = static_cast<uint8_t>(Sfid::dp_render);
  write.src[0] = grf(split ? 6 : 4, RegType::ud);
  write.descriptor = (split ? 6u : 8u) << 25 | 12u << 14;
  if (split) write.src[1] = grf(4, RegType::ud), write.ex_descriptor = 2u << 6;
  const auto register_of = [split](unsigned component) { return !split ? 4 + 2 * component : component < 3 ? 6 + 2 * component : 4; };
  m.load(assemble({write}, isa), 0xffff);
  std::mt19937 random(9);
  ColorTarget target;
  std::mt19937 chosen(blending);
  target.codes = some_codes(chosen, blending != 0);
  constexpr size_t count = 200;
  struct alignas(16) Block {
    std::byte bytes[128];
  };
  std::vector<Block> blocks(count);
  for (Block& block : blocks)
    for (std::byte& b : block.bytes) b = static_cast<std::byte>(random());
  const std::vector<Block> before = blocks;
  std::vector<std::array<Grf, 12>> own(count);
  std::vector<SeriesThread> threads(count);
  unsigned asking = 0;
  for (size_t i = 0; i < count; i++) {
    for (Grf& g : own[i])
      for (uint32_t& dw : g.dw)
        dw = random() % 8 ? std::bit_cast<uint32_t>(static_cast<float>(random() % 5101) / 4080 - 0.1f) : static_cast<uint32_t>(random());
    threads[i].next = i + 1 < count ? &threads[i + 1] : nullptr;
    threads[i].own = own[i].data();
    threads[i].channels = threads[i].dispatch_mask = threads[i].vector_mask = 0xffff;
    threads[i].row = row;
    if (i % 5) threads[i].target = blocks[i].bytes;
    else asking++;
  }
  DirectAnswers answers;
  m.env.direct = &answers;
  SeriesThread* running = nullptr;
  ThreadSeries series{{12, 12, 12}, threads.data(), count, 0xffff, nullptr, &running};
  series.epoch = m.env.view.clock().epoch->load(), series.generation = m.env.view.clock().generation->load();
  ThreadStart how;
  how.program = m.program.get();
  run_series(m.thread, how, series, m.env, target);
  CHECK(target.sent == asking);
  for (size_t i = 0; i < count; i++)
    for (unsigned pixel = 0; pixel < 16; pixel++) {
      std::array<float, 4> colors;
      for (unsigned c = 0; c < 4; c++) colors[c] = std::bit_cast<float>(own[i][register_of(c) + pixel / 8].dw[pixel % 8]);
      const unsigned quad = pixel / 4, x = (quad & 1) * 2 + (pixel & 1), y = (quad >> 1) * 2 + (pixel >> 1 & 1);
      uint32_t old = 0, got = 0;
      std::memcpy(&old, before[i].bytes + y * row + x * 4, 4);
      std::memcpy(&got, blocks[i].bytes + y * row + x * 4, 4);
      const uint32_t expected = i % 5 ? ref::written_pixel(target.codes, colors, old) : old;
      INFO("thread " << i << " pixel " << pixel);
      REQUIRE(got == expected);
    }
  series.epoch++;
  run_series(m.thread, how, series, m.env, target);
  CHECK(target.sent == asking + count);
}

TEST_CASE(
    "eu jit: the engine that checks software scoreboards follows a thread beyond a barrier, and leaves other instruction sets alone") {
  Log log({});
  const LogScope scope(log);
  const auto engine = make_compiler({.engine = eu::Engine::check});
  Machine m(gen12_isa());
  m.fast_paths = engine.get();
  Instruction ask = end(gen12_isa());
  ask.end_of_thread = false;
  ask.cond_mod = static_cast<uint8_t>(Sfid::dp_data1);
  ask.dst = dst_of(grf(5, RegType::ud));
  ask.src[0] = grf(10, RegType::ud);
  ask.descriptor = 1u << 25 | 1u << 20 | 1u << 14;
  ask.swsb = 0x41;
  Instruction wait = op(Opcode::sync, 1, null(), null());
  wait.cond_mod = static_cast<uint8_t>(SyncFunction::bar);
  m.load({ask, wait, op(Opcode::mov, 8, grf(6, RegType::ud), grf(5, RegType::ud))});
  CHECK(run(m.thread, m.env, m.target) == RunResult::blocked);
  CHECK(log.counts().empty());
  m.thread.notify();
  CHECK(run(m.thread, m.env, m.target) == RunResult::finished);
  CHECK(log.count(Failure::guest_error, "EU software scoreboard, kernel at 0x0, byte 0x20") == 1);
  Machine other;
  other.fast_paths = engine.get();
  other.load({mov_imm(8, grf(2, RegType::d), RegType::d, 1)});
  CHECK(other.program->fast_path() == nullptr);
}

TEST_CASE("eu jit: a mad of F with an HF constant has native code, unless the constant is a denormal") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  const auto [half, value, native] =
      GENERATE(table<uint16_t, float, bool>({{0xb800, -0.5f, true}, {0x8000, -0.0f, true}, {0x0001, 0x1p-24f, false}}));
  fuzz::JitExecutor executor(jit::HostIsa::host);
  Machine m(gen12_isa());
  Instruction mad = op(Opcode::mad, 8, grf(10, RegType::f), imm(RegType::hf), grf(2, RegType::f), grf(3, RegType::f, 0, 1, 1, 1));
  mad.access_mode = AccessMode::align1;
  mad.imm = half;
  m.load({mad});
  m.thread.regs.control[0] |= 1u << 10;  // HF denormals stay
  for (unsigned n = 0; n < 8; n++) m.set<float>(2, n, 2), m.set<float>(3, n, static_cast<float>(n));
  CHECK(executor(m.thread, m.env, m.target) == RunResult::finished);
  CHECK((executor.stepped() == 0) == native);
  for (unsigned n = 0; n < 8; n++) CHECK(m.get<float>(10, n) == std::fma(2.0f, static_cast<float>(n), value));
}

TEST_CASE("eu jit: sums and means of words and bytes that saturate have native code") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  const auto [to, least, most] = GENERATE(table<RegType, int64_t, int64_t>({{RegType::ub, 0, 255},
                                                                            {RegType::b, -128, 127},
                                                                            {RegType::uw, 0, 65535},
                                                                            {RegType::w, -32768, 32767},
                                                                            {RegType::ud, 0, 0xffffffff},
                                                                            {RegType::d, -0x80000000ll, 0x7fffffff}}));
  std::mt19937 random(9);
  for (const Opcode opcode : {Opcode::add, Opcode::avg, Opcode::mov}) {
    fuzz::JitExecutor executor(jit::HostIsa::host);
    Machine m;
    const unsigned step = size_of(to);
    Instruction i = op(opcode, 8, grf(10, to), grf(2, RegType::uw), grf(4, RegType::w));
    if (opcode == Opcode::mov) i = op(opcode, 8, grf(10, to), grf(4, RegType::w));
    i.saturate = true;
    m.load({i});
    std::array<int64_t, 8> a, b;
    for (unsigned n = 0; n < 8; n++) {
      a[n] = static_cast<uint16_t>(n % 2 ? random() : random() % 300), b[n] = static_cast<int16_t>(n % 2 ? random() : random() % 300);
      m.set<uint16_t>(2, n, static_cast<uint16_t>(a[n])), m.set<int16_t>(4, n, static_cast<int16_t>(b[n]));
    }
    CHECK(executor(m.thread, m.env, m.target) == RunResult::finished);
    CHECK(executor.stepped() == 0);
    for (unsigned n = 0; n < 8; n++) {
      const int64_t whole = opcode == Opcode::add ? a[n] + b[n] : opcode == Opcode::avg ? (a[n] + b[n] + 1) >> 1 : b[n];
      const int64_t expected = std::clamp(whole, least, most);
      uint32_t got = 0;
      std::memcpy(&got, reinterpret_cast<const std::byte*>(&m.thread.grf(10)) + n * step, step);
      INFO("opcode " << static_cast<int>(opcode) << " channel " << n);
      CHECK(got == (static_cast<uint32_t>(expected) & static_cast<uint32_t>((int64_t{1} << 8 * step) - 1)));
    }
  }
}

TEST_CASE("eu jit: inverse square roots of any float") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  std::mt19937 random(5);
  for (const auto& [keep_denorms, channels] : {std::pair{false, 16u}, {true, 16u}, {false, 8u}}) {
    Machine m;
    m.fast_paths = &compiler_now();
    Instruction rsq = op(Opcode::math, channels, grf(40, RegType::f), grf(20, RegType::f));
    rsq.cond_mod = static_cast<uint8_t>(MathFunction::rsq);
    Instruction final_send = end();
    final_send.end_of_thread = false;
    final_send.exec_size = 16;
    final_send.cond_mod = static_cast<uint8_t>(Sfid::dp_data1);
    final_send.src[0] = grf(40, RegType::ud);
    final_send.descriptor = 2 << 25;
    m.load({rsq, final_send}, channels == 16 ? 0xffff : 0xff);
    std::array<Grf, 2> answer;
    m.target.answer = [&answer](const Message& message, ThreadEnv&) {
      if (message.payload.size() == 2) std::copy_n(message.payload.begin(), 2, answer.begin());
      return SendResult::done;
    };
    ThreadStart how;
    how.program = m.program.get();
    how.dispatch_mask = channels == 16 ? 0xffff : 0xff;
    how.keep_denorms = keep_denorms;
    for (unsigned round = 0; round < 20000; round++) {
      // Numbers only; every eighth time anything. One in 2048 (of eight channels: 410) has its inverse root so near to the middle of two
      // floats that it is done exactly.
      for (unsigned lane = 0; lane < 16; lane++) {
        const auto bits = static_cast<uint32_t>(random());
        m.set<uint32_t>(20 + lane / 8, lane % 8, round % 8 ? 0x00800000 + bits % 0x7f000000 : bits);
      }
      std::array<uint32_t, 16> results[2];
      for (unsigned by = 0; by < 2; by++) {
        m.thread.start(how);
        REQUIRE((by ? eu::interpret(m.thread, m.env, m.target) : eu::run(m.thread, m.env, m.target)) == RunResult::finished);
        std::memcpy(results[by].data(), answer.data(), sizeof answer);
      }
      INFO("round " << round << " denormals kept " << keep_denorms << " channels " << channels);
      REQUIRE(results[0] == results[1]);
    }
  }
}

TEST_CASE("eu jit: an integer that is known is rounded as the denormal that it is") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  // LLVM rounds constants as if DAZ were off: the ceiling of 26 times 2^-149 became 1 (eu_jit_differential 1, program 2100).
  for (const Opcode opcode : {Opcode::rndu, Opcode::rndd, Opcode::rnde, Opcode::rndz, Opcode::frc})
    for (const bool negate : {false, true}) {
      Instruction round = op(opcode, 8, grf(127, RegType::f), grf(10, RegType::f));  // the last message has it
      round.src[0].negate = negate;
      Instruction known = mov_imm(8, grf(10, RegType::d), RegType::ud, 0x2d);
      known.opcode = Opcode::fbh;
      const auto code = assemble({known, round, end()});
      INFO("opcode " << static_cast<int>(opcode) << " negate " << negate);
      CHECK(trace(code, 0xffff, 1, Runner::engine) == trace(code, 0xffff, 1, Runner::interpreter));
    }
}

TEST_CASE("eu jit: an integer that is known is the coefficient of a plane as the denormal that it is") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  // LLVM widened the constant as if DAZ were off: a multiple of 2^-149 times the largest floats was no zero (eu_jit_differential 1, program 1490).
  Instruction known = mov_imm(8, grf(10, RegType::d), RegType::ud, 0x2d);
  known.opcode = Opcode::fbh;
  const auto code =
      assemble({known, mov_imm(8, grf(12, RegType::f), RegType::f, 0x7f7fffff), mov_imm(8, grf(13, RegType::f), RegType::f, 0x7f7fffff),
                op(Opcode::pln, 8, grf(127, RegType::f), scalar(10, RegType::f), grf(12, RegType::f)), end()});
  CHECK(trace(code, 0xffff, 1, Runner::engine) == trace(code, 0xffff, 1, Runner::interpreter));
}

TEST_CASE("eu jit: arithmetic on integers that are known reads the denormals that they are") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  // LLVM took the root of the constant as if DAZ were off (eu_jit_differential 20261208 100000 48 gen12, program 1085).
  Instruction known = mov_imm(8, grf(10, RegType::d), RegType::ud, 0x2d);
  known.opcode = Opcode::fbh;
  const auto check = [&](const Instruction& i) {
    const auto code = assemble({known, mov_imm(8, grf(11, RegType::f), RegType::f, 0x7f7fffff), i, end()});
    INFO("opcode " << static_cast<int>(i.opcode) << " function " << static_cast<int>(i.cond_mod));
    CHECK(trace(code, 0xffff, 1, Runner::engine) == trace(code, 0xffff, 1, Runner::interpreter));
  };
  const Operand to = grf(127, RegType::f), small = grf(10, RegType::f), large = grf(11, RegType::f);
  for (const MathFunction function : {MathFunction::inv, MathFunction::sqrt, MathFunction::rsq, MathFunction::log, MathFunction::exp,
                                      MathFunction::fdiv, MathFunction::pow}) {
    Instruction i = op(Opcode::math, 8, to, small, large);
    i.cond_mod = static_cast<uint8_t>(function);
    check(i);
  }
  for (const Opcode opcode : {Opcode::add, Opcode::mul}) check(op(opcode, 8, to, small, large));
  for (const Opcode opcode : {Opcode::mad, Opcode::lrp}) check(op(opcode, 8, to, small, small, large));
  Instruction saturated = op(Opcode::mul, 8, to, small, large);
  saturated.saturate = true;
  check(saturated);
}

TEST_CASE("eu jit: an integer whose sign is known is compared with zero as the denormal that it is") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  // LLVM turned "at most zero" into "equal to zero", and that into a comparison of integers (eu_jit_differential 20261203 100000 48 gen12, program 1937).
  for (const Opcode counts : {Opcode::cbit, Opcode::fbh})
    for (const CondMod cond : {CondMod::g, CondMod::ge, CondMod::l, CondMod::le})
      for (const bool negate : {false, true}) {
        Instruction known = mov_imm(8, grf(10, RegType::ud), RegType::ud, 33);
        known.opcode = counts;
        Instruction compare = op_imm(Opcode::cmp, 8, grf(127, RegType::d), scalar(10, RegType::f), RegType::f, 0);
        compare.cond_mod = static_cast<uint8_t>(cond);
        compare.src[0].negate = negate;
        const auto code = assemble({known, compare, end()});
        INFO("opcode " << static_cast<int>(counts) << " condition " << static_cast<int>(cond) << " negate " << negate);
        CHECK(trace(code, 0xffff, 1, Runner::engine) == trace(code, 0xffff, 1, Runner::interpreter));
        if (cond != CondMod::l && cond != CondMod::ge) continue;
        compare.opcode = Opcode::sel, compare.dst = grf(127, RegType::f);
        const auto extreme = assemble({known, compare, end()});
        CHECK(trace(extreme, 0xffff, 1, Runner::engine) == trace(extreme, 0xffff, 1, Runner::interpreter));
      }
}

TEST_CASE("eu jit: bytes stay dwords until they are stored") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  // LLVM 19 calculated them as bytes: it crashed, or ended the process with "Cannot emit physreg copy instruction".
  const jit::Variant variant{.flush_f32 = true, .channels = 0, .keep_registers = true};
  constexpr auto ub = RegType::ub, b = RegType::b;
  for (const jit::HostIsa isa : {jit::HostIsa::avx2, jit::HostIsa::host})
    for (const Opcode opcode : {Opcode::and_, Opcode::or_, Opcode::xor_})
      for (const unsigned at : {0u, 6u, 29u})
        for (const unsigned exec : {8u, 16u, 32u}) {
          Instruction inverted = op(opcode, exec, grf(30, ub, at), grf(20, b), grf(20, ub));
          inverted.src[0].negate = true;
          const std::vector<Instruction> code = {op(opcode, exec, grf(10, ub, at), grf(2, ub, 25), grf(4, ub, 23, 2, 2, 1)), inverted,
                                                 op(Opcode::not_, exec, grf(32, ub, at), grf(20, b)), end()};
          INFO("opcode " << static_cast<int>(opcode) << " at byte " << at << ", " << exec << " channels");
          CHECK(jit::compile(*Program::decode(gen9_isa(), assemble(code)), variant, isa).refused == nullptr);
        }
}

TEST_CASE("eu jit: random instructions give the interpreter's bits, for AVX2 and for the host's best instruction set") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  for (const Isa* isa : isas())
    for (const jit::HostIsa host : {jit::HostIsa::avx2, jit::HostIsa::host}) {
      INFO(isa->name());
      fuzz::JitExecutor executor(host);
      auto outcome = fuzz::compare(*isa, 11, 1200, 24, std::ref(executor));
      if (outcome.difference.empty()) outcome = fuzz::compare(*isa, 3, 300, 3, std::ref(executor));
      CHECK(outcome.difference == "");
      CHECK(executor.refused() == 0);
      CHECK(executor.stepped() < executor.ops());
    }
}

TEST_CASE("eu jit: captured kernels send the same messages and have the same results") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  for (const auto& [isa, name, code] : captured_kernels())
    for (const uint32_t mask : {0xffu, 0x5au, 0xffffu}) {
      INFO(name << " mask " << mask);
      CHECK(trace(code, mask, mask + 7, Runner::executor, grf_count, 0, isa) ==
            trace(code, mask, mask + 7, Runner::interpreter, grf_count, 0, isa));
    }
}

TEST_CASE("eu jit: no kernel sees what another thread left in the registers") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  constexpr std::pair<uint32_t, unsigned> starts[] = {{0xff, 9}, {0xffff, 24}, {0x5a, 2}};
  for (const auto& [isa, name, code] : captured_kernels())
    for (const auto& [mask, payload] : starts) {
      INFO(name << " mask " << mask << " payload " << payload);
      CHECK(trace(code, mask, mask + 7, Runner::engine, payload, 1, isa) ==
            trace(code, mask, mask + 7, Runner::interpreter, payload, 2, isa));
    }
}
