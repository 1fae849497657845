// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/bsd/bsd.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "hw/base/log.h"
#include "hw/base/work.h"
#include "hw/defs/command.h"
#include "hw/defs/ids.h"

namespace softgen::media {
namespace {

using defs::CommandId;

/// The state packets, and their maximum lengths as clients send them (intel-vaapi-driver i965_avc_bsd.c).
struct StatePacket {
  CommandId id;
  uint32_t dwords;
};
constexpr std::array<StatePacket, 5> state_packets{{{CommandId::AVC_BSD_IMG_STATE, 6},
                                                    {CommandId::AVC_BSD_QM_STATE, 58},
                                                    {CommandId::AVC_BSD_SLICE_STATE, 114},
                                                    {CommandId::AVC_BSD_BUF_BASE_STATE, 74},
                                                    {CommandId::BSD_IND_OBJ_BASE_ADDR, 3}}};

constexpr uint32_t image_version = 1, image_open = 1;

/// The engine's bytes in a context image: this, then of each state packet its length and room for its maximum length.
struct ImageHeader {
  uint32_t version = image_version, flags = 0, next = 0;
};

constexpr size_t image_dwords = [] {
  size_t dwords = sizeof(ImageHeader) / 4;
  for (const StatePacket& packet : state_packets) dwords += 1 + packet.dwords;
  return dwords;
}();

}  // namespace

ExecResult Bsd::execute(const Packet& packet, EngineEnv& env) {
  const CommandId id = packet.command->id;
  if (id == CommandId::AVC_BSD_OBJECT) return object(packet, env);
  const auto found = std::ranges::find(state_packets, id, &StatePacket::id);
  if (found == state_packets.end()) {
    unimplemented(packet.command->name, "at {:#x}: parsed, not executed", packet.address);
    return ExecResult::done;
  }
  if (id == CommandId::AVC_BSD_IMG_STATE)
    if (const ExecResult begun = begin(env); begun != ExecResult::done) return begun;
  store_.put(id, 0, packet.dwords.first(std::min<size_t>(packet.dwords.size(), found->dwords)));
  return ExecResult::done;
}

// What the picture before lacks stays missing.
ExecResult Bsd::begin(EngineEnv& env) {
  const StageClock clock(TimedStage::video);
  if (open_)
    if (const ExecResult ended = end(env); ended != ExecResult::done) return ended;
  open_ = true, loaded_ = false, next_ = 0;
  return ExecResult::done;
}

ExecResult Bsd::object(const Packet& packet, EngineEnv& env) {
  if (!open_) {
    guest_error("AVC_BSD_OBJECT outside of a picture", "at {:#x}", packet.address);
    return ExecResult::done;
  }
  const StageClock clock(TimedStage::video);
  if (!loaded_) {
    const bsd::PictureState state = packets_->picture(store_);
    if (!state.valid) {
      guest_error("AVC_BSD_IMG_STATE", "{} x {} macroblocks", state.params.width_mbs, state.params.height_mbs());
      open_ = false;
      return ExecResult::done;
    }
    picture_.begin(state, next_);
    loaded_ = true;
  }
  dirty_ = true;
  const bsd::SliceState slice = packets_->slice(packet, store_);
  if (!picture_.slice(slice, env)) return drop();
  next_ = picture_.next();
  return slice.phantom && picture_.is_complete() ? end(env) : ExecResult::done;
}

ExecResult Bsd::flush(const FlushRequest&, EngineEnv& env) {
  const StageClock clock(TimedStage::video);
  return write_back(env);
}

ExecResult Bsd::write_back(EngineEnv& env) {
  if (!dirty_) return ExecResult::done;
  if (!picture_.flush(env)) return drop();
  dirty_ = false;
  return ExecResult::done;
}

ExecResult Bsd::end(EngineEnv& env) {
  if (const ExecResult flushed = write_back(env); flushed != ExecResult::done) return flushed;
  if (loaded_) count_picture(picture_.status());
  open_ = loaded_ = false;
  return ExecResult::done;
}

ExecResult Bsd::drop() {
  open_ = loaded_ = dirty_ = false;
  return ExecResult::aborted;
}

size_t Bsd::context_size() const { return image_dwords * sizeof(uint32_t); }

void Bsd::save_context(std::span<std::byte> image) {
  if (image.size() < context_size()) return;
  const ImageHeader header{.flags = open_ ? image_open : 0, .next = next_};
  std::memcpy(image.data(), &header, sizeof header);
  std::byte* to = image.data() + sizeof header;
  for (const StatePacket& place : state_packets) {
    const std::span<const uint32_t> packet = store_.get(place.id);
    const auto dwords = static_cast<uint32_t>(packet.size());
    std::memset(to, 0, (1 + place.dwords) * sizeof(uint32_t));
    std::memcpy(to, &dwords, sizeof dwords);
    if (dwords) std::memcpy(to + sizeof dwords, packet.data(), packet.size_bytes());
    to += (1 + place.dwords) * sizeof(uint32_t);
  }
}

void Bsd::restore_context(std::span<const std::byte> image) {
  reset_context();
  ImageHeader header{.version = 0};
  if (image.size() >= context_size()) std::memcpy(&header, image.data(), sizeof header);
  if (header.version != image_version) return guest_error("bit stream decoder's context image not of this device");
  const std::byte* from = image.data() + sizeof header;
  for (const StatePacket& place : state_packets) {
    std::vector<uint32_t> packet(1 + place.dwords);
    std::memcpy(packet.data(), from, packet.size() * sizeof(uint32_t));
    from += packet.size() * sizeof(uint32_t);
    if (packet[0] && packet[0] <= place.dwords) store_.put(place.id, 0, std::span(packet).subspan(1, packet[0]));
  }
  open_ = header.flags & image_open && store_.has(CommandId::AVC_BSD_IMG_STATE);
  next_ = header.next;
}

void Bsd::reset_context() {
  store_.clear();
  open_ = loaded_ = dirty_ = false;
  next_ = 0;
}

}  // namespace softgen::media
