// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/run/frames.h"

#include <drm_fourcc.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "hw/base/log.h"
#include "hw/debug/png_file.h"
#include "hw/display/pixel.h"
#include "hw/run/gpu.h"
#include "hw/surface/tiling.h"

namespace softgen::run {
namespace {

/// One pixel of a KMS format as R, G, B, 255.
void to_rgb(uint32_t format, const std::byte* in, uint8_t* out) {
  const auto* b = reinterpret_cast<const uint8_t*>(in);
  if (format == DRM_FORMAT_RGB565) {
    const unsigned v = b[0] | b[1] << 8;
    out[0] = static_cast<uint8_t>((v >> 11) * 255 / 31);
    out[1] = static_cast<uint8_t>((v >> 5 & 63) * 255 / 63);
    out[2] = static_cast<uint8_t>((v & 31) * 255 / 31);
  } else {
    const bool swapped = format == DRM_FORMAT_XBGR8888;
    out[0] = b[swapped ? 0 : 2];
    out[1] = b[1];
    out[2] = b[swapped ? 2 : 0];
  }
  out[3] = 255;
}

surface::Tiling tiling_of(uint64_t modifier) {
  switch (modifier) {
    case I915_FORMAT_MOD_X_TILED: return surface::Tiling::x;
    case I915_FORMAT_MOD_Y_TILED: return surface::Tiling::y;
    default: return surface::Tiling::linear;
  }
}

/// Calls back with each pixel of the layer that is on the screen: where it is in memory, and the screen's four bytes.
template <typename Body>
void for_each_pixel(const Layer& layer, const Picture& picture, std::vector<uint8_t>& rgba, Body body) {
  const Framebuffer& fb = layer.fb;
  if (!fb.bo) return;
  const uint32_t bytes = fb.format == DRM_FORMAT_RGB565 ? 2 : 4;
  const surface::Tiling tiling = tiling_of(fb.modifier);
  const auto visible = [](int32_t start, uint32_t size, uint32_t screen) {  // the first and one past the last, within the layer
    const int64_t first = std::max<int64_t>(0, -int64_t{start});
    return std::pair(first, std::max(first, std::min<int64_t>(size, int64_t{screen} - start)));
  };
  const auto [top, bottom] = visible(layer.y, layer.height, picture.screen_height);
  const auto [left, right] = visible(layer.x, layer.width, picture.screen_width);
  for (int64_t row = top; row < bottom; ++row) {
    uint8_t* out = &rgba[4 * (static_cast<size_t>(layer.y + row) * picture.screen_width + static_cast<size_t>(layer.x + left))];
    for (int64_t column = left; column < right; ++column, out += 4) {
      const auto at = fb.offset + surface::offset(tiling, bytes, (layer.src_x + static_cast<uint32_t>(column)) * bytes,
                                                  layer.src_y + static_cast<uint32_t>(row), fb.pitch);
      body(fb.bo->host() + (tiling == surface::Tiling::linear ? at : fb.swizzle.of(at, tiling == surface::Tiling::y)), out);
    }
  }
}

/// ARGB8888 with premultiplied alpha over what is there, as the device's pipe blends a cursor (hw/display/compose.cpp).
void blend(const std::byte* in, uint8_t* out) {
  const auto* b = reinterpret_cast<const uint8_t*>(in);
  const uint32_t rest = 0xffff - display::widen8(b[3]);
  for (unsigned i = 0; i < 3; ++i) {
    const uint32_t sum = display::widen8(b[2 - i]) + uint32_t{display::mul16(display::widen8(out[i]), rest)};
    out[i] = static_cast<uint8_t>(display::narrow8(std::min<uint32_t>(0xffff, sum)));
  }
}

}  // namespace

std::vector<uint8_t> screen_pixels(const Picture& picture) {
  std::vector<uint8_t> rgba(size_t{4} * picture.screen_width * picture.screen_height);
  for (size_t i = 3; i < rgba.size(); i += 4) rgba[i] = 255;
  for_each_pixel(picture.primary, picture, rgba,
                 [format = picture.primary.fb.format](const std::byte* in, uint8_t* out) { to_rgb(format, in, out); });
  for_each_pixel(picture.cursor, picture, rgba, blend);
  if (!picture.gamma) return rgba;
  for (size_t i = 0; i < rgba.size(); ++i)
    if (i % 4 != 3) rgba[i] = (*picture.gamma)[i % 4][rgba[i]];
  return rgba;
}

FrameSink::FrameSink(const Options& options) : folder_(options.frames), viewer_(options.show) {}

FrameSink::~FrameSink() {
  if (to_viewer_ < 0) return;
  close(to_viewer_);
  if (viewer_process_ > 0) waitpid(viewer_process_, nullptr, 0);
}

void FrameSink::show(const Picture& picture) {
  if (folder_.empty() && (viewer_.empty() || viewer_gone_)) return;
  const std::vector<uint8_t> pixels = screen_pixels(picture);
  if (!folder_.empty()) {
    const std::string path = fmt::format("{}/frame{:05}.png", folder_, saved_++);
    if (const std::string error = debug::write_png(path, picture.screen_width, picture.screen_height, pixels); !error.empty())
      unsupported("frame not saved", "{}", error);
  }
  if (!viewer_.empty()) send_to_viewer(pixels);
}

/// The viewer reads a socket, so that its end is an error of ours and not a signal to the program.
void FrameSink::start_viewer() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  std::vector<char*> environment;
  for (char** word = environ; *word; ++word)
    if (!std::string_view(*word).starts_with("LD_PRELOAD=")) environment.push_back(*word);
  environment.push_back(nullptr);
  // The thread that starts it takes no signals; the viewer does.
  posix_spawnattr_t how;
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_init(&how);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  const char* arguments[] = {"sh", "-c", viewer_.c_str(), nullptr};
  if (posix_spawn(&viewer_process_, "/bin/sh", &actions, &how, const_cast<char**>(arguments), environment.data()) != 0)
    viewer_process_ = -1;
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&how);
  close(ends[1]);
  to_viewer_ = ends[0];
}

void FrameSink::send_to_viewer(const std::vector<uint8_t>& pixels) {
  if (viewer_gone_) return;
  if (to_viewer_ < 0) start_viewer();
  for (size_t done = 0; done < pixels.size();) {
    const ssize_t n = send(to_viewer_, pixels.data() + done, pixels.size() - done, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      viewer_gone_ = true;
      return unsupported("frame not shown", "the viewer is gone");
    }
    done += static_cast<size_t>(n);
  }
}

}  // namespace softgen::run
