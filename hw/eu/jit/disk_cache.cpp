// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/disk_cache.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <llvm/Config/llvm-config.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "hw/base/hash.h"
#include "hw/base/log.h"

namespace softgen::eu::jit {

namespace {

constexpr uint32_t format_version = 6;
constexpr char magic[8] = {'s', 'o', 'f', 't', 'g', 'e', 'n', 'E'};
constexpr uint64_t largest_file = uint64_t{64} << 20;

struct Header {
  char magic[8];
  uint32_t version, stepped;
  uint64_t isa;  ///< Isa::cache_id()
  uint64_t start, key_size, kernel_size, object_size;
  uint64_t check;  ///< of everything after the header
};

uint64_t checksum(std::string_view bytes) { return hash64(std::as_bytes(std::span(bytes))); }

/// The processor's model and features, and the register state that the system saves: the facts that LLVM uses, too, for code for "host".
std::string processor_text() {
#if defined(__x86_64__)
  std::string text;
  const auto add = [&](unsigned leaf, unsigned subleaf, std::array<bool, 4> wanted) {
    std::array<unsigned, 4> v{};
    if (!__get_cpuid_count(leaf, subleaf, &v[0], &v[1], &v[2], &v[3])) v = {};
    for (size_t n = 0; n < v.size(); n++)
      if (wanted[n]) text += fmt::format("{:08x}", v[n]);
  };
  add(0, 0, {false, true, true, true});  // vendor
  add(1, 0, {true, false, true, true});  // model and features; ebx has the id of the current core
  add(7, 0, {false, true, true, true});
  add(7, 1, {true, false, false, true});
  add(0x80000001, 0, {false, false, true, true});
  add(0xd, 1, {true, false, false, false});
  unsigned low = 0, high = 0;
  if (__builtin_cpu_supports("avx")) __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return text + fmt::format("{:08x}", low);
#else
  return "?";
#endif
}

/// Everything of the host and the compiler that code depends on. Our own emitter is identified by the size and time of the file that
/// contains it.
std::string find_host_key() {
  std::string self = "?";
  Dl_info info;
  struct stat status;
  if (dladdr(reinterpret_cast<const void*>(&checksum), &info) && info.dli_fname && stat(info.dli_fname, &status) == 0)
    self = fmt::format("{} {}.{}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  return fmt::format("LLVM {} {} {}", LLVM_VERSION_STRING, processor_text(), self);
}

/// Computed once: in a virtual machine each CPUID causes an exit.
const std::string& host_key() {
  static const std::string& key = *new std::string(find_host_key());  // never destroyed: other threads may ask while the program ends
  return key;
}

std::string_view view(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// A file descriptor, closed by the destructor.
class File {
 public:
  explicit File(int number) : number_(number) {}
  File(File&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  ~File() {
    if (number_ >= 0) close(number_);
  }
  File& operator=(File&&) = delete;
  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }

 private:
  int number_;
};

bool read_all(int file, std::span<char> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = read(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return true;
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

/// Whether only this user (or root) can have written it.
bool is_private(const struct stat& status) { return status.st_uid == geteuid() && !(status.st_mode & (S_IWGRP | S_IWOTH)); }

void make_folders(const std::string& path) {
  for (size_t at = path.find('/', 1);; at = path.find('/', at + 1)) {
    mkdir(path.substr(0, at).c_str(), S_IRWXU);
    if (at == std::string::npos) return;
  }
}

/// The folder of code that this process will run. None: there is none, or others could put code into it (reported once).
File open_folder(const std::string& path) {
  File folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status;
  if (!folder && (errno == ELOOP || errno == ENOTDIR)) {
    note("EU JIT: no cache on disk", "{} is a link or a file, not a folder", path);
  } else if (folder && (fstat(folder.number(), &status) || !is_private(status))) {
    note("EU JIT: no cache on disk", "{} belongs to somebody else or others may write it (chmod 700 makes it private)", path);
    return File(-1);
  }
  return folder;
}

}  // namespace

std::string DiskCache::default_folder() {
  if (const char* choice = std::getenv("SOFTGEN_CACHE"); choice && !std::strcmp(choice, "off")) return {};
  if (const char* base = std::getenv("XDG_CACHE_HOME"); base && *base == '/') return std::string(base) + "/softgen/kernels";
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? std::string(home) + "/.cache/softgen/kernels" : std::string();
}

DiskCache::DiskCache(std::string folder, uint64_t limit)
    : folder_(std::move(folder)),
      limit_(limit),
      untrimmed_(static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) %
                 std::max<uint64_t>(trim_interval(), 1)) {}

std::optional<ObjectFile> DiskCache::find(const std::string& name, const Program& program) const {
  if (folder_.empty()) return std::nullopt;
  const File folder = open_folder(folder_);
  if (!folder) return std::nullopt;
  // Not waiting: what is there may be a pipe.
  const File file(openat(folder.number(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status;
  if (!file || fstat(file.number(), &status) || !S_ISREG(status.st_mode) || !is_private(status)) return std::nullopt;
  const auto size = static_cast<uint64_t>(status.st_size);
  if (size < sizeof(Header) || size > largest_file) return std::nullopt;
  std::string text(size, 0);
  if (!read_all(file.number(), text)) return std::nullopt;
  Header h;
  std::memcpy(&h, text.data(), sizeof(h));
  const std::string_view rest = std::string_view(text).substr(sizeof(h));
  const std::string& key = host_key();
  const std::string_view kernel = view(program.bytes());
  if (std::memcmp(h.magic, magic, sizeof(magic)) != 0 || h.version != format_version || h.isa != program.isa().cache_id() ||
      h.start != program.start() || h.key_size != key.size() || h.kernel_size != kernel.size() ||
      h.object_size != rest.size() - key.size() - kernel.size() || h.check != checksum(rest) || !rest.starts_with(key) ||
      rest.substr(key.size(), kernel.size()) != kernel)
    return std::nullopt;
  futimens(file.number(), nullptr);
  ObjectFile object;
  const std::string_view bytes = rest.substr(key.size() + kernel.size());
  object.bytes.assign(bytes.begin(), bytes.end());
  object.stepped = h.stepped;
  return object;
}

void DiskCache::keep(const std::string& name, const Program& program, const ObjectFile& object) const {
  if (folder_.empty()) return;
  make_folders(folder_);
  const File folder = open_folder(folder_);
  if (!folder) return;
  const std::string& key = host_key();
  std::string rest = key;
  rest += view(program.bytes());
  rest.append(object.bytes.data(), object.bytes.size());
  Header h{{},
           format_version,
           object.stepped,
           program.isa().cache_id(),
           program.start(),
           key.size(),
           program.bytes().size(),
           object.bytes.size(),
           checksum(rest)};
  std::memcpy(h.magic, magic, sizeof(magic));
  // Written under a temporary name and renamed, so that no reader sees a partial file. Process ids may repeat (containers), so the name has
  // the time, too.
  const std::string aside =
      fmt::format("{}.{}.{:x}", name, getpid(), static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()));
  bool written;
  {
    const File file(openat(folder.number(), aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!file) return;
    written = write_all(file.number(), {reinterpret_cast<const char*>(&h), sizeof(h)}) && write_all(file.number(), rest);
  }
  if (!written || renameat(folder.number(), aside.c_str(), folder.number(), name.c_str())) {
    unlinkat(folder.number(), aside.c_str(), 0);
    return;
  }
  if ((untrimmed_ += sizeof(h) + rest.size()) < trim_interval()) return;
  untrimmed_ = 0;
  trim(folder.number());
}

void DiskCache::trim(int folder) const {
  struct Kept {
    std::string name;
    timespec used;
    uint64_t size;
  };
  std::vector<Kept> files;
  uint64_t total = 0;
  DIR* const listing = fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!listing) return;
  while (const dirent* entry = readdir(listing)) {
    struct stat status;
    if (fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) || !S_ISREG(status.st_mode)) continue;
    total += static_cast<uint64_t>(status.st_size);
    files.push_back({entry->d_name, status.st_mtim, static_cast<uint64_t>(status.st_size)});
  }
  closedir(listing);
  if (total <= limit_) return;
  std::sort(files.begin(), files.end(), [](const Kept& a, const Kept& b) {
    return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
  });
  // Down to three quarters of the limit, so that not each new file trims again.
  for (const Kept& file : files) {
    if (total <= limit_ / 4 * 3) break;
    unlinkat(folder, file.name.c_str(), 0);
    total -= file.size;
  }
}

}  // namespace softgen::eu::jit
