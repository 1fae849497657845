// SPDX-License-Identifier: GPL-2.0-or-later
// i915's performance interface: metric sets, the checks of PERF_OPEN, and streams of reports.
#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <i915_drm.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "hw/run/drm_file.h"
#include "hw/run/options.h"
#include "hw/run/perf_stream.h"
#include "hw/run/ppgtt.h"
#include "tests/catch.h"

using namespace softgen::run;
using softgen::MutexLock;

namespace {

constexpr const char* some_uuid = "cd4b577b-073a-423f-a948-e198dd818c71";
constexpr const char* other_uuid = "99c1a40e-a090-4354-86e3-4d068bb1917e";
constexpr uint64_t nowhere = 4096;
constexpr uint32_t report_bytes = 256, record_bytes = report_bytes + sizeof(drm_i915_perf_record_header);

uint64_t address(const void* of) { return reinterpret_cast<uint64_t>(of); }

using Properties = std::vector<std::array<uint64_t, 2>>;

struct Node {
  explicit Node(const char* platform = "kbl")
      : driver([&] {
          Options options;
          options.platform = platform;
          return options;
        }()) {}
  ~Node() {
    for (const int fd : fds) close_stream(fd);
  }

  /// A set with one register of flexible events.
  int add(const char* uuid, RegisterValue flex = {0xe458, 5}) {
    drm_i915_perf_oa_config config = {};
    std::memcpy(config.uuid, uuid, sizeof config.uuid);
    config.n_flex_regs = 1;
    config.flex_regs_ptr = address(&flex);
    return file.perf_add_config(&config);
  }
  int remove(uint64_t id) { return file.perf_remove_config(&id); }

  int open(const Properties& properties, uint32_t flags = 0) {
    drm_i915_perf_open_param param = {};
    param.flags = flags;
    param.num_properties = static_cast<uint32_t>(properties.size());
    param.properties_ptr = address(properties.data());
    const int fd = file.perf_open(&param);
    if (fd >= 0) fds.push_back(fd);
    return fd;
  }
  /// As preload.c does it.
  static void close_stream(int fd) {
    forget_perf_stream(fd);
    close(fd);
  }
  void close_last() {
    close_stream(fds.back());
    fds.pop_back();
  }

  Driver driver;
  DrmFile file{driver, false, -1};
  std::vector<int> fds;
};

Properties of_set(int set) {
  return {{DRM_I915_PERF_PROP_SAMPLE_OA, 1},
          {DRM_I915_PERF_PROP_OA_METRICS_SET, static_cast<uint64_t>(set)},
          {DRM_I915_PERF_PROP_OA_FORMAT, I915_OA_FORMAT_A32u40_A4u32_B8_C8}};
}

Properties with(Properties properties, uint64_t id, uint64_t value) {
  properties.push_back({id, value});
  return properties;
}

/// Timer reports, several thousand per second.
Properties periodic(int set) { return with(of_set(set), DRM_I915_PERF_PROP_OA_EXPONENT, 10); }

struct Record {
  drm_i915_perf_record_header header;
  std::array<uint32_t, report_bytes / 4> report;
};
static_assert(sizeof(Record) == record_bytes);

}  // namespace

TEST_CASE("a metric set is added only once, gets the lowest free id, and is removed") {
  Node node;
  CHECK(node.remove(~uint64_t{0}) == -ENOENT);  // Mesa's probe whether sets can be added
  const int first = node.add(some_uuid);
  CHECK(first == 2);
  CHECK(node.add(some_uuid) == -EADDRINUSE);
  CHECK(node.add(other_uuid) == 3);
  CHECK(node.remove(2) == 0);
  CHECK(node.remove(2) == -ENOENT);
  CHECK(node.add(some_uuid) == 2);
}

