// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/posh/stream.h"

#include <numeric>

#include "hw/cs/context_image.h"
#include "hw/defs/registers/registers.h"

namespace softgen::posh {
namespace {

constexpr uint32_t masked(uint32_t bits) { return bits << 16 | bits; }

gen11::MI_BATCH_BUFFER_START batch_start(uint64_t batch, bool ppgtt) {
  using Start = gen11::MI_BATCH_BUFFER_START;
  Start start;
  start.batch_buffer_start_address = batch;
  start.address_space_indicator = ppgtt ? Start::AddressSpaceIndicator::ASI_PPGTT : Start::AddressSpaceIndicator::ASI_GGTT;
  return start;
}

gen11::_3DSTATE_PTBR_TILE_PASS_INFO pass_info(const Record& record, const Passes& passes) {
  constexpr uint32_t unit = 64;
  gen11::_3DSTATE_PTBR_TILE_PASS_INFO info;
  info.tile_width = passes.width / unit - 1;
  info.tile_height = passes.height / unit - 1;
  info.tile_columns = passes.columns - 1;
  info.tile_rows = passes.rows - 1;
  info.render_list_address = record.render_list;
  return info;
}

}  // namespace

void Stream::start_position(uint64_t batch, bool ppgtt, bool second_level) {
  using Start = gen11::MI_BATCH_BUFFER_START;
  Start start = batch_start(batch, ppgtt);
  if (second_level) start.second_level_batch_buffer = Start::SecondLevelBatchBuffer::SECOND_LEVEL_BATCH;
  start.posh_start = true;
  add(start);
}

void Stream::start_render(uint64_t batch, bool ppgtt, bool traversed) {
  auto start = batch_start(batch, ppgtt);
  start.posh_enable = traversed;
  add(start);
}

void Stream::end_batch() {
  add(gen11::MI_BATCH_BUFFER_END());
  if (dwords_.size() % 2) add(gen11::MI_NOOP());
}

void Stream::finish_and_store(uint64_t address, uint32_t value) {
  using Control = gen11::PIPE_CONTROL;
  Control control;
  control.command_streamer_stall_enable = true;
  control.post_sync_operation = Control::PostSyncOperation::WRITE_IMMEDIATE_DATA;
  control.address = address;
  control.immediate_data = value;
  add(control);
}

void Stream::wait(uint64_t address, uint32_t value) {
  using Wait = gen11::MI_SEMAPHORE_WAIT;
  Wait wait;
  wait.wait_mode = Wait::WaitMode::POLLING_MODE;
  wait.compare_operation = Wait::CompareOperation::COMPARE_SAD_GREATER_THAN_OR_EQUAL_SDD;
  wait.semaphore_address = address;
  wait.semaphore_data_dword = value;
  add(wait);
}

void Stream::load_register(uint32_t offset, uint32_t value) { copy(std::array{gen11::MI_LOAD_REGISTER_IMM::match | 1, offset, value}); }

void Stream::begin_record(const Record& record, const Passes& passes) {
  load_register(reg::PTBR_PAGE_POOL_SIZE, record.pages);
  gen11::_3DSTATE_PTBR_PAGE_POOL_BASE_ADDRESS pool;
  pool.page_pool_base_address = record.pool;
  add(pool);
  gen11::_3DSTATE_PTBR_FREE_LIST_BASE_ADDRESS free;
  free.free_list_base_address = record.free_list;
  add(free);
  add(pass_info(record, passes));
  gen11::_3DSTATE_PTBR_RENDER_LIST_BASE_ADDRESS lists;
  lists.render_list_base_address = record.render_list;
  add(lists);
}

void Stream::read_record(const Record& record, const Passes& passes) { add(pass_info(record, passes)); }

void Stream::select(uint32_t pass, bool visibility) {
  gen11::_3DSTATE_PTBR_TILE_SELECT select;
  select.tile_pass = pass;
  select.visibility_enable = visibility;
  add(select);
}

void Stream::marker(uint32_t value) {
  gen11::_3DSTATE_PTBR_MARKER marker;
  marker.marker = value;
  add(marker);
}

std::vector<uint32_t> free_list(const Record& record) {
  std::vector<uint32_t> pages(record.pages);
  std::iota(pages.begin(), pages.end(), 0);
  return pages;
}

std::vector<uint32_t> new_image(const defs::ContextLayout& layout, uint32_t mmio_base, const Ring& ring) {
  std::vector<uint32_t> page(defs::context_page / 4);
  cs::write_image_frame(page, layout, mmio_base);
  const auto set = [&](uint32_t reg, uint32_t value) { page[layout.value_dword(reg)] = value; };
  set(reg::RING_CONTEXT_CONTROL, masked(reg::field::RING_CONTEXT_CONTROL_INHIBIT_SYNCHRONOUS_CONTEXT_SWITCH.mask() |
                                        reg::field::RING_CONTEXT_CONTROL_ENGINE_CONTEXT_RESTORE_INHIBIT.mask()));
  set(reg::RING_HEAD, ring.head);
  set(reg::RING_TAIL, ring.tail);
  set(reg::RING_START, ring.start);
  set(reg::RING_CTL, (ring.bytes - defs::context_page) | reg::field::RING_CTL_RING_BUFFER_ENABLE.mask());
  return page;
}

void enable_position(std::span<uint32_t> page, const defs::ContextLayout& layout, uint32_t mmio_base, uint32_t lrca) {
  page[layout.value_dword(reg::RING_CONTEXT_CONTROL)] |= masked(reg::field::RING_CONTEXT_CONTROL_POSH_ENABLE.mask());
  const uint32_t value = layout.value_dword(reg::RING_POSH_LRCA);
  page[value - 2] = cs::lri_header(1);
  page[value - 1] = mmio_base + reg::RING_POSH_LRCA;
  page[value] = lrca;
}

}  // namespace softgen::posh
