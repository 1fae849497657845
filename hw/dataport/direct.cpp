// SPDX-License-Identifier: GPL-2.0-or-later
// Untyped reads and writes of channels with consecutive addresses, as buffers are copied, without a message. All other cases
// go through send(), which is the specification.
#include <algorithm>

#include "hw/dataport/dataport.h"
#include "hw/dataport/neighbours.h"
#include "hw/dataport/space.h"
#include "hw/defs/messages/headers.h"
#include "hw/iface/untyped_row.h"
#include "hw/memory/view.h"
#include "hw/surface/binding.h"

namespace softgen::dataport {
namespace {

/// Registers in a row.
struct Registers {
  Grf* first;
  unsigned each;  ///< a dword of all channels
  const uint32_t* sent(unsigned number, unsigned lane) const { return &first[number * each + lane / 8].dw[lane % 8]; }
  uint32_t* answered(unsigned number, unsigned lane) const { return &first[number * each + lane / 8].dw[lane % 8]; }
};

/// Offsets where a row of `bytes` may start (the surface ends at `size`), for compiled code: in this page, and in the following ones as far
/// as host memory is in one piece, more of them each time that somebody goes on not far behind the window before.
void open_window(const DirectAnswer& answer, ThreadEnv& env, Access access, uint64_t at, uint64_t offset, uint64_t size, unsigned bytes) {
  constexpr uint64_t longest = 256 << 10, not_far = 1 << 20;
  // Beyond the L2's size data is evicted before it is used again.
  constexpr uint64_t streaming_window = 64 << 10, streaming_surface = 8 << 20;
  memory::View& view = env.view;
  MessageWindow& window = answer.window;
  const auto [epoch, generation] = view.seen();
  const bool stands = window.memory && window.epoch == epoch && window.generation == generation;
  if (stands && offset - window.low < window.starts) return;
  const uint64_t in_page = at % memory::View::page_size, low = offset - in_page;
  const uint64_t wanted = window.memory && low - window.low < not_far ? std::min(2 * window.opened, longest) : memory::View::page_size;
  const memory::View::Stretch found = view.stretch(at, wanted, access);
  if (!found.first) return;
  const uint64_t end = std::min(found.size, size - low);
  const bool streams = access == Access::write && env.may_stream && wanted >= streaming_window && size >= streaming_surface;
  // Whoever clears the answers sees only what the last window did.
  if (window.streams && !streams) store_fence();
  window = {low, end - bytes + 1, found.first, found.epoch, found.generation, wanted, streams};
}

struct DirectRow {
  uint64_t base, size;  ///< of the surface
  bool local;           ///< shared local memory: the thread's
  UntypedRow row;
};

/// Whether the channels' offsets follow the first one at distances of `step` bytes.
template <unsigned lanes, unsigned step>
bool contiguous(const Grf* offsets) {
  using Eight = uint32_t __attribute__((vector_size(32)));
  constexpr Eight steps = {0, step, 2 * step, 3 * step, 4 * step, 5 * step, 6 * step, 7 * step};
  const uint32_t first = offsets->dw[0] & ~3u;
  Eight differs{};
  for (unsigned r = 0; r < lanes / 8; ++r) {
    Eight v;
    std::memcpy(&v, offsets[r].dw, sizeof v);
    differs |= (v & ~3u) ^ (steps + (first + 8 * step * r));
  }
  const Four any = __builtin_shufflevector(differs, differs, 0, 1, 2, 3) | __builtin_shufflevector(differs, differs, 4, 5, 6, 7);
  return !(any[0] | any[1] | any[2] | any[3]);
}

template <Direction direction, unsigned count, unsigned lanes>
bool move_row(const DirectAnswer& answer, Grf* registers, uint32_t mask, ThreadEnv& env) {
  constexpr uint32_t all = (1u << lanes) - 1, bytes = 4 * count * lanes;
  const auto& d = *static_cast<const DirectRow*>(answer.state.get());
  const Grf* const offsets = registers + d.row.address;
  if ((mask & all) != all || !contiguous<lanes, 4 * count>(offsets)) return false;
  const uint64_t offset = offsets->dw[0] & (d.local ? Space::slm_bits & ~uint64_t{3} : ~uint64_t{3}),
                 size = d.local ? env.slm.size() : d.size;
  if (offset >= size || bytes > size - offset) return false;
  std::byte* memory;
  if (d.local) {
    memory = env.slm.data() + offset;
  } else {
    const uint64_t at = strip_canonical(d.base + offset);
    if (at % memory::View::page_size + bytes > memory::View::page_size) return false;
    memory = direction == Direction::write ? env.view.at_for_write(at) : const_cast<std::byte*>(env.view.at(at));
    open_window(answer, env, direction == Direction::write ? Access::write : Access::read, at, offset, d.size, bytes);
  }
  move_neighbours<count>(Registers{registers + d.row.data, lanes / 8}, direction, memory, lanes);
  return true;
}

template <Direction direction, unsigned lanes>
DirectAnswer::Function move_row_of(unsigned count) {
  switch (count) {
    case 1: return move_row<direction, 1, lanes>;
    case 2: return move_row<direction, 2, lanes>;
    case 4: return move_row<direction, 4, lanes>;
    default: return nullptr;
  }
}

struct DirectBlock {
  uint64_t base, size;        ///< of the surface
  unsigned header, response;  ///< registers
  unsigned place, bytes;      ///< in the response
  bool byte_offset;
};

/// An OWord block of constants, which all channels see alike.
bool read_block(const DirectAnswer& answer, Grf* registers, uint32_t, ThreadEnv& env) {
  const auto& d = *static_cast<const DirectBlock*>(answer.state.get());
  const uint64_t given = message_header::OwordBlock{registers[d.header].dw}.offset(),
                 offset = d.byte_offset ? given & ~uint64_t{3} : given * 16;
  // Drivers read whole blocks of buffers whose size is not a multiple of a block's.
  Space::buffer(env, d.base, d.size).read(offset, reinterpret_cast<std::byte*>(registers + d.response) + d.place, d.bytes);
  return true;
}

void direct_block(const MessageForm& form, ThreadEnv& env, DirectAnswer& answer) {
  constexpr uint32_t oword = 16;
  const uint32_t place = oword * form.op.first_oword, bytes = oword * form.op.owords;
  if (!bytes || !form.registers() || form.response.count * sizeof(Grf) < place + bytes) return;
  const Space space = Space::bound(form.without_contents(), env);
  if (!space.is_surface()) return;
  const bool byte_offset = form.op.byte_offset || form.op.kind == MessageKind::unaligned_oword_block_read;
  answer.state =
      std::make_shared<DirectBlock>(DirectBlock{space.base(), space.size(), form.reg(0), form.response.first, place, bytes, byte_offset});
  answer.function = read_block;
}

}  // namespace

void DataPort::direct(const MessageForm& form, ThreadEnv& env, DirectAnswer& answer) {
  if (form.op.kind == MessageKind::oword_block_read || form.op.kind == MessageKind::unaligned_oword_block_read)
    return direct_block(form, env, answer);
  const auto row = untyped_row(form);
  if (!row) return;
  const auto function =
      row->write ? (row->each == 2 ? move_row_of<Direction::write, 16>(row->count) : move_row_of<Direction::write, 8>(row->count))
                 : (row->each == 2 ? move_row_of<Direction::read, 16>(row->count) : move_row_of<Direction::read, 8>(row->count));
  const Space space = Space::bound(form.without_contents(), env);
  if (space.structure_pitch()) return;
  answer.state = std::make_shared<DirectRow>(DirectRow{space.base(), space.size(), space.is_local(), *row});
  answer.function = function;
}

}  // namespace softgen::dataport
