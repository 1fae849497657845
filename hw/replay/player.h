// SPDX-License-Identifier: GPL-2.0-or-later
// Runs a capture: its memory, page tables, contexts, register and ELSP writes go through gt::Device as a guest's would.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hw/debug/check/findings.h"
#include "hw/debug/context_state.h"
#include "hw/gt/device.h"
#include "hw/memory/sparse_memory.h"
#include "hw/replay/image.h"

namespace softgen::replay {

struct PlayOptions {
  std::string platform;  ///< empty: by the capture's PCI id, else kbl
  unsigned threads = 0;  ///< 0: everything on one thread, in order, with a clock of its own: same bits, same times
  uint64_t memory_limit = uint64_t{4} << 30;
  double hang_seconds = 60;            ///< a submission that takes longer is given up
  std::optional<uint64_t> until_draw;  ///< stop after this draw or walker
  std::string png_folder;              ///< render targets at each flush; empty: none
  bool timeline = false;
  std::string faults;                          ///< the text of a fault plan
  bool preempt_always = false;                 ///< see gt::Config
  std::optional<debug::check::Options> check;  ///< null: no checker
  std::string check_stream;  ///< file for the events that the checker received (hw/debug/check/stream.h); empty: none. For threads 0
  std::shared_ptr<eu::Compiler> compiler;  ///< of all runs; null: each run has its own
};

/// Something that took time on an engine.
struct TimelineEvent {
  EngineId engine;
  const char* name;
  int64_t start_ns, end_ns;  ///< host time
  uint64_t address;
};

/// What the engines did.
struct Executed {
  uint64_t commands = 0, draws = 0, walkers = 0, blits = 0;
  std::vector<std::string> pictures;  ///< files written
  std::vector<TimelineEvent> timeline;
};

struct PlayResult : Executed {
  uint64_t submissions = 0;
  int64_t busy_ns = 0;                   ///< from submission to idle, host time, all submissions
  bool stopped = false;                  ///< by until_draw
  uint64_t compared = 0, different = 0;  ///< pieces of memory whose result the recording says
  std::string error;                     ///< empty: the capture was run to its end
  std::string hang;                      ///< device report (JSON) when a submission hung
};

class Player {
 public:
  explicit Player(const PlayOptions& options);
  ~Player();

  PlayResult run(const std::string& path);

  /// After run(): the PPGTT of the context submitted last. Null without a submission.
  memory::View* memory();
  gt::Device* device();
  /// Of the last run; null: there was no checker.
  const debug::check::Findings* findings();

 private:
  class Run;
  std::unique_ptr<Run> run_;
  PlayOptions options_;
};

}  // namespace softgen::replay
