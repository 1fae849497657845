// SPDX-License-Identifier: GPL-2.0-or-later
// Follows a ring and its batches with the streamer's own parser (hw/cs/parser.h), without executing: what a printer, a lister or a checker
// needs. Registers are not known to it, so a predicated batch start is taken as not jumping and a conditional end as not ending.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hw/cs/parser.h"
#include "hw/defs/command.h"
#include "hw/memory/view.h"

namespace softgen::debug {

enum class BatchLevel : uint8_t { ring, first, second };

struct WalkedPacket {
  uint64_t address;
  BatchLevel level;
  bool ppgtt;
  const defs::Command* command;  ///< null: unknown
  std::span<const uint32_t> dwords;
  bool position = false;  ///< in a batch of the position-only streamer, which RCS does not run
};

class BatchObserver {
 public:
  virtual ~BatchObserver() = default;
  virtual void packet(const WalkedPacket& packet) = 0;
  /// The walk cannot go on at `address`, or left something out.
  virtual void problem(uint64_t address, const std::string& what) = 0;
};

class BatchWalker {
 public:
  struct Limits {
    uint64_t packets = 4'000'000;  ///< a walk; the streamer itself has none: a loop in a batch is legal
  };

  /// `ppgtt` may be null (a context without one).
  BatchWalker(const defs::CommandSet& commands, defs::EngineClass engine, memory::View& ggtt, memory::View* ppgtt, BatchObserver& observer,
              Limits limits);
  BatchWalker(const defs::CommandSet& commands, defs::EngineClass engine, memory::View& ggtt, memory::View* ppgtt, BatchObserver& observer)
      : BatchWalker(commands, engine, ggtt, ppgtt, observer, Limits()) {}

  /// Commands from head to tail of a ring at GGTT address `start`; head and tail are offsets below `size`, bytes.
  void ring(uint32_t start, uint32_t size, uint32_t head, uint32_t tail);
  /// A batch up to its MI_BATCH_BUFFER_END, and the batches it chains to or calls.
  void batch(uint64_t address, bool ppgtt);
  /// Commands that are not in graphics memory (classic AUB ring writes).
  void commands(std::span<const uint32_t> dwords);

 private:
  struct Visitor;
  void walk(cs::Cursor cursor);

  const defs::CommandSet& commands_;
  defs::EngineClass engine_;
  memory::View& ggtt_;
  memory::View& ppgtt_;
  BatchObserver& observer_;
  Limits left_;
  std::vector<uint32_t> packet_;
};

}  // namespace softgen::debug
