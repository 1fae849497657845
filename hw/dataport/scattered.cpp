// SPDX-License-Identifier: GPL-2.0-or-later
// Reads and writes with an address a channel. SKL PRM vol 2d, "Byte/DWord/QWord Scattered Read/Write", "Untyped Surface Read/Write",
// "A64 …"; Mesa brw_eu.h (brw_dp_*_desc).
#include "hw/base/log.h"
#include "hw/dataport/lanes.h"
#include "hw/dataport/messages.h"
#include "hw/dataport/rows.h"

namespace softgen::dataport {
namespace {

SendResult reserved(const char* what) {
  guest_error("data port message with a reserved control", "{}", what);
  return SendResult::failed;
}

/// `log2_size` 0 to 2: bytes of the element in the low bits of a channel's dword.
void element(const Message& m, Space& space, Direction direction, unsigned log2_size, uint64_t offset, size_t reg, unsigned lane) {
  if (direction == Direction::write) {
    const uint32_t value = operand(m, reg, lane);
    switch (log2_size) {
      case 0: return space.store(offset, static_cast<uint8_t>(value));
      case 1: return space.store(offset, static_cast<uint16_t>(value));
      default: return space.store(offset, value);
    }
  }
  switch (log2_size) {
    case 0: return answer(m, reg, lane, space.load<uint8_t>(offset));
    case 1: return answer(m, reg, lane, space.load<uint16_t>(offset));
    default: return answer(m, reg, lane, space.load<uint32_t>(offset));
  }
}

/// Elements of every channel at `address(lane)`.
template <typename Address>
void elements(const Message& m, Space& space, Direction direction, const Lanes& lanes, unsigned log2_size, size_t data, Address&& address) {
  if (log2_size == 2) {
    if (move_dwords(m, space, direction, lanes, {{0}, 1}, addresses_of(lanes, address), data)) return;
  }
  lanes.each([&](unsigned lane) { element(m, space, direction, log2_size, address(lane), data, lane); });
}

/// Dwords [0, 4) of each channel that the channel mask leaves; `address(lane)` is the first one's.
template <typename Address>
SendResult dwords(const Message& m, Space& space, Direction direction, const Lanes& lanes, size_t data, Address&& address) {
  const uint32_t moved = m.op.components;
  if (!lanes.pairs()) {
    Dwords on{};
    for (unsigned c = 0; c < 4; ++c)
      if (moved >> c & 1) on.numbers[on.count++] = static_cast<uint8_t>(c);
    if (move_dwords(m, space, direction, lanes, on, addresses_of(lanes, address), data)) return SendResult::done;
  }
  lanes.each([&](unsigned lane) {
    const uint64_t at = address(lane);
    unsigned left = 0;  // channels that are off keep their places in SIMD4x2 only
    for (unsigned c = 0; c < 4; ++c) {
      if (!(moved >> c & 1)) continue;
      const unsigned number = lanes.pairs() ? c : left++;
      if (direction == Direction::write) space.store(at + 4 * c, parameter(m, lanes, data, number, lane));
      else answer_component(m, lanes, data, number, lane, space.load<uint32_t>(at + 4 * c));
    }
  });
  return SendResult::done;
}

/// Surface messages without a binding to general state may bring a mask of pixels.
void mask_by_header(const Message& m, const Space& space, Lanes& lanes) {
  if (m.header_present() && space.is_surface()) lanes.restrict(message_header::DataPort{m.reg(0).dw}.pixel_mask());
}

/// Is added to each channel's offset, in the same elements (IGC, translateVISAGatherInst(); kernels of iHD's VP8 and i965's VP9 encoders). Mesa's headers of such messages
/// have 0 there (brw_fs.cpp).
uint32_t global_offset(const Message& m) { return m.header_present() ? message_header::Scattered{m.reg(0).dw}.offset() : 0; }

}  // namespace

SendResult byte_scattered(const Message& m, Space space, Direction direction) {
  const Lanes lanes(m, m.op.simd);
  if (!m.op.elements) return reserved("byte scattered, data size");
  const uint32_t first = global_offset(m);
  const size_t address = m.header_present(), data = direction == Direction::read ? 0 : address + lanes.registers();
  elements(m, space, direction, lanes, m.op.log2_size, data, [&](unsigned lane) { return uint64_t{first + operand(m, address, lane)}; });
  return SendResult::done;
}

/// Offsets count dwords; on Ironlake they count bytes, and whether its header has an offset is not known.
SendResult dword_scattered(const Message& m, Space space, Direction direction) {
  const Lanes lanes(m, m.op.simd);
  const uint32_t first = global_offset(m);
  const size_t address = m.header_present(), data = direction == Direction::read ? 0 : address + lanes.registers();
  elements(m, space, direction, lanes, 2, data, [&](unsigned lane) {
    return m.op.byte_offset ? operand(m, address, lane) & ~3ull : uint64_t{first + operand(m, address, lane)} * 4;
  });
  return SendResult::done;
}

/// As dword_scattered; offsets count qwords.
SendResult qword_scattered(const Message& m, Space space, Direction direction) {
  const Lanes lanes(m, m.op.simd);
  const uint32_t first = global_offset(m);
  const size_t address = m.header_present(), data = direction == Direction::read ? 0 : address + lanes.registers();
  lanes.each([&](unsigned lane) {
    const uint64_t offset = uint64_t{first + operand(m, address, lane)} * 8;
    if (direction == Direction::write) space.store(offset, operand64(m, data, lane));
    else answer64(m, data, lane, space.load<uint64_t>(offset));
  });
  return SendResult::done;
}

SendResult untyped_surface(const Message& m, Space space, Direction direction) {
  const unsigned simd = m.op.simd;
  if (!simd) return reserved("untyped surface, SIMD mode");
  Lanes lanes(m, simd);
  if (!lanes.pairs()) mask_by_header(m, space, lanes);
  const size_t address = m.header_present();
  const unsigned parameters = space.structure_pitch() ? 2 : 1;  // structured buffers: index, then offset
  const size_t data = direction == Direction::read ? 0 : address + lanes.span(parameters);
  if (parameters == 1 && !lanes.pairs()) {
    const std::array<const Grf*, 2> at = {&m.reg(address), &m.reg(address + 1)};
    return dwords(m, space, direction, lanes, data, [&at](unsigned lane) { return uint64_t{at[lane / 8]->dw[lane % 8] & ~3u}; });
  }
  return dwords(m, space, direction, lanes, data, [&](unsigned lane) {
    const uint64_t first = parameter(m, lanes, address, 0, lane);
    const uint64_t at = parameters == 1 ? first : first * space.structure_pitch() + parameter(m, lanes, address, 1, lane);
    return at & ~3ull;
  });
}

SendResult a64_untyped_surface(const Message& m, ThreadEnv& env, Direction direction) {
  const unsigned simd = m.op.simd;
  if (!simd) return reserved("A64 untyped surface, SIMD mode");
  if (simd == Lanes::simd4x2) {
    unimplemented("SIMD4x2 A64 message");
    return SendResult::done;
  }
  const Lanes lanes(m, simd);
  Space space = Space::everything(env);
  const size_t address = m.header_present(), data = direction == Direction::read ? 0 : address + lanes.registers64();
  return dwords(m, space, direction, lanes, data, [&](unsigned lane) { return strip_canonical(operand64(m, address, lane)) & ~3ull; });
}

/// Bytes: one element in a channel's dword; dwords and qwords: each in registers of its own.
SendResult a64_scattered(const Message& m, ThreadEnv& env, Direction direction) {
  const Lanes lanes(m, m.op.simd);
  const unsigned log2_size = m.op.log2_size, count = m.op.elements;
  if (!count) return reserved("A64 scattered, element");
  Space space = Space::everything(env);
  const size_t address = m.header_present(), data = direction == Direction::read ? 0 : address + lanes.registers64();
  const auto place = [&](unsigned lane) { return strip_canonical(operand64(m, address, lane)); };
  if (log2_size == 2 && count == 1) return elements(m, space, direction, lanes, 2, data, place), SendResult::done;
  lanes.each([&](unsigned lane) {
    const uint64_t at = place(lane);
    if (log2_size < 2) return element(m, space, direction, log2_size, at, data, lane);
    for (unsigned i = 0; i < count; ++i) {
      if (log2_size == 2) {
        element(m, space, direction, 2, at + 4 * i, data + i * lanes.registers(), lane);
        continue;
      }
      const size_t reg = data + i * lanes.registers64();
      if (direction == Direction::write) space.store(at + 8 * i, operand64(m, reg, lane));
      else answer64(m, reg, lane, space.load<uint64_t>(at + 8 * i));
    }
  });
  return SendResult::done;
}

}  // namespace softgen::dataport
