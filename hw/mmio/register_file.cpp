// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/mmio/register_file.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>
#include <vector>

#include "hw/base/bits.h"
#include "hw/base/log.h"

namespace softgen::mmio {

using defs::Register;

RegisterFile::RegisterFile(const defs::RegisterSet& set) : set_(set), storage_(dwords), touched_(blocks / 64), cells_(dwords) {
  for (const defs::EngineRow& engine : set_.engines) engine_bases_[static_cast<size_t>(engine.id)] = engine.mmio_base;
  const auto rows = set_.rows;
  for (const bool blocks : {true, false}) {  // registers may be inside a block
    for (size_t i = 0; i < rows.size(); ++i) {
      if ((rows[i].block != 0) != blocks) continue;
      defs::for_each_instance(set_, rows[i], [&](uint32_t offset) {
        for (uint32_t byte = 0; byte < std::max(rows[i].block, 4u); byte += 4)
          cells_[index(offset + byte)].row = static_cast<uint16_t>(i + 1);
        if (!blocks && rows[i].reset) reset_values_.emplace_back(offset, rows[i].reset);
      });
    }
  }
  for (const defs::AccessRange& range : set_.ranges) {
    const auto domain = std::ranges::find(set_.forcewake, range.wake, &defs::WakeRow::request);
    for (uint32_t offset = range.first; offset < range.last; offset += 4) {
      cells_[index(offset)].group = range.group;
      cells_[index(offset)].wake = range.wake ? static_cast<uint8_t>(domain - set_.forcewake.begin() + 1) : 0;
    }
  }
  for (const defs::RegisterSpan& span : set_.shadowed)
    for (uint32_t offset = span.first; offset <= span.last; offset += 4) cells_[index(offset)].shadowed = true;
  reset();
}

bool RegisterFile::unpowered(const Cell& cell, Initiator from, bool write) const {
  return cell.wake && from == Initiator::host && !(write && cell.shadowed) && is_off_ && is_off_(cell.wake - 1u);
}

uint32_t RegisterFile::present(uint8_t group) const {
  const defs::ReplicationGroup& replicated = set_.groups[group - 1u];
  const uint32_t all = (1u << replicated.instances) - 1;
  if (!replicated.fuse) return all;
  const uint32_t fuse = peek(replicated.fuse) >> replicated.fuse_bit;
  return all & (replicated.enables ? fuse : ~fuse);
}

RegisterFile::Steering RegisterFile::steer(uint8_t group, Initiator from, bool write) const {
  namespace field = reg::field;
  if (!group || from == Initiator::context) return {};
  const uint32_t selector = peek(from == Initiator::host ? reg::MCR_SELECTOR : reg::CS_MCR_SELECTOR), there = present(group);
  if (write && field::CS_MCR_SELECTOR_MULTICAST.of(selector)) return {.reached = there != 0};
  const uint32_t instance = field::CS_MCR_SELECTOR_SUBSLICE.of(selector);
  return {.reached = field::CS_MCR_SELECTOR_SLICE.of(selector) == 0 && bit(there, instance), .instance = instance};
}

const Register* RegisterFile::row(uint32_t offset) const {
  const uint16_t row = cells_[index(offset)].row;
  return row ? &set_.rows[row - 1] : nullptr;
}

void RegisterFile::report_unknown(uint32_t offset) { report(Failure::note, fmt::format("unknown register 0x{:05x}", offset & ~3u)); }

uint32_t RegisterFile::read(uint32_t offset, Initiator from) {
  if (offset >= register_space) return 0;
  offset = aliased(offset);
  const uint32_t value = read_by_rules(offset, from);
  Faults* const faults = this->faults();
  if (!faults || from != Initiator::host) [[likely]]
    return value;
  return changed(ask(faults, {.point = FaultPoint::register_read, .what = offset & ~3u, .value = value}), value);
}

std::optional<uint32_t> RegisterFile::planned_write(Faults& faults, uint32_t offset, uint32_t value) {
  const FaultAnswer answer = ask(&faults, {.point = FaultPoint::register_write, .what = offset, .value = value});
  if (answer.action == FaultAction::drop) return std::nullopt;
  return changed(answer, value);
}

uint32_t RegisterFile::read_by_rules(uint32_t offset, Initiator from) {
  const Cell cell = cells_[index(offset)];
  if (!cell.row) report_unknown(offset);
  if (unpowered(cell, from, false)) return 0;
  const Steering steering = steer(cell.group, from, false);
  if (!steering.reached) return 0;
  uint32_t value = cell.read_hook ? read_hooks_[cell.read_hook - 1](offset & ~3u) : peek(offset);
  if (steering.instance) value = instances_.find(offset & ~3u, *steering.instance).value_or(value);
  return cell.row ? value & set_.rows[cell.row - 1].read_mask : value;
}

/// What a register holds after a write of `value`.
uint32_t RegisterFile::written(const Register& row, uint32_t old, uint32_t value) {
  const uint32_t bits = row.masked ? masked_write(old, value) : value;
  const uint32_t kept = old & ~row.write_mask & ~(row.w1c_mask & value);
  return kept | (bits & row.write_mask);
}

void RegisterFile::store(uint32_t offset, const Register& row, uint32_t value) {
  touch(offset);
  std::atomic<uint32_t>& stored = storage_[index(offset)];
  uint32_t old = stored.load(std::memory_order_relaxed);
  while (!stored.compare_exchange_weak(old, written(row, old, value), std::memory_order_acq_rel)) {}
}

bool RegisterFile::write_instance(uint32_t offset, const Cell& cell, uint32_t value, unsigned instance) {
  const uint32_t common = peek(offset), there = present(cell.group);
  if (instance != static_cast<unsigned>(std::countr_zero(there))) {
    const uint32_t old = instances_.find(offset, instance).value_or(common);
    instances_.set(offset, instance, cell.row ? written(set_.rows[cell.row - 1u], old, value) : value);
    return false;
  }
  for (uint32_t left = there & (there - 1); left; left &= left - 1) {  // the others stay as they are
    const auto other = static_cast<unsigned>(std::countr_zero(left));
    if (!instances_.find(offset, other)) instances_.set(offset, other, common);
  }
  return true;
}

void RegisterFile::write(uint32_t offset, uint32_t value, Initiator from) {
  if (offset >= register_space) return;
  offset = aliased(offset & ~3u);
  if (Faults* const faults = this->faults(); faults && from == Initiator::host) [[unlikely]] {
    const std::optional<uint32_t> planned = planned_write(*faults, offset, value);
    if (!planned) return;
    value = *planned;
  }
  const Cell cell = cells_[index(offset)];
  if (unpowered(cell, from, true)) return;
  const Steering steering = steer(cell.group, from, true);
  if (!steering.reached || (steering.instance && !write_instance(offset, cell, value, *steering.instance))) return;
  const Register* known = cell.row ? &set_.rows[cell.row - 1u] : nullptr;
  if (cell.group && !steering.instance)
    instances_.update(offset, [&](uint32_t old) { return known ? written(*known, old, value) : value; });
  if (known) {
    store(offset, *known, value);
  } else {
    report_unknown(offset);
    poke(offset, value);
  }
  if (cell.write_hook) write_hooks_[cell.write_hook - 1](offset, value);
}

uint64_t RegisterFile::read(uint32_t offset, unsigned size) {
  if (size == 8) {
    const uint64_t low = read(offset);
    return low | uint64_t{read(offset + 4)} << 32;
  }
  const uint64_t dword = read(offset);
  return size == 4 ? dword : bits(dword >> (offset & 3) * 8, size * 8 - 1, 0);
}

void RegisterFile::write(uint32_t offset, uint64_t value, unsigned size) {
  if (size >= 4) {
    write(offset, static_cast<uint32_t>(value));
    if (size == 8) write(offset + 4, static_cast<uint32_t>(value >> 32));
    return;
  }
  if (offset >= register_space) return;
  offset = aliased(offset);
  // Bytes that are not written keep their value, which for mask and write-1-to-clear bits means zeros.
  const Register* known = row(offset);
  const unsigned shift = (offset & 3) * 8;
  const uint32_t lanes = ((1u << size * 8) - 1) << shift;
  const Steering steering = steer(cells_[index(offset)].group, Initiator::host, false);
  uint32_t rest = (steering.instance ? instances_.find(offset & ~3u, *steering.instance).value_or(peek(offset)) : peek(offset)) & ~lanes;
  if (known) rest = known->masked ? 0 : rest & ~known->w1c_mask;
  write(offset, rest | (static_cast<uint32_t>(value) << shift & lanes));
}

namespace {

constexpr uint32_t nonpriv_slots = 12;

/// Whether a value of RING_FORCE_TO_NONPRIV lets batches write the register at `offset`. A range is 1, 4, 16 or 64 registers, aligned to its size; the
/// access that is allowed is both, reads alone, writes alone, or neither (i915 i915_reg_defs.h, RING_FORCE_TO_NONPRIV_*).
bool opens(uint32_t slot, uint32_t offset) {
  namespace field = reg::field;
  constexpr uint32_t read_only = 1, none = 3;
  const uint32_t access = field::RING_FORCE_TO_NONPRIV_ACCESS.of(slot), bytes = 4u << 2 * field::RING_FORCE_TO_NONPRIV_RANGE.of(slot);
  const uint32_t first = field::RING_FORCE_TO_NONPRIV_NON_PRIVILEGE_REGISTER_ADDRESS.in_place(slot) & ~(bytes - 1);
  return access != read_only && access != none && offset - first < bytes;
}

}  // namespace

bool RegisterFile::is_nonpriv_writable(EngineId engine, uint32_t offset) const {
  offset &= ~3u;
  const Register* known = offset < register_space ? row(offset) : nullptr;
  if (known && known->user) {
    const auto in_box = [offset](const defs::EngineRow& row) { return offset - row.mmio_base < row.box; };
    const defs::EngineRow& own = *set_.engine(engine);
    // An engine's registers are not all in its box.
    if (in_box(own) || (!known->engine && known->domain == own.domain && std::ranges::none_of(set_.engines, in_box))) return true;
  }
  for (uint32_t slot = 0; slot < nonpriv_slots; ++slot)
    if (opens(peek(engine, reg::RING_FORCE_TO_NONPRIV(slot)), offset)) return true;
  return false;
}

void RegisterFile::on_read(uint32_t first, uint32_t bytes, ReadHook hook) {
  assert(first + bytes <= register_space);
  read_hooks_.push_back(std::move(hook));
  for (uint32_t offset = first; offset < first + bytes; offset += 4)
    cells_[index(offset)].read_hook = static_cast<uint16_t>(read_hooks_.size());
}

void RegisterFile::on_write(uint32_t first, uint32_t bytes, WriteHook hook) {
  assert(first + bytes <= register_space);
  write_hooks_.push_back(std::move(hook));
  const auto added = static_cast<uint16_t>(write_hooks_.size());
  for (uint32_t offset = first; offset < first + bytes; offset += 4) {
    uint16_t& slot = cells_[index(offset)].write_hook;
    if (!slot) {
      slot = added;
      continue;
    }
    write_hooks_.push_back([earlier = write_hooks_[slot - 1], later = write_hooks_[added - 1]](uint32_t at, uint32_t value) {
      earlier(at, value);
      later(at, value);
    });
    slot = static_cast<uint16_t>(write_hooks_.size());
  }
}

void RegisterFile::alias(uint32_t first, uint32_t bytes, uint32_t target) {
  assert(first + bytes <= register_space && target + bytes <= register_space);
  alias_distances_.push_back(target - first);
  for (uint32_t offset = first; offset < first + bytes; offset += 4) {
    assert(!cells_[index(target + (offset - first))].alias);
    cells_[index(offset)].alias = static_cast<uint16_t>(alias_distances_.size());
  }
}

void RegisterFile::on_engine_read(uint32_t relative, const ReadHook& hook) {
  for (const defs::EngineRow& engine : set_.engines) on_read(engine.mmio_base + relative, hook);
}

std::vector<std::string> RegisterFile::missing_hooks() const {
  std::vector<std::string> missing;
  for (const Register& row : set_.rows) {
    if (!row.hook) continue;
    defs::for_each_instance(set_, row, [&](uint32_t offset) {
      const Cell& cell = cells_[index(offset)];
      if (!cell.read_hook && !cell.write_hook && !cell.alias) missing.push_back(set_.name_of(offset));
    });
  }
  return missing;
}

template <typename F>
void RegisterFile::each_touched(F&& visit) const {
  for (uint32_t word = 0; word < blocks / 64; ++word)
    for (uint64_t left = touched_[word].load(std::memory_order_relaxed); left; left &= left - 1) {
      const uint32_t first = (word * 64 + static_cast<uint32_t>(std::countr_zero(left))) * block_dwords;
      visit(first, first + block_dwords);
    }
}

void RegisterFile::reset() {
  each_touched([&](uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end; ++i) storage_[i].store(0, std::memory_order_relaxed);
  });
  for (uint32_t word = 0; word < blocks / 64; ++word) touched_[word].store(0, std::memory_order_relaxed);
  for (const auto& [offset, value] : reset_values_) poke(offset, value);
  instances_.clear();
}

