// SPDX-License-Identifier: GPL-2.0-or-later
// The messages by kind; dataport.cpp routes to them.
#pragma once

#include "hw/dataport/space.h"
#include "hw/iface/message_target.h"

namespace softgen::dataport {

/// What the types of one port's messages are called; whatever may be asked of several ports has one function here.
enum class Direction : uint8_t { read, write };

// block.cpp: consecutive bytes
SendResult oword_block(const Message& message, Space space, Direction direction, bool byte_offset);
SendResult oword_dual_block(const Message& message, Space space, Direction direction);
SendResult a64_oword_block(const Message& message, ThreadEnv& env, Direction direction);
SendResult scratch_block(const Message& message, ThreadEnv& env);

// media_block.cpp: a rectangle of a 2D surface
SendResult media_block(const Message& message, ThreadEnv& env, Direction direction);

// decode/avc_loop_filter.cpp
SendResult avc_loop_filter(const Message& message, Space space);

// scattered.cpp: an address a channel
SendResult byte_scattered(const Message& message, Space space, Direction direction);
SendResult dword_scattered(const Message& message, Space space, Direction direction);
SendResult qword_scattered(const Message& message, Space space, Direction direction);
SendResult untyped_surface(const Message& message, Space space, Direction direction);
SendResult a64_scattered(const Message& message, ThreadEnv& env, Direction direction);
SendResult a64_untyped_surface(const Message& message, ThreadEnv& env, Direction direction);

// atomic.cpp
SendResult untyped_atomic(const Message& message, Space space);
SendResult untyped_atomic_float(const Message& message, Space space);
SendResult a64_atomic(const Message& message, ThreadEnv& env);
SendResult a64_atomic_float(const Message& message, ThreadEnv& env);

// typed.cpp
SendResult typed_surface(const Message& message, ThreadEnv& env, Direction direction);
SendResult typed_atomic(const Message& message, ThreadEnv& env);

/// Operands that an integer operation has after its address.
unsigned operands_of_atomic(uint32_t code);
/// One atomic operation on a cell as the data port does it: `code` as in descriptors. Returns what the message returns.
/// Null `cell`: no effect, returns 0.
template <std::unsigned_integral T>
T integer_atomic(uint32_t code, T* cell, T a, T b);
uint32_t float_atomic(uint32_t code, uint32_t* cell, uint32_t a, uint32_t b);

}  // namespace softgen::dataport
