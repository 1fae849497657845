// SPDX-License-Identifier: GPL-2.0-or-later
// The seam between EU threads and the shared functions a SEND may ask (sampler, data ports, URB, gateway, pixel interpolator, …).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hw/iface/message_op.h"

namespace softgen {

namespace memory {
class View;
}
class StopFlag;
namespace surface {
struct Surface;
/// A platform's decoder of RENDER_SURFACE_STATE: hw/surface/surface.h.
using DecodeSurface = Surface (*)(std::span<const uint32_t> dwords);
}  // namespace surface

class MessageTarget;
class DirectAnswers;
class HeldControlWord;

/// One general register: 8 dwords.
struct alignas(32) Grf {
  uint32_t dw[8];
};

/// State bases of a draw or walker, constant for all its threads. Addresses are canonical-stripped PPGTT addresses.
struct ShaderBases {
  uint64_t general_state = 0, surface_state = 0, dynamic_state = 0, indirect_object = 0, instruction = 0, bindless_surface = 0;
  uint64_t general_size = 0, dynamic_size = 0, indirect_size = 0, instruction_size = 0, bindless_surfaces = 0;  ///< bytes; 0: unbounded
  std::optional<uint64_t> bindless_sampler;         ///< none: the platform has no base of its own for bindless samplers
  uint64_t bindless_samplers = 0;                   ///< bytes; 0: unbounded
  uint64_t binding_tables = 0;                      ///< what binding_table counts from: surface_state, or the binding table pool
  uint32_t binding_table = 0;                       ///< offset of the stage's binding table
  unsigned binding_table_shift = 0;                 ///< what the offset in a packet is shifted left by
  uint32_t surface_state_bytes = 64;                ///< what a surface state is aligned to
  uint32_t sampler_state = 0;                       ///< offset from dynamic_state, of the stage's SAMPLER_STATE array
  surface::DecodeSurface decode_surface = nullptr;  ///< of the platform whose states these are
};

/// What a message may touch besides its registers; one per running EU thread, or series of threads. What only the unit that dispatched the
/// thread knows (URB, barrier, pixels) is known to the MessageTarget that it runs the thread with.
struct ThreadEnv {
  memory::View& view;  ///< one per host thread
  const ShaderBases& bases;
  StopFlag& stop;
  std::span<std::byte> slm;          ///< the thread group's shared local memory; empty: none
  uint32_t fftid = 0;                ///< r0.5[9:0], scratch slot
  uint64_t scratch_base = 0;         ///< from general_state, bytes
  uint32_t scratch_size = 0;         ///< bytes per thread; 0: none
  DirectAnswers* direct = nullptr;   ///< for the kernel's messages, of the dispatching unit; null: each message is a send()
  MessageTarget* gateway = nullptr;  ///< answers SFID 3 for this thread: its group (eu::ThreadGroup sets it); null: it has no barrier
  uint64_t walk = 0;  ///< no other draw or walker of the process has this number, and its bound states stay; 0: look each time
  bool may_stream =
      false;  ///< stores may be left unordered until DirectAnswers::clear(), which this host thread calls before it says that it is done
  uint32_t* turn = nullptr;  ///< jumps backward that are left before run() lets others run, as if the thread were blocked; null: no limit
  HeldControlWord* control = nullptr;  ///< of a host thread that runs many threads in a row; null: each leaves MXCSR as it was
};

struct Message {
  const MessageOp& op;
  uint32_t exec_size;             ///< channels of the instruction
  uint32_t exec_mask;             ///< bit i: channel i of the instruction is enabled (after predication, mask control, quarter control)
  uint32_t dispatch_mask;         ///< the thread's mask at dispatch, same channel numbering (for quads: helper lanes are in it)
  std::span<const Grf> payload;   ///< src0, mlen registers
  std::span<const Grf> payload2;  ///< src1 of split sends, ex_mlen registers
  std::span<Grf> response;        ///< rlen registers at dst; only enabled channels may be written unless the message says otherwise
  bool end_of_thread;

  bool header_present() const { return op.header; }
  /// The payload by register number, whether split or not; zeros after its end.
  size_t registers() const { return payload.size() + payload2.size(); }
  const Grf& reg(size_t i) const {
    static constexpr Grf zeros{};
    return i < payload.size() ? payload[i] : i < registers() ? payload2[i - payload.size()] : zeros;
  }
};

/// A message of which the instruction says all but the contents of its registers: these by number.
struct MessageForm {
  MessageOp op;
  struct Range {
    unsigned first, count;
  } payload, payload2, response;
  unsigned channels;  ///< of the instruction
  bool end_of_thread;

  bool header_present() const { return op.header; }
  unsigned registers() const { return payload.count + payload2.count; }
  /// For readers of the instruction's fields only; refers to this form.
  Message without_contents() const {
    return {.op = op,
            .exec_size = channels,
            .exec_mask = 0,
            .dispatch_mask = 0,
            .payload = {},
            .payload2 = {},
            .response = {},
            .end_of_thread = end_of_thread};
  }
  /// The general register that has the message's register i, which is one of registers().
  unsigned reg(unsigned i) const { return i < payload.count ? payload.first + i : payload2.first + i - payload.count; }
};

/// Memory that compiled code may read or write itself for a message whose channels' bytes follow each other. Where its first channel's offset is one
/// of `starts` from `low` on, its bytes stand at `memory` + (offset - low). Good as long as memory::View::clock() says so.
struct MessageWindow {
  uint64_t low = 0, starts = 0;
  std::byte* memory = nullptr;
  uint64_t epoch = 0, generation = 0;
  uint64_t opened = 0;   ///< bytes that it was opened for
  bool streams = false;  ///< so much is written consecutively that stores may be non-temporal (ThreadEnv::may_stream)
};

/// What messages of one form add to the events of the observation counters (hw/base/work.h).
struct MessageWork {
  enum class Unit : uint8_t { none, sampler, target, local, typed, untyped, atomic, local_atomic, barrier };
  Unit unit = Unit::none;
  bool write = false;
  bool blending = false;                      ///< Unit::target only
  uint8_t channels = 0;                       ///< max per message
  uint8_t first_channel = 0;                  ///< as a channel of the instruction
  uint16_t channel_bytes = 0, own_bytes = 0;  ///< moved per enabled channel, and per message

