// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vp9_encode/vp9_encode_codec.h"

#include <algorithm>

#include "hw/base/log.h"
#include "hw/media/vp9/loop_filter.h"
#include "hw/media/vp9_encode/compressed_header_writer.h"
#include "hw/memory/view.h"

namespace softgen::media {
namespace {

constexpr size_t max_header_bytes = 64 << 10;
constexpr uint32_t superblock = 8;  // in units of 8 samples
/// Of a coded object without a bound: about 3 for each sample of the largest picture.
constexpr uint64_t max_tile_bytes = 256 << 20;

/// What is beyond the header's end is left out.
void fill_in(const vp9::HeaderField& field, std::vector<uint8_t>& header) {
  if (uint64_t{field.bit} + field.bits > header.size() * 8) return;
  if (field.only_if_set && !(header[field.bit / 8] >> (7 - field.bit % 8) & 1)) return;
  for (uint32_t i = 0; i < field.bits; ++i) {
    const uint32_t bit = field.bit + i;
    const auto mask = static_cast<uint8_t>(0x80 >> bit % 8);
    uint8_t& byte = header[bit / 8];
    byte = static_cast<uint8_t>(field.value >> (field.bits - 1 - i) & 1 ? byte | mask : byte & ~mask);
  }
}

}  // namespace

void Vp9Encoder::begin(const PacketStore& state, EngineEnv& env) {
  open_ = true, in_data_ = false;
  status_ = {}, report_ = {};
  uncompressed_.clear();
  job_ = packets_->job(state, env);
}

ExecResult Vp9Encoder::object(const Packet& packet, const PacketStore& state, EngineEnv& env) {
  if (!open_) begin(state, env);
  if (!job_) return ExecResult::done;
  if (packets_->is_insertion(packet)) insert(packets_->insertion(packet));
  else code(packet, state, env);
  return env.stop.aborting() ? ExecResult::aborted : ExecResult::done;
}

void Vp9Encoder::insert(const Insertion& insertion) {
  if (in_data_ || uncompressed_.size() + insertion.bytes.size() > max_header_bytes)
    return guest_error("HCP_PAK_INSERT_OBJECT", "behind the first superblock, or a header of more than {} bytes", max_header_bytes);
  uncompressed_.insert(uncompressed_.end(), insertion.bytes.begin(), insertion.bytes.end());
}

void Vp9Encoder::begin_data(EngineEnv& env) {
  in_data_ = true;
  memory_.open(*job_, env);
  memory_.read(*job_, env);
  source_map_.luma.open(env.view, env.stop, job_->source.luma, Access::read);
  source_map_.chroma.open(env.view, env.stop, job_->source.chroma, Access::read);
  const vp9::Parameters& picture = job_->picture;
  frame_.begin(picture, memory_.side_data({}));
  planes_.resize(picture.width, picture.height);
  source_.resize(picture.width, picture.height);
  before_ = frame_.probabilities = vp9::load(*frame_.side.probabilities);
  frame_.header = job_->header;
  coded_.begin();
  const std::vector<uint8_t> compressed = vp9::write_compressed_header(picture, frame_.header);
  for (const vp9::HeaderField& field : job_->fields) fill_in(field, uncompressed_);
  if (job_->size_bit) fill_in({.bit = job_->size_bit, .bits = 16, .value = static_cast<uint32_t>(compressed.size())}, uncompressed_);
  append(uncompressed_, env);
  append(compressed, env);
  report_.tile_bytes = report_.bytes;  // those in front of the tiles
  tile_.begin_picture();
  tile_x_ = tile_y_ = 0;
  begin_tile(env);
}

uint32_t Vp9Encoder::row_of_tile(unsigned tile) const { return vp9::tile_offset(tile, frame_.rows, frame_.picture.log2_tile_rows); }
uint32_t Vp9Encoder::column_of_tile(unsigned tile) const {
  return vp9::tile_offset(tile, frame_.columns, frame_.picture.log2_tile_columns);
}

/// Those that have no superblocks end at once.
void Vp9Encoder::begin_tile(EngineEnv& env) {
  for (;; end_tile(env)) {
    row_ = row_of_tile(tile_y_), column_ = column_of_tile(tile_x_);
    if (row_ >= frame_.rows && tile_y_ >> frame_.picture.log2_tile_rows) return;  // all of them have ended
    tile_.begin(column_, column_of_tile(tile_x_ + 1), std::min(coded_.room(job_->coded), max_tile_bytes));
    tile_.begin_row();
    if (row_ < row_of_tile(tile_y_ + 1) && column_ < column_of_tile(tile_x_ + 1)) return;
  }
}

void Vp9Encoder::end_tile(EngineEnv& env) {
  const std::vector<uint8_t> bytes = tile_.end();
  report_.is_cut |= tile_.is_cut();
  const bool ends_row = tile_x_ + 1 == 1u << frame_.picture.log2_tile_columns;
  if (!ends_row || tile_y_ + 1 < 1u << frame_.picture.log2_tile_rows) {
    const auto size = static_cast<uint32_t>(bytes.size());
    append(std::array{static_cast<uint8_t>(size >> 24), static_cast<uint8_t>(size >> 16), static_cast<uint8_t>(size >> 8),
                      static_cast<uint8_t>(size)},
           env);
  }
  append(bytes, env);
  tile_x_ = ends_row ? 0 : tile_x_ + 1, tile_y_ += ends_row;
}

void Vp9Encoder::code(const Packet& packet, const PacketStore& state, EngineEnv& env) {
  if (!in_data_) begin_data(env);
  source_map_.refresh(env.view, env.stop);
  memory_.refresh(env);
  vp9::SuperblockRecord record = packets_->superblock(packet);
  if (record.x != column_ / superblock || record.y != row_ / superblock || row_ >= frame_.rows)
    return guest_error("HCP_VP9_PAK_OBJECT", "at {:#x}: superblock ({}, {}) is not the next, ({}, {})", packet.address, record.x, record.y,
                       column_ / superblock, row_ / superblock);
  const uint32_t index = record.y * ((frame_.columns + superblock - 1) / superblock) + record.x;
  packets_->read_units(packet, state, index, env, record);
  code_next(record, env);
}

void Vp9Encoder::code_next(const vp9::SuperblockRecord& record, EngineEnv& env) {
  load_source(row_, column_);
  if (!tile_.superblock(row_, column_, record) && !record.units.empty())
    guest_error("HCP_VP9_PAK_OBJECT", "superblock ({}, {}): its records do not fit its split flags", column_ / superblock,
                row_ / superblock);
  column_ += superblock;
  if (column_ < column_of_tile(tile_x_ + 1)) return;
  column_ = column_of_tile(tile_x_), row_ += superblock;
  if (row_ < row_of_tile(tile_y_ + 1)) return tile_.begin_row();
  end_tile(env);
  begin_tile(env);
}

void Vp9Encoder::load_source(uint32_t row, uint32_t column) {
  constexpr unsigned size = 64, half = size / 2;
  const uint32_t x = column * 8, y = row * 8;
  source_map_.luma.fetch(static_cast<int>(x), static_cast<int>(y), size, size, reinterpret_cast<std::byte*>(source_.plane[0].at(x, y)),
                         source_.plane[0].stride());
  std::array<uint8_t, size * half> pairs;
  source_map_.chroma.fetch(static_cast<int>(x / 2), static_cast<int>(y / 2), half, half, reinterpret_cast<std::byte*>(pairs.data()), size);
  for (unsigned i = 0; i < half; ++i)
    for (unsigned k = 0; k < half; ++k)
      for (unsigned plane = 1; plane < 3; ++plane) *source_.plane[plane].at(x / 2 + k, y / 2 + i) = pairs[i * size + 2 * k + plane - 1];
}

void Vp9Encoder::adapt_probabilities() {
  if (!frame_.picture.refresh_context) return;
  if (frame_.picture.adapt) vp9::adapt(frame_.picture, frame_.header, tile_.counts(), before_, frame_.probabilities);
  vp9::store(frame_.probabilities, frame_.picture.is_intra(), *frame_.side.probabilities);
}

ExecResult Vp9Encoder::close(const PacketStore&, EngineEnv& env) {
  if (!open_) return ExecResult::done;
  if (!job_) {
    open_ = false;
    return ExecResult::done;
  }
  if (!in_data_) begin_data(env);
  status_.blocks = ((frame_.columns + superblock - 1) / superblock) * ((frame_.rows + superblock - 1) / superblock);
  for (; row_ < frame_.rows; ++status_.concealed_blocks) {
    if (env.stop.aborting()) return ExecResult::aborted;
    code_next({}, env);
  }
  if (status_.concealed_blocks)
    guest_error("HCP_VP9_PAK_OBJECT", "{} of {} superblocks are missing", status_.concealed_blocks, status_.blocks);
  if (frame_.picture.filter_level && !vp9::filter_picture(frame_, planes_, pool_, [&] { return env.stop.aborting(); }))
    return ExecResult::aborted;
  adapt_probabilities();
  memory_.store(*job_, planes_, pool_, env);
  memory_.write(*job_, env, frame_.picture.refresh_context);
  coded_.pad(env.view, job_->coded);
  report_.tile_bytes = report_.bytes - report_.tile_bytes;
  report_.is_cut |= coded_.is_cut();
  packets_->report(env, report_);
  open_ = false;
  return ExecResult::done;
}

}  // namespace softgen::media
