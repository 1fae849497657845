// SPDX-License-Identifier: GPL-2.0-or-later
// Control flow, messages, waiting, stopping. Random structured programs are checked channel by channel against the program's meaning.
#include <memory>
#include <random>

#include "hw/base/log.h"
#include "hw/eu/isa/gen9/isa.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/eu/harness.h"
#include "tests/unit/eu/other_isa.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;

namespace {

constexpr RegType D = RegType::d, UD = RegType::ud;

struct Statement {
  enum Kind { step, choose, loop, leave, again, stop } kind = step;
  uint32_t bit = 0;  ///< which bit of the channel's state decides
  uint32_t constant = 1;
  std::vector<Statement> body, other;
};

/// A channel's state: x steps through x * 1664525 + constant; decisions look at one bit of it; loops end after a number of turns.
struct Channel {
  uint32_t x = 0;
  bool stopped = false;
  enum Exit { none, broke, continued };
  Exit run(const std::vector<Statement>& list) {
    for (const Statement& s : list) {
      const bool taken = x >> s.bit & 1;
      switch (s.kind) {
        case Statement::step: x = x * 1664525u + s.constant; break;
        case Statement::choose:
          if (const Exit e = run(taken ? s.body : s.other); e != none || stopped) return e;
          break;
        case Statement::loop:
          for (;;) {
            const Exit e = run(s.body);
            if (stopped) return none;
            if (e == broke) break;
            // cont leads to the while, where the channel's flag is what let it continue.
            if (e == continued) continue;
            x = x * 1664525u + s.constant;
            if (!(x >> s.bit & 1)) break;
          }
          break;
        case Statement::leave:
          if (taken) return broke;
          break;
        case Statement::again:
          x = x * 1664525u + s.constant;
          if (x >> s.bit & 1) return continued;
          break;
        case Statement::stop:
          if (taken) {
            stopped = true;
            return none;
          }
          break;
      }
    }
    return none;
  }
};

class Writer {
 public:
  explicit Writer(uint32_t seed) : random_(seed) {}

  std::vector<Statement> list(unsigned depth, bool in_loop) {
    std::vector<Statement> result;
    for (unsigned n = 1 + below(4); n-- > 0;) {
      Statement s;
      s.bit = 16 + below(12);
      s.constant = 1013904223u + below(1000) * 2;
      const unsigned kind = below(10);
      if (depth && kind < 3) {
        s.kind = Statement::choose;
        s.body = list(depth - 1, in_loop);
        if (below(2)) s.other = list(depth - 1, in_loop);
      } else if (depth && kind < 5) {
        s.kind = Statement::loop;
        s.body = list(depth - 1, true);
      } else if (in_loop && kind == 5) {
        s.kind = Statement::leave;
      } else if (in_loop && kind == 6) {
        s.kind = Statement::again;
      } else if (kind == 7 && below(3) == 0) {
        s.kind = Statement::stop;
      }
      result.push_back(s);
    }
    return result;
  }

  std::vector<Instruction> code(const std::vector<Statement>& program, unsigned exec) {
    exec_ = exec;
    code_.clear();
    emit(program);
    // The last halt collects those that halted before (Mesa brw_fs_generator.cpp, patch_halt_jumps).
    code_.push_back(branch(Opcode::halt, exec, 1, 1));
    patch();
    return code_;
  }

 private:
  uint32_t below(uint32_t n) { return random_() % n; }

  void decide(uint32_t bit) {
    Instruction i = op_imm(Opcode::and_, exec_, null(UD), grf(10, UD), UD, 1u << bit);
    i.cond_mod = static_cast<uint8_t>(CondMod::nz);
    code_.push_back(i);
  }
  void step(uint32_t constant) {
    code_.push_back(op_imm(Opcode::mul, exec_, grf(10, D), grf(10, D), D, 1664525));
    code_.push_back(op_imm(Opcode::add, exec_, grf(10, D), grf(10, D), D, constant));
  }
  void jump(Opcode o, bool predicated = true) {
    Instruction i = branch(o, exec_, 0, 0);
    i.pred_control = predicated;
    code_.push_back(i);
  }

