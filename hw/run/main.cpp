// SPDX-License-Identifier: GPL-2.0-or-later
// softgen-run: runs a program with our GPU as its only DRM device.
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <regex>

#include "hw/debug/check/command_line.h"
#include "hw/run/chip.h"
#include "hw/run/findings.h"
#include "hw/run/options.h"
#include "hw/run/stand_ins.h"

namespace softgen::run {
namespace {

namespace fs = std::filesystem;

constexpr const char* library_name = "libsoftgen-run.so";

/// What is done with a recording after the program: options of softgen-replay.
struct Afterwards {
  bool print = false, json = false, list = false, no_data = false;
  std::string png, timeline, until;

  std::vector<std::string> looks() const {
    std::vector<std::string> words;
    if (print) words.push_back("--print");
    if (json) words.push_back("--json");
    if (list) words.push_back("--list");
    if (no_data) words.push_back("--no-data");
    return words;
  }
  std::vector<std::string> replays() const {
    std::vector<std::string> words;
    for (const auto& [name, value] : {std::pair{"--png", png}, {"--timeline", timeline}, {"--until", until}})
      if (!value.empty()) words.insert(words.end(), {name, value});
    return words;
  }
};

volatile sig_atomic_t child_pid = 0;

void pass_on(int signal_number) {
  if (child_pid > 0) kill(static_cast<pid_t>(child_pid), signal_number);
}

fs::path own_folder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

/// Beside the program (build folder), or in ../lib/softgen (installed).
std::string find_library() {
  const fs::path self = own_folder();
  for (const fs::path& candidate : {self / library_name, self / "../lib/softgen" / library_name})
    if (fs::exists(candidate)) return fs::canonical(candidate).string();
  throw std::runtime_error(std::string(library_name) + " is not beside softgen-run");
}

/// Becomes the program: its process id, signals and exit status are those the caller sees, and no process or file remains however it ends.
[[noreturn]] void become(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  const int why = errno;
  std::fprintf(stderr, "softgen-run: %s: %s\n", argv[0], std::strerror(why));
  _exit(why == ENOENT ? 127 : 126);
}

void set_environment(const Options& options) {
  const std::string library = find_library();
  if (!options.frames.empty()) fs::create_directories(options.frames);
  const std::string root = make_stand_ins(options.platform);
  const char* before = getenv("LD_PRELOAD");
  setenv("LD_PRELOAD", before && *before ? (library + ":" + before).c_str() : library.c_str(), 1);
  setenv(options_variable, options_to_json(options).c_str(), 1);
  setenv(root_variable, root.c_str(), 1);
  // libwaffle's GBM platform (piglit) would search for a card with libudev, which follows the real /sys.
  setenv("WAFFLE_GBM_DEVICE", "/dev/dri/renderD128", 0);
}

template <typename Body>
int run_child(Body body) {
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
  if (pid == 0) body();
  child_pid = pid;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  child_pid = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void replay(const std::string& recording, std::vector<std::string> words) {
  if (words.empty()) return;
  words.insert(words.begin(), {(own_folder() / "softgen-replay").string(), recording});
  run_child([&] { become(words); });
}

void pass_on_signals() {
  for (int s : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) signal(s, pass_on);
}

int run_program(const Options& options, const std::vector<std::string>& command) {
  pass_on_signals();
  return run_child([&] {
    set_environment(options);
    become(command);
  });
}

/// Runs the program, then reads its recording. The status is the program's.
int run_and_look(Options options, const Afterwards& afterwards, const std::vector<std::string>& command) {
  const bool keep = !options.record.empty();
  std::string name = (fs::temp_directory_path() / "softgen-run-XXXXXX.aub").string();
  if (!keep) {
    const int fd = mkstemps(name.data(), 4);
    if (fd < 0) throw std::runtime_error("no temporary file can be made");
    close(fd);
    unlink(name.c_str());  // the first process that uses the GPU makes it
    options.record = name;
  }
  const int status = run_program(options, command);
  std::error_code ignored;
  if (!fs::exists(options.record)) {
    std::fprintf(stderr, "softgen-run: %s used no GPU: there is nothing to show\n", command[0].c_str());
  } else {
    replay(options.record, afterwards.looks());
    replay(options.record, afterwards.replays());
  }
  if (!keep) fs::remove(options.record, ignored);
  return status;
}

/// Runs the program with the checker. The status is the program's, or where that is 0 and there are findings, theirs.
int run_and_check(Options options, const debug::check::CommandLine& check, const Afterwards& afterwards,
                  const std::vector<std::string>& command) {
  const FindingsFolder folder;
  options.check = debug::check::with_absolute_paths(check.what);
  options.check_folder = folder.path();
  const bool looks = !afterwards.looks().empty() || !afterwards.replays().empty();
  const int status = looks ? run_and_look(options, afterwards, command) : run_program(options, command);
  const size_t found = folder.collect(check.json);
  if (!found) return status;
  std::fprintf(stderr, "softgen-run: the checker has %zu finding%s\n", found, found == 1 ? "" : "s");
  return status ? status : check.status;
}

/// Absolute, since the program may change its directory.
void make_absolute(std::string& path) {
  if (!path.empty() && path != "-") path = fs::absolute(path).string();
}

std::string default_viewer(const Options& options) {
  return "exec ffplay -v error -f rawvideo -pixel_format rgb0 -video_size " + std::to_string(options.width) + "x" +
         std::to_string(options.height) + " -framerate 60 -";
}

/// "1280x720@60" to the monitor's size and rate.
void read_mode(const std::string& mode, Options& options) {
  static const std::regex form("([0-9]{2,4})x([0-9]{2,4})(@([0-9]{1,4}))?");
  std::smatch part;
  if (std::regex_match(mode, part, form)) {
    options.width = static_cast<unsigned>(std::stoul(part[1]));
    options.height = static_cast<unsigned>(std::stoul(part[2]));
    if (part[4].matched) options.refresh_hz = static_cast<unsigned>(std::stoul(part[4]));
  }
  if (part.empty() || std::min(options.width, options.height) < 64 || std::max(options.width, options.height) > 8192 ||
      options.refresh_hz > 1000)
    throw CLI::ValidationError("--mode", "takes WIDTHxHEIGHT[@HZ] of 64 to 8192 pixels and up to 1000 Hz");
}

void add_options(CLI::App& app, Options& options) {
  std::vector<std::string> platforms;
  for (const defs::Platform& platform : defs::platforms())
    if (chip_of(platform.parts)) platforms.emplace_back(platform.name);
  app.add_option("--platform", options.platform, "the chip")->capture_default_str()->check(CLI::IsMember(platforms));
  app.add_option("--threads", options.threads, "worker threads beside the engines'; 0: all in order on one thread")->capture_default_str();
  app.add_option(
         "--preempt", options.preempt,
         "a check: after N commands an engine preempts its context where it can, through the context's image; 0: never (not on ilk)")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--engine", options.engine,
                 "how EU kernels run: interp, jit (compiled before they run), tiers (interpreted until compiled)")
      ->capture_default_str()
      ->check(CLI::IsMember({"interp", "jit", "tiers"}));
  app.add_option("--record", options.record, "record all submissions into an AUB file (processes after the first: FILE.aub.PID)")
      ->type_name("FILE.aub");
  app.add_option("--faults", options.faults, "a fault plan for the device (docs/faults.md)")->type_name("FILE")->check(CLI::ExistingFile);
  app.add_option("--stats", options.stats, "write a JSON report at exit; - is standard error (processes after the first: FILE.PID)")
      ->type_name("FILE");
  app.add_option("--frames", options.frames, "save each frame shown through KMS as a PNG")->type_name("DIR");
  app.add_option("--show", options.show,
                 "show the frames: a command that reads them raw (R8G8B8X8) from its standard input; without one: ffplay")
      ->type_name("[=COMMAND]")
      ->expected(0, 1)
      ->default_str("-");
  app.add_option_function<std::string>(
      "--mode", [&options](const std::string& mode) { read_mode(mode, options); },
      "the monitor, as WIDTHxHEIGHT[@HZ]; @0: frames are shown as soon as drawn (default 1920x1080@60)");
  app.add_option("--hang-timeout", options.hang_timeout_s, "seconds without progress after which an engine is reset; 0: never")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
}

void add_options(CLI::App& app, Afterwards& afterwards) {
  app.add_flag("--print", afterwards.print,
               "afterwards: every command with its fields and the state it points to (softgen-replay --print)");
  app.add_flag("--json", afterwards.json, "afterwards: the same as JSON");
  app.add_flag("--list", afterwards.list, "afterwards: a line a submission and draw");
  app.add_flag("--no-data", afterwards.no_data, "with --print: without the contents of vertex, index and constant buffers");
  app.add_option("--png", afterwards.png, "afterwards: replay, with the render targets at each flush as PNG")->type_name("DIR");
  app.add_option("--until", afterwards.until, "with --png: stop after this draw")->type_name("draw:N");
  app.add_option("--timeline", afterwards.timeline, "afterwards: replay, with a trace for ui.perfetto.dev")->type_name("FILE");
}

/// CLI11 takes "--" for the value in `--stats -- PROGRAM`, where the name of the file was forgotten.
void refuse_missing_paths(CLI::App& app) {
  const CLI::Validator given(
      [](const std::string& path) { return path == "--" ? std::string("takes a path, which is missing before --") : std::string(); }, "");
  for (const char* option : {"--record", "--stats", "--frames", "--png", "--timeline"}) app.get_option(option)->check(given);
}

}  // namespace
}  // namespace softgen::run

