// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <span>
#include <stdexcept>
#include <thread>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/debug/page_results.h"
#include "hw/defs/context.h"
#include "hw/defs/register.h"
#include "hw/defs/registers/registers.h"
#include "hw/gt/parts.h"

namespace softgen::debug {
namespace {

constexpr uint64_t page = page_result_bytes, address_mask = 0x7f'ffff'f000;
constexpr size_t comment_bytes = 32 * 1024;
constexpr size_t max_writes = 256;  ///< to a submit port, that are kept for a list
/// Bytes of registers from a ring engine's base on, and of VCS_ALIAS' (hw/defs/gen5/registers_engine.def).
constexpr uint32_t engine_registers = 0x1000, alias_registers = 3 * engine_registers;
/// A masked write of RING_MODE.
constexpr uint32_t enable_lists = reg::field::RING_MODE_EXECUTION_LIST_ENABLE.mask() * 0x10001;

uint64_t zero_hash() {
  static const uint64_t value = [] {
    const std::array<std::byte, page> zeros{};
    return hash_page(zeros);
  }();
  return value;
}

}  // namespace

Recorder::Recorder(gt::Device& device, const std::string& path, bool check)
    : device_(device),
      file_(std::fopen(path.c_str(), "wb")),
      writer_([this](std::span<const std::byte> bytes) { return std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size(); }),
      ggtt_(device_.ggtt().entries()),
      check_(check) {
  if (!file_) throw std::runtime_error(path + ": " + std::strerror(errno));
  writer_.version(device.platform().pci_device_id, "softgen");
  if (gt::parts_of(device.platform()).submission.lists) open_ports();
  else open_rings();
}

void Recorder::open_ports() {
  for (const defs::EngineRow& engine : device_.platform().registers->engines) {
    if (!device_.platform().has(engine.id) || !takes_lists(engine.id)) continue;
    ports_.push_back({engine.mmio_base, class_of(engine.id), gt::parts_of(device_.platform()).submission.port()});
    writer_.register_write(engine.mmio_base + reg::RING_MODE, enable_lists);
  }
}

// Rings are as they stand when the recording begins; of the other registers the file has what is written from now on.
void Recorder::open_rings() {
  wait_idle();
  for (const defs::EngineRow& engine : device_.platform().registers->engines) {
    if (!device_.platform().has(engine.id)) continue;
    Ring& ring =
        rings_.emplace_back(Ring{.base = engine.mmio_base, .alias = class_of(engine.id) == defs::EngineClass::video ? reg::VCS_ALIAS : 0});
    const auto copy = [&](uint32_t reg, uint32_t mask) {
      const uint32_t value = device_.registers().peek(ring.base + reg) | mask;
      ring.port.write(reg, value);
      writer_.register_write(ring.base + reg, value);
    };
    copy(reg::RING_HWS_PGA, 0);
    for (const uint32_t reg : RingPort::registers())
      copy(reg, reg == reg::RING_MI_MODE ? reg::field::RING_MI_MODE_STOP_RINGS.mask() << 16 : 0);
  }
}

Recorder::~Recorder() {
  if (std::fclose(file_) != 0 || writer_.failed()) note("recording", "the AUB file is incomplete: it could not be written to the end");
}

void Recorder::register_write(uint32_t offset, uint32_t value) {
  for (Port& port : ports_) {
    const uint32_t reg = offset - port.base;
    if (std::ranges::find(port.port->registers(), reg) == port.port->registers().end()) continue;
    port.written.emplace_back(offset, value);
    if (const std::optional<cs::Execlist> list = port.port->write(reg, value)) {
      submission(port, *list);
      submitted_ = true;
    } else if (port.written.size() > max_writes) {
      port.written.erase(port.written.begin());  // a driver that never completes a list
    }
    return;
  }
  for (Ring& ring : rings_)
    if (offset - ring.base < engine_registers || (ring.alias && offset - ring.alias < alias_registers))
      return ring_write(ring, offset, value);
}

void Recorder::ring_write(Ring& ring, uint32_t offset, uint32_t value) {
  const std::optional<RingWork> work = ring.port.write(offset % engine_registers, value);
  if (work && !begin_submission()) return;
  writer_.register_write(offset, value);
  if (!work) return;
  writer_.register_poll(ring.base + reg::RING_HEAD, reg::field::RING_HEAD_HEAD_OFFSET.mask(), work->tail);
  submitted_ = true;
}

void Recorder::register_written(uint32_t) {
  if (!submitted_) return;
  submitted_ = false;
  if (check_ && wait_idle()) record_results();
}

void Recorder::record_results() {
  // Comments, since Mesa's aubinator gives up at a memory compare record.
  std::string text;
  const auto flush = [&] {
    if (!text.empty()) writer_.comment(std::string(results_comment) + text);
    text.clear();
  };
  for (auto& [gpa, before] : results_) {
    const HostSpan span = device_.memory().resolve(gpa, Access::read);
    if (!span.data || span.size < page) continue;
    const uint64_t hash = hash_page(std::span<const std::byte, page>(span.data, page));
    if (hash == before) continue;
    before = hash;
    text += fmt::format("{:x} {:016x}\n", gpa, hash);
    if (text.size() > comment_bytes) flush();
  }
  flush();
}

bool Recorder::wait_idle() {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  while (device_.streamers().busy()) {
    if (std::chrono::steady_clock::now() > give_up) {
      note("recording", "an engine was busy for long at a submission: the recording may not replay to the same memory");
      return false;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  return true;
}

bool Recorder::begin_submission() {
  if (writer_.failed()) return false;
  wait_idle();
  ++submissions_;
  seen_.clear();
  results_.clear();
  record_ggtt();
  return true;
}

void Recorder::submission(Port& port, const cs::Execlist& list) {
  const auto written = std::exchange(port.written, {});
  if (!begin_submission()) return;
  const uint32_t status_page = device_.registers().peek(port.base + reg::RING_HWS_PGA);
  if (status_page != port.hws_pga) writer_.register_write(port.base + reg::RING_HWS_PGA, port.hws_pga = status_page);
  for (const cs::Descriptor& element : list.element)
    if (element.valid()) record_context(element, port.engine_class);
  for (const auto& [offset, value] : written) writer_.register_write(offset, value);
  writer_.register_poll(port.base + reg::RING_EXECLIST_STATUS_LO, reg::field::RING_EXECLIST_STATUS_LO_EXECLIST_0_VALID.mask(), 0);
}

void Recorder::record_ggtt() {
  // Drivers fill what they do not use with one scratch page: long runs of the same entry are left out. Batches in the global table may read there: with
  // rings nothing is left out.
  const memory::Ggtt& ggtt = device_.ggtt();
  const defs::PageFormat& format = ggtt.format();
  std::vector<std::byte> changed;
  uint64_t first = 0;
  const auto flush = [&] {
    if (!changed.empty()) writer_.memory(aub::Space::ggtt_entry, first * format.entry_bytes, changed);
    changed.clear();
  };
  for (uint64_t i = 0; i < ggtt.entries(); ++i) {
    const uint64_t entry = ggtt.pte(i), gpa = entry & format.address;
    const bool scratch = rings_.empty() && i + 1 < ggtt.entries() && ggtt.pte(i + 1) == entry && i > 0 && ggtt.pte(i - 1) == entry;
    if (!(entry & format.present) || scratch) {
      flush();
      continue;
    }
    // One scratch page has most entries: looked at once per run.
    if (i == 0 || ggtt.pte(i - 1) != entry) {
      record_page(gpa);
      if (!rings_.empty()) expect_result(gpa);
    }
    if (ggtt_[i] == entry) {
      flush();
      continue;
    }
    ggtt_[i] = entry;
    if (changed.empty()) first = i;
    const uint64_t bytes = format.bytes_of(gpa);
    const auto* const from = reinterpret_cast<const std::byte*>(&bytes);
    changed.insert(changed.end(), from, from + format.entry_bytes);
  }
  flush();
}

void Recorder::expect_result(uint64_t gpa) {
  if (!check_) return;
  if (const auto known = pages_.find(gpa); known != pages_.end()) results_.insert(*known);
}

void Recorder::record_page(uint64_t gpa) {
  if (!seen_.insert(gpa).second) return;
  const HostSpan span = device_.memory().resolve(gpa, Access::read);
  if (!span.data || span.size < page) return;
  const uint64_t hash = hash_page(std::span<const std::byte, page>(span.data, page));
  // What the file never wrote reads as zero when it is replayed.
  const auto [it, fresh] = pages_.try_emplace(gpa, zero_hash());
  if (it->second == hash) return;
  it->second = hash;
  writer_.memory(aub::Space::physical, gpa, std::span(span.data, page));
}

void Recorder::record_tables(uint64_t table, unsigned level, bool pages_of_64k) {
  // The same table may be referenced many times (scratch chains): once is enough. A tag keeps tables and data pages apart.
  if (!seen_.insert(table | level | 8).second) return;
  record_page(table);
  const HostSpan span = device_.memory().resolve(table, Access::read);
  if (!span.data || span.size < page) return;
  std::array<uint64_t, 512> entries;
  std::memcpy(entries.data(), span.data, page);
  for (unsigned i = 0; i < entries.size(); i += pages_of_64k ? 16 : 1) {
    if (!(entries[i] & 1)) continue;
    const uint64_t target = entries[i] & address_mask;
    const bool page_of_2m = level > 1 && (entries[i] & 0x80);
    if (level > 1 && !page_of_2m) {
      record_tables(target, level - 1, level == 2 && (entries[i] & 0x800));  // IPS: a PDE whose table has 64K pages
      continue;
    }
    const uint64_t pages = page_of_2m ? 512 : pages_of_64k ? 16 : 1;
    for (uint64_t n = 0; n < pages; ++n) {
      record_page(target + n * page);
      expect_result(target + n * page);
    }
  }
}

uint64_t Recorder::ggtt_dword(uint64_t address) {
  const uint64_t entry = device_.ggtt().pte(address >> 12 & (device_.ggtt().entries() - 1));
  const HostSpan span = device_.memory().resolve(entry & address_mask, Access::read);
  uint32_t value = 0;
  if ((entry & 1) && span.data && span.size >= page) std::memcpy(&value, span.data + (address & (page - 1) & ~3ull), 4);
  return value;
}

void Recorder::record_context(const cs::Descriptor& element, defs::EngineClass engine_class) {
  const defs::ContextLayout& layout = device_.platform().contexts->of(engine_class);
  const auto value = [&](uint32_t reg) { return ggtt_dword(element.lrca() + uint64_t{defs::context_page} + layout.value_dword(reg) * 4); };
  const auto pdp = [&](unsigned i) { return (value(reg::RING_PDP(2 * i + 1)) << 32 | value(reg::RING_PDP(2 * i))) & address_mask; };
  if (element.wide_ppgtt()) return record_tables(pdp(0), 4);
  for (unsigned i = 4; i--;)
    if (const uint64_t directory = pdp(i)) record_tables(directory, 2);
}

}  // namespace softgen::debug