  void emit(const std::vector<Statement>& list) {
    for (const Statement& s : list) {
      switch (s.kind) {
        case Statement::step: step(s.constant); break;
        case Statement::choose:
          decide(s.bit);
          jump(Opcode::if_);
          emit(s.body);
          if (!s.other.empty()) {
            jump(Opcode::else_, false);
            emit(s.other);
          }
          jump(Opcode::endif, false);
          break;
        case Statement::loop: {
          const size_t start = code_.size();
          emit(s.body);
          step(s.constant);
          decide(s.bit);
          jump(Opcode::while_);
          code_.back().jip = static_cast<int32_t>(start) - static_cast<int32_t>(code_.size() - 1);
          break;
        }
        case Statement::leave:
          decide(s.bit);
          jump(Opcode::break_);
          break;
        case Statement::again:
          step(s.constant);
          decide(s.bit);
          jump(Opcode::cont);
          break;
        case Statement::stop:
          decide(s.bit);
          jump(Opcode::halt);
          break;
      }
    }
  }

  /// The next else, endif, while or halt that ends the block `at` stands in (Mesa brw_eu_emit.c, brw_find_next_block_end).
  size_t block_end(size_t at) const {
    unsigned depth = 0;
    for (size_t n = at + 1; n < code_.size(); n++) {
      switch (code_[n].opcode) {
        case Opcode::if_: depth++; break;
        case Opcode::endif:
          if (!depth) return n;
          depth--;
          break;
        case Opcode::while_:
          if (!depth && n + static_cast<size_t>(code_[n].jip) <= at) return n;
          break;
        case Opcode::else_:
        case Opcode::halt:
          if (!depth) return n;
          break;
        default: break;
      }
    }
    return code_.size();
  }
  size_t loop_end(size_t at) const {
    for (size_t n = at + 1; n < code_.size(); n++)
      if (code_[n].opcode == Opcode::while_ && n + static_cast<size_t>(static_cast<int64_t>(code_[n].jip)) <= at) return n;
    return code_.size();
  }
  size_t match(size_t at, bool else_too) const {
    unsigned depth = 0;
    for (size_t n = at + 1; n < code_.size(); n++) {
      if (code_[n].opcode == Opcode::if_) depth++;
      if (!depth && else_too && code_[n].opcode == Opcode::else_) return n;
      if (code_[n].opcode == Opcode::endif && !depth--) return n;
    }
    return code_.size();
  }

  void patch() {
    const auto distance = [](size_t from, size_t to) { return (static_cast<int32_t>(to) - static_cast<int32_t>(from)) * 16; };
    std::vector<Instruction> result = code_;
    for (size_t n = 0; n < code_.size(); n++) {
      Instruction& i = result[n];
      switch (i.opcode) {
        case Opcode::if_: {
          const size_t other = match(n, true);
          i.jip = distance(n, code_[other].opcode == Opcode::else_ ? other + 1 : other);
          i.uip = distance(n, match(n, false));
          break;
        }
        case Opcode::else_: i.jip = i.uip = distance(n, match(n, false)); break;
        case Opcode::endif: i.jip = distance(n, std::min(block_end(n), code_.size())); break;
        case Opcode::while_: i.jip *= 16; break;
        case Opcode::break_:
        case Opcode::cont:
          i.jip = distance(n, block_end(n));
          i.uip = distance(n, loop_end(n));
          break;
        case Opcode::halt:
          i.jip = distance(n, n + 1 == code_.size() ? n + 1 : block_end(n));
          i.uip = distance(n, code_.size());
          break;
        default: break;
      }
    }
    code_ = result;
  }

  std::mt19937 random_;
  unsigned exec_ = 8;
  std::vector<Instruction> code_;
};

}  // namespace

