// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/run/options.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace softgen::run {

std::string options_to_json(const Options& o) {
  return nlohmann::json{{"platform", o.platform},
                        {"threads", o.threads},
                        {"preempt", o.preempt},
                        {"record", o.record},
                        {"stats", o.stats},
                        {"faults", o.faults},
                        {"frames", o.frames},
                        {"show", o.show},
                        {"hang_timeout_s", o.hang_timeout_s},
                        {"width", o.width},
                        {"height", o.height},
                        {"refresh", o.refresh_hz},
                        {"verbose", o.verbose},
                        {"engine", o.engine},
                        {"check", o.check},
                        {"check_folder", o.check_folder}}
      .dump();
}

Options options_from_json(const std::string& text) {
  Options o;
  try {
    const nlohmann::json j = nlohmann::json::parse(text);
    o.platform = j.value("platform", o.platform);
    o.threads = j.value("threads", o.threads);
    o.preempt = j.value("preempt", o.preempt);
    o.record = j.value("record", o.record);
    o.stats = j.value("stats", o.stats);
    o.faults = j.value("faults", o.faults);
    o.frames = j.value("frames", o.frames);
    o.show = j.value("show", o.show);
    o.hang_timeout_s = j.value("hang_timeout_s", o.hang_timeout_s);
    o.width = j.value("width", o.width);
    o.height = j.value("height", o.height);
    o.refresh_hz = j.value("refresh", o.refresh_hz);
    o.verbose = j.value("verbose", o.verbose);
    o.engine = j.value("engine", o.engine);
    o.check = j.value("check", o.check);
    o.check_folder = j.value("check_folder", o.check_folder);
  } catch (const nlohmann::json::exception& e) {
    throw std::runtime_error(std::string(options_variable) + " is not what softgen-run writes: " + e.what());
  }
  return o;
}

Options options_from_environment() {
  const char* text = std::getenv(options_variable);
  return text ? options_from_json(text) : Options{};
}

std::string own_file(const std::string& path) {
  if (path.empty() || path == "-") return path;
  const int fd = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (fd >= 0) {
    close(fd);
    return path;
  }
  struct stat st;
  return errno == EEXIST && stat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode) ? path + "." + std::to_string(getpid()) : path;
}

}  // namespace softgen::run
