// SPDX-License-Identifier: GPL-2.0-or-later
// A KMS device with one pipe, a primary and a cursor plane, one HDMI connector and one monitor: legacy and atomic mode setting, page flips with
// events, dumb buffers, the legacy cursor and gamma.
#pragma once

#include <drm.h>
#include <drm_mode.h>

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "hw/base/condition.h"
#include "hw/base/mutex.h"
#include "hw/run/bo.h"

namespace softgen::run {

class DrmFile;
struct Options;
class FrameSink;

struct Framebuffer {
  BoPtr bo;
  uint32_t width = 0, height = 0, pitch = 0, offset = 0;
  uint32_t format = 0;        ///< DRM_FORMAT_*
  uint64_t modifier = 0;      ///< DRM_FORMAT_MOD_*
  defs::Bit6Swizzle swizzle;  ///< of tiled memory
  const DrmFile* owner = nullptr;
  bool internal = false;  ///< made by a cursor ioctl: no client knows it; removed with its last use
};

/// A part of a framebuffer, somewhere on the screen.
struct Layer {
  Framebuffer fb;                                        ///< without a buffer: nothing
  uint32_t src_x = 0, src_y = 0, width = 0, height = 0;  ///< of the framebuffer, pixels
  int32_t x = 0, y = 0;                                  ///< on the screen
};

/// The pipe's table: what is sent for each value of a channel; [0] red, [1] green, [2] blue.
using Gamma = std::array<std::array<uint8_t, 256>, 3>;

/// What the monitor shows: black, with these layers on it.
struct Picture {
  Layer primary, cursor;  ///< the cursor: ARGB8888 with premultiplied alpha
  uint32_t screen_width = 0, screen_height = 0;
  std::shared_ptr<const Gamma> gamma;  ///< null: as it is
};

// Mode objects and their properties; numbers of ours, as a kernel gives them out.
namespace kms_id {
constexpr uint32_t crtc = 10, encoder = 11, connector = 12, plane = 13, cursor = 14;
constexpr uint32_t type = 20, fb_id = 21, crtc_id = 22, src_x = 23, src_y = 24, src_w = 25, src_h = 26, crtc_x = 27, crtc_y = 28,
                   crtc_w = 29, crtc_h = 30, in_fence_fd = 31, in_formats = 32, active = 33, mode_id = 34, out_fence_ptr = 35,
                   legacy_mode = 36, cursor_formats = 37, dpms = 38, vrr_enabled = 39;
constexpr uint32_t first_framebuffer = 100, first_blob = 1'000'000;
}  // namespace kms_id

class Kms {
 public:
  explicit Kms(const Options& options);
  ~Kms();

  int ioctl(DrmFile& file, unsigned long request, void* arg);
  /// The file is closed: removes its framebuffers and pending events.
  void closed(const DrmFile& file);

 private:
  struct Flip {
    Picture picture;
    std::vector<FencePtr> waits;  ///< drawing into the buffer, the client's own fence
    FencePtr cursor_drawn;        ///< drawing into the cursor's; may be null
    FencePtr shown;               ///< signalled when it is on the screen; may be null
    uint64_t user_data = 0;
    DrmFile* file = nullptr;  ///< that gets the event; null: none
    bool active = false;      ///< the pipe is on
    bool event = false;
    bool is_flip = false;  ///< PAGE_FLIP or a commit (one at a time), not SETCRTC
    bool is_refresh =
        false;  ///< of a legacy call that no client waits for (cursor, gamma, DIRTYFB): left out when a flip comes at the same blank
    bool showing = false;  ///< its picture is taken: later changes come too late for it
  };
  /// Source coordinates are 16.16, as the property has them.
  struct PlaneState {
    uint32_t fb = 0, crtc = 0;
    uint32_t src_x = 0, src_y = 0, src_w = 0, src_h = 0;
    int32_t crtc_x = 0, crtc_y = 0;
    uint32_t crtc_w = 0, crtc_h = 0;
  };
  /// What a commit sets.
  struct State {
    PlaneState primary, cursor;
    uint32_t connector_crtc = 0;
    bool active = false, vrr_enabled = false;
    uint32_t mode_blob = 0;
    drm_mode_modeinfo mode = {};
  };
  struct Commit;

