// SPDX-License-Identifier: GPL-2.0-or-later
// A picture of any parameters, sent as packets to the video engine: small, with a stream of the input's bytes or of random ones. SFC takes some over.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/defs/registers/registers.h"
#include "hw/media/huc_decoder.h"
#include "hw/media/video.h"
#include "hw/mmio/register_file.h"
#include "tests/fuzz/guest_map.h"
#include "tests/fuzz/liveness.h"
#include "tests/fuzz/sfc_packets.h"
#include "tests/fuzz/state_source.h"

namespace softgen::fuzz {

/// Whose packets they are.
struct VideoChip {
  const defs::CommandSet& commands;
  const defs::RegisterSet& registers;
  std::unique_ptr<const media::HucDecoder> (*huc)();
  std::unique_ptr<const media::VideoPackets> (*packets)();
};
inline const VideoChip kbl_video{defs::gen9::commands, defs::gen9::registers, media::make_huc_decoder<defs::Gen9>,
                                 media::make_video_packets<defs::Gen9>};
inline const VideoChip tgl_video{defs::gen12::commands, defs::gen12::registers, media::make_huc_decoder<defs::Gen12>,
                                 media::make_video_packets<defs::Gen12>};

class VideoTarget {
 public:
  /// MFX_PIPE_MODE_SELECT's standard; the names of the state packets and the object of it. `scaled`: SFC's client.
  VideoTarget(uint32_t standard, const std::vector<const char*>& state, const char* object, const VideoChip& chip = kbl_video,
              media::SfcClient scaled = media::SfcClient::mfx)
      : chip_(chip), standard_(standard), state_(commands(state)), object_(command(object)), sfc_(chip.commands, scaled) {}
  virtual ~VideoTarget() = default;

  void run(std::span<const uint8_t> bytes) {
    StateSource in(bytes, map_.addresses());
    LimitedRun limit(stop_);
    // The first picture goes to its surface alone.
    const unsigned pictures = 1 + in.below(3);
    for (unsigned i = 0; i < pictures; ++i) picture(in, i && in.one_in(2));
    video_.reset_context();
    map_.memory.restore();
  }

 protected:
  /// Packets that each object has of its own, sent before it.
  std::vector<const defs::Command*> object_state_;
  uint32_t max_objects_ = 4;  ///< of a picture

  /// Makes a packet whose fields are chosen at random one that reaches more.
  virtual void adjust(StateSource&, const defs::Command&, std::vector<uint32_t>&) {}
  /// The packet that begins a picture.
  virtual const defs::Command& select(StateSource& in, std::vector<uint32_t>& packet) {
    const defs::Command& one = command("MFX_PIPE_MODE_SELECT");
    packet.assign(one.dwords, 0);
    packet[1] = standard_ | (in.one_in(2) ? 1u << 9 : 1u << 8) | 1u << 17;
    return one;
  }
  const defs::Command& command(const char* name) const { return *chip_.commands.find(name); }
  std::vector<const defs::Command*> commands(const std::vector<const char*>& names) const {
    std::vector<const defs::Command*> found;
    for (const char* name : names) found.push_back(&command(name));
    return found;
  }

 private:
  static constexpr uint32_t stream_bytes = 4096, short_stream = 512, max_blocks = 6;

  void send(StateSource&, const defs::Command& command, std::vector<uint32_t>& packet) {
    if (stop_.aborting()) return;  // the streamer sends no more
    StateSource::finish(command, packet);
    EngineEnv env{EngineId::vcs0, map_.view, map_.view, registers_, stop_};
    video_.execute({0, &command, packet}, env);
  }

