// SPDX-License-Identifier: GPL-2.0-or-later
// What the registers of a pixel shader thread hold after instructions without branches, in terms of the pixels' places: constants, and the coordinate of
// the channel's quad plus a constant, in halves. Everything else is unknown.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "hw/eu/program/op.h"
#include "hw/iface/message_target.h"

namespace softgen::render {

struct Symbol {
  enum class Kind : uint8_t {
    unknown,
    constant,
    quad_x,  ///< of the upper left pixel of quad `index`
    quad_y,
    texel,  ///< component `halves` of what channel `index` was given by the message that give() noted
  };
  Kind kind = Kind::unknown;
  uint8_t index = 0;
  bool truncated = false;  ///< places: rounded towards zero, which is downwards where the result is not negative
  int32_t halves =
      0;  ///< twice the constant, or what is added to the coordinate; below 2^22, so that a float holds it and sums with a coordinate

  bool operator==(const Symbol&) const = default;
  bool is_whole() const { return halves % 2 == 0; }
};

/// The registers that a thread starts with and that have the same contents in all threads of an object.
struct SharedRegisters {
  unsigned first = 0;  ///< number of constants' first; the attributes follow the constants
  std::span<const Grf> constants, attributes;
};

class SymbolicKernel {
 public:
  /// A thread of 8 or 16 channels: r1.2 to r1.5 have its quads' places, X in the low words (SKL PRM vol 7, "Pixel Shader Thread Payload").
  SymbolicKernel(unsigned channels, const SharedRegisters& shared) : channels_(channels), shared_(shared) {}

  /// False: it is a send, a branch, has a predicate, or something else that is not followed.
  bool execute(const eu::Op& op);
  /// The registers from `reg` on are a message's reply: `components` of a dword per channel.
  void give(unsigned reg, unsigned components);
  /// Dword `element` of register `reg`, an integer or what give() noted, as `channel` has it.
  Symbol dword(unsigned reg, unsigned element, unsigned channel) const;

 private:
  /// Of two bytes.
  struct Word {
    Symbol symbol;
    uint8_t bytes = 0;     ///< of the element that begins here; 0: none does
    bool written = false;  ///< not what the thread started with
    bool floating = false;
    uint8_t writer = 0;  ///< channel that wrote it; any_channel: it was written whatever channels run
  };
  static constexpr uint8_t any_channel = 0xff;

  Symbol source(const eu::Op& op, unsigned n, unsigned lane) const;
  Symbol load(unsigned at, eu::RegType type, uint8_t reader) const;
  Symbol initial(unsigned at, eu::RegType type) const;
  Symbol result(const eu::Op& op, unsigned lane) const;
  void store(unsigned at, unsigned bytes, bool floating, uint8_t writer, const Symbol& symbol);

  const unsigned channels_;
  const SharedRegisters shared_;
  std::array<Word, eu::grf_bytes / 2> words_{};
};

}  // namespace softgen::render
