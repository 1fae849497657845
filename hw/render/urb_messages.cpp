// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "URB Messages".
#include <algorithm>
#include <array>
#include <cstring>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/render/urb.h"

namespace softgen::render {
namespace {

// URB Opcode, [3:0] of the message descriptor. 4 to 6 are the atomics, which no client of Gen9 sends.
enum UrbOpcode : uint32_t { write_hword = 0, write_oword = 1, read_hword = 2, read_oword = 3, simd8_write = 7, simd8_read = 8 };
constexpr unsigned channels = 8;
constexpr uint32_t oword = 4;  // dwords

/// The registers of a message, whether split or not, by number.
class Payload {
 public:
  explicit Payload(const Message& m) : first_(m.payload), second_(m.payload2) {}
  size_t size() const { return first_.size() + second_.size(); }
  const Grf& operator[](size_t i) const { return i < first_.size() ? first_[i] : second_[i - first_.size()]; }

 private:
  std::span<const Grf> first_, second_;
};

SendResult too_short(const Payload& payload, size_t headers) {
  guest_error("URB message", "{} registers, {} of header", payload.size(), headers);
  return SendResult::failed;
}

typedef uint32_t Four __attribute__((vector_size(16)));

/// A payload of which only the registers' numbers were known before.
class NumberedPayload {
 public:
  NumberedPayload(const Grf* registers, std::span<const uint8_t> numbers) : registers_(registers), numbers_(numbers) {}
  size_t size() const { return numbers_.size(); }
  const Grf& operator[](size_t i) const { return registers_[numbers_[i]]; }

 private:
  const Grf* registers_;
  std::span<const uint8_t> numbers_;
};

/// Dwords c to c + 3 of channels h to h + 3, from registers to cells.
template <typename Payload>
void store_four(const Payload& payload, size_t first, size_t c, unsigned h, uint32_t* const* cells) {
  Four row[4];
  for (size_t i = 0; i < 4; ++i) std::memcpy(&row[i], &payload[first + c + i].dw[h], sizeof(Four));
  const Four low01 = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5), high01 = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
  const Four low23 = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5), high23 = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
  const Four columns[4] = {__builtin_shufflevector(low01, low23, 0, 1, 4, 5), __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
                           __builtin_shufflevector(high01, high23, 0, 1, 4, 5), __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
  for (size_t i = 0; i < 4; ++i) std::memcpy(cells[h + i] + c, &columns[i], sizeof(Four));
}

/// Where all channels' entries are, which do not overlap; false: elsewhere, or somewhere else.
bool find_cells(const Grf& handles, uint64_t offset, size_t components, Urb& urb, std::array<uint32_t*, channels>& cells) {
  const uint32_t first = handles.dw[0], step = handles.dw[1] - first;
  uint32_t differ = 0;
  for (uint32_t channel = 0; channel < channels; ++channel) differ |= handles.dw[channel] ^ (first + channel * step);
  if (!differ && step < Urb::max_units && components <= size_t{step} * (Urb::unit / 4)) {
    uint32_t* const row = urb.row(first, step, channels, offset, static_cast<uint32_t>(components));
    for (size_t channel = 0; row && channel < channels; ++channel) cells[channel] = row + channel * step * (Urb::unit / 4);
    if (row) return true;
  }
  for (unsigned channel = 0; channel < channels; ++channel) {
    const std::span<uint32_t> cell = urb.dwords(handles.dw[channel], offset, static_cast<uint32_t>(components));
    if (cell.size() != components || (channel && cell.data() < cells[channel - 1] + components)) return false;
    cells[channel] = cell.data();
  }
  return true;
}

/// A write of all channels at one offset, as vertex shaders end. False where entries are shorter, or do not follow each other: then the
/// last channel's is what remains.
template <typename Payload>
bool write_all(const Payload& payload, uint64_t offset, Urb& urb) {
  const size_t components = payload.size() - 1;
  std::array<uint32_t*, channels> cells;
  if (!find_cells(payload[0], offset * oword, components, urb, cells)) return false;
  size_t c = 0;
  for (; c + 4 <= components; c += 4)
    for (unsigned h = 0; h < channels; h += 4) store_four(payload, 1, c, h, cells.data());
  for (; c < components; ++c)
    for (unsigned channel = 0; channel < channels; ++channel) cells[channel][c] = payload[1 + c].dw[channel];
  return true;
}

/// What urb_direct() found out about messages of one form.
struct DirectUrbWrite {
  Urb* urb;
  uint32_t offset;
  size_t count;
  std::array<uint8_t, 32> registers;

