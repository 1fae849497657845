// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cs/ring/fault_interface.h"

#include <algorithm>
#include <cstring>

#include "hw/cs/ring/counters.h"
#include "hw/memory/view.h"

namespace softgen::cs {
namespace {

namespace all = softgen::reg;
namespace field = softgen::reg::field;

constexpr size_t log_slots = 32;

}  // namespace

// A page is logged once, and 32 of them; others fault again when the command is repeated.
void FaultInterface::fault(const memory::Fault& fault) {
  if (fault.ggtt || !armed()) {
    if (next_) next_->fault(fault);
    return;
  }
  const MutexLock lock(mutex_);
  if (fault.type == memory::FaultType::invalid_pdpe) {
    no_entry_ = true;
    if (next_) next_->fault(fault);
    return;
  }
  const auto page = static_cast<uint32_t>(fault.address);
  if (pages_.size() < log_slots && std::ranges::find(pages_, page) == pages_.end()) pages_.push_back(page);
}

void FaultInterface::before_write(std::byte* first, uint64_t size) {
  if (!keeps_.load(std::memory_order_acquire)) return;
  const MutexLock lock(mutex_);
  for (std::byte* page = first; page < first + size; page += memory::View::page_size) {
    if (kept_.size() >= max_pages && !kept_.contains(page)) too_much_ = true;
    else if (const auto [place, fresh] = kept_.try_emplace(page); fresh) place->second.assign(page, page + memory::View::page_size);
  }
}

void FaultInterface::arm(bool on) {
  armed_.store(on, std::memory_order_relaxed);
  const MutexLock lock(mutex_);
  pages_.clear();
  no_entry_ = false;
}

void FaultInterface::begin() {
  counters_.clear();
  for (const uint32_t counter : pipeline_counters) counters_.push_back(registers_.peek64(counter));
  const MutexLock lock(mutex_);
  kept_.clear();
  pages_.clear();
  no_entry_ = too_much_ = false;
  keeps_.store(true, std::memory_order_release);
}

FaultInterface::Met FaultInterface::met() const {
  const MutexLock lock(mutex_);
  if (no_entry_) return Met::no_entry;
  return pages_.empty() ? Met::nothing : Met::pages;
}

bool FaultInterface::end(bool back) {
  keeps_.store(false, std::memory_order_release);
  const MutexLock lock(mutex_);
  const bool can = back && !too_much_;
  if (can) {
    for (const auto& [page, bytes] : kept_) std::memcpy(page, bytes.data(), bytes.size());
    for (size_t i = 0; i < counters_.size(); ++i) registers_.poke64(pipeline_counters[i], counters_[i]);
  }
  kept_.clear();
  return can;
}

void FaultInterface::signal() {
  const MutexLock lock(mutex_);
  for (size_t i = 0; i < pages_.size(); ++i) registers_.poke(all::PP_PFD(static_cast<uint32_t>(i)), pages_[i]);
  registers_.poke(all::PP_PFIR, static_cast<uint32_t>((uint64_t{1} << pages_.size()) - 1));
  registers_.set_bits(all::PP_PFIC, field::PP_PFIC_IN_SERVICE.mask());
  pages_.clear();
}

bool FaultInterface::in_service() const { return field::PP_PFIC_IN_SERVICE.of(registers_.peek(all::PP_PFIC)); }

bool FaultInterface::again() {
  if (!registers_.peek(all::PP_PFIR)) return false;
  registers_.set_bits(all::PP_PFIC, field::PP_PFIC_IN_SERVICE.mask());
  return true;
}

}  // namespace softgen::cs
