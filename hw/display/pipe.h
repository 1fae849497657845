// SPDX-License-Identifier: GPL-2.0-or-later
// One pipe with its transcoder: raster, double-buffered registers, vertical blank, flips, CRC. SKL PRM vol 12, "Pipes" and
// "Transcoders"; i915 display/intel_display.c, intel_vblank.c, skl_universal_plane.c.
//
// Nothing ticks: every access first catches up with the clock (`sync`), and the host's timer runs only while software waits for a
// vertical blank: its interrupt is unmasked, a CRC is wanted, or an armed update has to be latched.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "hw/base/archive.h"
#include "hw/base/mutex.h"
#include "hw/display/clocks.h"
#include "hw/display/compose.h"
#include "hw/display/compositor.h"
#include "hw/display/pipe_model.h"
#include "hw/display/timing.h"
#include "hw/display/update_hold.h"
#include "hw/iface/display_events.h"
#include "hw/iface/host.h"
#include "hw/mmio/interrupts.h"
#include "hw/mmio/register_file.h"

namespace softgen::display {

/// What waits for the next vertical blank (and is in saved states): four planes, cursor, scalers, the pipe's own registers, more planes.
constexpr uint32_t armed_plane(unsigned i) { return 1u << (i < 4 ? i : i + 4); }
constexpr uint32_t armed_cursor = 1u << 4, armed_pipe = 1u << 7;
constexpr uint32_t armed_scaler(unsigned i) { return 1u << (5 + i); }

/// What pipes share. The mutex guards all pipes.
struct PipeServices {
  mmio::RegisterFile& registers;
  mmio::Interrupts& interrupts;
  Host& host;
  const PipeModel& model;
  const Clocks& clocks;
  Compositor& compositor;
  Mutex mutex;
};

/// Holds the pipes. What was raised meanwhile reaches the host when it ends, after the mutex: the host may come back into the registers.
class PipesLock {
 public:
  explicit PipesLock(PipeServices& services) : services_(services) { services_.mutex.lock(); }
  ~PipesLock() {
    services_.mutex.unlock();
    services_.interrupts.deliver();
  }
  PipesLock(const PipesLock&) = delete;
  PipesLock& operator=(const PipesLock&) = delete;

 private:
  PipeServices& services_;
};

class Pipe {
 public:
  Pipe(unsigned index, PipeServices& services);

  /// Registers the hooks of this pipe's registers.
  void attach();

  // The rest is called under a PipesLock.
  /// Latches and counts what happened up to now, posts its interrupts, sets the timer.
  void sync();
  /// Timing, enable or clock registers were written.
  void update_raster();
  void timer_expired();
  bool running() const { return raster_.running(); }
  const Timing& timing() const { return raster_.timing(); }
  /// The connector whose DDI buffer is on and that shows this pipe; -1: none.
  int driven_connector() const;
  /// What is shown now. Requires running(). `what`: show_plane() and so on.
  void show(Scene& scene, uint32_t what = show_all) const;
  /// Grows with every change of what is shown except in memory.
  uint64_t generation() const { return generation_; }
  void changed();

  /// DisplayEvents::next().
  std::optional<int64_t> next_event(const PipeWait& what);

  /// Where the raster is, caught up with the clock.
  struct Beam {
    bool running = false;
    uint32_t frame = 0, line = 0;  ///< as in PIPE_FRMCNT and PIPE_SCANLINE
    uint32_t lines = 1;
    int64_t line_ns = 0;
    /// At least a little: a raster of very short lines asks no more of the host than others.
    int64_t until_line(uint32_t wanted) const;
  };
  Beam beam();
  /// When the pipe's timer has to be set for others, too.
  struct Alarm {
    int64_t time = -1;   ///< < 0: none
    bool blank = false;  ///< after the next vertical blank
  };
  /// Instead of the one before. A raster that starts or stops also sets it off.
  void set_alarm(const Alarm& alarm);

  void reset();
  void state(Archive& ar);

 private:
  void attach_planes();
  void attach_cursor();
  void attach_scalers();
  void attach_color();
  void attach_counters();
  void attach_control();
  template <typename F>
  void on_write(uint32_t offset, uint32_t bytes, F method);
  template <typename F>
  void on_read(uint32_t offset, F method);

  void plane_written(unsigned plane, uint32_t offset);
  void plane_armed(unsigned plane);
  void cursor_armed();
  void scaler_armed(unsigned scaler);
  void pipe_regs_written();
  void csc_armed();
  void attach_table(unsigned table);
  void advance_index(unsigned table);
  uint32_t read_counter(uint32_t offset);

  Timing programmed_timing() const;
  int64_t now() const { return services_.host.clock_ns(); }
  int64_t raster_time(int64_t now) const;
  int64_t blocked_until() const;
  bool crc_enabled() const;
  void crc_read();
  bool crc_taken();
  void hash_scanned_rows();
  void hash_rows(uint32_t end, bool frame_ends);
  void rows_hashed(uint32_t end, bool frame_ends, const FrameHash& hash);
  void forget_crc();
  void post_flip_done(unsigned plane);
  void post_deferred_flips();
  void blank(uint64_t first, uint64_t count);
  mmio::PipeEvents latch();
  void schedule(int64_t now);
  bool wants_timer() const;
  void post(mmio::PipeEvents events);
  void add_planes(Frame& frame, uint32_t what) const;
  void add_cursor(Frame& frame) const;
  bool scaler_window(unsigned scaler, uint32_t user, uint32_t width, uint32_t height, bool planar, Window& out) const;
  void state_of_registers(Archive& ar);
  uint32_t scanline(int64_t time) const;

  const unsigned index_;
  PipeServices& services_;
  const PipeLayout& layout_;
  const PipeOffsets at_;
  Raster raster_;
  UpdateHold hold_;
  struct {
    uint64_t blanks_done = 0;  ///< of this raster
    uint32_t frames = 0, flips = 0;
    uint32_t frame_time_us = 0, flip_time_us = 0;
  } counters_;
  PipeState live_, pending_;
  CscRegs csc_armed_, output_csc_armed_;
  uint32_t armed_ = 0;                              ///< armed_plane() and so on
  Palettes palettes_;                               ///< those behind index registers
  std::array<uint32_t, max_tables> table_index_{};  ///< the index registers
  uint64_t generation_ = 0;
  mmio::PipeEvents unmasked_ = 0;  ///< as of the last read of the mask register
  /// Rows are being hashed on the compositor's thread, or the CRC of the frame that ends is taken.
  enum class Crc : uint8_t { none, under_way, taken };
  struct {
    Crc state = Crc::none;
    uint32_t value = 0;
    FrameHash hash;                       ///< of the frame's rows before `row`
    uint32_t row = 0;                     ///< asynchronous flips have ended those before it
    mmio::PipeEvents deferred_flips = 0;  ///< flip-done events that wait for the rows under way
    std::atomic<uint64_t> number{0};      ///< names the work that is under way
    bool unread = false;                  ///< the next blank waits for software to take this frame's CRC
    int64_t named = 0;                    ///< until when it still waits after that
  } crc_;
  Alarm alarm_;
  int64_t timer_ = -1;  ///< what the host's timer is set to
};

}  // namespace softgen::display
