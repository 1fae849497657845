// SPDX-License-Identifier: GPL-2.0-or-later
// main() of the fuzz targets without libFuzzer: runs files, or inputs made from a seed, at full speed. Detects what ends the process (a
// stray access, an abort) and what does not terminate; then it saves the input and prints how to repeat it.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Clock = std::chrono::steady_clock;

constexpr int finding_status = 1;  // not 77, which meson takes for a skipped test

const char* program = "";
const char* folder = ".";
Clock::time_point start;
std::atomic<uint64_t> executions{0};
const uint8_t* current = nullptr;
size_t current_size = 0;
const char* current_file = nullptr;  // an input that is kept already
unsigned timeout_seconds = 20;

double seconds_so_far() { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Of processor time: rates do not depend on what else the host does.
double processor_seconds() {
  timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

void print_result(const char* finding) {
  const double seconds = processor_seconds();
  const uint64_t n = executions.load();
  char line[512];
  const int length =
      std::snprintf(line, sizeof line, "{\"target\":\"%s\",\"executions\":%llu,\"seconds\":%.3f,\"rate\":%.0f,\"finding\":\"%s\"}\n",
                    program, static_cast<unsigned long long>(n), seconds, seconds > 0 ? static_cast<double>(n) / seconds : 0.0, finding);
  if (write(STDOUT_FILENO, line, static_cast<size_t>(length)) < 0) _exit(1);
}

/// Nothing that allocates: it runs in signal handlers.
[[noreturn]] void keep_finding(const char* what) {
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t i = 0; i < current_size; ++i) hash = (hash ^ current[i]) * 0x100000001b3;
  char path[512];
  if (current_file) {
    std::snprintf(path, sizeof path, "%s", current_file);
  } else {
    std::snprintf(path, sizeof path, "%s/%s-%s-%016llx", folder, program, what, static_cast<unsigned long long>(hash));
    const int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
    if (fd < 0 || write(fd, current, current_size) < 0) std::snprintf(path, sizeof path, "(could not be written)");
    if (fd >= 0) close(fd);
  }
  char line[1024];
  const int length = std::snprintf(line, sizeof line, "\n%s: %s. Repeat with:\n  %s %s\n", program, what, program, path);
  if (write(STDERR_FILENO, line, static_cast<size_t>(length)) < 0) _exit(1);
  print_result(path);
  _exit(finding_status);
}

void on_signal(int number) {
  keep_finding(number == SIGABRT ? "abort" : number == SIGFPE ? "fpe" : number == SIGILL ? "ill" : number == SIGBUS ? "bus" : "segv");
}

void on_tick(int) {
  static uint64_t seen = ~uint64_t{0};
  static unsigned same = 0;
  const uint64_t now = executions.load();
  same = now == seen ? same + 1 : 0;
  seen = now;
  if (same >= timeout_seconds) keep_finding("timeout");
}

void install_handlers() {
  static char stack[1 << 16];
  stack_t alternate = {};
  alternate.ss_sp = stack, alternate.ss_size = sizeof stack;
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK;
  for (const int number : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) sigaction(number, &action, nullptr);
  action.sa_handler = on_tick;
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  const itimerval second = {{1, 0}, {1, 0}};
  setitimer(ITIMER_REAL, &second, nullptr);
}

void run(const uint8_t* data, size_t size) {
  current = data, current_size = size;
  LLVMFuzzerTestOneInput(data, size);
  executions.fetch_add(1, std::memory_order_relaxed);
}

std::vector<uint8_t> contents(const std::string& path) {
  std::vector<uint8_t> bytes;
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (!file) {
    std::fprintf(stderr, "%s: cannot read %s: %s\n", program, path.c_str(), std::strerror(errno));
    std::exit(2);
  }
  for (int c; (c = std::fgetc(file)) != EOF;) bytes.push_back(static_cast<uint8_t>(c));
  std::fclose(file);
  return bytes;
}

void run_path(const std::string& path) {
  struct stat what = {};
  if (stat(path.c_str(), &what) == 0 && S_ISDIR(what.st_mode)) {
    DIR* const directory = opendir(path.c_str());
    if (!directory) return;
    std::vector<std::string> names;
    while (const dirent* entry = readdir(directory))
      if (entry->d_name[0] != '.') names.push_back(path + "/" + entry->d_name);
    closedir(directory);
    for (const std::string& name : names) run_path(name);
    return;
  }
  const std::vector<uint8_t> bytes = contents(path);
  current_file = path.c_str();
  run(bytes.data(), bytes.size());
  current_file = nullptr;
}

/// Input number `n` of `seed`.
uint64_t input(uint64_t seed, uint64_t n) {
  uint64_t z = seed * 0x9e3779b97f4a7c15 + n;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

// Targets that take their choices by StateSource go on with pseudo-random ones behind eight bytes; to others (Input) what is missing is zeros.
#ifndef SOFTGEN_FUZZ_BYTES
#define SOFTGEN_FUZZ_BYTES 8
#endif
uint8_t bytes[SOFTGEN_FUZZ_BYTES];
static_assert(sizeof bytes % sizeof(uint64_t) == 0);

/// Returns its size.
size_t make_input(uint64_t word) {
  constexpr size_t words = sizeof bytes / sizeof word;
  const size_t used = 1 + input(word, words) % words;
  for (size_t i = 0; i < used; ++i) {
    const uint64_t next = i ? input(word, i) : word;
    std::memcpy(bytes + i * sizeof next, &next, sizeof next);
  }
  return used * sizeof word;
}

void help() {
  std::printf(
      "Usage: %s [OPTION]... [FILE|FOLDER]...\n"
      "Runs the inputs in FILEs, or else inputs made from a seed. Ends with status %d at the first finding, which is kept as a file.\n"
      "The last line of the output is a JSON object: target, executions, seconds (of processor time), rate, finding.\n\n"
      "  --count=N     inputs to run (default: 10000; with --seconds: no limit)\n"
      "  --seconds=N   how long to run\n"
      "  --seed=N      of the inputs (default: 1)\n"
      "  --first=N     number of the first input (default: 0)\n"
      "  --timeout=N   seconds after which an input counts as one that does not end (default: 20)\n"
      "  --save=DIR    where findings are kept (default: .)\n"
      "  --help        this text\n",
      program, finding_status);
}

}  // namespace

int main(int argc, char** argv) {
  const char* const slash = std::strrchr(argv[0], '/');
  program = slash ? slash + 1 : argv[0];
  uint64_t count = 0, seed = 1, first = 0;
  double seconds = 0;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    const auto value = [&](const char* name) -> const char* { return text.rfind(name, 0) == 0 ? argv[i] + std::strlen(name) : nullptr; };
    if (const char* v = value("--count=")) count = std::strtoull(v, nullptr, 0);
    else if (const char* v2 = value("--seconds=")) seconds = std::strtod(v2, nullptr);
    else if (const char* v3 = value("--seed=")) seed = std::strtoull(v3, nullptr, 0);
    else if (const char* v4 = value("--first=")) first = std::strtoull(v4, nullptr, 0);
    else if (const char* v5 = value("--timeout=")) timeout_seconds = static_cast<unsigned>(std::strtoul(v5, nullptr, 0));
    else if (const char* v6 = value("--save=")) folder = v6;
    else if (text == "--help") return help(), 0;
    else if (text.rfind("--", 0) == 0) return std::fprintf(stderr, "%s: unknown option %s (see --help)\n", program, argv[i]), 2;
    else paths.push_back(text);
  }
  install_handlers();
  start = Clock::now();
  if (!paths.empty()) {
    for (const std::string& path : paths) run_path(path);
  } else {
    std::fprintf(stderr, "%s: seed %llu, from input %llu\n", program, static_cast<unsigned long long>(seed),
                 static_cast<unsigned long long>(first));
    if (!count) count = seconds > 0 ? ~uint64_t{0} : 10000;
    for (uint64_t n = 0; n < count; ++n) {
      if (seconds > 0 && n % 64 == 0 && seconds_so_far() >= seconds) break;
      run(bytes, make_input(input(seed, first + n)));
    }
  }
  print_result("");
  return 0;
}
