// SPDX-License-Identifier: GPL-2.0-or-later
// Where shown frames go: PNG files, a viewer's standard input.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "hw/run/kms.h"

namespace softgen::run {

/// The screen's pixels, four bytes R, G, B, 255 each.
std::vector<uint8_t> screen_pixels(const Picture& picture);

class FrameSink {
 public:
  explicit FrameSink(const Options& options);
  ~FrameSink();
  FrameSink(const FrameSink&) = delete;
  FrameSink& operator=(const FrameSink&) = delete;

  /// What cannot be saved or shown is counted as unsupported, and said once.
  void show(const Picture& picture);

 private:
  void start_viewer();
  void send_to_viewer(const std::vector<uint8_t>& pixels);

  const std::string folder_, viewer_;
  unsigned saved_ = 0;
  int to_viewer_ = -1;
  pid_t viewer_process_ = -1;
  bool viewer_gone_ = false;
};

}  // namespace softgen::run
