// SPDX-License-Identifier: GPL-2.0-or-later
// The protocol between a process and its compiler, both of one build. The compiler sends Hello and Compiler. Then, repeatedly: Request and
// the program's bytes; Reply, reason, object and text.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

#include "hw/eu/jit/compile.h"

namespace softgen::eu::jit::protocol {

struct Hello {
  std::array<char, 24> version{SOFTGEN_VERSION};
  /// Layouts that compiled code depends on: another build's may differ.
  std::array<uint32_t, 8> layout{sizeof(Frame),     offsetof(Frame, clock),    sizeof(DirectAnswer),
                                 sizeof(Registers), offsetof(Registers, flag), sizeof(Variant),
                                 sizeof(Thread),    sizeof(SeriesThread)};
  bool operator==(const Hello&) const = default;
};

/// `text`: the compiler, such as "LLVM 19.1.7"; with `why_not` set there is none, and `text` is the reason.
struct Compiler {
  uint32_t why_not = 0;
  std::array<char, 124> text{};
};

struct Request {
  uint64_t instruction_set;  ///< Isa::cache_id()
  uint64_t start;
  uint32_t size, with_text;
  HostIsa isa;
  Variant variant;
};

static_assert(std::is_trivially_copyable_v<Request>);

struct Reply {
  uint32_t stepped, reason, object, text;  ///< the last three: numbers of bytes that follow
};
constexpr uint32_t longest_reason = 256, largest_object = 64u << 20, largest_text = 64u << 20;

/// The time when an exchange must be complete. The other side may be stopped, stuck or hostile.
using Deadline = std::chrono::steady_clock::time_point;
inline Deadline within(std::chrono::milliseconds time) { return std::chrono::steady_clock::now() + time; }
constexpr Deadline whenever = Deadline::max();

/// Transfers all bytes. False: the other end is closed, or the deadline has passed.
bool send_all(int socket, std::span<const std::byte> bytes, Deadline deadline);
bool receive_all(int socket, std::span<std::byte> bytes, Deadline deadline);

template <typename T>
bool send_one(int socket, const T& v, Deadline deadline) {
  return send_all(socket, std::as_bytes(std::span(&v, 1)), deadline);
}
template <typename T>
bool receive_one(int socket, T& v, Deadline deadline) {
  return receive_all(socket, std::as_writable_bytes(std::span(&v, 1)), deadline);
}

}  // namespace softgen::eu::jit::protocol
