// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/check_engine.h"

#include <unordered_map>

#include "hw/base/mutex.h"
#include "hw/eu/interp/run.h"
#include "hw/eu/interp/scoreboard_check.h"

namespace softgen::eu {
namespace {

class CheckedPath final : public FastPath {
 public:
  bool resumes() const override { return true; }
  bool run(Thread& thread, ThreadEnv& env, MessageTarget& target, RunResult& result) override {
    ScoreboardCheck& check = check_of(thread);
    result = interpret_watched(thread, env, target, check);
    if (result != RunResult::blocked) forget(thread);
    return true;
  }
  Series run_series(Thread&, const ThreadStart&, const ThreadSeries&, ThreadEnv&, MessageTarget&) override { return Series::singly; }

 private:
  ScoreboardCheck& check_of(const Thread& thread) {
    MutexLock lock(mutex_);
    auto& check = checks_[&thread];
    const bool begins = !check || thread.index == 0;
    if (!check) check = std::make_unique<ScoreboardCheck>();
    if (begins) check->restart();
    return *check;
  }
  void forget(const Thread& thread) {
    MutexLock lock(mutex_);
    checks_.erase(&thread);
  }

  Mutex mutex_;
  std::unordered_map<const Thread*, std::unique_ptr<ScoreboardCheck>> checks_ SG_GUARDED_BY(mutex_);  ///< of threads that run or wait
};

class CheckEngine final : public Compiler {
 public:
  std::unique_ptr<FastPath> attach(const Program& program) override {
    return program.isa().limits().software_scoreboard ? std::make_unique<CheckedPath>() : nullptr;
  }
  EngineStats stats() const override { return {}; }
  void drain() override {}
};

}  // namespace

std::unique_ptr<Compiler> make_check_engine() { return std::make_unique<CheckEngine>(); }

}  // namespace softgen::eu
