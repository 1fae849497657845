// SPDX-License-Identifier: GPL-2.0-or-later
// SKL PRM vol 7, "URB Messages".
#include <algorithm>
#include <array>
#include <cstring>

#include "hw/base/log.h"
#include "hw/defs/messages/headers.h"
#include "hw/render/urb.h"

namespace softgen::render {
namespace {

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

/// Where the channels' entries are: a pointer for each, or entries at equal distances.
struct Cells {
  std::array<uint32_t*, channels> of;
  uint32_t* operator()(size_t channel) const { return of[channel]; }
};
struct CellRow {
  uint32_t* first;
  size_t step;  ///< dwords
  uint32_t* operator()(size_t channel) const { return first + channel * step; }
};

/// Dwords c to c + 3 of channels h to h + 3, from registers to cells.
template <typename Payload, typename Places>
void store_four(const Payload& payload, size_t first, size_t c, unsigned h, const Places& cell) {
  Four row[4];
  for (size_t i = 0; i < 4; ++i) std::memcpy(&row[i], &payload[first + c + i].dw[h], sizeof(Four));
  const Four low01 = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5), high01 = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
  const Four low23 = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5), high23 = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
  const Four columns[4] = {__builtin_shufflevector(low01, low23, 0, 1, 4, 5), __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
                           __builtin_shufflevector(high01, high23, 0, 1, 4, 5), __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
  for (size_t i = 0; i < 4; ++i) std::memcpy(cell(h + i) + c, &columns[i], sizeof(Four));
}

template <typename Payload, typename Places>
void store_all(const Payload& payload, size_t components, const Places& cell) {
  size_t c = 0;
  for (; c + 4 <= components; c += 4)
    for (unsigned h = 0; h < channels; h += 4) store_four(payload, 1, c, h, cell);
  for (; c < components; ++c)
    for (unsigned channel = 0; channel < channels; ++channel) cell(channel)[c] = payload[1 + c].dw[channel];
}

/// Entries that follow each other at one distance, as those of a vertex shader's thread do. Null: they do not.
CellRow find_row(const Grf& handles, uint64_t offset, size_t components, Urb& urb) {
  const uint32_t first = handles.dw[0], step = handles.dw[1] - first;
  Four low, high;
  std::memcpy(&low, handles.dw, sizeof low), std::memcpy(&high, handles.dw + 4, sizeof high);
  const Four expected = first + Four{0, step, 2 * step, 3 * step}, differ = (low ^ expected) | (high ^ (expected + 4 * step));
  if ((differ[0] | differ[1] | differ[2] | differ[3]) || step >= Urb::max_units || components > size_t{step} * (Urb::unit / 4)) return {};
  return {urb.row(first, step, channels, offset, static_cast<uint32_t>(components)), size_t{step} * (Urb::unit / 4)};
}

/// False: entries overlap, are shorter, or do not follow each other.
bool find_cells(const Grf& handles, uint64_t offset, size_t components, Urb& urb, Cells& cells) {
  for (unsigned channel = 0; channel < channels; ++channel) {
    const std::span<uint32_t> cell = urb.dwords(handles.dw[channel], offset, static_cast<uint32_t>(components));
    if (cell.size() != components || (channel && cell.data() < cells.of[channel - 1] + components)) return false;
    cells.of[channel] = cell.data();
  }
  return true;
}

/// A write of all channels at one offset, as vertex shaders end. False where entries are shorter, or do not follow each other: then the
/// last channel's is what remains.
template <typename Payload>
bool write_all(const Payload& payload, uint64_t offset, Urb& urb) {
  const size_t components = payload.size() - 1;
  if (const CellRow row = find_row(payload[0], offset * oword, components, urb); row.first) {
    store_all(payload, components, row);
    return true;
  }
  Cells cells;
  if (!find_cells(payload[0], offset * oword, components, urb, cells)) return false;
  store_all(payload, components, cells);
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
  const uint32_t global_offset = message.op.offset;
  const bool masked = message.op.masked, per_slot = message.op.per_slot;
  const Payload payload(message);
  const size_t headers = 1 + per_slot + (masked && write);
  if (payload.size() < headers) return too_short(payload, headers);
  if (write && !masked && !per_slot && (message.exec_mask & 0xff) == 0xff && write_all(payload, global_offset, urb))
    return SendResult::done;
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

/// SIMD4x2: the header has two handles, their per-slot offsets and the channel mask. Interleaved
/// ("Swizzle Control"), the halves of each register belong to one handle each, else whole registers belong to the first.
SendResult simd4x2_message(const Message& message, Urb& urb, bool write, bool hwords) {
  const Payload payload(message);
  if (payload.size() < 1) return too_short(payload, 1);
  const message_header::UrbSimd4x2 header{payload[0].dw};
  const bool interleaved = message.op.interleaved, per_slot = message.op.per_slot;
  const uint32_t scale = hwords ? 2 * oword : oword;
  const uint32_t mask = header.channel_mask();
  const size_t registers = write ? payload.size() - 1 : message.response.size();
  const unsigned slots = interleaved ? 2 : 1, width = interleaved || !hwords ? oword : 2 * oword;
  for (unsigned slot = 0; slot < slots; ++slot) {
    const uint64_t offset = (message.op.offset + uint64_t{!per_slot ? 0 : slot ? header.slot_1_offset() : header.slot_0_offset()}) * scale;
    for (size_t i = 0; i < registers; ++i) {
      const std::span<uint32_t> cell = urb.dwords(slot ? header.handle_1() : header.handle_0(), offset + i * width, width);
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
  DirectUrbWrite direct{&urb, form.op.offset, form.registers(), {}};
  if (form.op.kind != MessageKind::urb_simd8_write || form.op.masked || form.op.per_slot || direct.count < 1 ||
      direct.count > direct.registers.size())
    return;
  for (unsigned i = 0; i < direct.count; ++i) direct.registers[i] = static_cast<uint8_t>(form.reg(i));
  answer.state = std::make_shared<DirectUrbWrite>(direct);
  answer.function = DirectUrbWrite::answer;
}

SendResult urb_message(const Message& message, Urb& urb) {
  switch (message.op.kind) {
    case MessageKind::urb_simd8_write: return simd8_message(message, urb, true);
    case MessageKind::urb_simd8_read: return simd8_message(message, urb, false);
    case MessageKind::urb_write_hword: return simd4x2_message(message, urb, true, true);
    case MessageKind::urb_write_oword: return simd4x2_message(message, urb, true, false);
    case MessageKind::urb_read_hword: return simd4x2_message(message, urb, false, true);
    case MessageKind::urb_read_oword: return simd4x2_message(message, urb, false, false);
    default:
      unimplemented("URB message", "opcode {}", message.op.type);
      std::fill(message.response.begin(), message.response.end(), Grf{});
      return SendResult::done;
  }
}

}  // namespace softgen::render
