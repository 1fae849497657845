// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/debug/byte_source.h"

#include <fmt/format.h>
#include <lzma.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace softgen::debug {
namespace {

constexpr std::array<uint8_t, 6> xz_magic = {0xfd, '7', 'z', 'X', 'Z', 0};
/// `xz -9` needs 65 MiB to decode; a file that asks for more is refused rather than obeyed.
constexpr uint64_t decoder_memory_limit = 256u << 20;

class File final : public ByteSource {
 public:
  explicit File(const std::string& path) : file_(path == "-" ? stdin : std::fopen(path.c_str(), "rb")) {
    if (!file_) throw StreamError(0, fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  }
  ~File() override {
    if (file_ != stdin) std::fclose(file_);
  }
  size_t read(std::span<std::byte> out) override {
    const size_t got = std::fread(out.data(), 1, out.size(), file_);
    if (got < out.size() && std::ferror(file_)) throw StreamError(position_ + got, fmt::format("read error: {}", std::strerror(errno)));
    position_ += got;
    return got;
  }

 private:
  std::FILE* file_;
  uint64_t position_ = 0;
};

class Bytes final : public ByteSource {
 public:
  explicit Bytes(std::span<const std::byte> bytes) : bytes_(bytes) {}
  size_t read(std::span<std::byte> out) override {
    const size_t size = std::min(out.size(), bytes_.size());
    std::copy_n(bytes_.begin(), size, out.begin());
    bytes_ = bytes_.subspan(size);
    return size;
  }

 private:
  std::span<const std::byte> bytes_;
};

/// What was read to find the magic number, then the rest.
class Prefixed final : public ByteSource {
 public:
  Prefixed(std::span<const std::byte> prefix, std::unique_ptr<ByteSource> rest) : size_(prefix.size()), rest_(std::move(rest)) {
    std::copy(prefix.begin(), prefix.end(), prefix_.begin());
  }
  size_t read(std::span<std::byte> out) override {
    const size_t first = std::min(out.size(), size_ - done_);
    std::copy_n(prefix_.begin() + static_cast<ptrdiff_t>(done_), first, out.begin());
    done_ += first;
    return first < out.size() ? first + rest_->read(out.subspan(first)) : first;
  }

 private:
  std::array<std::byte, xz_magic.size()> prefix_;
  size_t size_, done_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

class Xz final : public ByteSource {
 public:
  explicit Xz(std::unique_ptr<ByteSource> packed) : packed_(std::move(packed)) {
    if (lzma_stream_decoder(&stream_, decoder_memory_limit, LZMA_CONCATENATED) != LZMA_OK)
      throw StreamError(0, "cannot start the xz decoder");
  }
  ~Xz() override { lzma_end(&stream_); }
  Xz(const Xz&) = delete;
  Xz& operator=(const Xz&) = delete;

  size_t read(std::span<std::byte> out) override {
    stream_.next_out = reinterpret_cast<uint8_t*>(out.data());
    stream_.avail_out = out.size();
    while (stream_.avail_out && !ended_) step();
    position_ += out.size() - stream_.avail_out;
    return out.size() - stream_.avail_out;
  }

 private:
  void step() {
    if (!stream_.avail_in && !packed_ended_) {
      const size_t got = packed_->read(std::as_writable_bytes(std::span(buffer_)));
      packed_ended_ = got < buffer_.size();
      stream_.next_in = buffer_.data();
      stream_.avail_in = got;
    }
    const lzma_ret result = lzma_code(&stream_, packed_ended_ ? LZMA_FINISH : LZMA_RUN);
    ended_ = result == LZMA_STREAM_END;
    if (result == LZMA_OK || ended_) return;
    const char* why = result == LZMA_MEMLIMIT_ERROR ? "needs more memory to decode than is allowed"
                      : result == LZMA_BUF_ERROR    ? "ends in the middle of the compressed stream"
                                                    : "is corrupt";
    throw StreamError(position_, fmt::format("the xz file {} (compressed byte {})", why, stream_.total_in));
  }

  std::unique_ptr<ByteSource> packed_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  std::array<uint8_t, 65536> buffer_;
  bool packed_ended_ = false, ended_ = false;
  uint64_t position_ = 0;
};

std::unique_ptr<ByteSource> unpacked(std::unique_ptr<ByteSource> source) {
  std::array<std::byte, xz_magic.size()> head;
  const size_t size = source->read(head);
  const bool packed = size == head.size() && std::memcmp(head.data(), xz_magic.data(), head.size()) == 0;
  auto whole = std::make_unique<Prefixed>(std::span(head).first(size), std::move(source));
  if (packed) return std::make_unique<Xz>(std::move(whole));
  return whole;
}

}  // namespace

std::unique_ptr<ByteSource> open_file(const std::string& path) { return unpacked(std::make_unique<File>(path)); }
std::unique_ptr<ByteSource> open_bytes(std::span<const std::byte> bytes) { return unpacked(std::make_unique<Bytes>(bytes)); }

}  // namespace softgen::debug
