// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/render/state_store.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "hw/base/bits.h"
#include "hw/base/log.h"

namespace softgen::render {
namespace {

using defs::CommandId;

constexpr unsigned vertex_buffers = 33, vertex_elements = 34, vertex_buffer_dwords = 4;

/// How packets of one opcode become state.
enum class Merge : uint8_t { replace, first_entries, vertex_buffers, base_address, pipeline_select };

struct Rule {
  CommandId id;
  uint16_t capacity = 0;       ///< dwords a packet; 0: as declared
  uint8_t copies = 1;          ///< elements named by a field
  uint8_t index_dword = 0, index_high = 0, index_low = 0;
  Merge merge = Merge::replace;
};

// Limits: SKL PRM vol 2a/2d, the commands' "DWord Length" ranges. Everything not listed has one packet of declared length.
constexpr Rule rules[] = {
    {CommandId::_3DSTATE_VERTEX_BUFFERS, 1 + vertex_buffers * vertex_buffer_dwords, 1, 0, 0, 0, Merge::vertex_buffers},
    {CommandId::_3DSTATE_VERTEX_ELEMENTS, 1 + 2 * vertex_elements},
    {CommandId::_3DSTATE_VF_INSTANCING, 0, vertex_elements, 1, 5, 0},
    {CommandId::_3DSTATE_SO_BUFFER, 0, 4, 1, 30, 29},
    {CommandId::_3DSTATE_SO_DECL_LIST, 3 + 2 * 128},
    {CommandId::_3DSTATE_CHROMA_KEY, 0, 4, 1, 31, 30},
    {CommandId::_3DSTATE_SAMPLER_PALETTE_LOAD0, 1 + 256, 1, 0, 0, 0, Merge::first_entries},
    {CommandId::_3DSTATE_SAMPLER_PALETTE_LOAD1, 1 + 256, 1, 0, 0, 0, Merge::first_entries},
    {CommandId::STATE_BASE_ADDRESS, 0, 1, 0, 0, 0, Merge::base_address},
    {CommandId::PIPELINE_SELECT, 0, 1, 0, 0, 0, Merge::pipeline_select},
};

struct Row {
  Rule rule{};
  bool kept = false;
  uint32_t first = 0;  // element number of copy 0
};

std::vector<uint32_t> merged_base_address(std::span<const uint32_t> old, std::span<const uint32_t> packet) {
  // Each base (two dwords) and size has its own Modify Enable in bit 0 (SKL PRM vol 2a, STATE_BASE_ADDRESS).
  static constexpr struct {
    uint8_t first, count, modify;
  } parts[] = {{1, 2, 1},   {3, 1, 1},   {4, 2, 4},   {6, 2, 6},   {8, 2, 8},  {10, 2, 10},
               {12, 1, 12}, {13, 1, 13}, {14, 1, 14}, {15, 1, 15}, {16, 3, 16}};
  std::vector<uint32_t> result(19);
  std::copy_n(old.begin(), std::min(old.size(), result.size()), result.begin());
  result[0] = packet[0];
  for (const auto& part : parts) {
    if (part.modify >= packet.size() || !(packet[part.modify] & 1)) continue;
    for (unsigned i = part.first; i < unsigned{part.first} + part.count && i < packet.size(); ++i) result[i] = packet[i];
  }
  return result;
}

std::vector<uint32_t> merged_vertex_buffers(std::span<const uint32_t> old, std::span<const uint32_t> packet) {
  std::vector<uint32_t> result(1 + vertex_buffers * vertex_buffer_dwords);
  if (old.empty()) {
    for (unsigned i = 0; i < vertex_buffers; ++i) result[1 + i * vertex_buffer_dwords] = i << 26 | 1u << 13;  // Null Vertex Buffer
  } else {
    std::copy_n(old.begin(), std::min(old.size(), result.size()), result.begin());
  }
  result[0] = packet[0];
  for (size_t at = 1; at + vertex_buffer_dwords <= packet.size(); at += vertex_buffer_dwords) {
    const uint32_t index = bits(packet[at], 31u, 26u);
    if (index >= vertex_buffers) {
      guest_error("3DSTATE_VERTEX_BUFFERS", "buffer {} of {}", index, vertex_buffers);
      continue;
    }
    uint32_t* target = &result[1 + index * vertex_buffer_dwords];
    target[0] = packet[at];
    if (bit(packet[at], 14)) std::copy_n(&packet[at + 1], 2, target + 1);  // Address Modify Enable
    target[3] = packet[at + 3];
  }
  return result;
}

// A palette may be loaded in part, from entry 0 on (SNB PRM vol 2 part 1, 3DSTATE_SAMPLER_PALETTE_LOAD0): the others stay.
std::vector<uint32_t> merged_entries(std::span<const uint32_t> old, std::span<const uint32_t> packet) {
  std::vector<uint32_t> result(packet.begin(), packet.end());
  if (old.size() > result.size()) result.insert(result.end(), old.begin() + static_cast<std::ptrdiff_t>(result.size()), old.end());
  return result;
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
      if (!command.keeps_state) continue;
      Row& row = rows[static_cast<size_t>(command.id)];
      row.rule.id = command.id;
      const auto rule = std::find_if(std::begin(rules), std::end(rules), [&](const Rule& r) { return r.id == command.id; });
      if (rule != std::end(rules)) row.rule = *rule;
      assert((row.rule.capacity || !command.variable) && "a command of variable length needs a limit");
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
  const Rule& rule = row.rule;
  if (packet.dwords.size() > rule.capacity)
    guest_error(packet.command->name, "{} dwords, {} at most", packet.dwords.size(), rule.capacity);
  ++versions_[static_cast<size_t>(rule.id)];
  const auto old = this->packet(rule.id);
  switch (rule.merge) {
    case Merge::replace: {
      unsigned index = 0;
      if (rule.copies > 1 && rule.index_dword < packet.dwords.size())
        index = bits(packet.dwords[rule.index_dword], rule.index_high, rule.index_low);
      if (index >= rule.copies) guest_error(packet.command->name, "element {} of {}", index, rule.copies);
      else store(row.first + index, packet.dwords);
      break;
    }
    case Merge::first_entries: store(row.first, merged_entries(old, packet.dwords)); break;
    case Merge::vertex_buffers: store(row.first, merged_vertex_buffers(old, packet.dwords)); break;
    case Merge::base_address: store(row.first, merged_base_address(old, packet.dwords)); break;
    case Merge::pipeline_select: {
      // Mask Bits [9:8] say whether Pipeline Selection [1:0] changes (SKL PRM vol 2a).
      const uint32_t mask = bits(packet.dwords[0], 9u, 8u);
      const uint32_t before = old.empty() ? 0 : old[0];
      const uint32_t header = (packet.dwords[0] & ~3u) | (before & ~mask & 3) | (packet.dwords[0] & mask & 3);
      store(row.first, std::span(&header, 1));
      break;
    }
  }
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