void RegisterFile::reset(uint32_t domains) {
  for (const Register& row : set_.rows) {
    if (row.block || !bit(domains, static_cast<unsigned>(row.domain))) continue;
    defs::for_each_instance(set_, row, [&](uint32_t offset) {
      poke(offset, row.reset);
      instances_.drop(offset);
    });
  }
}

void RegisterFile::state(Archive& archive) {
  const uint32_t version = archive.section("registers", 2);  // version 1 is from before instances had values of their own
  if (archive.reading()) reset();
  // Pairs of what differs from zero: most of the space does not.
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  if (!archive.reading())
    each_touched([&](uint32_t first, uint32_t end) {
      for (uint32_t i = first; i < end; ++i) {
        const Register* known = row(i * 4);
        const uint32_t value = storage_[i].load(std::memory_order_relaxed);
        if (value != (known && !known->block ? known->reset : 0) && (!known || known->saved)) pairs.emplace_back(i * 4, value);
      }
    });
  pairs.resize(archive.count(static_cast<uint32_t>(pairs.size()), dwords));
  for (auto& [offset, value] : pairs) {
    archive.value(offset);
    archive.value(value);
    if (!archive.reading() || archive.failed()) continue;
    if (offset >= register_space) return archive.fail("a register of the saved state is outside the register space");
    poke(offset, value);
  }
  if (version < 2) return;
  instances_.state(archive, [&](uint32_t offset, unsigned instance) {
    const uint8_t group = offset < register_space && offset % 4 == 0 ? cells_[index(offset)].group : 0;
    return group && instance < set_.groups[group - 1u].instances;
  });
}

}  // namespace softgen::mmio