int main(int argc, char** argv) {
  using namespace softgen::run;
  CLI::App app{"Runs PROGRAM on a software Intel GPU: its Mesa (iris, anv) finds one i915 device, ours."};
  Options options;
  Afterwards afterwards;
  softgen::debug::check::CommandLine check;
  std::vector<std::string> command;
  add_options(app, options);
  add_options(app, afterwards);
  refuse_missing_paths(app);
  check.add_to(app);
  app.add_option("command", command, "the program and its arguments")->required()->option_text("PROGRAM [ARGUMENTS...]");
  app.positionals_at_end();
  app.footer(
      "SIGUSR2 sent to the program prints where each engine stands. Exit status: the program's; 125 when it could not be started;\n"
      "99 (--check-exit) when the program's is 0 and the checker has findings.");
  try {
    app.parse(softgen::debug::check::check_words(argc, argv));
  } catch (const CLI::ParseError& error) { return app.exit(error); }
  if (options.show == "-") options.show = default_viewer(options);
  try {
    for (std::string* path :
         {&options.record, &options.stats, &options.faults, &options.frames, &afterwards.png, &afterwards.timeline, &check.json})
      make_absolute(*path);
    // The program's processes make these files: the first gets the name, the others one of their own.
    for (const std::string& path : {options.record, options.stats})
      if (fs::is_regular_file(path)) fs::remove(path);
    if (!check.what.empty()) return run_and_check(options, check, afterwards, command);
    if (!afterwards.looks().empty() || !afterwards.replays().empty()) return run_and_look(options, afterwards, command);
    set_environment(options);
    become(command);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "softgen-run: %s\n", e.what());
    return 125;
  }
}
