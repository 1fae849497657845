// SPDX-License-Identifier: GPL-2.0-or-later
// softgen-run: runs a program with our GPU as its only DRM device.
#include <errno.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "hw/run/options.h"
#include "hw/run/stand_ins.h"

namespace softgen::run {
namespace {

namespace fs = std::filesystem;

constexpr const char* library_name = "libsoftgen-run.so";
/// Beside the program (build folder), or in ../lib/softgen (installed).
std::string find_library() {
  const fs::path self = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& candidate : {self / library_name, self / "../lib/softgen" / library_name})
    if (fs::exists(candidate)) return fs::canonical(candidate).string();
  throw std::runtime_error(std::string(library_name) + " is not beside softgen-run");
}

/// Becomes the program: its process id, signals and exit status are those the caller sees, and nothing is left behind however it ends.
[[noreturn]] void become(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  const int why = errno;
  std::fprintf(stderr, "softgen-run: %s: %s\n", argv[0], std::strerror(why));
  _exit(why == ENOENT ? 127 : 126);
}

[[noreturn]] void main_with(const Options& options, const std::vector<std::string>& command) {
  const std::string library = find_library();
  if (!options.frames.empty()) fs::create_directories(options.frames);
  const std::string root = make_stand_ins(options.platform);
  const char* before = getenv("LD_PRELOAD");
  setenv("LD_PRELOAD", before && *before ? (library + ":" + before).c_str() : library.c_str(), 1);
  setenv(options_variable, options_to_json(options).c_str(), 1);
  setenv(root_variable, root.c_str(), 1);
  // libwaffle's GBM platform (piglit) would look for a card with libudev, which follows the real /sys.
  setenv("WAFFLE_GBM_DEVICE", "/dev/dri/renderD128", 0);
  become(command);
}

/// Absolute, since the program may change its directory.
void make_absolute(std::string& path) {
  if (!path.empty() && path != "-") path = fs::absolute(path).string();
}

}  // namespace
}  // namespace softgen::run

int main(int argc, char** argv) {
  using namespace softgen::run;
  CLI::App app{"Runs PROGRAM on a software Intel GPU: its Mesa (iris, anv) finds one i915 device, ours."};
  Options options;
  std::vector<std::string> command;
  std::string mode;
  app.add_option("--platform", options.platform, "the chip: kbl")->capture_default_str();
  app.add_option("--threads", options.threads, "worker threads beside the engines'; 0: all in order on one thread")->capture_default_str();
  app.add_option("--engine", options.engine, "how EU kernels run: interp, jit (compiled before they run), tiers (interpreted until compiled)")
      ->capture_default_str()->check(CLI::IsMember({"interp", "jit", "tiers"}));
  app.add_option("--record", options.record, "record all submissions into an AUB file")->type_name("FILE.aub");
  app.add_option("--stats", options.stats, "write a JSON report at exit; - is standard error")->type_name("FILE");
  app.add_option("--frames", options.frames, "save each frame shown through KMS as a PNG")->type_name("DIR");
  app.add_option("--mode", mode, "the monitor, as WIDTHxHEIGHT[@HZ]; @0: frames are shown as soon as drawn (default 1920x1080@60)");
  app.add_option("--hang-timeout", options.hang_timeout_s, "seconds without progress after which an engine is reset; 0: never")
      ->capture_default_str()->check(CLI::NonNegativeNumber);
  app.add_option("command", command, "the program and its arguments")->required()->option_text("PROGRAM [ARGUMENTS...]");
  app.positionals_at_end();
  CLI11_PARSE(app, argc, argv);
  if (!mode.empty()) {
    const int n = std::sscanf(mode.c_str(), "%ux%u@%u", &options.width, &options.height, &options.refresh_hz);
    if (n < 2 || options.width < 64 || options.height < 64 || options.width > 8192 || options.height > 8192 || options.refresh_hz > 1000) {
      std::fprintf(stderr, "softgen-run: --mode takes WIDTHxHEIGHT[@HZ] of 64 to 8192 pixels and up to 1000 Hz\n");
      return 2;
    }
  }
  try {
    make_absolute(options.record);
    make_absolute(options.stats);
    make_absolute(options.frames);
    main_with(options, command);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "softgen-run: %s\n", e.what());
    return 125;
  }
}
