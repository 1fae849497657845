// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's flow by mask stacks: each channel of random structured programs runs what it would run alone; what a hostile kernel does to the stacks ends it.
#include <array>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "tests/catch.h"
#include "tests/ref/eu_fuzz.h"
#include "tests/unit/eu/gen5_program.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;

namespace {

constexpr auto D = RegType::d;
constexpr auto UD = RegType::ud;
constexpr auto UW = RegType::uw;
constexpr unsigned counter = 20, value = 30, scratch = 40;

/// A structured program, written as Mesa's brw_eu_emit.c writes it for Gfx5.
class Builder {
 public:
  void add(const Instruction& i) { code_.push_back(i); }
  /// f0 = register < number.
  void compare(unsigned reg, int32_t number) {
    add(with_condition(compressed(op_imm(Opcode::cmp, 16, null(D), grf(reg, D), D, static_cast<uint32_t>(number))), CondMod::l));
  }
  void increase(unsigned reg, int32_t by) {
    add(compressed(op_imm(Opcode::add, 16, grf(reg, D), grf(reg, D), D, static_cast<uint32_t>(by))));
  }
  void begin_if(bool inverted) {
    ifs_.push_back({code_.size(), 0});
    depth_in_loop_.back()++;
    add(flow(Opcode::iff, 16, 0, 0, 1, inverted));
  }
  void otherwise() {
    ifs_.back().otherwise = code_.size();
    add(flow(Opcode::else_, 16, 0, 1));
  }
  void end_if() {
    const If open = ifs_.back();
    ifs_.pop_back();
    depth_in_loop_.back()--;
    const size_t end = code_.size();
    add(flow(Opcode::endif, 16, 0, 1));
    if (open.otherwise) {
      code_[open.start].opcode = Opcode::if_;
      set(open.start, open.otherwise), set(open.otherwise, end + 1);
    } else {
      set(open.start, end + 1);
    }
  }
  void begin_loop() {
    loops_.push_back({code_.size(), {}, {}});
    depth_in_loop_.push_back(0);
    Instruction i = flow(Opcode::do_, 16, 0);
    i.dst = dst_of(null()), i.src[0] = null(), i.src[1] = null(), i.imm = 0;
    add(i);
  }
  void leave(bool inverted) { jump_in_loop(Opcode::break_, loops_.back().breaks, inverted); }
  void next_round(bool inverted) { jump_in_loop(Opcode::cont, loops_.back().continues, inverted); }
  void end_loop() {
    const Loop loop = loops_.back();
    loops_.pop_back();
    depth_in_loop_.pop_back();
    const size_t end = code_.size();
    add(flow(Opcode::while_, 16, 0));
    set(end, loop.start + 1);
    for (const size_t n : loop.breaks) set(n, end + 1);
    for (const size_t n : loop.continues) set(n, end);
  }
  const std::vector<Instruction>& code() const { return code_; }

 private:
  struct If {
    size_t start, otherwise;
  };
  struct Loop {
    size_t start;
    std::vector<size_t> breaks, continues;
  };
  void jump_in_loop(Opcode opcode, std::vector<size_t>& list, bool inverted) {
    list.push_back(code_.size());
    add(flow(opcode, 16, 0, depth_in_loop_.back(), 1, inverted));
  }
  void set(size_t n, size_t target) {
    const auto jump = static_cast<int>(target) * 2 - static_cast<int>(n) * 2;
    code_[n].imm = (code_[n].imm & 0xffff0000) | (static_cast<uint32_t>(jump) & 0xffff);
  }

  std::vector<Instruction> code_;
  std::vector<If> ifs_;
  std::vector<Loop> loops_;
  std::vector<unsigned> depth_in_loop_{0};
};

/// One channel of the same program.
struct Channel {
  int32_t value, scratch;
  bool broken = false, continued = false;
  bool stopped() const { return broken || continued; }
};
using Step = std::function<void(Channel&)>;

/// Random statements, to both.
class Random {
 public:
  Random(uint32_t seed, Builder& builder) : random_(seed), builder_(builder) {}