  int get_resources(const DrmFile& file, drm_mode_card_res& r) SG_REQUIRES(mutex_);
  int get_crtc(drm_mode_crtc& r) SG_REQUIRES(mutex_);
  int set_crtc(DrmFile& file, drm_mode_crtc& r) SG_REQUIRES(mutex_);
  int get_encoder(drm_mode_get_encoder& r) SG_REQUIRES(mutex_);
  int get_connector(const DrmFile& file, drm_mode_get_connector& r) SG_REQUIRES(mutex_);
  int get_plane_resources(const DrmFile& file, drm_mode_get_plane_res& r) SG_REQUIRES(mutex_);
  int get_plane(drm_mode_get_plane& r) SG_REQUIRES(mutex_);
  /// DRM_MODE_OBJECT_* of an identifier; 0: there is no such object.
  uint32_t type_of(uint32_t object) const SG_REQUIRES(mutex_);
  // properties (kms_properties.cpp)
  int get_properties(const DrmFile& file, drm_mode_obj_get_properties& r) SG_REQUIRES(mutex_);
  int get_property(drm_mode_get_property& r) SG_REQUIRES(mutex_);
  int get_blob(drm_mode_get_blob& r) SG_REQUIRES(mutex_);
  int create_blob(drm_mode_create_blob& r) SG_REQUIRES(mutex_);
  int destroy_blob(drm_mode_destroy_blob& r) SG_REQUIRES(mutex_);
  uint64_t value_of(uint32_t object, uint32_t property) const SG_REQUIRES(mutex_);
  uint64_t plane_value_of(const PlaneState& plane, uint32_t property) const SG_REQUIRES(mutex_);
  // commits (kms_atomic.cpp)
  int atomic(DrmFile& file, const drm_mode_atomic& r) SG_REQUIRES(mutex_);
  int obj_set_property(DrmFile& file, const drm_mode_obj_set_property& r) SG_REQUIRES(mutex_);
  int set_property(Commit& commit, uint32_t object, uint32_t property, uint64_t value) SG_REQUIRES(mutex_);
  int set_plane_property(Commit& commit, PlaneState& plane, uint32_t property, uint64_t value) SG_REQUIRES(mutex_);
  int check(const State& next, bool allow_modeset) const SG_REQUIRES(mutex_);
  int check_plane(const PlaneState& plane) const SG_REQUIRES(mutex_);
  int check_cursor(const State& next) const SG_REQUIRES(mutex_);
  int apply(DrmFile& file, Commit& commit, bool nonblock) SG_REQUIRES(mutex_);
  // the legacy cursor and gamma (kms_cursor.cpp)
  int cursor(DrmFile& file, const drm_mode_cursor& r) SG_REQUIRES(mutex_);
  int cursor_framebuffer(DrmFile& file, const drm_mode_cursor& r, uint32_t& id) SG_REQUIRES(mutex_);
  int get_gamma(const drm_mode_crtc_lut& r) const SG_REQUIRES(mutex_);
  int set_gamma(DrmFile& file, const drm_mode_crtc_lut& r) SG_REQUIRES(mutex_);
  /// The cursor, the table or the drawing has changed without a flip: what is queued shows it, else a frame of its own does.
  void refresh(DrmFile& file) SG_REQUIRES(mutex_);
  int add_fb(DrmFile& file, drm_mode_fb_cmd& r) SG_REQUIRES(mutex_);
  int add_fb2(DrmFile& file, drm_mode_fb_cmd2& r) SG_REQUIRES(mutex_);
  int remove_fb(DrmFile& file, uint32_t id) SG_REQUIRES(mutex_);
  int dirty_fb(DrmFile& file, uint32_t id) SG_REQUIRES(mutex_);
  /// After framebuffers went: planes that showed them are off, the pipe with its primary one; internal ones that no plane uses go, too.
  void drop_lost_framebuffers() SG_REQUIRES(mutex_);
  int page_flip(DrmFile& file, drm_mode_crtc_page_flip& r) SG_REQUIRES(mutex_);
  int create_dumb(DrmFile& file, drm_mode_create_dumb& r) SG_REQUIRES(mutex_);
  int map_dumb(DrmFile& file, drm_mode_map_dumb& r) SG_REQUIRES(mutex_);
  drm_mode_modeinfo mode() const SG_REQUIRES(mutex_);
  /// A flip to what `state` says; the kernel's implicit fence is that of now.
  Flip flip_to(const State& state, DrmFile& file) SG_REQUIRES(mutex_);
  Layer layer_of(const PlaneState& plane) const SG_REQUIRES(mutex_);

  void thread_main();
  bool is_drawn(const Flip& flip) const SG_REQUIRES(mutex_);
  void wait_for_drawing() SG_REQUIRES(mutex_);
  void wait_for_blank(int64_t* when_ns) SG_REQUIRES(mutex_);
  void send_event(const Flip& flip, int64_t when_ns) SG_REQUIRES(mutex_);

  const unsigned width_, height_, refresh_hz_;
  const std::unique_ptr<FrameSink> sink_;
  Mutex mutex_;
  Condition changed_;
  std::map<uint32_t, Framebuffer> framebuffers_;
  std::map<uint32_t, std::vector<std::byte>> blobs_;
  uint32_t next_fb_ = kms_id::first_framebuffer, next_blob_ = kms_id::first_blob;
  State state_ SG_GUARDED_BY(mutex_);
  struct {
    int32_t x = 0, y = 0;
  } cursor_at_;  ///< where the legacy calls have put it
  std::array<std::array<uint16_t, 256>, 3> gamma_ramp_;
  std::shared_ptr<const Gamma> gamma_;  ///< of the ramp; null: identity
  std::deque<Flip> flips_ SG_GUARDED_BY(mutex_);
  bool flip_pending_ SG_GUARDED_BY(mutex_) = false;
  uint32_t sequence_ = 0;
  int64_t epoch_ns_ = 0;
  bool quit_ SG_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace softgen::run
