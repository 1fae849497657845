// SPDX-License-Identifier: GPL-2.0-or-later
// The messages by kind; dataport.cpp routes to them. All take the descriptor's Message Specific Control from bits [13:8].
#pragma once

#include "hw/dataport/space.h"
#include "hw/iface/message_target.h"

namespace softgen::dataport {

/// Types of data cache port 1's messages, descriptor [18:14] (Mesa brw_eu_defines.h, HSW_DATAPORT_DC_PORT1_*; SKL PRM vol 7).
enum Data1Type : uint32_t {
  d1_untyped_surface_read = 0x01,
  d1_untyped_atomic = 0x02,
  d1_untyped_atomic_simd4x2 = 0x03,
  d1_media_block_read = 0x04,
  d1_typed_surface_read = 0x05,
  d1_typed_atomic = 0x06,
  d1_typed_atomic_simd4x2 = 0x07,
  d1_untyped_surface_write = 0x09,
  d1_media_block_write = 0x0a,
  d1_atomic_counter = 0x0b,
  d1_atomic_counter_simd4x2 = 0x0c,
  d1_typed_surface_write = 0x0d,
  d1_a64_scattered_read = 0x10,
  d1_a64_untyped_surface_read = 0x11,
  d1_a64_untyped_atomic = 0x12,
  d1_a64_oword_block_read = 0x14,
  d1_a64_oword_block_write = 0x15,
  d1_a64_untyped_surface_write = 0x19,
  d1_a64_scattered_write = 0x1a,
  d1_untyped_atomic_float = 0x1b,
  d1_a64_untyped_atomic_float = 0x1d,
};

/// What the types of one port's messages are called; whatever may be asked of several ports has one function here.
enum class Direction : uint8_t { read, write };

// block.cpp: consecutive bytes
SendResult oword_block(const Message& message, Space space, Direction direction, bool byte_offset);
SendResult oword_dual_block(const Message& message, Space space, Direction direction);
SendResult a64_oword_block(const Message& message, ThreadEnv& env, Direction direction);
SendResult scratch_block(const Message& message, ThreadEnv& env);

// media_block.cpp: a rectangle of a 2D surface
SendResult media_block(const Message& message, ThreadEnv& env, Direction direction);

// scattered.cpp: an address a channel
SendResult byte_scattered(const Message& message, Space space, Direction direction);
SendResult dword_scattered(const Message& message, Space space, Direction direction);
SendResult qword_scattered(const Message& message, Space space, Direction direction);
SendResult untyped_surface(const Message& message, Space space, Direction direction);
SendResult a64_scattered(const Message& message, ThreadEnv& env, Direction direction);
SendResult a64_untyped_surface(const Message& message, ThreadEnv& env, Direction direction);

// atomic.cpp; `pairs`: SIMD4x2
SendResult untyped_atomic(const Message& message, Space space, bool pairs);
SendResult untyped_atomic_float(const Message& message, Space space);
SendResult a64_atomic(const Message& message, ThreadEnv& env);
SendResult a64_atomic_float(const Message& message, ThreadEnv& env);

// typed.cpp
SendResult typed_surface(const Message& message, ThreadEnv& env, Direction direction);
SendResult typed_atomic(const Message& message, ThreadEnv& env, bool pairs);

/// Operands that an integer operation has behind its address.
unsigned operands_of_atomic(uint32_t code);
/// One atomic operation on a cell as the data port does it: `code` as in descriptors. Returns what the message returns.
/// Null `cell`: nothing happens, 0.
template <std::unsigned_integral T>
T integer_atomic(uint32_t code, T* cell, T a, T b);
uint32_t float_atomic(uint32_t code, uint32_t* cell, uint32_t a, uint32_t b);

}  // namespace softgen::dataport
