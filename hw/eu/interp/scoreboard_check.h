// SPDX-License-Identifier: GPL-2.0-or-later
// Whether a kernel's software scoreboard (isa/scoreboard.h) covers what its instructions depend on. The EU here finishes each instruction before the
// next; hardware does not, and reads what was in the register before. Followed as a thread runs, one byte at a time:
//   - what an in-order instruction wrote may be read when a RegDist covers it, 11 in-order instructions later (Mesa brw_lower_scoreboard.cpp:
//     the pipeline is no longer than that), or after a jump (chosen: IGC's visa/LocalScheduler/SWSB_G4IR.cpp counts instructions along the
//     program's text alone); in-order instructions finish in order, so that they may overwrite each other's results;
//   - what a send or math wrote may be read or overwritten after a wait for its token, what it reads may be overwritten after one for its
//     sources; and what in-order instructions read or write may be overwritten by a send or math when a RegDist covers it;
//   - a shared function reads the payloads of messages with the same channels in their order, so that the answer to one may overwrite the
//     payload of an older one (the same file, WARDepRequired);
//   - a token that is set again waits for its former instruction.
// Not followed: indirect operands, flags, accumulators, address registers.
#pragma once

#include <array>
#include <string>

#include "hw/eu/interp/run.h"

namespace softgen::eu {

/// Of one thread.
class ScoreboardCheck final : public Watcher {
 public:
  /// The thread begins.
  void restart();
  /// Reports, as guest errors, what `op` does too early.
  void before(const Thread& thread, const Op& op) override;
  uint64_t reports() const { return reports_; }

 private:
  static constexpr unsigned tokens = 16;

  /// Who uses a byte. `order`: an in-order instruction's number, or the number of times its token was set.
  struct Use {
    enum class By : uint8_t { none, in_order, token, no_token };
    By by = By::none;
    uint8_t id = 0;
    uint32_t order = 0;
    uint32_t offset = 0;  ///< the instruction's, in the kernel
  };
  struct Token {
    uint32_t set = 0, read = 0, written = 0;  ///< times it was set, and how many of those have read their sources and written their results
  };
  /// Bytes of the general registers.
  struct Bytes {
    unsigned first, count;
  };
  using Visit = void (ScoreboardCheck::*)(Bytes bytes);

  void wait(const Op& op);
  void sources(const Thread& thread, const Op& op, Visit visit);
  void destinations(const Thread& thread, const Op& op, Visit visit);
  void check_read(Bytes bytes);
  void check_write(Bytes bytes);
  void note_read(Bytes bytes);
  void note_write(Bytes bytes);
  bool written(const Use& use) const;
  bool read(const Use& use) const;
  bool in_order_done(const Use& use) const;
  bool read_before(const Use& use) const;
  void report(unsigned byte, const char* what, const Use& use);

  std::array<Use, grf_bytes> writers_, readers_, in_order_readers_;
  std::array<Token, tokens> tokens_;
  uint32_t number_ = 0;  ///< of the next in-order instruction; the first is 1
  uint32_t done_ = 0;    ///< in-order instructions up to this number are finished
  const Program* program_ = nullptr;
  const Op* op_ = nullptr;  ///< being checked
  int32_t next_ = 0;        ///< its follower's index in the program
  bool out_of_order_ = false, reported_ = false;
  uint64_t reports_ = 0;
  Use use_;  ///< what it leaves
};

}  // namespace softgen::eu