TEST_CASE("eu flow: random structured programs: each channel runs as if it were alone") {
  unsigned loops = 0;
  for (uint32_t seed = 1; seed <= rounds(600); seed++) {
    INFO("seed " << seed);
    Writer writer(seed);
    const auto program = writer.list(3, false);
    const unsigned exec = 8u << seed % 3;
    const uint32_t mask = seed % 5 ? (exec == 32 ? ~0u : (1u << exec) - 1) : 0x5a5a5a5a & (exec == 32 ? ~0u : (1u << exec) - 1);
    std::vector<Channel> expected(exec);
    Machine m;
    const auto code = writer.code(program, exec);
    m.load(code, mask);
    for (unsigned n = 0; n < exec; n++) {
      expected[n].x = (n + 1) * 0x9e3779b9u + seed;
      m.set<uint32_t>(10, n, expected[n].x);
    }
    const auto before = expected;
    REQUIRE(m.run() == RunResult::finished);
    for (unsigned n = 0; n < exec; n++) {
      if (mask >> n & 1) expected[n].run(program);
      INFO("channel " << n);
      CHECK(m.get<uint32_t>(10, n) == expected[n].x);
    }
    CHECK(m.thread.active == mask);
    for (const Instruction& i : code) loops += i.opcode == Opcode::while_;
  }
  CHECK(loops > 100);
}

TEST_CASE("eu flow: goto and join") {
  // Odd channels go to the second add; all meet at the join.
  Machine m;
  Instruction decide = op_imm(Opcode::and_, 8, null(UD), grf(1, UD), UD, 1);
  decide.cond_mod = 2;
  Instruction away = branch(Opcode::goto_, 8, 3, 4);
  away.pred_control = 1;
  away.pred_invert = true;
  // All go where the predicate is false for all.
  Instruction clear_flag = mov_imm(1, arf(Arf::flag, UD), UD, 0);
  clear_flag.no_mask = true;
  Instruction skip = branch(Opcode::goto_, 8, 1, 3);
  skip.pred_control = 1;
  m.load({decide, away, op_imm(Opcode::add, 8, grf(2, D), grf(2, D), D, 10), clear_flag, skip, branch(Opcode::join, 8, 2),
          op_imm(Opcode::add, 8, grf(2, D), grf(2, D), D, 100), branch(Opcode::join, 8, 1),
          op_imm(Opcode::add, 8, grf(2, D), grf(2, D), D, 1)});
  for (unsigned n = 0; n < 8; n++) m.set<uint32_t>(1, n, n);
  REQUIRE(m.run() == RunResult::finished);
  CHECK(m.get<int32_t>(2, 0) == 11);
  CHECK(m.get<int32_t>(2, 1) == 101);
  CHECK(m.thread.active == 0xff);
}

TEST_CASE("eu flow: from Gen11 on goto goes where the predicate is true, and without one everywhere") {
  Machine m(*GENERATE(&gen11_isa(), &gen12_isa()));
  Instruction decide = op_imm(Opcode::and_, 8, null(UD), grf(1, UD), UD, 1);
  decide.cond_mod = 2;
  Instruction away = branch(Opcode::goto_, 8, 2, 3);
  away.pred_control = 1;
  m.load({decide, away, op_imm(Opcode::add, 8, grf(2, D), grf(2, D), D, 10), branch(Opcode::goto_, 8, 1, 3), branch(Opcode::join, 8, 2),
          op_imm(Opcode::add, 8, grf(2, D), grf(2, D), D, 100), branch(Opcode::join, 8, 1),
          op_imm(Opcode::add, 8, grf(2, D), grf(2, D), D, 1)});
  for (unsigned n = 0; n < 8; n++) m.set<uint32_t>(1, n, n);
  REQUIRE(m.run() == RunResult::finished);
  CHECK(m.get<int32_t>(2, 0) == 11);
  CHECK(m.get<int32_t>(2, 1) == 101);
  CHECK(m.thread.active == 0xff);
}

