// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/faults/monitors.h"

namespace softgen::faults {

namespace {

constexpr uint8_t edid_address = 0x50, segment_address = 0x30;
constexpr uint32_t block_bytes = 128, segment_bytes = 256, extensions_at = 126, checksum_at = 127;
constexpr uint8_t max_extensions = 255;

}  // namespace

bool Monitors::i2c_start(unsigned pin, uint8_t address, bool receive) {
  Transfer& transfer = transfers_[pin % pins];
  transfer.address = address;
  transfer.receives = receive;
  transfer.offset_next = !receive;
  transfer.answer = {};
  if (address == edid_address && receive) {
    transfer.answer = ask(registers_.faults(), {.point = FaultPoint::edid, .unit = pin});
    if (transfer.answer.action == FaultAction::nak) return false;
  }
  return host_.i2c_start(pin, address, receive);
}

bool Monitors::i2c_send(unsigned pin, uint8_t byte) {
  Transfer& transfer = transfers_[pin % pins];
  if (transfer.address == segment_address) transfer.segment = byte;
  else if (transfer.address == edid_address && transfer.offset_next) transfer.offset = byte;
  transfer.offset_next = false;
  return host_.i2c_send(pin, byte);
}

uint8_t Monitors::i2c_receive(unsigned pin) {
  Transfer& transfer = transfers_[pin % pins];
  const uint8_t byte = host_.i2c_receive(pin);
  if (transfer.address != edid_address || !transfer.answer) return byte;
  const uint32_t at = transfer.segment * segment_bytes + transfer.offset;
  transfer.offset = (transfer.offset + 1) % segment_bytes;
  switch (transfer.answer.action) {
    case FaultAction::cut_short: return at < transfer.answer.value ? byte : 0xff;  // the bus stays high
    case FaultAction::checksum: return static_cast<uint8_t>(at % block_bytes == checksum_at ? byte ^ 1 : byte);
    case FaultAction::endless:
      // The base block says so with a checksum that is right: for that the generated and most other EDIDs have one extension.
      if (at == extensions_at) return max_extensions;
      return static_cast<uint8_t>(at == checksum_at ? byte - (max_extensions - 1) : byte);
    case FaultAction::flip: {
      uint64_t state = transfer.answer.random;
      for (uint64_t n = 0; n < transfer.answer.value; ++n) {
        const uint64_t bit = next_random(state) % (block_bytes * 8);
        if (bit / 8 == at) return static_cast<uint8_t>(byte ^ 1u << bit % 8);
      }
      return byte;
    }
    default: return byte;
  }
}

void Monitors::i2c_end(unsigned pin) {
  transfers_[pin % pins] = {};
  host_.i2c_end(pin);
}

}  // namespace softgen::faults