TEST_CASE("a metric set needs a valid UUID and registers that are allowed in it") {
  Node node;
  CHECK(node.add("cd4b577b-073a-423f-a948-e198dd818c7g") == -EINVAL);
  CHECK(node.add("cd4b577b+073a-423f-a948-e198dd818c71") == -EINVAL);
  CHECK(node.add(some_uuid, {0xe460, 0}) == -EINVAL);  // no register of flexible events
  CHECK(node.add(some_uuid, {0x2000, 0}) == -EINVAL);
  drm_i915_perf_oa_config config = {};
  std::memcpy(config.uuid, some_uuid, sizeof config.uuid);
  CHECK(node.file.perf_add_config(&config) == -EINVAL);  // no registers at all
  config.n_mux_regs = 1;
  config.mux_regs_ptr = nowhere;
  CHECK(node.file.perf_add_config(&config) == -EFAULT);
  config.n_mux_regs = ~0u;
  CHECK(node.file.perf_add_config(&config) == -ENOMEM);
}

TEST_CASE("a metric set may contain the registers that i915 permits on the chip") {
  const auto [platform, boolean, of_gen12] =
      GENERATE(table<const char*, uint32_t, bool>({{"kbl", 0x2710, false}, {"icl", 0x2710, false}, {"tgl", 0xd900, true}}));
  CAPTURE(platform);
  Node node(platform);
  drm_i915_perf_oa_config config = {};
  std::memcpy(config.uuid, some_uuid, sizeof config.uuid);
  RegisterValue entry{boolean, 0};
  config.n_boolean_regs = 1;
  config.boolean_regs_ptr = address(&entry);
  CHECK(node.file.perf_add_config(&config) == 2);
  entry.offset = of_gen12 ? 0x2710 : 0xd900;
  CHECK(node.file.perf_add_config(&config) == -EINVAL);
}

TEST_CASE("the query lists metric sets and gives their registers back") {
  Node node;
  const int id = node.add(some_uuid, {0xe558, 0x12345});
  drm_i915_query_item item = {};
  item.query_id = DRM_I915_QUERY_PERF_CONFIG;
  item.flags = DRM_I915_QUERY_PERF_CONFIG_LIST;
  drm_i915_query query = {};
  query.num_items = 1;
  query.items_ptr = address(&item);
  REQUIRE(node.file.query(&query) == 0);
  constexpr size_t head = sizeof(drm_i915_query_perf_config);
  REQUIRE(item.length == static_cast<int32_t>(head + 2 * sizeof(uint64_t)));
  std::vector<std::byte> reply(head + sizeof(drm_i915_perf_oa_config));
  item.data_ptr = address(reply.data());
  REQUIRE(node.file.query(&query) == 0);
  uint64_t ids[2];
  std::memcpy(ids, reply.data() + head, sizeof ids);
  CHECK(ids[1] == static_cast<uint64_t>(id));

  RegisterValue flex = {};
  drm_i915_perf_oa_config config = {};
  config.n_flex_regs = 1;
  config.flex_regs_ptr = address(&flex);
  std::fill(reply.begin(), reply.end(), std::byte{0});
  std::memcpy(reply.data(), some_uuid, sizeof config.uuid);
  std::memcpy(reply.data() + head, &config, sizeof config);
  item.flags = DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_UUID;
  item.length = static_cast<int32_t>(reply.size());
  REQUIRE(node.file.query(&query) == 0);
  CHECK(item.length == static_cast<int32_t>(reply.size()));
  CHECK((flex.offset == 0xe558 && flex.value == 0x12345));
  std::memcpy(&config, reply.data() + head, sizeof config);
  CHECK((config.n_flex_regs == 1 && config.n_mux_regs == 0));

  const auto length = [&](uint64_t flags, uint64_t data, int32_t given) {
    item.flags = static_cast<uint32_t>(flags), item.data_ptr = data, item.length = given;
    REQUIRE(node.file.query(&query) == 0);
    return item.length;
  };
  CHECK(length(DRM_I915_QUERY_PERF_CONFIG_LIST, nowhere, 4096) == -EFAULT);
  CHECK(length(DRM_I915_QUERY_PERF_CONFIG_LIST, address(reply.data()), -1) == -EINVAL);
  CHECK(length(DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_UUID, address(reply.data()), 8) == -EINVAL);
  CHECK(length(9, address(reply.data()), 8) == -EINVAL);
  std::fill(reply.begin(), reply.end(), std::byte{0});
  CHECK(length(DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_ID, address(reply.data()), static_cast<int32_t>(reply.size())) == -ENOENT);
}