TEST_CASE("eu flow: a backward goto with BranchCtrl loops until no channel takes it") {
  Machine m;
  Instruction decide = op(Opcode::cmp, 8, null(D), grf(2, D), grf(1, D));
  decide.cond_mod = 5;
  // Channels that do not jump back wait at the following join.
  Instruction back = branch(Opcode::goto_, 8, 1, -2);
  back.pred_control = 1;
  back.acc_write = true;
  m.load({op_imm(Opcode::add, 8, grf(2, D), grf(2, D), D, 1), decide, back, branch(Opcode::join, 8, 1),
          op_imm(Opcode::add, 8, grf(3, D), grf(2, D), D, 0)});
  for (unsigned n = 0; n < 8; n++) m.set<int32_t>(1, n, static_cast<int>(n));
  REQUIRE(m.run() == RunResult::finished);
  CHECK(m.get<int32_t>(3, 0) == 1);
  CHECK(m.get<int32_t>(3, 7) == 7);
}

TEST_CASE("eu flow: call and ret, for some channels and for all") {
  for (const bool all : {false, true}) {
    Machine m;
    Instruction decide = op_imm(Opcode::and_, 8, null(UD), grf(1, UD), UD, 1);
    decide.cond_mod = 2;
    Instruction call = branch(Opcode::call, all ? 1 : 8, 4);
    call.dst = scalar(20, D);
    call.dst.hstride = 1;
    call.pred_control = !all;
    call.no_mask = all;
    Instruction ret = op(Opcode::ret, all ? 1 : 8, null(), scalar(20, D));
    ret.no_mask = all;
    std::vector<Instruction> code = {decide, call,  op_imm(Opcode::add, 8, grf(2, D), grf(2, D), D, 1),
                                     end(),  end(), op_imm(Opcode::add, 8, grf(2, D), grf(2, D), D, 50),
                                     ret};
    m.load(assemble(code), 0xff, 0x4000);
    for (unsigned n = 0; n < 8; n++) m.set<uint32_t>(1, n, n);
    REQUIRE(m.run() == RunResult::finished);
    CHECK(m.get<int32_t>(2, 1) == 51);
    CHECK(m.get<int32_t>(2, 2) == (all ? 51 : 1));
    CHECK(m.get<uint32_t>(20, 0) == 0x4000 + 32);
    CHECK(m.thread.active == 0xff);
  }
}

TEST_CASE("eu flow: jmpi, forward, by register, and out of the kernel") {
  quiet_log();
  Machine m;
  Instruction jump = op(Opcode::jmpi, 1, arf(Arf::ip, D), arf(Arf::ip, D), imm(D));
  jump.imm = 16;
  jump.jip = 16;
  jump.no_mask = true;
  Instruction by_register = jump;
  by_register.src[1] = scalar(5, D);
  m.load({jump, mov_imm(8, grf(2, D), D, 1), by_register, mov_imm(8, grf(3, D), D, 1), mov_imm(8, grf(4, D), D, 1)});
  m.set<int32_t>(5, 0, 16);
  REQUIRE(m.run() == RunResult::finished);
  CHECK(m.get<int32_t>(2) == 0);
  CHECK(m.get<int32_t>(3) == 0);
  CHECK(m.get<int32_t>(4) == 1);
  Machine bad;
  bad.load({by_register});
  bad.set<int32_t>(5, 0, 1 << 20);
  CHECK(bad.run() == RunResult::failed);
}

