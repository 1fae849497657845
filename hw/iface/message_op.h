// SPDX-License-Identifier: GPL-2.0-or-later
// A message to a shared function, decoded: eu::Isa::message() makes it of the descriptors when a kernel is decoded, or, where a descriptor is in a
// register, when the message is sent. Units read these names and know no descriptor bits.
#pragma once

#include <cstdint>

#include "hw/defs/message.h"

namespace softgen {

namespace surface {
/// The last index of a binding table's entries, and indices with a meaning of their own.
enum BindingIndex : uint8_t {
  last_table_index = 239,
  bindless_index = 252,      ///< the surface state at Bindless Surface State Base + SurfaceBinding::bindless
  stateless_nc_index = 253,  ///< not coherent with the CPU
  slm_index = 254,
  stateless_index = 255,
};
}  // namespace surface

/// Which surface a message names.
struct SurfaceBinding {
  uint8_t index = 0;      ///< binding table index; surface::BindingIndex has those that are no entry
  uint32_t bindless = 0;  ///< number of the surface state from Bindless Surface State Base, for surface::bindless_index
};

struct SamplerFields {
  uint8_t sampler = 0;                         ///< index into the sampler state table
  const defs::SamplerType* sampled = nullptr;  ///< null: no sampler message
  bool returns_half = false;                   ///< 16 bits per channel
  bool half_parameters = false;                ///< so are the parameters
};

struct ScatteredFields {
  uint8_t log2_size = 0;  ///< bytes of an element
  uint8_t elements = 0;   ///< per channel; 0: reserved
};

/// The lines of a frame that a media block is of: those of the surface's state, all, or every second one.
enum class LineSelect : uint8_t { of_surface, all, top_field, bottom_field };

struct BlockFields {
  uint8_t owords = 0;           ///< 0: reserved
  uint8_t first_oword = 0;      ///< where a block begins in its registers
  uint8_t registers = 0;        ///< scratch blocks
  bool aligned = true;          ///< A64 oword blocks: the address is
  bool dword_channels = false;  ///< scratch writes: each channel's dword by its mask
  bool strided = false;         ///< media blocks: the message chooses lines, in a way that no unit has
  LineSelect lines = LineSelect::of_surface;
  bool byte_offset = false;  ///< oword and scattered blocks: offsets count bytes, not owords or dwords
};

struct UrbFields {
  bool masked = false;       ///< SIMD8 writes: a register of channel masks
  bool interleaved = false;  ///< SIMD4x2: the halves of a register belong to one handle each
  bool per_slot = false;     ///< offsets per channel
  bool transposed = false;   ///< urb_write: channel n of register m becomes channel m of register n
  bool allocates = false;    ///< urb_write, ff_sync: the answer has the handle of a new entry
  bool used = false;         ///< urb_write: the entry goes on to the next unit, else it is dropped
  bool complete = false;     ///< urb_write: the last one to the entry
};

/// Gateway and thread spawner of Ironlake.
struct ThreadFields {
  bool acknowledged = false;  ///< gateway messages
  bool notifies = false;      ///< gateway_forward
  bool child = false;         ///< spawn_thread, end_of_root: of a child thread
  bool keeps_urb = false;     ///< end_of_root: the thread's URB handle is not given back
};

/// Extended math as a shared function; MessageOp::operation is its MathFunction.
struct MathFields {
  static constexpr uint8_t sine_and_cosine = 8;  ///< what MathFunction does not have: the reply's registers are the sine and the cosine
  bool is_signed = false;                        ///< integers
  bool saturates = false;
  bool scalar = false;  ///< channel 0 of the operands is for all
};

/// Render target writes. What the last four say is in the header instead, if there is one.
struct TargetFields {
  bool replicated = false;     ///< one color for all pixels
  bool dual_source = false;    ///< two colors per pixel
  bool second_half = false;    ///< dual source writes: pixels 8 to 15 of the slot group
  uint8_t target = 0;          ///< index of the render target
  bool alpha_present = false;  ///< the payload begins with target 0's alpha
  bool null_target = false;    ///< no color is written
  bool coarse = false;         ///< of coarse pixels; also of interpolation
  bool last_target = false;    ///< Ironlake: the thread writes no other target of these pixels

  /// The colors of single pixels, for target 0.
  bool is_plain() const { return target == 0 && !alpha_present && !null_target && !coarse; }
};

struct InterpolatorFields {
  uint8_t data = 0;     ///< the offset, or the sample's number
  bool linear = false;  ///< not perspective
};

/// Only the fields that a kind has mean something with it; the others keep their initial values.
struct MessageOp : SamplerFields, ScatteredFields, BlockFields, UrbFields, TargetFields, InterpolatorFields, ThreadFields, MathFields {
  static constexpr uint8_t simd4x2 = 2;

  uint32_t descriptor = 0, extended = 0;  ///< as sent: for reports and tests
  Sfid sfid = Sfid::null;
  MessageKind kind = MessageKind::reserved;
  uint8_t type = 0;  ///< the function's number of this type, below 32, for counting
  bool header = false;
  uint8_t length = 0, response_length = 0, extended_length = 0;  ///< registers; extended_length: of a split send's second payload
  SurfaceBinding binding;
  uint8_t simd = 0;          ///< channels: 8, 16, or simd4x2; 0: a reserved mode, or one that this kind does not have
  uint8_t components = 0xf;  ///< surface reads and writes: bit c: dword or component c is moved
  uint8_t operation = 0;     ///< atomics: AtomicOperation or FloatAtomicOperation; math: MathFunction
  uint16_t offset = 0;       ///< URB: in units of the message; scratch blocks: in registers
  bool high_slots = false;   ///< slot group: the upper half of the pixels
  bool wide = false;         ///< A64 atomics: 64-bit operands
  uint8_t streams = 0;       ///< VME's integer search: bit 0: records follow the reply, bit 1: the payload has those of an earlier one
};

}  // namespace softgen
