// SPDX-License-Identifier: GPL-2.0-or-later
// Blocks of consecutive bytes, with the offset in the header. SKL PRM vol 2d, "OWord Block Read/Write", "Scratch Block Read/Write";
// Mesa brw_lower_logical_sends.cpp (lower_surface_block_logical_send) and brw_eu_emit.c (gfx7_block_read_scratch).
#include <algorithm>
#include <array>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/dataport/messages.h"

namespace softgen::dataport {
namespace {

constexpr uint64_t oword = 16, register_bytes = 32;

/// Block size codes [10:8]: where the block starts in the registers, and its owords. None for reserved codes.
struct Block {
  unsigned first = 0, count = 0;  ///< owords
};
Block block_of(const Message& message) {
  switch (bits(message.descriptor, 10u, 8u)) {
    case 0: return {0, 1};
    case 1: return {1, 1};
    case 2: return {0, 2};
    case 3: return {0, 4};
    case 4: return {0, 8};
    default: return {};
  }
}

SendResult transfer(const Message& message, Space& space, Direction direction, uint64_t offset, size_t data_register) {
  const Block block = block_of(message);
  if (!block.count) {
    guest_error("OWord block message", "reserved block size");
    return SendResult::failed;
  }
  const uint64_t n = block.count * oword;
  std::array<std::byte, 4 * register_bytes> bytes;
  if (direction == Direction::read) {
    const uint64_t room = message.response.size_bytes();
    if (room <= block.first * oword) return SendResult::done;
    space.read(offset, bytes.data(), n);
    std::memcpy(reinterpret_cast<std::byte*>(message.response.data()) + block.first * oword, bytes.data(),
                std::min(n, room - block.first * oword));
    return SendResult::done;
  }
  for (size_t i = 0; i < 4; ++i) std::memcpy(&bytes[i * register_bytes], &message.reg(data_register + i), register_bytes);
  space.write(offset, &bytes[block.first * oword], n);
  return SendResult::done;
}

}  // namespace

SendResult oword_block(const Message& message, Space space, Direction direction, bool byte_offset) {
  // M0.2: in owords, or in bytes (whole dwords) for the unaligned read.
  const uint64_t offset = message.reg(0).dw[2];
  return transfer(message, space, direction, byte_offset ? offset & ~3ull : offset * oword, 1);
}

SendResult a64_oword_block(const Message& message, ThreadEnv& env, Direction direction) {
  // M0.0 and M0.1: the address. Control [12:11] not zero: unaligned, which only reads may be.
  const uint64_t address = message.reg(0).dw[0] | uint64_t{message.reg(0).dw[1]} << 32;
  const bool aligned = bits(message.descriptor, 12u, 11u) == 0;
  Space space = Space::everything(env);
  return transfer(message, space, direction, strip_canonical(aligned ? address & ~(oword - 1) : address & ~3ull), 1);
}

/// Two blocks of 1 or 4 owords: M1.0 and M1.4 say where, in owords. Each register holds an oword of both.
SendResult oword_dual_block(const Message& message, Space space, Direction direction) {
  const unsigned owords = bits(message.descriptor, 9u, 8u) == 2 ? 4 : 1;
  for (unsigned block = 0; block < 2; ++block) {
    // An oword is four channels of the execution mask.
    if (!(message.exec_mask >> (4 * block) & 0xf)) continue;
    for (unsigned i = 0; i < owords; ++i) {
      const uint64_t offset = (uint64_t{message.reg(1).dw[4 * block]} + i) * oword;
      if (direction == Direction::write) space.write(offset, &message.reg(2 + i).dw[4 * block], oword);
      else if (i < message.response.size()) space.read(offset, &message.response[i].dw[4 * block], oword);
    }
  }
  return SendResult::done;
}

/// Descriptor: [17] write, [16] channel mode: dword, [13:12] log2 of registers, [11:0] offset in registers.
SendResult scratch_block(const Message& message, ThreadEnv& env) {
  const uint32_t d = message.descriptor;
  const unsigned registers = 1u << bits(d, 13u, 12u);
  const uint64_t base = env.bases.general_state + (message.reg(0).dw[5] & ~0x3ffu) + bits(d, 11u, 0u) * register_bytes;
  Space space = Space::everything(env);
  if (!bit(d, 17)) {
    for (unsigned i = 0; i < registers && i < message.response.size(); ++i)
      space.read(strip_canonical(base + i * register_bytes), &message.response[i], register_bytes);
    return SendResult::done;
  }
  for (unsigned i = 0; i < registers; ++i) {
    const Grf& data = message.reg(1 + i);
    const uint64_t at = strip_canonical(base + i * register_bytes);
    if (!bit(d, 16)) {
      space.write(at, &data, register_bytes);
      continue;
    }
    // Channels of the message: eight a register, again from the first for SIMD8.
    const unsigned first = message.exec_size > 8 ? 8 * (i % 2) : 0;
    for (unsigned c = 0; c < 8; ++c)
      if (message.exec_mask >> (first + c) & 1) space.store(at + 4 * c, data.dw[c]);
  }
  return SendResult::done;
}

}  // namespace softgen::dataport