  std::vector<Step> block(unsigned depth, unsigned loops) {
    std::vector<Step> steps;
    for (unsigned n = 1 + random_() % 4; n > 0; n--) steps.push_back(statement(depth, loops));
    return steps;
  }

 private:
  static void run(const std::vector<Step>& steps, Channel& c) {
    for (const Step& step : steps) {
      if (c.stopped()) return;
      step(c);
    }
  }
  Step arithmetic() {
    const auto by = static_cast<int32_t>(random_() % 100) - 40;
    builder_.increase(value, by);
    return [by](Channel& c) { c.value += by; };
  }
  /// The value's low bits against a number, so that channels differ.
  std::function<bool(const Channel&)> condition() {
    const auto limit = static_cast<int32_t>(random_() % 16);
    builder_.add(compressed(op_imm(Opcode::and_, 16, grf(scratch, D), grf(value, D), D, 15)));
    builder_.compare(scratch, limit);
    return [limit](const Channel& c) { return (c.value & 15) < limit; };
  }
  Step branch(unsigned depth, unsigned loops) {
    const auto holds = condition();
    const bool inverted = random_() % 2;
    builder_.begin_if(inverted);
    const auto yes = block(depth - 1, loops);
    std::vector<Step> no;
    if (random_() % 2) builder_.otherwise(), no = block(depth - 1, loops);
    builder_.end_if();
    return [=](Channel& c) { run(holds(c) != inverted ? yes : no, c); };
  }
  /// At most six rounds: a counter in a register of the loop's own.
  Step loop(unsigned depth, unsigned loops) {
    const unsigned count = counter + 2 * loops;
    const auto rounds = static_cast<int32_t>(random_() % 6 + 1);
    builder_.add(compressed(mov_imm(16, grf(count, D), D, 0)));
    builder_.begin_loop();
    builder_.compare(count, rounds);
    builder_.leave(true);
    builder_.increase(count, 1);
    const auto body = block(depth - 1, loops + 1);
    builder_.end_loop();
    return [=](Channel& c) {
      for (int32_t n = 0; n < rounds; n++) {
        run(body, c);
        c.continued = false;
        if (std::exchange(c.broken, false)) return;
      }
    };
  }
  Step leave() {
    const auto holds = condition();
    const bool inverted = random_() % 2, next = random_() % 2;
    next ? builder_.next_round(inverted) : builder_.leave(inverted);
    return [=](Channel& c) {
      if (holds(c) != inverted) (next ? c.continued : c.broken) = true;
    };
  }
  Step statement(unsigned depth, unsigned loops) {
    switch (random_() % 6) {
      case 0:
      case 1:
        if (depth) return branch(depth, loops);
        break;
      case 2:
        if (depth && loops < 3) return loop(depth, loops);
        break;
      case 3:
        if (loops) return leave();
        break;
      default: break;
    }
    return arithmetic();
  }

  std::mt19937 random_;
  Builder& builder_;
};

}  // namespace

TEST_CASE("gen5 flow: channels of random structured programs go their own ways") {
  for (uint32_t seed = 1; seed <= 400; seed++) {
    INFO("seed " << seed);
    Builder builder;
    Random random(seed, builder);
    const auto steps = random.block(4, 0);
    Machine m(gen5_isa());
    std::mt19937 values(seed);
    const uint32_t mask = seed % 3 ? 0xffff : values() & 0xffff;
    std::vector<Channel> channels;
    for (unsigned n = 0; n < 16; n++) {
      channels.push_back({static_cast<int32_t>(values() % 1000), 0});
      m.set<int32_t>(value + n / 8, n % 8, channels[n].value);
    }
    m.load(builder.code(), mask);
    REQUIRE(m.run() == RunResult::finished);
    CHECK(m.thread.active == mask);
    CHECK(m.thread.masks.branch_depth == 0);
    CHECK(m.thread.masks.loop_depth == 0);
    for (unsigned n = 0; n < 16; n++) {
      if (mask >> n & 1)
        for (const Step& step : steps) step(channels[n]);
      INFO("channel " << n);
      CHECK(m.get<int32_t>(value + n / 8, n % 8) == channels[n].value);
    }
  }
}