TEST_CASE("eu flow: mov to ip returns from a subroutine, and other writes of ip are illegal") {
  quiet_log();
  const uint32_t start = 0x4000;
  Machine m;
  Instruction save = op(Opcode::add, 1, scalar(6, UD), arf(Arf::ip, UD), imm(UD));
  save.imm = 32;
  save.no_mask = true;
  Instruction jump = op(Opcode::jmpi, 1, arf(Arf::ip, D), arf(Arf::ip, D), imm(D));
  jump.imm = 32, jump.jip = 32;
  jump.no_mask = true;
  Instruction back = op(Opcode::mov, 1, arf(Arf::ip, UD), scalar(6, UD));
  back.no_mask = true;
  // save; jump to the subroutine; what is returned to; the end is beyond the subroutine.
  Instruction away = jump;
  away.imm = 32, away.jip = 32;
  m.load(assemble({save, jump, mov_imm(8, grf(2, D), D, 1), away, mov_imm(8, grf(3, D), D, 1), back, mov_imm(8, grf(4, D), D, 1), end()}),
         0xff, start);
  REQUIRE(m.run() == RunResult::finished);
  CHECK((m.get<int32_t>(2) == 1 && m.get<int32_t>(3) == 1 && m.get<int32_t>(4) == 1));
  CHECK(m.get<uint32_t>(6) == start + 32);
  Machine bad;
  bad.load({back});
  bad.set<uint32_t>(6, 0, 12);
  CHECK(bad.run() == RunResult::failed);
  Machine illegal;
  Instruction sum = save;
  sum.dst = arf(Arf::ip, UD);
  illegal.load({sum});
  CHECK(illegal.run() == RunResult::failed);
}

TEST_CASE("eu flow: a kernel without an end fails, a loop without an end can be stopped") {
  quiet_log();
  Machine m;
  m.load(assemble({mov_imm(8, grf(2, D), D, 1)}));
  CHECK(m.run() == RunResult::failed);
  Machine endless;
  Instruction jump = op(Opcode::jmpi, 1, arf(Arf::ip, D), arf(Arf::ip, D), imm(D));
  jump.imm = static_cast<uint32_t>(-16);
  jump.jip = -16;
  jump.no_mask = true;
  endless.load({jump});
  endless.stop.request(StopFlag::reset);
  CHECK(endless.run() == RunResult::aborted);
  CHECK(endless.thread.failure == nullptr);
}

TEST_CASE("eu flow: messages carry masks, payloads, descriptors; a response may overwrite its payload") {
  Machine m;
  Instruction send = op(Opcode::send, 8, grf(10, RegType::uw), grf(10, UD), imm(UD));
  send.cond_mod = 2;
  send.descriptor = 0x04420001;
  Instruction split = send;
  split.opcode = Opcode::sends;
  split.cond_mod = 12;
  split.dst = {};
  split.src[1] = grf(30, UD);
  split.descriptor = 0x02026e00;
  split.ex_descriptor = 3u << 6 | 0xabcd0000;
  m.load({send, split}, 0xa5);
  m.set<uint32_t>(10, 0, 77);
  m.set<uint32_t>(32, 1, 88);
  unsigned seen = 0;
  m.target.answer = [&](const Message& message, ThreadEnv&) {
    if (message.op.sfid == Sfid::sampler) {
      seen |= 1;
      CHECK(message.exec_mask == 0xa5);
      CHECK(message.dispatch_mask == 0xa5);
      REQUIRE(message.payload.size() == 2);
      REQUIRE(message.response.size() == 4);
      message.response[0].dw[0] = 1;
      CHECK(message.payload[0].dw[0] == 77);
    } else if (message.op.sfid == Sfid::dp_data1) {
      seen |= 2;
      REQUIRE(message.payload2.size() == 3);
      CHECK(message.payload2[2].dw[1] == 88);
      CHECK(message.op.extended == (0xabcd0000u | 3u << 6 | 12));
    } else {
      seen |= 4;
      CHECK(message.end_of_thread);
    }
    return SendResult::done;
  };
  REQUIRE(m.run() == RunResult::finished);
  CHECK(seen == 7);
  CHECK(m.get<uint32_t>(10) == 1);
}

