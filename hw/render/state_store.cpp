// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/state_store.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "hw/base/log.h"
#include "hw/render/decode/keep.h"

namespace softgen::render {
namespace {

using defs::CommandId;

struct Row {
  decode::KeepRule rule{};
  bool kept = false;
  uint32_t first = 0;  // element number of copy 0
};

}  // namespace

/// Where each command's packets lie, as the declarations say.
struct StateStore::Layout {
  std::vector<Row> rows;           // by CommandId
  std::vector<uint32_t> offsets;   // of each element in dwords_; its length word
  std::vector<uint32_t> capacity;  // of each element, dwords
  size_t dwords = 0;

  explicit Layout(const defs::CommandSet& set) : rows(defs::command_ids) {
    for (const defs::Command& command : set.commands) {
      if (!command.keeps_state) continue;
      Row& row = rows[static_cast<size_t>(command.id)];
      row.rule = decode::keep_rule(command);
      assert((row.rule.capacity || !command.variable || row.rule.as) && "a command of variable length needs a limit");
      if (row.rule.capacity == 0) row.rule.capacity = command.dwords;
      row.kept = true;
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
    : layout_(std::make_shared<const Layout>(commands)), dwords_(layout_->dwords), versions_(layout_->rows.size()) {}

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

size_t StateStore::saved_size() const { return layout_->dwords * 4 + kept_words * 8; }

void StateStore::save(std::span<std::byte> image) const {
  assert(image.size() >= saved_size());
  std::memcpy(image.data(), dwords_.data(), dwords_.size() * 4);
  std::memcpy(image.data() + dwords_.size() * 4, progress_.data(), sizeof progress_);
}

void StateStore::restore(std::span<const std::byte> image) {
  assert(image.size() >= saved_size());
  std::memcpy(dwords_.data(), image.data(), dwords_.size() * 4);
  std::memcpy(progress_.data(), image.data() + dwords_.size() * 4, sizeof progress_);
  for (size_t element = 0; element < layout_->offsets.size(); ++element) {
    uint32_t& length = dwords_[layout_->offsets[element]];
    if (length <= layout_->capacity[element]) continue;
    guest_error("context image", "a saved packet claims {} dwords, {} at most", length, layout_->capacity[element]);
    length = 0;
  }
  for (uint64_t& version : versions_) ++version;
}

}  // namespace softgen::render
