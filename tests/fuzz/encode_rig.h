// SPDX-License-Identifier: GPL-2.0-or-later
// Two video engines of Kaby Lake, one without workers and one with two, that get the same packets and the same memory: what they write must be equal. A
// picture may write to the ranges that its packets name, and to nothing else.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "hw/base/worker_pool.h"
#include "hw/defs/gen9/all.h"
#include "hw/media/huc_decoder.h"
#include "hw/media/video.h"
#include "hw/mmio/register_file.h"
#include "tests/fuzz/guest_map.h"
#include "tests/fuzz/liveness.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/state_source.h"
#include "tests/quiet_log.h"

namespace softgen::fuzz {

class EncodeRig {
  static constexpr uint32_t pages = 240;

  /// What drivers read of a picture.
  static constexpr std::array<uint32_t, 19> reported = {reg::gen9::MFC_BITSTREAM_BYTECOUNT_FRAME,
                                                        reg::gen9::MFC_BITSTREAM_SE_BITCOUNT_FRAME,
                                                        reg::gen9::MFC_IMAGE_STATUS_CONTROL,
                                                        reg::gen9::MFC_QP_STATUS_COUNT,
                                                        reg::gen9::MFC_BITSTREAM_BYTECOUNT_SLICE,
                                                        reg::gen9::MFC_AVC_NUM_SLICES,
                                                        reg::gen9::MFD_ERROR_STATUS,
                                                        reg::gen9::MFX_MB_COUNT,
                                                        reg::gen9::HCP_BITSTREAM_BYTECOUNT_FRAME,
                                                        reg::gen9::HCP_BITSTREAM_BYTECOUNT_FRAME_NO_HEADER,
                                                        reg::gen9::HCP_BITSTREAM_SE_BITCOUNT_FRAME,
                                                        reg::gen9::HCP_QP_STATUS_COUNT,
                                                        reg::gen9::HCP_IMAGE_STATUS_CONTROL,
                                                        reg::gen9::HCP_CABAC_STATUS,
                                                        reg::gen9::MFC_VP8_BITSTREAM_BYTECOUNT_FRAME,
                                                        reg::gen9::MFC_VP8_IMAGE_STATUS_CONTROL,
                                                        reg::gen9::HCP_VP9_BITSTREAM_BYTECOUNT_FRAME,
                                                        reg::gen9::HCP_VP9_BITSTREAM_BYTECOUNT_FRAME_NO_HEADER,
                                                        reg::gen9::HCP_VP9_IMAGE_STATUS_CONTROL};

  struct Machine {
    explicit Machine(unsigned workers)
        : pool(workers), video(media::make_huc_decoder<defs::Gen9>(), media::make_video_packets<defs::Gen9>(), workers ? &pool : nullptr) {}
    EngineEnv env(StopFlag& stop) { return {EngineId::vcs0, map.view, map.view, registers, stop}; }
    GuestMap map{pages};
    mmio::RegisterFile registers{defs::gen9::registers};
    WorkerPool pool;
    media::Video video;
  };

  /// The memory of both machines. Addresses are those of the first `pages` pages, which lie as in memory.
  class Views {
   public:
    explicit Views(EncodeRig& rig) : rig_(rig) {}
    void write(uint64_t at, const void* from, size_t bytes) {
      rig_.each([&](Machine& machine) { machine.map.view.write(at, from, bytes); });
    }
    template <class T>
    void store(uint64_t at, const T& value) {
      write(at, &value, sizeof value);
    }
    void read(uint64_t at, void* to, size_t bytes) { rig_.machines_[0].map.view.read(at, to, bytes); }

   private:
    EncodeRig& rig_;
  };

 public:
  using Range = std::pair<uint64_t, uint64_t>;  ///< first byte, end
  using Packet = std::vector<uint32_t>;

  EncodeRig() {
    quiet_log();
    const auto kept = memory(0).kept();
    before_.assign(kept.begin(), kept.end());
  }

  /// `in` outlives the run.
  void begin(StateSource& in) {
    in_ = &in;
    twice_ = in.one_in(4), changes_ = in.one_in(3), aborted_ = false;
    is_thorough_ = in.salt() % 16 == 0;
    for (Machine& machine : machines_)
      for (const uint32_t at : reported) machine.registers.poke(at, 0);
  }
  void end() {
    copy_written(memory(0).kept());
    for (Machine& machine : machines_) {
      machine.video.reset_context();
      machine.map.memory.restore();
    }
  }

  StateSource& in() { return *in_; }
  std::span<const uint64_t> addresses() const { return machines_[0].map.addresses(); }
  StopFlag& stop() { return stop_; }
  /// Nothing in the packets was changed: what is coded decodes to the reconstruction.
  bool is_legal() const { return !changes_ && !aborted_; }
  bool is_aborted() const { return aborted_; }