  /// What a field says of how much a packet is about.
  enum class Extent : uint8_t { size, position, length, start };
  using Extents = std::vector<ChosenField<Extent>>;
  static std::optional<Extent> extent_of(std::string_view name) {
    const auto has = [&](const char* part) { return name.find(part) != name.npos; };
    if (has("Frame Height") || has("Frame Width") || name.starts_with("Picture Height") || name.starts_with("Picture Width"))
      return Extent::size;
    if (has("Slice Vertical") || has("Slice Horizontal")) return Extent::position;
    if (has("Data Length")) return Extent::length;
    if (has("Data Start")) return Extent::start;
    return std::nullopt;
  }
  const Extents& extents(const defs::Command& one) {
    for (const auto& [known, list] : extents_)
      if (known == &one) return list;
    return extents_.emplace_back(&one, chosen_fields<Extent>(one, extent_of)).second;
  }
  /// Sizes, lengths and positions are small as a rule: pictures of few blocks reach more, in less time.
  void make_small(StateSource& in, const defs::Command& one, std::vector<uint32_t>& packet) {
    for (const auto& field : extents(one)) {
      const auto put = [&](uint32_t value) { StateSource::put(packet, field.start, field.width, value); };
      switch (field.kind) {
        case Extent::size: put(in.small_below(max_blocks)); break;
        case Extent::position: put(in.one_in(2) ? 0 : in.small_below(max_blocks + 1)); break;
        case Extent::length: put(in.below(in.one_in(2) ? short_stream : stream_bytes)); break;
        case Extent::start: put(in.below(64)); break;
      }
    }
  }
  /// Of packets whose fields stay as they are: an object of any length is 64 MiB, and a picture of any size 65,536 blocks, a thousand times the work of
  /// others. So these are rare, and the rest no more than large.
  void limit(StateSource& in, const defs::Command& one, std::vector<uint32_t>& packet) {
    static constexpr uint32_t large = 24;
    if (in.one_in(256)) return;
    for (const auto& field : extents(one)) {
      const auto put = [&](uint32_t value) { StateSource::put(packet, field.start, field.width, value); };
      if (field.kind == Extent::length) put(in.below(4 * stream_bytes));
      if (field.kind == Extent::size) put(in.below(large));
    }
  }

  void picture(StateSource& in, bool scales) {
    std::vector<uint32_t> mode;
    const defs::Command& first = select(in, mode);
    send(in, first, mode);
    if (scales) sfc_.send(in, [&](const defs::Command& command, std::vector<uint32_t>& packet) { send(in, command, packet); });
    for (const defs::Command* one : state_) send_state(in, *one);
    for (unsigned i = 0, objects = 1 + in.below(max_objects_); i < objects; ++i) {
      // What is not sent again holds for the next object, too; its own last packet is.
      for (const defs::Command* one : object_state_)
        if (!i || one == object_state_.back() || in.one_in(2)) send_state(in, *one);
      send_any(in, object_);
    }
    EngineEnv env{EngineId::vcs0, map_.view, map_.view, registers_, stop_};
    video_.flush({}, env);
  }
  void send_state(StateSource& in, const defs::Command& one) {
    using defs::CommandId;
    const bool has_two = one.id == CommandId::MFX_QM_STATE || one.id == CommandId::HCP_QM_STATE || one.id == CommandId::HCP_REF_IDX_STATE ||
                         one.id == CommandId::HCP_WEIGHTOFFSET_STATE;
    for (unsigned copies = has_two ? 2 : 1; copies; --copies) {
      const std::vector<uint32_t> packet = send_any(in, one);
      if (has_stream(one)) write_stream(in, packet);
    }
  }
  static bool has_stream(const defs::Command& one) {
    return one.id == defs::CommandId::MFX_IND_OBJ_BASE_ADDR_STATE || one.id == defs::CommandId::HCP_IND_OBJ_BASE_ADDR_STATE;
  }
  std::vector<uint32_t> send_any(StateSource& in, const defs::Command& one) {
    std::vector<uint32_t> packet = in.packet(one, 0);
    if (in.one_in(16)) limit(in, one, packet);
    else make_small(in, one, packet), adjust(in, one, packet);
    if (has_stream(one)) packet[4] = packet[5] = 0;  // no bound
    send(in, one, packet);
    return packet;
  }
  void write_stream(StateSource& in, const std::vector<uint32_t>& packet) {
    const auto bytes = in.stream<stream_bytes>();
    map_.view.write(packet[1] | uint64_t{packet[2]} << 32, bytes.data(), bytes.size());
  }

  const VideoChip& chip_;
  const uint32_t standard_;
  const std::vector<const defs::Command*> state_;
  const defs::Command& object_;
  const SfcPackets sfc_;
  std::vector<std::pair<const defs::Command*, Extents>> extents_;
  GuestMap map_{96};
  StopFlag stop_;
  mmio::RegisterFile registers_{chip_.registers};
  media::Video video_{chip_.huc(), chip_.packets(), nullptr};
};

}  // namespace softgen::fuzz
