// SPDX-License-Identifier: GPL-2.0-or-later
// A message to a shared function, decoded: eu::Isa::message() makes it of the descriptors when a kernel is decoded, or, where a descriptor is in a
// register, when the message is sent. Units read these names and know no descriptor bits.
#pragma once

#include <cstdint>

#include "hw/defs/message.h"

namespace softgen {

/// Which surface a message names.
struct SurfaceBinding {
  uint8_t index = 0;      ///< binding table index; surface::BindingIndex has those that are no entry
  uint32_t bindless = 0;  ///< number of the surface state from Bindless Surface State Base, for surface::bindless_index
};

/// Only the fields that a kind has mean something with it; the others keep the values below.
struct MessageOp {
  static constexpr uint8_t simd4x2 = 2;

  uint32_t descriptor = 0, extended = 0;  ///< as sent: for reports and tests
  Sfid sfid = Sfid::null;
  MessageKind kind = MessageKind::reserved;
  uint8_t type = 0;  ///< the function's number of this type, below 32, for counting
  bool header = false;
  uint8_t length = 0, response_length = 0, extended_length = 0;  ///< registers; extended_length: of a split send's second payload
  uint8_t sampler = 0;                                           ///< index into the sampler state table
  SurfaceBinding binding;
  const defs::SamplerType* sampled = nullptr;  ///< sampler messages
  uint8_t simd = 0;                            ///< channels: 8, 16, or simd4x2; 0: a reserved mode, or one that this kind does not have
  uint8_t components = 0xf;                    ///< surface reads and writes: bit c: dword or component c is moved
  uint8_t operation = 0;                       ///< atomics: AtomicOperation or FloatAtomicOperation
  uint8_t owords = 0;                          ///< block messages; 0: reserved
  uint8_t first_oword = 0;                     ///< where a block begins in its registers
  uint8_t log2_size = 0;                       ///< scattered messages: bytes of an element
  uint8_t elements = 0;                        ///< scattered messages: per channel; 0: reserved
  uint8_t registers = 0;                       ///< scratch blocks
  uint8_t data = 0;                            ///< pixel interpolator: the offset, or the sample's number
  uint16_t offset = 0;                         ///< URB: in units of the message; scratch blocks: in registers
  bool high_slots = false;                     ///< slot group: the upper half of the pixels
  bool returns_half = false;                   ///< sampler: 16 bits per channel
  bool aligned = true;                         ///< A64 oword blocks: the address is
  bool wide = false;                           ///< A64 atomics: 64-bit operands
  bool dword_channels = false;                 ///< scratch writes: each channel's dword by its mask
  bool strided = false;                        ///< media blocks: the message chooses lines
  bool masked = false;                         ///< URB SIMD8 writes: a register of channel masks
  bool interleaved = false;                    ///< URB SIMD4x2: the halves of a register belong to one handle each
  bool per_slot = false;                       ///< URB: offsets per channel
  bool replicated = false;                     ///< render target writes: one color for all pixels
  bool dual_source = false;                    ///< render target writes
  bool second_half = false;                    ///< dual source writes: pixels 8 to 15 of the slot group
  bool linear = false;                         ///< pixel interpolator: not perspective
};

}  // namespace softgen