TEST_CASE("gen5 flow: halt switches channels off until the kernel sets the mask again") {
  // Mesa's discard: channels halt by f0.1 and meet where amask gets DMask, from sr0.1 (patch_halt_jumps).
  Machine m(gen5_isa());
  for (unsigned n = 0; n < 8; n++) m.set<uint32_t>(2, n, n);
  const Instruction restore = without_mask(op(Opcode::mov, 1, arf(Arf::channel_enable, UW), arf(Arf::state, UW, 0, 2)));
  m.load(
      {with_condition(op_imm(Opcode::cmp, 8, null(UD), grf(2, UD), UD, 3), CondMod::l, 1),
       predicated(flow(Opcode::halt, 8, 8), 1, false, 1), mov_imm(8, grf(3, UD), UD, 1),
       op(Opcode::mov, 1, grf(5, UD), arf(Arf::channel_enable, UW)), mov_imm(8, grf(4, UD), UD, 2), restore, mov_imm(8, grf(6, UD), UD, 3)},
      0xff);
  m.thread.regs.grf[5].dw[0] = 0;
  REQUIRE(m.run() == RunResult::finished);
  for (unsigned n = 0; n < 8; n++) {
    CHECK(m.get<uint32_t>(3, n) == (n < 3 ? 0u : 1u));
    CHECK(m.get<uint32_t>(6, n) == 3);
  }
  // Channel 0, which reads amask, was halted.
  CHECK(m.get<uint32_t>(5, 0) == 0);
}

TEST_CASE("gen5 flow: when all halt, the thread jumps") {
  Machine m(gen5_isa());
  const Instruction restore = without_mask(op(Opcode::mov, 1, arf(Arf::channel_enable, UW), arf(Arf::state, UW, 0, 2)));
  m.load({flow(Opcode::halt, 8, 4), without_mask(mov_imm(8, grf(3, UD), UD, 1)), restore, mov_imm(8, grf(6, UD), UD, 3)}, 0xff);
  REQUIRE(m.run() == RunResult::finished);
  CHECK(m.get<uint32_t>(3, 0) == 0);
  CHECK(m.get<uint32_t>(6, 0) == 3);
}

TEST_CASE("gen5 flow: masks are words of one register") {
  Machine m(gen5_isa());
  const auto mask_word = [](unsigned n) { return arf(Arf::channel_enable, UW, 0, n); };
  m.load({without_mask(op(Opcode::mov, 1, scalar(10, UW, 0), mask_word(0))),
          with_condition(op_imm(Opcode::cmp, 8, null(UD), grf(2, UD), UD, 2), CondMod::l), flow(Opcode::if_, 8, 8, 0, 1),
          without_mask(op(Opcode::mov, 1, scalar(10, UW, 1), mask_word(1))),
          without_mask(op(Opcode::mov, 1, scalar(10, UW, 2), arf(Arf::stack_pointer, UW))),
          without_mask(mov_imm(1, mask_word(1), UW, 0x000c)), flow(Opcode::endif, 8, 0, 1), mov_imm(8, grf(11, UD), UD, 1)},
         0x7f);
  for (unsigned n = 0; n < 8; n++) m.set<uint32_t>(2, n, n);
  REQUIRE(m.run() == RunResult::finished);
  CHECK(m.get<uint16_t>(10, 0) == 0x7f);
  // The flags of channels that are off stay: bit 7 of IMask is the condition's, as far as the instruction's channels go.
  CHECK((m.get<uint16_t>(10, 1) & 0x7f) == 0x03);
  CHECK(m.get<uint16_t>(10, 2) == 1);
  CHECK(m.thread.active == 0x7f);
  CHECK(m.get<uint32_t>(11, 6) == 1);
}

