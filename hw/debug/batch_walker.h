// SPDX-License-Identifier: GPL-2.0-or-later
// Follows a ring and its batches as the streamer would, without executing: what a printer, a lister or a checker needs. Registers are not
// known to it, so a predicated batch start is taken as not jumping and a conditional end as not ending.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

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
    uint64_t packets = 4'000'000;  ///< a submission; the streamer itself has none, a loop in a batch is legal
    uint32_t jumps = 65536;
  };

  /// `ppgtt` may be null (a context without one).
  BatchWalker(defs::EngineClass engine, memory::View& ggtt, memory::View* ppgtt, BatchObserver& observer, Limits limits);
  BatchWalker(defs::EngineClass engine, memory::View& ggtt, memory::View* ppgtt, BatchObserver& observer)
      : BatchWalker(engine, ggtt, ppgtt, observer, Limits()) {}

  /// Commands from head to tail of a ring at GGTT address `start`; head and tail are offsets below `size`, bytes.
  void ring(uint32_t start, uint32_t size, uint32_t head, uint32_t tail);
  /// A batch up to its MI_BATCH_BUFFER_END, and the batches it chains to or calls.
  void batch(uint64_t address, bool ppgtt);
  /// Commands that are not in graphics memory (classic AUB ring writes).
  void commands(std::span<const uint32_t> dwords);

 private:
  struct Cursor {
    uint64_t address;
    bool ppgtt;
    BatchLevel level;
  };
  enum class Step : uint8_t { next, end, stop };

  void run(Cursor cursor);
  bool fetch(const Cursor& cursor, uint64_t room);
  Step visit(Cursor& cursor, std::vector<Cursor>& callers);
  Step jump(Cursor& cursor, std::vector<Cursor>& callers);
  memory::View* view(bool ppgtt) { return ppgtt ? ppgtt_ : &ggtt_; }
  bool mapped(memory::View& view, uint64_t address) const;

  defs::EngineClass engine_;
  memory::View& ggtt_;
  memory::View* ppgtt_;
  BatchObserver& observer_;
  Limits left_;
  std::vector<uint32_t> packet_;
  const defs::Command* command_ = nullptr;
};

}  // namespace softgen::debug