  /// The message's channels, out of `mask` of the instruction's.
  uint32_t own(uint32_t mask) const { return mask >> first_channel & static_cast<uint32_t>((uint64_t{1} << channels) - 1); }
};

/// How four floats of a pixel are its 32 bits: clamped to [0, 1], times 255, rounded. With `blends` the clamped floats are first times their factor,
/// plus the old ones times theirs.
struct ColorCodes {
  /// constant + source_alpha As + destination_alpha Ad; As is clamped, Ad is 1 if alpha is not stored.
  struct Factor {
    float constant = 0, source_alpha = 0, destination_alpha = 0;
  };
  enum : unsigned { source, destination, alpha_source, alpha_destination, factor_count };

  std::array<uint32_t, 4> shift{};
  uint32_t alpha = 0;  ///< 255, or 0: alpha is not stored
  uint32_t blends = 0;
  uint32_t keep = 0;  ///< with `blends`: bits of the pixel that are not written
  std::array<Factor, factor_count> factors{};
};

/// One function that answers all messages of a SEND while its draw's state is unchanged, as send() would answer them.
struct DirectAnswer {
  /// For the channels of `mask`. False: no effect, the caller uses send(). May be called with MXCSR.DAZ set.
  using Function = bool (*)(const DirectAnswer& answer, Grf* registers, uint32_t mask, ThreadEnv& env);
  Function function = nullptr;        ///< null: there is none
  std::shared_ptr<const void> state;  ///< what the unit found bound
  bool asked = false;                 ///< MessageTarget::direct() was called
  uint8_t sfid = 0, type = 0;         ///< for count_direct_messages()
  MessageWork work;
  bool silent = false;                 ///< no effect: compiled code need not send it
  const ColorCodes* colors = nullptr;  ///< it writes just these, where the thread says: compiled code of series may do that itself
  uint64_t answered = 0;               ///< and not yet counted there
  mutable uint64_t left_out = 0;       ///< channels of those messages that were disabled, or had no effect
  uint32_t watched = 0;                ///< the caller adds those of these channels that are disabled to `left_out`
  mutable MessageWindow window;        ///< where `function` was last, of untyped reads and writes
  /// What compiled code may call instead of `function` as long as `window` agrees with the clock; null: none. `registers`: dwords.
  using Quick = bool (*)(const void* state, uint32_t* registers, uint32_t mask);
  mutable Quick quick = nullptr;
  mutable const void* quick_state = nullptr;
};

/// Stores that went past the caches come before all that follow.
inline void store_fence() {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#endif
}

/// Those of one kernel's SENDs in one draw, used by one host thread; its owner clears them with the draw.
class DirectAnswers {
 public:
  DirectAnswer& of(size_t number) {
    if (number >= answers_.size()) answers_.resize(number + 1);
    return answers_[number];
  }
  /// Null: not asked for yet.
  DirectAnswer* known(size_t number) { return number < answers_.size() ? &answers_[number] : nullptr; }
  /// Numbers 0 to count - 1, at fixed addresses until more are asked for.
  DirectAnswer* first(size_t count) {
    if (count > answers_.size()) answers_.resize(count);
    return answers_.data();
  }
  /// Calls `count(answer)` for each answer with answered messages.
  template <typename F>
  void clear(F&& count) {
    bool streamed = false;
    for (const DirectAnswer& a : answers_) {
      if (a.answered) count(a);
      streamed = streamed || a.window.streams;
    }
    if (streamed) store_fence();
    answers_.clear();
  }

 private:
  std::vector<DirectAnswer> answers_;
};

/// Entries of both texture palettes: [31:24] alpha, [23:16] red, [15:8] green, [7:0] blue.
using TexturePalettes = std::array<std::array<uint32_t, 256>, 2>;

enum class SendResult : uint8_t {
  done,
  blocked,  ///< the thread waits (barrier): it is resumed after this instruction when the owner says so
  failed,   ///< illegal message; the thread ends as an exception would end it
};

class MessageTarget {
 public:
  virtual ~MessageTarget() = default;
  virtual SendResult send(const Message& message, ThreadEnv& env) = 0;
  /// Sets `answer` up for messages of this form, where the unit has a function for what is bound now.
  virtual void direct(const MessageForm&, ThreadEnv&, DirectAnswer&) {}
  /// PIPE_CONTROL with Texture or State Cache Invalidation Enable, or another context: textures or their states may have changed. Not while threads run.
  virtual void invalidate_textures() {}
  /// The texture palettes of the context, 3DSTATE_SAMPLER_PALETTE_LOAD0 and 1, are these now. Not while threads run.
  virtual void set_palettes(const TexturePalettes&) {}
};

}  // namespace softgen
