// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/video.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <type_traits>

#include "hw/base/bits.h"
#include "hw/base/log.h"
#include "hw/base/work.h"
#include "hw/defs/command.h"
#include "hw/defs/ids.h"
#include "hw/memory/view.h"
#include "hw/mmio/register_file.h"
#include "hw/surface/mapped_ccs.h"

namespace softgen::media {
namespace {

constexpr size_t image_bytes = 1536, block_bytes = 64 << 10;
static_assert(std::is_trivially_copyable_v<VideoState> && sizeof(VideoState) <= image_bytes);

/// The firmware's copy kernel: 4 KiB from one region to another (IGT lib/huc_copy.c, gem_huc_copy.c; the length is what that program expects).
constexpr uint32_t copy_kernel = 3, copy_from = 0, copy_to = 14, copy_bytes = 4096;

/// How many of `bytes` at `address` are below the bound.
uint64_t below(uint64_t address, uint64_t bytes, uint64_t bound) {
  if (!bound) return bytes;
  return address < bound ? std::min(bytes, bound - address) : 0;
}

/// The pictures that a kind of object is part of.
struct Pictures {
  std::array<bool, standards> of{};
  bool encode = false;

  bool has(PipeMode mode) const { return mode.encode == encode && of[static_cast<size_t>(mode.standard)]; }
};

template <class... Standards>
constexpr Pictures decoded(Standards... which) {
  Pictures pictures;
  ((pictures.of[static_cast<size_t>(which)] = true), ...);
  return pictures;
}
template <class... Standards>
constexpr Pictures encoded(Standards... which) {
  Pictures pictures = decoded(which...);
  pictures.encode = true;
  return pictures;
}

std::optional<Pictures> pictures_of(defs::CommandId id) {
  using defs::CommandId;
  using enum Standard;
  switch (id) {
    case CommandId::MFD_AVC_BSD_OBJECT: return decoded(avc);
    case CommandId::MFD_JPEG_BSD_OBJECT: return decoded(jpeg);
    case CommandId::MFD_MPEG2_BSD_OBJECT: return decoded(mpeg2);
    case CommandId::MFD_VC1_BSD_OBJECT: return decoded(vc1);
    case CommandId::MFD_VP8_BSD_OBJECT: return decoded(vp8);
    case CommandId::HCP_BSD_OBJECT: return decoded(hevc, vp9);
    case CommandId::MFC_AVC_PAK_OBJECT:
    case CommandId::VDENC_WALKER_STATE: return encoded(avc);
    case CommandId::MFC_JPEG_SCAN_OBJECT: return encoded(jpeg);
    case CommandId::MFC_MPEG2_PAK_OBJECT: return encoded(mpeg2);
    case CommandId::MFX_VP8_PAK_OBJECT: return encoded(vp8);
    case CommandId::MFX_PAK_INSERT_OBJECT: return encoded(avc, jpeg, mpeg2);
    case CommandId::HCP_PAK_OBJECT: return encoded(hevc);
    case CommandId::HCP_VP9_PAK_OBJECT: return encoded(vp9);
    case CommandId::HCP_PAK_INSERT_OBJECT: return encoded(hevc, vp9);
    default: return std::nullopt;
  }
}

}  // namespace

bool is_picture_state(defs::CommandId id) {
  using defs::CommandId;
  switch (id) {
    case CommandId::MFX_SURFACE_STATE:
    case CommandId::MFX_PIPE_BUF_ADDR_STATE:
    case CommandId::MFX_IND_OBJ_BASE_ADDR_STATE:
    case CommandId::MFX_BSP_BUF_BASE_ADDR_STATE:
    case CommandId::MFX_QM_STATE:
    case CommandId::MFX_FQM_STATE:
    case CommandId::MFX_AVC_IMG_STATE:
    case CommandId::MFX_AVC_DIRECTMODE_STATE:
    case CommandId::MFX_AVC_SLICE_STATE:
    case CommandId::MFX_AVC_REF_IDX_STATE:
    case CommandId::MFX_AVC_WEIGHTOFFSET_STATE:
    case CommandId::MFD_AVC_PICID_STATE:
    case CommandId::MFX_VC1_PRED_PIPE_STATE:
    case CommandId::MFX_VC1_DIRECTMODE_STATE:
    case CommandId::MFD_VC1_LONG_PIC_STATE:
    case CommandId::MFX_MPEG2_PIC_STATE:
    case CommandId::MFC_MPEG2_SLICEGROUP_STATE:
    case CommandId::MFX_VP8_PIC_STATE:
    case CommandId::MFX_VP8_ENCODER_CFG:
    case CommandId::MFX_VP8_BSP_BUF_BASE_ADDR_STATE:
    case CommandId::MFX_JPEG_PIC_STATE:
    case CommandId::MFX_JPEG_HUFF_TABLE_STATE:
    case CommandId::MFC_JPEG_HUFF_TABLE_STATE:
    case CommandId::VDENC_PIPE_MODE_SELECT:
    case CommandId::VDENC_SRC_SURFACE_STATE:
    case CommandId::VDENC_REF_SURFACE_STATE:
    case CommandId::VDENC_DS_REF_SURFACE_STATE:
    case CommandId::VDENC_PIPE_BUF_ADDR_STATE:
    case CommandId::VDENC_CONST_QPT_STATE:
    case CommandId::VDENC_IMG_STATE:
    case CommandId::VDENC_WEIGHTSOFFSETS_STATE:
    case CommandId::HCP_SURFACE_STATE:
    case CommandId::HCP_PIPE_BUF_ADDR_STATE:
    case CommandId::HCP_IND_OBJ_BASE_ADDR_STATE:
    case CommandId::HCP_QM_STATE:
    case CommandId::HCP_FQM_STATE:
    case CommandId::HCP_PIC_STATE:
    case CommandId::HCP_TILE_STATE:
    case CommandId::HCP_REF_IDX_STATE:
    case CommandId::HCP_WEIGHTOFFSET_STATE:
    case CommandId::HCP_SLICE_STATE:
    case CommandId::HCP_VP9_PIC_STATE:
    case CommandId::HCP_VP9_SEGMENT_STATE:
    case CommandId::HEVC_VP9_RDOQ_STATE: return true;
    default: return false;
  }
}

bool is_picture_object(defs::CommandId id) { return pictures_of(id).has_value(); }

ExecResult Video::execute(const Packet& packet, EngineEnv& env) {
  using defs::CommandId;
  switch (packet.command->id) {
    case CommandId::MFX_WAIT: return ExecResult::done;  // each command ends before the next begins
    case CommandId::VD_CONTROL_STATE: return control(packet, env);
    case CommandId::HUC_PIPE_MODE_SELECT: state_.stream_out = decoder_->stream_out_enabled(packet.dwords); return ExecResult::done;
    case CommandId::HUC_IND_OBJ_BASE_ADDR_STATE: state_.streams = decoder_->streams(packet.dwords); return ExecResult::done;
    case CommandId::HUC_VIRTUAL_ADDR_STATE: state_.addresses = decoder_->addresses(packet.dwords); return ExecResult::done;
    case CommandId::HUC_IMEM_STATE: load_kernel(decoder_->kernel(packet.dwords), env); return ExecResult::done;
    case CommandId::HUC_START: start_kernel(decoder_->is_last(packet.dwords), env); return ExecResult::done;
    case CommandId::HUC_STREAM_OBJECT: return copy(packet, env);
    case CommandId::MFX_PIPE_MODE_SELECT:
    case CommandId::HCP_PIPE_MODE_SELECT: return select(packet, env);
    case CommandId::VD_PIPELINE_FLUSH: return close_picture(env);
    default: break;
  }
  if (is_picture_object(packet.command->id)) return object(packet, env);
  if (packets_ && is_picture_state(packet.command->id)) {
    store_.put(packet.command->id, packets_->index_of(packet), packet.dwords);
    return ExecResult::done;
  }
  if (packets_ && state_.sfc.keep(packet)) return ExecResult::done;
  unimplemented(packet.command->name, "at {:#x}: parsed, not executed", packet.address);
  return ExecResult::done;
}

ExecResult Video::control(const Packet& packet, EngineEnv& env) {
  const PipeControl control = packets_ ? packets_->control(packet) : PipeControl{};
  if (control.locks) unimplemented("VD_CONTROL_STATE", "at {:#x}: lock of several pipes", packet.address);
  return control.flushes ? close_picture(env) : ExecResult::done;
}

// It begins a picture, and voids all state of the one before.
ExecResult Video::select(const Packet& packet, EngineEnv& env) {
  if (const ExecResult closed = close_picture(env); closed != ExecResult::done) return closed;
  drop_picture();  // one whose last slice has not come
  store_.clear();
  codec_ = nullptr;
  const std::optional<PipeMode> mode = packets_ ? packets_->pipe_mode(packet) : std::nullopt;
  if (!mode) return ExecResult::done;
  store_.put(packet.command->id, 0, packet.dwords);
  std::unique_ptr<Codec>& codec = codecs_[static_cast<size_t>(mode->standard)][mode->encode];
  if (!codec && (codec = packets_->make_codec(*mode, pool_))) codec->set_sink(&scaled_);
  codec_ = codec.get();
  selected_ = codec_ != nullptr;
  mode_ = *mode;
  return ExecResult::done;
}

ExecResult Video::object(const Packet& packet, EngineEnv& env) {
  if (!codec_) {
    unimplemented(packet.command->name, "at {:#x}: no codec", packet.address);
    return ExecResult::done;
  }
  if (!pictures_of(packet.command->id)->has(mode_)) {
    guest_error(packet.command->name, "at {:#x}: out of place where standard {} is {}", packet.address,
                static_cast<unsigned>(mode_.standard), mode_.encode ? "encoded" : "decoded");
    return ExecResult::done;
  }
  const StageClock clock(TimedStage::video);
  selected_ = false;
  if (!codec_->is_open()) begin_scaling();
  return settle(codec_->object(packet, store_, env), env);
}

ExecResult Video::close_picture(EngineEnv& env) {
  selected_ = false;
  if (!in_picture()) return ExecResult::done;
  const StageClock clock(TimedStage::video);
  return settle(codec_->close(store_, env), env);
}

ExecResult Video::settle(ExecResult result, EngineEnv& env) {
  if (result == ExecResult::aborted) {
    drop_picture();
    return result;
  }
  if (codec_->is_open()) return result;
  if (scaled_.is_awaiting()) unimplemented("SFC of such a picture", "standard {}", static_cast<unsigned>(mode_.standard));
  scaled_.end();
  const PictureStatus status = codec_->status();
  if (status.blocks) count_picture(status);
  packets_->write_status(mode_, status, env);
  if (!mode_.encode) code_picture(env);
  return result;
}

// Drivers send SFC's packets behind MFX_PIPE_MODE_SELECT (codechal_decode_avc.cpp, AddPictureCmds).
void Video::begin_scaling() {
  scaled_.begin(state_.sfc.started ? packets_->scaling(state_.sfc, mode_) : std::nullopt);
  state_.sfc.started = 0;
}

void Video::code_picture(EngineEnv& env) const {
  using namespace surface::mapped;
  const PictureTarget target = packets_->target(mode_, store_);
  if (!target.coded || target.tiling != surface::Tiling::y) return;
  static constexpr std::array<std::byte, tile_control_bytes> pass_through{};
  const uint64_t rows = target.chroma_row + target.chroma_row / 2;
  const uint64_t first = align_down(target.base, tile_size), end = target.base + target.pitch * rows;
  for (uint64_t tile = first; tile < end && !env.stop.aborting(); tile += tile_size)
    if (const uint64_t codes = place_of(env.view, surface::Tiling::y, tile).byte)
      env.view.write(codes, pass_through.data(), pass_through.size());
}

void Video::drop_picture() {
  selected_ = false;
  if (codec_) codec_->drop();
  scaled_.end();
}

// What is beyond the input's bound reads as 0, what is beyond the output's is dropped (as for indirect objects, SKL PRM vol 2a, "Access Upper Bound").
ExecResult Video::copy(const Packet& packet, EngineEnv& env) {
  const HucStreamObject object = decoder_->object(packet.dwords);
  // iHD copies the chroma of monochrome pictures with HuC Processing set and no kernel (codechal_hw.cpp, PerformHucStreamOut).
  const bool is_copy = object.is_copy && !(object.for_kernel && state_.kernel);
  if (!is_copy) unimplemented("HUC_STREAM_OBJECT", "at {:#x}: filtered or for a kernel", packet.address);
  if (!is_copy || !object.stream_out || !state_.stream_out) return ExecResult::done;
  const StageClock clock(TimedStage::blit);
  const HucStreams& streams = state_.streams;
  const uint64_t from = streams.in + object.in, to = streams.out + object.out;
  const uint64_t readable = below(from, object.bytes, streams.in_bound), writable = below(to, object.bytes, streams.out_bound);
  uint64_t done = state_.packet == packet.address ? std::min(state_.copied, writable) : 0;
  state_.packet = VideoState::none;
  block_.resize(std::min<uint64_t>(block_bytes, writable));
  while (done < writable) {
    if (env.stop.aborting()) return ExecResult::aborted;
    if (env.stop.reasons()) {
      state_.packet = packet.address, state_.copied = done;
      return ExecResult::preempted;
    }
    const uint64_t bytes = std::min<uint64_t>(block_bytes, writable - done), read = done < readable ? std::min(bytes, readable - done) : 0;
    env.view.read(from + done, block_.data(), read);
    std::fill_n(block_.begin() + static_cast<ptrdiff_t>(read), bytes - read, std::byte{0});
    env.view.write(to + done, block_.data(), bytes);
    done += bytes;
  }
  count_work(Work::blits, true);
  return ExecResult::done;
}

// A driver reads the status before it starts the kernel, and ends its batch if there is none (iHD codechal_vdenc_avc.cpp, StoreHuCStatus2Register).
void Video::load_kernel(uint32_t kernel, EngineEnv& env) {
  const HucRegisters& registers = decoder_->registers();
  const uint32_t status = status_of(env.engine);
  const bool authenticated = status && registers.authenticated.of(env.registers.peek(registers.authentication));
  if (!authenticated) guest_error("HuC kernel without an authenticated firmware", "{}", kernel);
  else if (kernel != copy_kernel) unimplemented("HuC kernel", "{}", kernel);
  state_.kernel = authenticated && kernel == copy_kernel ? kernel : 0;
  if (state_.kernel) env.registers.set_bits(status, registers.valid_memory.mask());
  else if (status) env.registers.clear_bits(status, registers.valid_memory.mask());
}

void Video::start_kernel(bool is_last, EngineEnv& env) {
  if (!state_.kernel) return guest_error("HUC_START without a kernel");
  std::array<std::byte, copy_bytes> bytes;
  env.view.read(state_.addresses[copy_from], bytes.data(), bytes.size());
  env.view.write(state_.addresses[copy_to], bytes.data(), bytes.size());
  if (!is_last) return;
  state_.kernel = 0;
  if (const uint32_t status = status_of(env.engine)) env.registers.clear_bits(status, decoder_->registers().valid_memory.mask());
}

uint32_t Video::status_of(EngineId engine) const {
  const auto& status = decoder_->registers().status;
  return engine == EngineId::vcs0 ? status[0] : engine == EngineId::vcs1 ? status[1] : 0;
}

size_t Video::context_size() const { return image_bytes; }

void Video::save_context(std::span<std::byte> image) {
  if (image.size() >= sizeof state_) std::memcpy(image.data(), &state_, sizeof state_);
}

void Video::reset_context() {
  drop_picture();
  store_.clear();
  codec_ = nullptr;
  state_ = {};
}

void Video::restore_context(std::span<const std::byte> image) {
  drop_picture();
  VideoState found;
  if (image.size() < sizeof found) return reset_context();
  std::memcpy(&found, image.data(), sizeof found);
  if (found.version != VideoState::current_version || (found.kernel && found.kernel != copy_kernel)) {
    guest_error("video engine's context image not of this device");
    found = {};
  }
  state_ = found;
}

}  // namespace softgen::media
