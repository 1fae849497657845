// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/state_store.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/render/decode/keep.h"

namespace softgen::render {
namespace {

using defs::CommandId;

struct Row {
  decode::KeepRule rule{};
  const defs::Command* command = nullptr;
  bool kept = false;
  uint32_t first = 0;  // element number of copy 0
};

/// The header of a packet of so many dwords.
uint32_t with_length(const defs::Command& command, uint32_t header, size_t dwords) {
  if (command.length_high == 0) return header;
  const uint32_t mask = bits(~0u, command.length_high, command.length_low) << command.length_low;
  return (header & ~mask) | (static_cast<uint32_t>(dwords - 2) << command.length_low & mask);
}

}  // namespace

/// Where each command's packets lie, as the declarations say.
struct StateStore::Layout {
  std::vector<Row> rows;           // by CommandId
  std::vector<uint32_t> offsets;   // of each element in dwords_; its length word
  std::vector<uint32_t> capacity;  // of each element, dwords
  size_t dwords = 0;

  explicit Layout(const defs::CommandSet& set) : rows(defs::command_ids) {
    for (const defs::Command& command : set.commands) {
      if (!command.keeps_state || !command.valid_on(defs::EngineClass::render)) continue;
      Row& row = rows[static_cast<size_t>(command.id)];
      row.rule = decode::keep_rule(command);
      assert((row.rule.capacity || !command.variable || row.rule.as) && "a command of variable length needs a limit");
      if (row.rule.capacity == 0) row.rule.capacity = command.dwords;
      row.kept = true;
      row.command = &command;
      row.first = static_cast<uint32_t>(offsets.size());
      for (unsigned i = 0; i < row.rule.copies; ++i) {
        offsets.push_back(static_cast<uint32_t>(dwords));
        capacity.push_back(row.rule.capacity);
        dwords += 1 + row.rule.capacity;
      }
    }
  }
};

StateStore::StateStore(const defs::CommandSet& commands)
    : layout_(std::make_shared<const Layout>(commands)), dwords_(layout_->dwords), versions_(layout_->rows.size()) {
  place({});
}

void StateStore::place(std::span<const defs::ContextPacket> places) {
  places_ = places;
  std::vector<bool> placed(layout_->offsets.size());
  for (const defs::ContextPacket& place : places) {
    const Row& row = layout_->rows[static_cast<size_t>(place.command)];
    assert(row.kept &&
           (row.rule.absent ? 1 + row.rule.copies * (row.rule.capacity - 1u) : row.rule.copies * row.rule.capacity) <= place.dwords);
    std::fill_n(placed.begin() + row.first, row.rule.copies, true);
  }
  rest_.clear();
  rest_elements_.clear();
  for (size_t element = 0; element < placed.size(); ++element) {
    if (placed[element]) continue;
    rest_elements_.push_back(element);
    const Range range{layout_->offsets[element], 1 + size_t{layout_->capacity[element]}};
    if (!rest_.empty() && rest_.back().first + rest_.back().count == range.first) rest_.back().count += range.count;
    else rest_.push_back(range);
  }
}

void StateStore::store(size_t element, std::span<const uint32_t> dwords) {
  uint32_t* slot = &dwords_[layout_->offsets[element]];
  const size_t length = std::min<size_t>(dwords.size(), layout_->capacity[element]);
  slot[0] = static_cast<uint32_t>(length);
  std::memcpy(slot + 1, dwords.data(), length * 4);
}

bool StateStore::accept(const Packet& packet) {
  const Row& row = layout_->rows[static_cast<size_t>(packet.command->id)];
  if (!row.kept) return packet.command->resource_streamer;
  const decode::KeepRule& rule = row.rule;
  if (rule.as) {
    for (const decode::KeptPacket& kept : rule.as(packet.dwords)) {
      ++versions_[static_cast<size_t>(kept.id)];
      store(layout_->rows[static_cast<size_t>(kept.id)].first + kept.index, kept.dwords);
    }
    return true;
  }
  if (packet.dwords.size() > rule.capacity) guest_error(packet.command->name, "{} dwords, {} at most", packet.dwords.size(), rule.capacity);
  ++versions_[static_cast<size_t>(rule.id)];
  if (rule.merge) {
    store(row.first, rule.merge(this->packet(rule.id), packet.dwords));
    return true;
  }
  const unsigned index = rule.index ? rule.index(packet.dwords) : 0;
  if (index >= rule.copies) guest_error(packet.command->name, "element {} of {}", index, rule.copies);
  else store(row.first + index, packet.dwords);
  return true;
}

std::span<const uint32_t> StateStore::packet(CommandId id, unsigned index) const {
  const Row& row = layout_->rows[static_cast<size_t>(id)];
  if (!row.kept || index >= row.rule.copies) return {};
  const uint32_t* slot = &dwords_[layout_->offsets[row.first + index]];
  return {slot + 1, slot[0]};
}

void StateStore::reset() {
  std::fill(dwords_.begin(), dwords_.end(), 0);
  progress_ = {};
  for (uint64_t& version : versions_) ++version;
}

void StateStore::save_packet(const defs::ContextPacket& place, std::span<uint32_t> room) const {
  const Row& row = layout_->rows[static_cast<size_t>(place.command)];
  size_t at = 0;
  for (unsigned i = 0; i < row.rule.copies; ++i) {
    const uint32_t* const slot = &dwords_[layout_->offsets[row.first + i]];
    const uint32_t length = slot[0];
    if (length == 0) continue;
    std::memcpy(&room[at], slot + 1, length * 4);
    room[at] = with_length(*row.command, slot[1], length);
    if (row.rule.complete) row.rule.complete(room.subspan(at, length));
    at += length;
  }
  std::memset(room.data() + at, 0, (room.size() - at) * 4);
}

/// All elements as one packet.
void StateStore::save_elements(const defs::ContextPacket& place, std::span<uint32_t> room) const {
  const Row& row = layout_->rows[static_cast<size_t>(place.command)];
  const size_t body = row.rule.capacity - 1u, length = 1 + row.rule.copies * body;
  std::memset(room.data(), 0, room.size_bytes());
  for (unsigned i = 0; i < row.rule.copies; ++i) {
    const std::span<const uint32_t> packet = this->packet(place.command, i);
    if (packet.empty()) continue;
    room[0] = with_length(*row.command, packet[0], length);
    std::copy(packet.begin() + 1, packet.end(), &room[1 + i * body]);
  }
  if (room[0] == 0) return;
  for (unsigned i = 0; i < row.rule.copies; ++i)
    if (this->packet(place.command, i).empty()) room[1 + i * body] = row.rule.absent(i);
}

void StateStore::save_packets(std::span<uint32_t> page) const {
  for (const defs::ContextPacket& place : places_) {
    const std::span<uint32_t> room = page.subspan(place.first, place.dwords);
    if (layout_->rows[static_cast<size_t>(place.command)].rule.absent) save_elements(place, room);
    else save_packet(place, room);
  }
}

void StateStore::restore_packet(const Packet& packet) {
  const Row& row = layout_->rows[static_cast<size_t>(packet.command->id)];
  if (!row.kept) return;
  const size_t capacity = row.rule.capacity, body = capacity - 1;
  if (!row.rule.absent || packet.dwords.size() <= capacity) {
    accept(packet);
    return;
  }
  std::vector<uint32_t> element(capacity);
  element[0] = with_length(*row.command, packet.dwords[0], capacity);
  for (size_t at = 1; at + body <= packet.dwords.size(); at += body) {
    std::copy_n(&packet.dwords[at], body, &element[1]);
    accept({packet.address, packet.command, element});
  }
}

size_t StateStore::saved_size() const {
  size_t dwords = 0;
  for (const Range& range : rest_) dwords += range.count;
  return dwords * 4 + kept_words * 8;
}

void StateStore::save(std::span<std::byte> image) const {
  assert(image.size() >= saved_size());
  for (const Range& range : rest_) {
    std::memcpy(image.data(), &dwords_[range.first], range.count * 4);
    image = image.subspan(range.count * 4);
  }
  std::memcpy(image.data(), progress_.data(), sizeof progress_);
}

void StateStore::restore(std::span<const std::byte> image) {
  assert(image.size() >= saved_size());
  for (const Range& range : rest_) {
    std::memcpy(&dwords_[range.first], image.data(), range.count * 4);
    image = image.subspan(range.count * 4);
  }
  std::memcpy(progress_.data(), image.data(), sizeof progress_);
  for (const size_t element : rest_elements_) {
    uint32_t& length = dwords_[layout_->offsets[element]];
    if (length <= layout_->capacity[element]) continue;
    guest_error("context image", "a saved packet claims {} dwords, {} at most", length, layout_->capacity[element]);
    length = 0;
  }
  for (uint64_t& version : versions_) ++version;
}

}  // namespace softgen::render
