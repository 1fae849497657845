// SPDX-License-Identifier: GPL-2.0-or-later
// Blocks of consecutive bytes, with the offset in the header. SKL PRM vol 2d, "OWord Block Read/Write", "Scratch Block Read/Write";
// Mesa brw_lower_logical_sends.cpp (lower_surface_block_logical_send) and brw_eu_emit.c (gfx7_block_read_scratch).
#include <algorithm>
#include <array>
#include <bit>

#include "hw/base/log.h"
#include "hw/dataport/messages.h"
#include "hw/defs/messages/headers.h"

namespace softgen::dataport {
namespace {

constexpr uint64_t oword = 16, register_bytes = 32;

SendResult transfer(const Message& message, Space& space, Direction direction, uint64_t offset, size_t data_register) {
  const uint64_t first = message.op.first_oword * oword, n = message.op.owords * oword;
  if (!n) {
    guest_error("OWord block message", "reserved block size");
    return SendResult::failed;
  }
  std::array<std::byte, 4 * register_bytes> bytes;
  if (direction == Direction::read) {
    const uint64_t room = message.response.size_bytes();
    if (room <= first) return SendResult::done;
    space.read(offset, bytes.data(), n);
    std::memcpy(reinterpret_cast<std::byte*>(message.response.data()) + first, bytes.data(), std::min(n, room - first));
    return SendResult::done;
  }
  for (size_t i = 0; i < 4; ++i) std::memcpy(&bytes[i * register_bytes], &message.reg(data_register + i), register_bytes);
  space.write(offset, &bytes[first], n);
  return SendResult::done;
}

}  // namespace

SendResult oword_block(const Message& message, Space space, Direction direction, bool byte_offset) {
  // In owords, or in bytes (whole dwords) for the unaligned read, and on Ironlake.
  const uint64_t offset = message_header::OwordBlock{message.reg(0).dw}.offset();
  return transfer(message, space, direction, byte_offset ? offset & ~3ull : offset * oword, 1);
}

SendResult a64_oword_block(const Message& message, ThreadEnv& env, Direction direction) {
  const message_header::A64OwordBlock header{message.reg(0).dw};
  const uint64_t address = header.address_low() | uint64_t{header.address_high()} << 32;
  Space space = Space::everything(env);
  return transfer(message, space, direction, strip_canonical(message.op.aligned ? address & ~(oword - 1) : address & ~3ull), 1);
}

/// Two blocks of 1 or 4 owords; where they are is in owords (Ironlake: in bytes), in the register after the header. Each register holds an oword of both,
/// whose dwords have a channel each.
SendResult oword_dual_block(const Message& message, Space space, Direction direction) {
  constexpr uint32_t dwords = oword / sizeof(uint32_t), every = (1u << dwords) - 1;
  const unsigned owords = message.op.owords;
  const message_header::OwordDualBlock where{message.reg(1).dw};
  for (unsigned block = 0; block < 2; ++block) {
    const uint32_t enabled = message.exec_mask >> (dwords * block) & every;
    const uint64_t start = block ? where.block_1_offset() : where.block_0_offset();
    for (unsigned i = 0; i < owords; ++i) {
      const uint64_t offset = (message.op.byte_offset ? start & ~3ull : start * oword) + i * oword;
      const auto each = [&](auto&& part) {
        if (enabled == every) return part(0u, oword);
        for (uint32_t left = enabled; left; left &= left - 1) part(static_cast<uint32_t>(std::countr_zero(left)), sizeof(uint32_t));
      };
      if (direction == Direction::write)
        each([&](uint32_t n, size_t bytes) { space.write(offset + n * sizeof n, &message.reg(2 + i).dw[dwords * block + n], bytes); });
      else if (i < message.response.size())
        each([&](uint32_t n, size_t bytes) { space.read(offset + n * sizeof n, &message.response[i].dw[dwords * block + n], bytes); });
    }
  }
  return SendResult::done;
}

SendResult scratch_block(const Message& message, ThreadEnv& env) {
  const unsigned registers = message.op.registers;
  const uint64_t base =
      env.bases.general_state + message_header::DataPort{message.reg(0).dw}.scratch_space_base() + message.op.offset * register_bytes;
  Space space = Space::everything(env);
  if (message.op.kind == MessageKind::scratch_read) {
    for (unsigned i = 0; i < registers && i < message.response.size(); ++i)
      space.read(strip_canonical(base + i * register_bytes), &message.response[i], register_bytes);
    return SendResult::done;
  }
  for (unsigned i = 0; i < registers; ++i) {
    const Grf& data = message.reg(1 + i);
    const uint64_t at = strip_canonical(base + i * register_bytes);
    if (!message.op.dword_channels) {
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