TEST_CASE("gen5 flow: in single program flow channel 0 decides for all in an if of one channel, and additions to ip jump") {
  for (const uint32_t first : {0u, 1u}) {
    Machine m(gen5_isa());
    const Instruction skip = predicated(op_imm(Opcode::add, 1, arf(Arf::ip, UD), arf(Arf::ip, UD), D, 32), 1, true);
    const auto bytes =
        assemble({with_condition(op_imm(Opcode::cmp, 8, null(UD), grf(2, UD), UD, 0), CondMod::nz), skip, mov_imm(1, scalar(3, UD), UD, 5),
                  flow(Opcode::if_, 1, 4, 0, 1), mov_imm(8, grf(4, UD), UD, 6), flow(Opcode::else_, 1, 6, 1), mov_imm(8, grf(4, UD), UD, 7),
                  flow(Opcode::endif, 8, 0, 1), mov_imm(8, grf(5, UD), UD, 8), end(gen5_isa())},
                 gen5_isa());
    m.program = Program::decode(gen5_isa(), bytes);
    // The others have it the other way.
    for (unsigned n = 0; n < 8; n++) m.set<uint32_t>(2, n, n ? 1 - first : first);
    ThreadStart how;
    how.program = m.program.get();
    how.single_program_flow = true;
    m.thread.start(how);
    REQUIRE(m.run() == RunResult::finished);
    CHECK(m.get<uint32_t>(3, 0) == (first ? 5u : 0u));
    for (unsigned n = 0; n < 8; n++) {
      CHECK(m.get<uint32_t>(4, n) == (first ? 6u : 7u));
      CHECK(m.get<uint32_t>(5, n) == 8);
    }
    CHECK(m.thread.masks.branch_depth == 0);
  }
}

TEST_CASE("gen5 flow: jmpi by register counts halves of instructions from the next one") {
  // A jump table, as Mesa's setup kernel has one for flat shading.
  for (const int32_t entry : {0, 1, 2}) {
    Machine m(gen5_isa());
    Instruction jump;
    jump.opcode = Opcode::jmpi;
    jump.dst = dst_of(arf(Arf::ip, UD));
    jump.src[0] = arf(Arf::ip, UD);
    jump.src[1] = scalar(2, D);
    m.load({jump, op_imm(Opcode::add, 1, scalar(3, UD), scalar(3, UD), UD, 1), op_imm(Opcode::add, 1, scalar(3, UD), scalar(3, UD), UD, 10),
            op_imm(Opcode::add, 1, scalar(3, UD), scalar(3, UD), UD, 100)});
    m.set<int32_t>(2, 0, 2 * entry);
    REQUIRE(m.run() == RunResult::finished);
    constexpr uint32_t sums[] = {111, 110, 100};
    CHECK(m.get<uint32_t>(3, 0) == sums[entry]);
  }
}

TEST_CASE("gen5 flow: a subroutine is called by ip and returns by an addition") {
  // i965-va-driver: mov r, ip; jmpi; ...; add ip, r, 32.
  Machine m(gen5_isa());
  Instruction call = op(Opcode::mov, 1, scalar(5, UD), arf(Arf::ip, UD));
  Instruction to;
  to.opcode = Opcode::jmpi;
  to.dst = dst_of(arf(Arf::ip, UD));
  to.src[0] = arf(Arf::ip, UD);
  to.src[1] = imm(D);
  to.imm = 4;  // over the next two
  const Instruction over = to;
  const Instruction back = op_imm(Opcode::add, 1, arf(Arf::ip, UD), scalar(5, UD), UD, 32);
  m.load({call, to, mov_imm(1, scalar(6, UD), UD, 2), over, op_imm(Opcode::add, 1, scalar(7, UD), scalar(7, UD), UD, 1), back});
  REQUIRE(m.run() == RunResult::finished);
  CHECK(m.get<uint32_t>(6, 0) == 2);
  CHECK(m.get<uint32_t>(7, 0) == 1);
}

