// SPDX-License-Identifier: GPL-2.0-or-later
// A KMS device with one pipe, one HDMI connector and one monitor: legacy mode setting, page flips with events, dumb buffers, cursor calls.
#pragma once

#include <drm.h>
#include <drm_mode.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "hw/run/bo.h"

namespace softgen::run {

class DrmFile;
struct Options;

struct Framebuffer {
  BoPtr bo;
  uint32_t width = 0, height = 0, pitch = 0, offset = 0;
  uint32_t format = 0;     ///< DRM_FORMAT_*
  uint64_t modifier = 0;   ///< DRM_FORMAT_MOD_*
  const DrmFile* owner = nullptr;
};

class Kms {
 public:
  explicit Kms(const Options& options);
  ~Kms();

  int ioctl(DrmFile& file, unsigned long request, void* arg);
  /// The file goes: its framebuffers and pending events go with it.
  void closed(const DrmFile& file);

 private:
  struct Flip {
    uint32_t fb = 0;
    Framebuffer picture;
    uint64_t user_data = 0;
    DrmFile* file = nullptr;  ///< who is told; null: nobody
    bool event = false;
    bool is_flip = false;     ///< PAGE_FLIP (one at a time), not SETCRTC
  };

  int get_resources(drm_mode_card_res& r);
  int get_crtc(drm_mode_crtc& r);
  int set_crtc(DrmFile& file, drm_mode_crtc& r);
  int get_encoder(drm_mode_get_encoder& r);
  int get_connector(drm_mode_get_connector& r);
  int get_plane_resources(drm_mode_get_plane_res& r);
  int get_plane(drm_mode_get_plane& r);
  int get_properties(drm_mode_obj_get_properties& r);
  int get_property(drm_mode_get_property& r);
  int add_fb(DrmFile& file, drm_mode_fb_cmd& r);
  int add_fb2(DrmFile& file, drm_mode_fb_cmd2& r);
  int remove_fb(uint32_t id);
  int page_flip(DrmFile& file, drm_mode_crtc_page_flip& r);
  int create_dumb(DrmFile& file, drm_mode_create_dumb& r);
  int map_dumb(DrmFile& file, drm_mode_map_dumb& r);
  drm_mode_modeinfo mode() const;

  void thread_main();
  void show(const Flip& flip);
  void send_event(const Flip& flip, int64_t when_ns);

  const unsigned width_, height_, refresh_hz_;
  const std::string frames_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<uint32_t, Framebuffer> framebuffers_;
  uint32_t next_fb_ = 100;
  uint32_t current_fb_ = 0;
  bool active_ = false;
  std::deque<Flip> flips_;
  bool flip_pending_ = false;
  uint32_t sequence_ = 0;
  int64_t epoch_ns_ = 0;
  unsigned frames_saved_ = 0;
  bool quit_ = false;
  std::thread thread_;
};

}  // namespace softgen::run