  template <class State>
  void send(const State& state) {
    const auto dwords = state.pack();
    send_dwords(dwords);
  }
  void send_dwords(std::span<const uint32_t> dwords) {
    const defs::Command* command = defs::gen9::commands.find(defs::EngineClass::video, dwords[0]);
    require(command, "a packet has a name");
    Packet packet(dwords.begin(), dwords.end());
    if (changes_ && in_->one_in(8)) in_->change(*command, packet), StateSource::finish(*command, packet);
    execute([&](Machine& machine, EngineEnv& env) { return machine.video.execute({0x1000, command, packet}, env); });
  }
  /// The packet's dwords behind the header's two, as MFX_PAK_INSERT_OBJECT and HCP_PAK_INSERT_OBJECT have them.
  void insert(uint32_t match, uint32_t control, std::initializer_list<uint32_t> payload) {
    Packet packet{match | static_cast<uint32_t>(payload.size()), control};
    packet.insert(packet.end(), payload);
    send_dwords(packet);
  }

  /// From now on until flush() nothing but these ranges may be written.
  void watch(std::vector<Range> ranges) {
    ranges_ = std::move(ranges);
    std::ranges::sort(ranges_);
    copy_written(memory(0).all());
  }
  /// The end of a picture.
  void flush() {
    execute([](Machine& machine, EngineEnv& env) { return machine.video.flush({}, env); });
    if (aborted_) return;
    if (twice_) compare();
    if (!changes_) check_ranges();
  }
  /// Flushes that an open picture needs.
  void flush_all() {
    for (unsigned i = 0; i < 8 && machines_[0].video.in_picture(); ++i)
      execute([](Machine& machine, EngineEnv& env) { return machine.video.flush({}, env); });
    flush();
  }

  uint32_t peek(uint32_t reg) const { return machines_[0].registers.peek(reg); }
  std::vector<uint8_t> bytes_at(uint64_t at, size_t count) {
    std::vector<uint8_t> bytes(count);
    view.read(at, bytes.data(), count);
    return bytes;
  }
  void require_equal(uint64_t a, uint64_t b, size_t count, const char* what) { require(bytes_at(a, count) == bytes_at(b, count), what); }

 private:
  template <class Body>
  void each(Body&& body) {
    for (size_t i = 0; i < (twice_ ? 2u : 1u); ++i) body(machines_[i]);
  }
  template <class Body>
  void execute(Body&& body) {
    if (aborted_) return;
    each([&](Machine& machine) {
      EngineEnv env = machine.env(stop_);
      aborted_ |= body(machine, env) == ExecResult::aborted;
    });
    aborted_ |= stop_.aborting();
  }

  IsolatedMemory& memory(size_t i) { return machines_[i].map.memory; }
  /// Of the pages that the run has written to; all others are in before_ as they were kept.
  void copy_written(std::span<const std::byte> from) {
    for (const uint32_t page : memory(0).written())
      std::ranges::copy(from.subspan(page * page_size, page_size), before_.begin() + static_cast<ptrdiff_t>(page * page_size));
  }
  /// Each page that may have changed since the run began, by the marks of written pages; in one of 16 inputs all of them, which shows writes without a mark.
  template <class Check>
  void for_pages(IsolatedMemory& of, Check&& check) {
    if (is_thorough_) return check(uint64_t{0}, of.size());
    for (const uint32_t page : of.written()) check(page * page_size, (page + 1) * page_size);
  }
  static bool is_equal(std::span<const std::byte> a, std::span<const std::byte> b, uint64_t from, uint64_t to) {
    return !std::memcmp(a.data() + from, b.data() + from, to - from);
  }

  void compare() {
    for (size_t i = 0; i < 2; ++i)
      for_pages(memory(i), [&](uint64_t from, uint64_t to) {
        require(is_equal(memory(0).all(), memory(1).all(), from, to), "workers write the same bytes");
      });
    for (const uint32_t at : reported)
      require(machines_[0].registers.peek(at) == machines_[1].registers.peek(at), "workers report the same");
  }
  void check_ranges() {
    const auto same = [&](uint64_t from, uint64_t to) {
      require(is_equal(before_, memory(0).all(), from, to), "nothing is written outside of the picture's ranges");
    };
    for_pages(memory(0), [&](uint64_t from, uint64_t to) {
      for (const auto& [first, end] : ranges_) {
        if (first >= to) break;
        if (first > from) same(from, first);
        from = std::max(from, end);
      }
      if (from < to) same(from, to);
    });
  }

  GuardedNowhere nowhere_;
  std::array<Machine, 2> machines_{Machine(0), Machine(2)};
  StopFlag stop_;
  StateSource* in_ = nullptr;
  bool twice_ = false, changes_ = false, aborted_ = false, is_thorough_ = false;
  std::vector<Range> ranges_;
  std::vector<std::byte> before_;  ///< all of memory when watch() was called

 public:
  Views view{*this};
};

/// An EncodeRig as the pictures of the unit tests want it (HevcEncodePictures, Vp9EncodePictures).
struct UnitTestRig {
  explicit UnitTestRig(EncodeRig& rig) : rig(rig), view(rig.view) {}
  template <class State>
  void send(const State& state) {
    rig.send(state);
  }
  void send_dwords(std::span<const uint32_t> dwords) { rig.send_dwords(dwords); }
  EncodeRig& rig;
  decltype(EncodeRig::view)& view;
};

}  // namespace softgen::fuzz
