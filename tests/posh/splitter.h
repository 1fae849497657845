// SPDX-License-Identifier: GPL-2.0-or-later
// Makes of the commands of a render batch what POCS and the render engine execute with position-only shading.
//
// POCS gets the state that it knows and the draws whose objects may be skipped; the same vertex shader is its position-only shader. A record holds
// draws between which nothing writes memory that POCS may read; then the two meet: POCS begins a record, in the memory of the one before, when the
// render engine has done all that comes before its draws, and the render engine reads it when it is complete.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/debug/context_state.h"
#include "hw/defs/platform.h"
#include "tests/posh/stream.h"

namespace softgen::posh {

/// The two meet at these qwords, which only grow.
struct Meeting {
  uint64_t reached = 0;   ///< by the render engine
  uint64_t recorded = 0;  ///< by POCS
};

class Splitter {
 public:
  struct Options {
    Record record;
    Passes passes;  ///< more than one: draws are rendered pass by pass, each within its rectangle
    Meeting meeting;
    uint32_t met = 0;        ///< how often they have met in earlier batches
    bool rectangles = true;  ///< take rectangle lists (clears, copies, resolves), too
    bool awaited = true;     ///< the render engine waits for a record before it reads it
    bool visibility = true;  ///< it uses what it reads
  };
  /// `state`: of the context, from the batches before; it follows this one.
  Splitter(const defs::Platform& platform, debug::ContextState& state, const Options& options);

  /// The next command, but for those that start and end batches.
  void packet(const defs::Command& command, std::span<const uint32_t> dwords);
  void end();

  const Stream& render() const { return render_; }
  const Stream& position() const { return position_; }
  uint32_t met() const { return options_.met; }
  uint32_t draws() const { return draws_; }  ///< that are recorded

 private:
  void other(const defs::Command& command, std::span<const uint32_t> dwords);
  void registers(const defs::Command& command, std::span<const uint32_t> dwords);
  void load_registers(const defs::Command& command, std::span<const uint32_t> dwords);
  void draw(const defs::Command& command, std::span<const uint32_t> dwords);
  bool skippable() const;
  void meet();
  void open();
  void close();
  void render_passes();

  const defs::Platform& platform_;
  debug::ContextState& state_;
  Options options_;
  Stream render_, position_;
  std::vector<std::vector<uint32_t>> waiting_;  ///< draws of the open record, for its passes
  bool open_ = false;
  bool written_ = true;  ///< memory, since they met
  uint32_t draws_ = 0;
};

}  // namespace softgen::posh
