// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/media/vfe/vld_mode.h"

#include <bit>
#include <cstring>

#include "hw/base/log.h"
#include "hw/media/mpeg2/vlc.h"

namespace softgen::media::vfe {
namespace {

using mpeg2::MotionType;

/// Starts a thread for each macroblock behind the first `done` ones.
class Starter final : public mpeg2::MacroblockSink {
 public:
  Starter(const ObjectCall& call, const VldState& state, const VfePackets& packets, uint64_t done)
      : call_(call), state_(state), packets_(packets), done_(done) {}

  bool macroblock(mpeg2::Macroblock& mb) override {
    if (seen_++ < done_) return true;
    // Behind a thread, so that a slice that goes on always gets further.
    if (seen_ > done_ + 1 && call_.env.stop.reasons() & (StopFlag::preempt | StopFlag::pause)) {
      done_ = seen_ - 1;
      return stop(ExecResult::preempted);
    }
    const Grf header = packets_.macroblock(vld_macroblock(state_.picture, mb));
    const unsigned blocks = put_blocks(mb);
    constexpr size_t block_registers = sizeof mb.blocks[0] / sizeof(Grf);
    const auto result = call_.threads.start({.descriptor = state_.remap[remap_index(mb, state_.picture.is_frame())],
                                             .inline_data = std::span(&header, 1),
                                             .data = std::span(blocks_).first(blocks * block_registers)});
    return result == ExecResult::done || stop(result);
  }
  /// Why the slice was left; done: it was not.
  ExecResult result() const { return result_; }
  uint64_t macroblocks_done() const { return done_; }

 private:
  bool stop(ExecResult why) {
    result_ = why;
    return false;
  }
  /// The coded ones, one behind the other: kernels step from one coded block to the next (iq_non_intra.g4i).
  unsigned put_blocks(const mpeg2::Macroblock& mb) {
    unsigned n = 0;
    if (mb.broken) return 0;
    auto* const to = reinterpret_cast<std::byte*>(blocks_.data());
    for (unsigned index = 0; index < mb.blocks.size(); ++index)
      if (mb.pattern >> (5 - index) & 1) std::memcpy(to + n++ * sizeof mb.blocks[0], mb.blocks[index].data(), sizeof mb.blocks[0]);
    return n;
  }

  const ObjectCall& call_;
  const VldState& state_;
  const VfePackets& packets_;
  uint64_t done_, seen_ = 0;
  ExecResult result_ = ExecResult::done;
  std::array<Grf, sizeof(mpeg2::Macroblock::blocks) / sizeof(Grf)> blocks_;
};

/// Each field of a frame is predicted from the same field and from the other one, as if by two directions.
void dual_prime_in_frame(const mpeg2::PictureParams& picture, const mpeg2::Motion& motion, VldMacroblock& out) {
  const mpeg2::Vector same = motion.vector[0][0];
  for (unsigned field = 0; field < 2; ++field) {
    const int distance = mpeg2::dual_prime_distance(picture, field);
    out.vector[field][0] = same;
    out.vector[field][1] = mpeg2::opposite_vector(same, motion.differential, distance, field);
    out.select[field] = {static_cast<uint8_t>(field), static_cast<uint8_t>(!field)};
  }
}

void dual_prime_in_field(const mpeg2::PictureParams& picture, const mpeg2::Motion& motion, VldMacroblock& out) {
  const bool parity = picture.parity();
  out.vector[0] = {motion.vector[0][0], mpeg2::opposite_vector(motion.vector[0][0], motion.differential, 1, parity)};
  out.select[0] = {static_cast<uint8_t>(parity), static_cast<uint8_t>(!parity)};
}

}  // namespace

unsigned remap_index(const mpeg2::Macroblock& mb, bool is_frame) {
  constexpr unsigned forward = 1, dual_prime = 3, backward = 4, both = 6, field_dct = 8;
  unsigned index = 0;
  if (!(mb.type & mpeg2::mb_intra)) {
    const auto& motion = mb.motion;
    // Two vectors a direction: of a frame's fields, or of a field's halves.
    const bool two = motion.type == MotionType::half_field || (is_frame && motion.type == MotionType::field);
    index = (motion.used[0] && motion.used[1] ? both : motion.used[1] ? backward : forward) + (two ? 1 : 0);
    if (motion.type == MotionType::dual_prime) index = dual_prime;
  }
  return index + (mb.field_dct ? field_dct : 0);
}

VldMacroblock vld_macroblock(const mpeg2::PictureParams& picture, const mpeg2::Macroblock& mb) {
  VldMacroblock out{.picture = picture};
  out.field_dct = mb.field_dct;
  out.scale_code = mb.scale_code;
  out.pattern = static_cast<uint8_t>(mb.broken ? 0 : mb.pattern);
  out.x = mb.address % picture.width * 16, out.y = mb.address / picture.width * 16;
  if (mb.type & mpeg2::mb_intra) return out;
  const mpeg2::Motion& motion = mb.motion;
  if (motion.type == MotionType::dual_prime) {
    picture.is_frame() ? dual_prime_in_frame(picture, motion, out) : dual_prime_in_field(picture, motion, out);
    return out;
  }
  for (unsigned direction = 0; direction < 2; ++direction)
    for (unsigned n = 0; n < 2; ++n)
      out.vector[n][direction] = motion.vector[direction][n], out.select[n][direction] = motion.select[direction][n];
  return out;
}

ExecResult VldMode::execute(const ObjectCall& call) {
  const VldState state = packets_.vld(call.state, call.env.state_view());
  const VldSlice slice = packets_.slice(call.object, state.picture);
  const std::span<const uint8_t> bytes = read_object(call.env, call.object.indirect, bytes_);
  const uint64_t done = call.packets.resumes(call.packet) ? call.packets.progress()[0] : 0;
  Starter starter(call, state, packets_, done);
  mpeg2::SliceParser parser(state.picture, mpeg2::BlockValues::levels, starter);
  const auto result = parser.parse(BitReader(bytes, slice.first_bit), slice.params, call.env.stop);
  if (result == mpeg2::SliceResult::broken) guest_error("VFE: a slice of MPEG-2 that is broken", "at {:#x}", call.packet.address);
  const bool preempted = starter.result() == ExecResult::preempted;
  if (preempted) call.packets.progress()[0] = starter.macroblocks_done();
  call.packets.keep_progress(call.packet, preempted);
  if (starter.result() != ExecResult::done) return starter.result();
  return result == mpeg2::SliceResult::aborted ? ExecResult::aborted : ExecResult::done;
}

}  // namespace softgen::media::vfe