TEST_CASE("eu flow: a thread waits for its notification and continues") {
  Machine m;
  Instruction wait = op(Opcode::wait, 1, arf(Arf::notification, UD), null());
  wait.no_mask = true;
  m.load({mov_imm(8, grf(2, D), D, 1), wait, mov_imm(8, grf(3, D), D, 2)});
  CHECK(m.run() == RunResult::blocked);
  CHECK(m.get<int32_t>(2) == 1);
  CHECK(m.get<int32_t>(3) == 0);
  CHECK(m.run() == RunResult::blocked);
  m.thread.notify();
  CHECK(m.run() == RunResult::finished);
  CHECK(m.get<int32_t>(3) == 2);
  CHECK(m.thread.regs.notification[0] == 0);

  Machine barrier;
  Instruction send = op(Opcode::send, 8, null(RegType::uw), grf(10, UD), imm(UD));
  send.cond_mod = 3;
  send.descriptor = 0x02000004;
  barrier.load({send, mov_imm(8, grf(3, D), D, 2)});
  barrier.target.answer = [](const Message& message, ThreadEnv&) {
    return message.op.sfid == Sfid::gateway ? SendResult::blocked : SendResult::done;
  };
  CHECK(barrier.run() == RunResult::blocked);
  CHECK(barrier.get<int32_t>(3) == 0);
  CHECK(barrier.run() == RunResult::finished);
  CHECK(barrier.get<int32_t>(3) == 2);
}

TEST_CASE("eu flow: ip, channel enables, dispatch masks, time") {
  Machine m;
  std::vector<Instruction> code = {
      op(Opcode::mov, 1, scalar(10, UD), arf(Arf::ip, UD)),          op(Opcode::mov, 1, scalar(11, UD), arf(Arf::channel_enable, UD)),
      op(Opcode::mov, 1, scalar(12, UD), arf(Arf::state, UD, 0, 2)), op(Opcode::mov, 1, scalar(13, UD), arf(Arf::timestamp, UD)),
      op(Opcode::mov, 1, scalar(14, UD), arf(Arf::timestamp, UD)),   end()};
  for (Instruction& i : code) i.no_mask = true;
  m.load(assemble(code), 0x35, 0x1000);
  m.run();
  CHECK(m.get<uint32_t>(10) == 0x1000);
  CHECK(m.get<uint32_t>(11) == 0x35);
  CHECK(m.get<uint32_t>(12) == 0x35);
  CHECK(m.get<uint32_t>(14) > m.get<uint32_t>(13));
}

TEST_CASE("eu flow: a program knows which render targets its messages may name") {
  Instruction write = op(Opcode::send, 8, null(UD), grf(10, UD), imm(UD));
  write.cond_mod = static_cast<uint8_t>(Sfid::dp_render);
  const auto named = [&](std::initializer_list<uint32_t> indices, bool by_register = false) {
    std::vector<Instruction> code;
    for (const uint32_t index : indices) {
      write.descriptor = 0x0a031000 | index;
      code.push_back(write);
    }
    if (by_register) code.back().src[1] = arf(Arf::address, UD);
    code.push_back(end());
    return static_cast<unsigned>(Program::decode(gen9_isa(), assemble(code), 0)->render_targets());
  };
  CHECK(named({}) == 0);
  CHECK(named({2, 5}) == 0x24);
  CHECK(named({0, 8, 200}) == 1);
  CHECK(named({2}, true) == 0xff);
}

TEST_CASE("eu flow: programs are found again while their bytes stay the same") {
  ProgramCache cache;
  auto code = assemble({mov_imm(8, grf(2, D), D, 1), end()});
  code.resize(4096);
  const auto first = cache.find(gen9_isa(), code, 64);
  CHECK(cache.find(gen9_isa(), code, 64) == first);
  CHECK(cache.find(gen9_isa(), code, 128) != first);
  code[12] = std::byte{9};
  CHECK(cache.find(gen9_isa(), code, 64) != first);
}

TEST_CASE("eu flow: the same bytes of two instruction sets are two programs") {
  ProgramCache cache;
  auto code = assemble({mov_imm(8, grf(2, D), D, 1), end()});
  code.resize(4096);
  const auto ours = cache.find(gen9_isa(), code, 64), other = cache.find(other_isa, code, 64);
  CHECK(&ours->isa() == &gen9_isa());
  CHECK(&other->isa() == &other_isa);
  CHECK(cache.find(gen9_isa(), code, 64) == ours);
  CHECK(cache.find(other_isa, code, 64) == other);
}