  static bool answer(const DirectAnswer& answer, Grf* registers, uint32_t mask, ThreadEnv&) {
    const auto& d = *static_cast<const DirectUrbWrite*>(answer.state.get());
    if ((mask & 0xff) != 0xff) return false;
    return write_all(NumberedPayload(registers, std::span(d.registers).first(d.count)), d.offset, *d.urb);
  }
};

SendResult simd8_message(const Message& message, Urb& urb, bool write) {
  const uint32_t global_offset = bits(message.descriptor, 14u, 4u);
  const bool masked = bit(message.descriptor, 15), per_slot = bit(message.descriptor, 17);
  const Payload payload(message);
  const size_t headers = 1 + per_slot + (masked && write);
  if (payload.size() < headers) return too_short(payload, headers);
  if (write && !masked && !per_slot && (message.exec_mask & 0xff) == 0xff && write_all(payload, global_offset, urb)) return SendResult::done;
  const size_t components = write ? payload.size() - headers : message.response.size();
  for (unsigned channel = 0; channel < channels; ++channel) {
    if (!(message.exec_mask >> channel & 1)) continue;
    const uint64_t offset = global_offset + uint64_t{per_slot ? payload[1].dw[channel] : 0};
    const std::span<uint32_t> cell = urb.dwords(payload[0].dw[channel], offset * oword, static_cast<uint32_t>(components));
    if (!write) {
      for (size_t c = 0; c < components; ++c) message.response[c].dw[channel] = c < cell.size() ? cell[c] : 0;
      continue;
    }
    const uint32_t mask = masked ? payload[headers - 1].dw[channel] >> 16 : ~0u;  // Channel Mask: bits [23:16]
    for (size_t c = 0; c < cell.size(); ++c)
      if (mask >> c & 1) cell[c] = payload[headers + c].dw[channel];
  }
  return SendResult::done;
}

/// SIMD4x2: M0.0 and M0.1 are the two handles, M0.3 and M0.4 their per-slot offsets, M0.5[15:8] the channel mask. Interleaved
/// ("Swizzle Control"), the halves of each register belong to one handle each, else whole registers belong to the first.
SendResult simd4x2_message(const Message& message, Urb& urb, uint32_t opcode) {
  const Payload payload(message);
  if (payload.size() < 1) return too_short(payload, 1);
  const Grf& header = payload[0];
  const bool write = opcode == write_hword || opcode == write_oword, hwords = opcode == write_hword || opcode == read_hword;
  const bool interleaved = bit(message.descriptor, 15), per_slot = bit(message.descriptor, 17);
  const uint32_t scale = hwords ? 2 * oword : oword;
  const uint32_t mask = bits(header.dw[5], 15u, 8u);
  const size_t registers = write ? payload.size() - 1 : message.response.size();
  const unsigned slots = interleaved ? 2 : 1, width = interleaved || !hwords ? oword : 2 * oword;
  for (unsigned slot = 0; slot < slots; ++slot) {
    const uint64_t offset = (bits(message.descriptor, 14u, 4u) + uint64_t{per_slot ? header.dw[3 + slot] : 0}) * scale;
    for (size_t i = 0; i < registers; ++i) {
      const std::span<uint32_t> cell = urb.dwords(header.dw[slot], offset + i * width, width);
      for (unsigned c = 0; c < width; ++c) {
        const unsigned lane = slot * oword + c;
        if (!write) message.response[i].dw[lane] = c < cell.size() ? cell[c] : 0;
        else if (c < cell.size() && (mask >> lane & 1)) cell[c] = payload[1 + i].dw[lane];
      }
    }
  }
  return SendResult::done;
}

}  // namespace

void urb_direct(const MessageForm& form, Urb& urb, DirectAnswer& answer) {
  DirectUrbWrite direct{&urb, bits(form.descriptor, 14u, 4u), form.registers(), {}};
  const bool masked = bit(form.descriptor, 15), per_slot = bit(form.descriptor, 17);
  if (bits(form.descriptor, 3u, 0u) != simd8_write || masked || per_slot || direct.count < 1 || direct.count > direct.registers.size()) return;
  for (unsigned i = 0; i < direct.count; ++i) direct.registers[i] = static_cast<uint8_t>(form.reg(i));
  answer.state = std::make_shared<DirectUrbWrite>(direct);
  answer.function = DirectUrbWrite::answer;
}

SendResult urb_message(const Message& message, Urb& urb) {
  const uint32_t opcode = bits(message.descriptor, 3u, 0u);
  switch (opcode) {
    case simd8_write:
    case simd8_read: return simd8_message(message, urb, opcode == simd8_write);
    case write_hword:
    case write_oword:
    case read_hword:
    case read_oword: return simd4x2_message(message, urb, opcode);
    default:
      unimplemented("URB message", "opcode {}", opcode);
      std::fill(message.response.begin(), message.response.end(), Grf{});
      return SendResult::done;
  }
}

}  // namespace softgen::render