TEST_CASE("a metric set's id is in a file, as in sysfs") {
  Node node;
  CHECK(node.driver.perf->configs().id_file(some_uuid) == -1);
  node.add(some_uuid);
  const int file = node.driver.perf->configs().id_file(some_uuid);
  REQUIRE(file >= 0);
  char text[8] = {};
  CHECK(pread(file, text, sizeof text, 0) == 2);
  CHECK(std::string(text) == "2\n");
  CHECK(node.driver.perf->configs().id_file(some_uuid) == file);
}

TEST_CASE("PERF_OPEN checks its properties") {
  Node node;
  const int set = node.add(some_uuid);
  const Properties good = of_set(set);
  CHECK(node.open({}) == -EINVAL);
  CHECK(node.open(good, 1u << 3) == -EINVAL);
  CHECK(node.open(Properties(DRM_I915_PERF_PROP_MAX, {DRM_I915_PERF_PROP_SAMPLE_OA, 1})) == -EINVAL);
  CHECK(node.open({good[1], good[2]}) == -EINVAL);  // no reports
  CHECK(node.open({good[0], good[1]}) == -EINVAL);  // no format
  CHECK(node.open({good[0], good[2]}) == -EINVAL);  // no set
  CHECK(node.open(of_set(set + 1)) == -EINVAL);
  const auto wrong = [&](uint64_t id, uint64_t value) { return node.open(with(good, id, value)); };
  CHECK(wrong(0, 0) == -EINVAL);
  CHECK(wrong(DRM_I915_PERF_PROP_MAX, 0) == -EINVAL);
  CHECK(wrong(DRM_I915_PERF_PROP_CTX_HANDLE, 77) == -ENOENT);
  CHECK(wrong(DRM_I915_PERF_PROP_OA_METRICS_SET, 0) == -EINVAL);
  CHECK(wrong(DRM_I915_PERF_PROP_OA_FORMAT, I915_OA_FORMAT_A45_B8_C8) == -EINVAL);  // Haswell's
  CHECK(wrong(DRM_I915_PERF_PROP_OA_EXPONENT, 32) == -EINVAL);
  CHECK(wrong(DRM_I915_PERF_PROP_HOLD_PREEMPTION, 1) == -EINVAL);  // of no context
  CHECK(wrong(DRM_I915_PERF_PROP_POLL_OA_PERIOD, 99'999) == -EINVAL);
  CHECK(wrong(DRM_I915_PERF_PROP_GLOBAL_SSEU, nowhere) == -EFAULT);
  drm_i915_gem_context_param_sseu sseu = {};
  CHECK(wrong(DRM_I915_PERF_PROP_GLOBAL_SSEU, address(&sseu)) == -EINVAL);
  drm_i915_perf_open_param param = {};
  param.num_properties = 1;
  param.properties_ptr = nowhere;
  CHECK(node.file.perf_open(&param) == -EFAULT);
}

namespace {

/// While it lives: stand-ins for sysctl files with these values, and a process without root's privileges.
struct Sysctls {
  Sysctls(const char* paranoid, const char* max_rate)
      : root(std::filesystem::temp_directory_path() / fmt::format("test-perf-{}", getpid())) {
    const std::filesystem::path folder = root / "proc/sys/dev/i915";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "perf_stream_paranoid") << paranoid;
    std::ofstream(folder / "oa_max_sample_rate") << max_rate;
    setenv(root_variable, root.c_str(), 1);
    if (geteuid() == 0) became_user = seteuid(65534) == 0;
  }
  ~Sysctls() {
    if (became_user && seteuid(0) != 0) std::abort();
    unsetenv(root_variable);
    std::filesystem::remove_all(root);
  }
  std::filesystem::path root;
  bool became_user = false;
};

}  // namespace

TEST_CASE("what the sysctls restrict to root is refused to users") {
  const auto* const platform = GENERATE("kbl", "tgl");
  CAPTURE(platform);
  Node node(platform);
  const int set = node.add(some_uuid);
  {
    const Sysctls sysctls("1\n", "100000\n");
    CHECK(node.add(other_uuid) == -EACCES);
    CHECK(node.remove(static_cast<uint64_t>(set)) == -EACCES);
    CHECK(node.open(of_set(set)) == -EACCES);
    // Gen12's counters of the caller's context are allowed.
    const Properties of_context{of_set(set)[1], of_set(set)[2], {DRM_I915_PERF_PROP_CTX_HANDLE, 0}};
    CHECK((node.open(of_context) >= 0) == (platform == std::string("tgl")));
    CHECK(node.open(with(of_context, DRM_I915_PERF_PROP_HOLD_PREEMPTION, 1)) == -EACCES);
  }
  for (const int fd : std::exchange(node.fds, {})) Node::close_stream(fd);
  const Sysctls sysctls("0\n", "1000\n");
  CHECK(node.open(periodic(set)) == -EACCES);
  CHECK(node.open(with(of_set(set), DRM_I915_PERF_PROP_OA_EXPONENT, 20)) >= 0);
}

TEST_CASE("PERF_OPEN accepts the slices that the context reports") {
  const auto* const platform = GENERATE("kbl", "icl", "tgl");
  CAPTURE(platform);
  Node node(platform);
  drm_i915_gem_context_param_sseu sseu = {};
  drm_i915_gem_context_param param = {};
  param.param = I915_CONTEXT_PARAM_SSEU;
  param.size = sizeof sseu;
  param.value = address(&sseu);
  REQUIRE(node.file.context_getparam(&param) == 0);
  CHECK(sseu.slice_mask == 1);
  CHECK(node.open(with(of_set(node.add(some_uuid)), DRM_I915_PERF_PROP_GLOBAL_SSEU, address(&sseu))) >= 0);
  param.size = 8;
  CHECK(node.file.context_getparam(&param) == -EINVAL);
  param.size = sizeof sseu;
  param.value = nowhere;
  CHECK(node.file.context_getparam(&param) == -EFAULT);
}

TEST_CASE("there is one stream at a time") {
  const auto* const platform = GENERATE("kbl", "icl", "tgl");
  CAPTURE(platform);
  Node node(platform);
  const int set = node.add(some_uuid);
  for (int i = 0; i < 3; ++i) {
    REQUIRE(node.open(of_set(set), I915_PERF_FLAG_DISABLED) >= 0);
    CHECK(node.open(of_set(set)) == -EBUSY);
    const int copy = fcntl(node.fds.back(), F_DUPFD_CLOEXEC, 0);
    share_perf_stream(node.fds.back(), copy);
    node.close_last();
    CHECK(node.open(of_set(set)) == -EBUSY);  // until its last descriptor is closed
    Node::close_stream(copy);
  }
}

TEST_CASE("a stream delivers timer reports as records") {
  const auto* const platform = GENERATE("kbl", "icl", "tgl");
  CAPTURE(platform);
  Node node(platform);
  const int fd = node.open(periodic(node.add(some_uuid)));
  REQUIRE(fd >= 0);
  const auto stream = perf_stream(fd);
  std::vector<Record> records(4);
  uint32_t last_time = 0;
  for (int found = 0; found < 20;) {
    const int64_t bytes = stream->read(fd, address(records.data()), records.size() * sizeof(Record));
    REQUIRE(bytes > 0);
    REQUIRE(bytes % record_bytes == 0);
    for (size_t i = 0; i < static_cast<size_t>(bytes) / record_bytes; ++i, ++found) {
      CHECK((records[i].header.type == DRM_I915_PERF_RECORD_SAMPLE && records[i].header.size == record_bytes));
      CHECK((records[i].report[0] >> 19 & 0x7f) != 0);
      if (last_time) CHECK(static_cast<int32_t>(records[i].report[1] - last_time) > 0);
      last_time = records[i].report[1];
    }
  }
  CHECK(stream->read(fd, nowhere, 4096) == -EFAULT);
  CHECK(stream->read(fd, address(records.data()), record_bytes - 1) == -ENOSPC);
  pollfd readable{fd, POLLIN, 0};
  CHECK(poll(&readable, 1, -1) == 1);
}

TEST_CASE("a stream that is disabled has nothing to read") {
  Node node;
  const int set = node.add(some_uuid), other = node.add(other_uuid);
  const int fd = node.open(of_set(set), I915_PERF_FLAG_DISABLED | I915_PERF_FLAG_FD_NONBLOCK | I915_PERF_FLAG_FD_CLOEXEC);
  REQUIRE(fd >= 0);
  CHECK(fcntl(fd, F_GETFD) == FD_CLOEXEC);
  PerfStream& stream = *perf_stream(fd);
  Record record;
  const auto read = [&] { return stream.read(fd, address(&record), sizeof record); };
  CHECK(read() == -EIO);
  CHECK(perf_stream_ioctl(stream, I915_PERF_IOCTL_ENABLE, 0) == 0);
  CHECK(read() == -EAGAIN);  // no timer, and no context has come
  CHECK(perf_stream_ioctl(stream, I915_PERF_IOCTL_CONFIG, static_cast<uint64_t>(other)) == set);
  CHECK(perf_stream_ioctl(stream, I915_PERF_IOCTL_CONFIG, static_cast<uint64_t>(other)) == other);
  CHECK(perf_stream_ioctl(stream, I915_PERF_IOCTL_CONFIG, 99) == -EINVAL);
  CHECK(perf_stream_ioctl(stream, DRM_IOCTL_VERSION, 0) == -EINVAL);
  CHECK(perf_stream_ioctl(stream, I915_PERF_IOCTL_DISABLE, 0) == 0);
  CHECK(read() == -EIO);
  fcntl(fd, F_SETFL, 0);
  stream.enable();
  CHECK(read() == -EIO);  // without a timer a reader would wait for ever
}

TEST_CASE("a stream of one context") {
  const auto [platform, valid] = GENERATE(table<const char*, uint32_t>({{"kbl", 1u << 16}, {"tgl", 0}}));
  CAPTURE(platform);
  const OaUnit& unit = *chip_of(platform)->oa;
  constexpr uint32_t switched = 1u << 22, timer = 1u << 19;
  ReportFilter filter(unit);
  const auto see = [&](uint32_t head, uint32_t context) -> int64_t {
    std::array<uint32_t, 4> report{head, 1, context, 0};
    const auto passed = filter.pass(report);
    if (passed) filter.passed(*passed);
    return passed ? int64_t{report[2]} : -1;
  };
  filter.only(0x40);
  constexpr int64_t other = oa::no_context;
  SECTION("delivers its own reports and all of context switches") {
    CHECK(see(timer | valid, 0x20) == -1);
    CHECK(see(switched | valid, 0x20) == other);
    CHECK(see(timer | valid, 0x40) == 0x40);
    CHECK(see(timer | valid, 0x20) == other);  // the first report after its own
    CHECK(see(timer | valid, 0x20) == -1);
  }
  SECTION("starts anew after restart()") {
    CHECK(see(timer | valid, 0x40) == 0x40);
    filter.restart();
    CHECK(see(timer | valid, 0x20) == -1);
  }
  if (valid) CHECK(see(timer, 0x40) == -1);  // without the valid bit the id counts as none
}

namespace {

constexpr uint64_t page = 4096, batch_at = 1 << 20, words_at = 2 << 20;

/// A context that runs the test's batches.
struct Program {
  explicit Program(Node& of) : node(of) {
    context = std::make_shared<Context>();
    const auto vm = std::make_shared<Ppgtt>(gpu().arena());
    REQUIRE(vm->bind(batch_at, batch->gpa(), page, batch->id()));
    REQUIRE(vm->bind(words_at, words->gpa(), page, words->id()));
    context->vm = vm;
  }
  Gpu& gpu() { return node.driver.gpu; }
  void run(std::vector<uint32_t> commands) {
    commands.push_back(0x0a << 23);
    std::memcpy(batch->host(), commands.data(), commands.size() * 4);
    auto request = std::make_shared<Request>();
    request->context = context;
    request->batch = batch_at;
    request->fence = std::make_shared<Fence>();
    {
      MutexLock lock(gpu().lock());
      gpu().submit(request, 0);
    }
    FenceClock::get().wait(INT64_MAX, [&] { return request->fence->signalled; });
    CHECK(request->fence->error == 0);
  }

  Node& node;
  BoPtr batch = Bo::create(gpu().arena(), page), words = Bo::create(gpu().arena(), page);
  std::shared_ptr<Context> context;
};

}  // namespace

TEST_CASE("MI_REPORT_PERF_COUNT counts in the stream's context") {
  const auto* const platform = GENERATE("kbl", "icl", "tgl");
  CAPTURE(platform);
  Node node(platform);
  Program program(node);
  const int set = node.add(some_uuid);
  PerfProperties properties;
  properties.sample_reports = properties.periodic = true;
  properties.context_handle = 1;
  properties.metrics_set = set;
  properties.format = oa_format(I915_OA_FORMAT_A32u40_A4u32_B8_C8);
  properties.period_exponent = 31;
  const int fd = node.driver.perf->open(properties, program.context, I915_PERF_FLAG_FD_NONBLOCK);
  REQUIRE(fd >= 0);
  node.fds.push_back(fd);
  constexpr uint32_t mi_report_perf_count = 0x28 << 23 | 2;
  program.run({mi_report_perf_count, words_at, 0, 1000, mi_report_perf_count, words_at + report_bytes, 0, 1001});
  std::array<uint32_t, report_bytes / 4> begin, end;
  std::memcpy(begin.data(), program.words->host(), report_bytes);
  std::memcpy(end.data(), program.words->host() + report_bytes, report_bytes);
  CHECK((begin[0] == 1000 && end[0] == 1001));
  CHECK(static_cast<int32_t>(end[1] - begin[1]) >= 0);
  CHECK(begin[2] == end[2]);
  CHECK(end[3] != 0);  // ticks

  // After it the driver's own context runs, which writes a report: Mesa waits for one that is later than its last.
  const auto stream = perf_stream(fd);
  Record record;
  bool own = false, later = false;
  while (!later) {
    const int64_t bytes = stream->read(fd, address(&record), sizeof record);
    REQUIRE((bytes == record_bytes || bytes == -EAGAIN));
    if (bytes < 0) continue;
    own = own || record.report[2] == begin[2];
    later = static_cast<int32_t>(record.report[1] - end[1]) >= 0 && record.report[2] != begin[2];
  }
  CHECK(own);
}

TEST_CASE("GGTT space is aligned, and freed ranges are merged") {
  Gpu gpu{Options()};
  MutexLock lock(gpu.lock());
  constexpr uint32_t pages = 4096;
  const GgttMemory small = gpu.ggtt_allocate(1), aligned = gpu.ggtt_allocate(pages, pages), next = gpu.ggtt_allocate(1);
  CHECK(aligned.address % (page * pages) == 0);
  CHECK(next.address == small.address + page);
  for (const GgttMemory& memory : {small, aligned, next}) gpu.ggtt_free(memory);
  const GgttMemory large = gpu.ggtt_allocate(3 * pages);
  CHECK(large.address == small.address);
  gpu.ggtt_free(large);
}