TEST_CASE("eu flow: a full cache evicts the oldest programs that are not used, no more than it must") {
  const auto code = assemble({mov_imm(8, grf(2, D), D, 1), end()});
  const size_t instructions = Program::decode(gen9_isa(), code)->lines().size();
  ProgramCache cache(nullptr, 4 * instructions);
  std::weak_ptr<const Program> programs[6];
  const auto find = [&](unsigned n) { programs[n] = cache.find(gen9_isa(), code, n * 64); };
  for (unsigned n = 0; n < 4; ++n) find(n);
  find(0);
  find(4);
  CHECK_FALSE(programs[0].expired());
  CHECK(programs[1].expired());
  for (const unsigned n : {2, 3, 4}) CHECK_FALSE(programs[n].expired());
  find(5);
  CHECK(programs[2].expired());
  for (const unsigned n : {0, 3, 4, 5}) CHECK_FALSE(programs[n].expired());
}

TEST_CASE("eu flow: a truncated kernel is decoded again when more of it is available") {
  ProgramCache cache;
  auto code = assemble({mov_imm(8, grf(2, D), D, 1), mov_imm(8, grf(3, D), D, 1), end()});
  code.resize(4096);
  const auto part = cache.find(gen9_isa(), std::span(code).first(32), 0);
  CHECK_FALSE(part->complete());
  CHECK(cache.find(gen9_isa(), std::span(code).first(32), 0) == part);
  const auto whole = cache.find(gen9_isa(), code, 0);
  CHECK(whole != part);
  CHECK(whole->complete());
  CHECK(whole->bytes().size() == 48);
}

TEST_CASE("eu flow: an end of thread does not end a kernel with branches beyond the available bytes") {
  ProgramCache cache;
  Instruction away = branch(Opcode::goto_, 8, 3, 3);
  away.pred_control = 1;
  const auto code = assemble({away, mov_imm(8, grf(2, D), D, 1), end(), branch(Opcode::join, 8, 1), end()});
  CHECK_FALSE(cache.find(gen9_isa(), std::span(code).first(48), 0)->complete());
  const auto whole = cache.find(gen9_isa(), code, 0);
  CHECK(whole->complete());
  CHECK(whole->bytes().size() == 80);
}

TEST_CASE("eu flow: random bytes as a kernel end by themselves or by the stop flag, and access only the thread") {
  quiet_log();
  const uint32_t seed = 5;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  unsigned results[4] = {};
  for (unsigned round = 0; round < rounds(3000); round++) {
    Machine m;
    std::vector<std::byte> code(8 * (2 + random() % 60));
    for (size_t at = 0; at + 8 <= code.size(); at += 8) {
      uint64_t word = random();
      // Mostly opcodes that exist, so that a kernel gets somewhere.
      if (random() % 8)
        word = (word & ~uint64_t{0x7f}) | gen9_isa().encode({.opcode = opcodes()[random() % opcodes().size()].opcode}).get(6, 0);
      std::memcpy(&code[at], &word, 8);
    }
    m.load(code, static_cast<uint32_t>(random()));
    for (unsigned n = 0; n < 16; n++) m.thread.regs.address[n] = static_cast<uint16_t>(random());
    m.stop.request(StopFlag::reset);
    m.target.answer = [](const Message& message, ThreadEnv&) {
      for (Grf& g : message.response) g = message.payload[0];
      return SendResult::done;
    };
    results[static_cast<unsigned>(m.run())]++;
    CHECK(m.thread.regs.null[0] == 0);
  }
  CHECK(results[static_cast<unsigned>(RunResult::failed)] > 0);
  CHECK(results[static_cast<unsigned>(RunResult::finished)] > 0);
}
