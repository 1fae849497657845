// SPDX-License-Identifier: GPL-2.0-or-later
// Quick snapshots of memory (include/softgen/ram_snapshot.h is the C form).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace softgen::debug {

class RamSnapshot {
 public:
  using Piece = std::span<std::byte>;
  using Changed = std::function<void(Piece)>;

  /// Throws std::runtime_error (also the others): pieces that are no whole pages, or a host without /proc/self/pagemap.
  /// `scans` false: as on a host before Linux 6.7.
  explicit RamSnapshot(std::vector<Piece> pieces, bool scans = true);
  RamSnapshot(const RamSnapshot&) = delete;
  RamSnapshot& operator=(const RamSnapshot&) = delete;
  ~RamSnapshot();

  void take();
  /// How many pages were given back.
  size_t restore(const Changed& changed);
  uint64_t hash() const;

 private:
  /// Runs of pages of the piece that are private copies: of a mapped file those that were written, of anonymous memory those that exist.
  std::vector<Piece> private_pages(Piece piece) const;
  /// By PAGEMAP_SCAN; false if the host has none.
  bool scan(Piece piece, std::vector<Piece>& runs) const;
  void read_entries(Piece piece, std::vector<Piece>& runs) const;
  void store(Piece run, off_t place) const;
  void map() const;
  /// Takes what equals the file out of the page table, which each restore reads.
  void unmap_clean(Piece piece) const;

  std::vector<Piece> pieces_;
  bool scans_;
  int pagemap_ = -1;
  int file_ = -1;
  bool mapped_ = false;  ///< the pieces are mappings of the file
  bool taken_ = false;
};

}  // namespace softgen::debug
