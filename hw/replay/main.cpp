// SPDX-License-Identifier: GPL-2.0-or-later
// softgen-replay FILE.aub[.xz]: looks at a capture, or runs it. Exit status: 0 all was well, 1 the file or an argument is bad, 2 the file
// was read but holds something we do not know.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "hw/replay/print_mode.h"

using namespace softgen;

namespace {

int print(const std::string& path, replay::PrintOptions options) {
  const replay::PrintResult result = replay::print_capture(path, options, stdout);
  if (!result.error.empty()) {
    std::fflush(stdout);
    fmt::print(stderr, "softgen-replay: {}: {}\n", path, result.error);
    return 1;
  }
  return result.unknown ? 2 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Looks at AUB captures of Gen9 command streams.");
  std::string path, colour = "auto";
  bool text = false, list = false, json = false, no_data = false;
  replay::PrintOptions options;
  uint64_t limit_mib = options.memory_limit >> 20;
  app.add_option("file", path, "capture (.aub or .aub.xz; - for standard input)")->required();
  app.add_flag("--print", text, "every command with its fields and the state it points to");
  app.add_flag("--json", json, "the same as JSON");
  app.add_flag("--list", list, "a line a submission and draw");
  app.add_flag("--no-data", no_data, "leave out the contents of vertex, index and constant buffers");
  app.add_option("--colour,--color", colour, "auto, always or never")->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_option("--memory-limit", limit_mib, "MiB of memory a capture may fill")->check(CLI::Range(1, 1 << 20));
  CLI11_PARSE(app, argc, argv);

  options.memory_limit = limit_mib << 20;
  options.colour = colour == "always" || (colour == "auto" && isatty(STDOUT_FILENO));
  options.follow.data = !no_data;
  using Form = replay::PrintOptions::Form;
  options.form = json ? Form::json : list ? Form::list : Form::text;
  if (!text && !json && !list) {
    fmt::print(stderr, "softgen-replay: nothing to do: give --print, --json or --list\n");
    return 1;
  }
  return print(path, options);
}