TEST_CASE("gen5 flow: stacks that are full or empty end the thread") {
  std::vector<Instruction> nested(17, flow(Opcode::if_, 8, 0, 0, 0));
  for (auto& i : nested) i.imm = 2;
  Machine deep(gen5_isa());
  deep.load(nested);
  CHECK(deep.run() == RunResult::failed);
  nested.pop_back();
  Machine full(gen5_isa());
  full.load(nested);
  CHECK(full.run() == RunResult::finished);
  for (const Opcode opcode : {Opcode::else_, Opcode::endif, Opcode::while_, Opcode::break_, Opcode::cont}) {
    Machine empty(gen5_isa());
    empty.load({flow(opcode, 8, 2, 1)});
    CHECK(empty.run() == RunResult::failed);
  }
  std::vector<Instruction> loops;
  for (unsigned n = 0; n < 17; n++) loops.push_back(op(Opcode::do_, 8, null(), null()));
  Machine rounds(gen5_isa());
  rounds.load(loops);
  CHECK(rounds.run() == RunResult::failed);
}

TEST_CASE("gen5 flow: a loop without end is left when the work is dropped") {
  Machine m(gen5_isa());
  m.load({op(Opcode::do_, 8, null(), null()), flow(Opcode::while_, 8, 0)});
  m.stop.request(StopFlag::reset);
  CHECK(m.run() == RunResult::aborted);
}

TEST_CASE("gen5 flow: instructions that move mask stacks are counted, and fail") {
  for (const Opcode opcode : {Opcode::push, Opcode::pop, Opcode::msave, Opcode::mrest}) {
    Machine m(gen5_isa());
    m.load({op(opcode, 8, grf(3, UD), grf(2, UD), grf(4, UD))});
    CHECK(m.run() == RunResult::failed);
  }
}

TEST_CASE("gen5 flow: kernels of random words end, by themselves or at their first way back") {
  std::mt19937_64 random(7);
  constexpr Opcode flows[] = {Opcode::if_,    Opcode::iff,    Opcode::else_, Opcode::endif, Opcode::do_,
                              Opcode::while_, Opcode::break_, Opcode::cont,  Opcode::halt,  Opcode::jmpi,
                              Opcode::send,   Opcode::mov,    Opcode::add,   Opcode::mul,   Opcode::mach};
  const std::vector<Native> legal = fuzz::legal_instructions(gen5_isa(), 3, 512);
  Machine m(gen5_isa());
  std::array<unsigned, 4> results{};
  for (unsigned round = 0; round < 3000; round++) {
    std::vector<Native> code;
    for (unsigned n = 0; n < 24; n++) {
      Native bits = random() % 3 ? legal[random() % legal.size()] : Native{{random(), random()}};
      if (random() % 3 == 0) bits.set(6, 0, gen5_isa().encode({.opcode = flows[random() % std::size(flows)]}).get(6, 0));
      if (random() % 4) bits.set(127, 112, random() % 3), bits.set(111, 96, random() % 16);
      bits.set(29, 29, 0);
      code.push_back(bits);
    }
    std::vector<std::byte> bytes(code.size() * sizeof(Native));
    std::memcpy(bytes.data(), code.data(), bytes.size());
    m.load(bytes, static_cast<uint32_t>(random()));
    m.stop.request(StopFlag::reset);
    results[static_cast<unsigned>(m.run())]++;
    CHECK(m.thread.masks.branch_depth <= MaskStacks::max_depth);
    CHECK(m.thread.masks.loop_depth <= MaskStacks::max_depth);
  }
  CHECK(results[static_cast<unsigned>(RunResult::aborted)] + results[static_cast<unsigned>(RunResult::failed)] > 1000);
}
