// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/disk_cache.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <llvm/Config/llvm-config.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

namespace softgen::eu::jit {

namespace fs = std::filesystem;

namespace {

constexpr uint32_t format_version = 4;
constexpr char magic[8] = {'s', 'o', 'f', 't', 'g', 'e', 'n', 'E'};
constexpr uint64_t largest_file = uint64_t{64} << 20;

struct Header {
  char magic[8];
  uint32_t version, stepped;
  uint64_t start, key_size, kernel_size, object_size;
  uint64_t check;  ///< of everything behind the header
};

uint64_t checksum(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return hash;
}

/// Everything of the host and the compiler that code depends on. Our own part is told by the file it is in, whose time and size change when
/// the emitter does.
std::string find_host_key() {
  std::string self = "?";
  Dl_info info;
  struct stat status;
  if (dladdr(reinterpret_cast<const void*>(&checksum), &info) && info.dli_fname && stat(info.dli_fname, &status) == 0)
    self = fmt::format("{} {}.{}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  return fmt::format("LLVM {} {} {}", LLVM_VERSION_STRING, host_text(), self);
}

/// Asked once: in a virtual machine each CPUID leaves it.
const std::string& host_key() {
  static const std::string& key = *new std::string(find_host_key());  // a thread beside others may ask while the program ends
  return key;
}

std::string_view view(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

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
      unlooked_(static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) % std::max<uint64_t>(between_looks(), 1)) {}

std::optional<ObjectFile> DiskCache::find(const std::string& name, const Program& program) const {
  if (folder_.empty()) return std::nullopt;
  const fs::path path = fs::path(folder_) / name;
  std::error_code error;
  const uint64_t size = fs::file_size(path, error);
  if (error || size < sizeof(Header) || size > largest_file) return std::nullopt;
  std::string text(size, 0);
  std::ifstream file(path, std::ios::binary);
  if (!file.read(text.data(), static_cast<std::streamsize>(size))) return std::nullopt;
  Header h;
  std::memcpy(&h, text.data(), sizeof(h));
  const std::string_view rest = std::string_view(text).substr(sizeof(h));
  const std::string& key = host_key();
  const std::string_view kernel = view(program.bytes());
  if (std::memcmp(h.magic, magic, sizeof(magic)) != 0 || h.version != format_version || h.start != program.start() ||
      h.key_size != key.size() || h.kernel_size != kernel.size() || h.object_size != rest.size() - key.size() - kernel.size() ||
      h.check != checksum(rest) || !rest.starts_with(key) || rest.substr(key.size(), kernel.size()) != kernel)
    return std::nullopt;
  fs::last_write_time(path, fs::file_time_type::clock::now(), error);
  ObjectFile object;
  const std::string_view bytes = rest.substr(key.size() + kernel.size());
  object.bytes.assign(bytes.begin(), bytes.end());
  object.stepped = h.stepped;
  return object;
}

void DiskCache::keep(const std::string& name, const Program& program, const ObjectFile& object) const {
  if (folder_.empty()) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  const std::string& key = host_key();
  std::string rest = key;
  rest += view(program.bytes());
  rest.append(object.bytes.data(), object.bytes.size());
  Header h{{}, format_version, object.stepped, program.start(), key.size(), program.bytes().size(), object.bytes.size(), checksum(rest)};
  std::memcpy(h.magic, magic, sizeof(magic));
  // Written aside and moved into place, so that nobody reads half a file.
  const fs::path path = fs::path(folder_) / name, aside = path.string() + fmt::format(".{}", getpid());
  {
    std::ofstream file(aside, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(&h), sizeof(h));
    file.write(rest.data(), static_cast<std::streamsize>(rest.size()));
    if (!file.flush()) {
      fs::remove(aside, error);
      return;
    }
  }
  fs::rename(aside, path, error);
  if (error) fs::remove(aside, error);
  if ((unlooked_ += sizeof(h) + rest.size()) < between_looks()) return;
  unlooked_ = 0;
  trim();
}

void DiskCache::trim() const {
  struct File {
    fs::path path;
    fs::file_time_type used;
    uint64_t size;
  };
  std::vector<File> files;
  uint64_t total = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    const File file{entry.path(), entry.last_write_time(error), entry.file_size(error)};
    if (error) continue;
    total += file.size;
    files.push_back(file);
  }
  if (total <= limit_) return;
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.used < b.used; });
  // A quarter more than needed, so that this is not each file's work.
  for (const File& file : files) {
    if (total <= limit_ / 4 * 3) break;
    fs::remove(file.path, error);
    total -= file.size;
  }
}

}  // namespace softgen::eu::jit
