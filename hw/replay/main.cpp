// SPDX-License-Identifier: GPL-2.0-or-later
// softgen-replay FILE.aub[.xz]: prints a capture, or runs it. Exit status: 0 all was well; 1 the file or an argument is bad, or a submission
// hung; 2 the file was printed but holds something we do not know; 99 the checker has findings (--check-exit).
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "hw/debug/check/command_line.h"
#include "hw/debug/check/stream.h"
#include "hw/debug/png_file.h"
#include "hw/eu/jit/engine.h"
#include "hw/faults/rule.h"
#include "hw/replay/player.h"
#include "hw/replay/print_mode.h"
#include "hw/replay/report.h"
#include "hw/replay/surface_option.h"

using namespace softgen;

namespace {

struct Arguments {
  std::string file, colour = "auto", engine = "tiers", png, until, surface, timeline, stats, faults;
  std::vector<std::string> dumps;
  bool text = false, list = false, json = false, no_data = false, want_stats = false;
  unsigned repeat = 1;
  uint64_t limit_mib = 4096;
  replay::PlayOptions play;
  debug::check::CommandLine check;
};

int complain(const Arguments& args, const std::string& what) {
  std::fflush(stdout);
  fmt::print(stderr, "softgen-replay: {}: {}\n", args.file, what);
  return 1;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int print(const Arguments& args) {
  replay::PrintOptions options;
  options.memory_limit = args.limit_mib << 20;
  options.colour = args.colour == "always" || (args.colour == "auto" && isatty(STDOUT_FILENO));
  options.follow.data = !args.no_data;
  options.platform = args.play.platform;
  using Form = replay::PrintOptions::Form;
  options.form = args.json ? Form::json : args.list ? Form::list : Form::text;
  const replay::PrintResult result = replay::print_capture(args.file, options, stdout);
  if (!result.error.empty()) return complain(args, result.error);
  return result.unknown || result.unknown_instructions ? 2 : 0;
}

void dump(memory::View& view, const replay::MemoryRange& range) {
  std::vector<std::byte> bytes(std::min<uint64_t>(range.size, 1 << 20));
  for (uint64_t done = 0; done < range.size; done += bytes.size()) {
    const size_t step = static_cast<size_t>(std::min<uint64_t>(bytes.size(), range.size - done));
    view.read(range.address + done, bytes.data(), step);
    std::fwrite(bytes.data(), 1, step, stdout);
  }
}

std::optional<uint64_t> until_draw(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (!text.starts_with("draw:")) throw replay::BadArgument(fmt::format("--until {}: only draw:N is known", text));
  char* end = nullptr;
  const uint64_t number = std::strtoull(text.c_str() + 5, &end, 10);
  if (*end || text.size() == 5) throw replay::BadArgument(fmt::format("--until {}: draw:N wants a number", text));
  return number;
}

/// The exit status that they ask for.
int tell_findings(const Arguments& args, const debug::check::Findings& findings) {
  if (!args.check.json.empty()) {
    std::ofstream file(args.check.json);
    file << findings.json().dump(1) << "\n";
    if (!file.flush()) return complain(args, "cannot write " + args.check.json);
  }
  const std::string summary = findings.summary();
  if (summary.empty()) return 0;
  fmt::print(stderr, "softgen: {}\n", summary);
  return args.check.status;
}

/// Checks a text that --check-stream has written, edited perhaps.
int check_stream(const Arguments& args) {
  std::ifstream lines(args.file);
  if (!lines) return complain(args, "cannot be read");
  const defs::Platform& platform = replay::platform_for(args.play.platform, 0);
  debug::check::Checker checker(platform, debug::check::parse_options(args.check.what), debug::check::print_finding);
  debug::check::read_stream(lines, platform, checker);
  return tell_findings(args, checker.findings());
}

int run(Arguments& args) {
  std::vector<replay::MemoryRange> dumps;
  std::optional<debug::PictureSource> surface;
  for (const std::string& text : args.dumps) dumps.push_back(replay::parse_dump(text));
  if (!args.surface.empty()) surface = replay::parse_surface(*replay::platform_for(args.play.platform, 0).commands, args.surface);
  if (surface && args.png.empty()) throw replay::BadArgument("--surface needs --png FILE");
  eu::Engine engine = eu::Engine::tiers;
  eu::engine_from_name(args.engine, engine);
  args.play.compiler = eu::make_compiler({.engine = engine, .may_be_in_process = true});
  args.play.until_draw = until_draw(args.until);
  args.play.memory_limit = args.limit_mib << 20;
  args.play.timeline = !args.timeline.empty();
  if (!args.faults.empty()) args.play.faults = text_of(args.faults);
  if (!args.check.what.empty()) args.play.check = debug::check::parse_options(args.check.what);
  if (!surface && !args.png.empty()) {
    args.play.png_folder = args.png;
    std::error_code why;
    std::filesystem::create_directories(args.png, why);
    if (why) throw replay::BadArgument(fmt::format("--png {}: {}", args.png, why.message()));
  }

  replay::Player player(args.play);
  replay::PlayResult result;
  std::vector<int64_t> times;
  WorkCounts before;
  for (unsigned i = 0; i < args.repeat; i++) {
    before = work_counts();
    result = player.run(args.file);
    times.push_back(result.busy_ns);
    if (!result.error.empty()) break;
  }
  if (memory::View* view = player.memory()) {
    for (const replay::MemoryRange& range : dumps) dump(*view, range);
    if (surface) {
      const std::string why = debug::write_png(args.png, surface->width, surface->height, debug::read_picture(*view, *surface));
      if (!why.empty()) return complain(args, why);
    }
  }
  if (args.play.timeline && !replay::write_timeline(args.timeline, result)) return complain(args, "cannot write " + args.timeline);
  if (args.want_stats && player.device()) {
    std::FILE* out = dumps.empty() ? stdout : stderr;
    fmt::print(out, "{}\n", replay::stats_json(*player.device(), result, work_between(before, work_counts()), times));
  }
  for (const std::string& picture : result.pictures) fmt::print(stderr, "{}\n", picture);
  if (!result.hang.empty()) fmt::print(stderr, "{}\n", result.hang);
  if (!result.error.empty()) return complain(args, result.error);
  return player.findings() ? tell_findings(args, *player.findings()) : 0;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments args;
  CLI::App app("Runs AUB captures of Intel GPUs' command streams on softgen's core, or prints them.");
  app.add_option("file", args.file, "capture (.aub or .aub.xz; - for standard input)")->required();
  app.add_flag("--print", args.text, "print every command with its fields and the state it points to; do not run");
  app.add_flag("--json", args.json, "the same as JSON");
  app.add_flag("--list", args.list, "a line a submission and draw");
  app.add_flag("--no-data", args.no_data, "leave out the contents of vertex, index and constant buffers");
  app.add_option("--colour,--color", args.colour, "auto, always or never")->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_option("--png", args.png, "folder for render targets and decoded pictures at each flush (with --surface: a file)");
  app.add_option("--until", args.until, "draw:N: stop after draw or walker N, counted from 0");
  app.add_option("--surface", args.surface, "ADDR,FORMAT,WxH,PITCH,TILING: what --png FILE shows at the end");
  app.add_option("--dump", args.dumps, "ADDR,LEN: bytes of PPGTT memory at the end, to standard output");
  app.add_option("--threads", args.play.threads, "worker threads; 0: one thread, everything in order")->check(CLI::Range(0, 1024));
  app.add_option("--engine", args.engine,
                 "how EU kernels run: interp, jit (compiled before they run), tiers (interpreted until compiled), "
                 "check (interp; what Gen12's software scoreboard does not cover is reported)")
      ->capture_default_str()
      ->check(CLI::IsMember({"interp", "check", "jit", "tiers"}));
  app.add_flag("--stats", args.want_stats, "counts and times as JSON");
  app.add_option("--faults", args.faults, "a fault plan for the device (docs/faults.md)")->check(CLI::ExistingFile);
  app.add_option("--timeline", args.timeline, "file for a trace that Perfetto opens");
  app.add_option("--repeat", args.repeat, "run so many times")->check(CLI::Range(1, 1000000));
  app.add_flag("--preempt", args.play.preempt_always,
               "stop draws and walkers wherever they can be preempted and go on: the result must be the same");
  app.add_option("--platform", args.play.platform, "platform to run on or to print for (default: the capture's, else the first)");
  app.add_option("--hang", args.play.hang_seconds, "seconds after which a submission counts as hung")->check(CLI::Range(0.1, 86400.0));
  app.add_option("--memory-limit", args.limit_mib, "MiB of memory a capture may fill")->check(CLI::Range(1, 1 << 20));
  args.check.add_to(app);
  app.add_option("--check-stream", args.play.check_stream,
                 "write the events that the checker received, as text (FILE ending in .check is such a text)");
  try {
    app.parse(debug::check::check_words(argc, argv));
  } catch (const CLI::ParseError& error) { return app.exit(error); }
  try {
    if (args.file.ends_with(".check")) return check_stream(args);
    return args.text || args.json || args.list ? print(args) : run(args);
  } catch (const replay::BadArgument& bad) { return complain(args, bad.what()); } catch (const debug::check::BadOption& bad) {
    return complain(args, bad.what());
  } catch (const faults::PlanError& wrong) { return complain(args, fmt::format("{}: {}", args.faults, wrong.what())); }
}
