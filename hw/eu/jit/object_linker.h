// SPDX-License-Identifier: GPL-2.0-or-later
// Links an object file of LLVM's. Accepts only what compiled kernels consist of: code and constants that refer to each other and to nothing
// else. The file is not trusted: it comes from another process (compiler_process.h) or from a disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace softgen::eu::jit {

/// A checked object file; refers to the file's bytes.
class LinkedObject {
 public:
  /// `entry`: the function's name. Checks everything that place() uses.
  LinkedObject(std::span<const char> file, std::string_view entry);

  /// Null if it can be placed, else the reason why not.
  const char* refused() const { return refused_; }
  /// Bytes of memory that it needs.
  size_t size() const { return size_; }
  /// The entry's offset there.
  size_t entry() const { return entry_; }
  /// Copies the sections to `memory`, where the code will run, and applies relocations. `memory` is page-aligned and has size() bytes.
  /// False: a distance does not fit into its field.
  bool place(std::span<std::byte> memory) const;

 private:
  struct Section {
    uint64_t file_offset, size;
    size_t at;  ///< offset in memory
  };
  struct Reference {
    size_t at, to;  ///< offsets in memory of the field and of its target
    int64_t addend;
    uint32_t type;
  };

  const char* read(std::string_view entry);
  const char* read_sections(const struct ElfFile& elf);
  const char* read_symbols(struct ElfFile& elf) const;
  const char* read_entry(const struct ElfFile& elf, std::string_view entry);
  const char* read_references(const struct ElfFile& elf);
  bool leads_inside(const Reference& reference) const;
  const char* place_of_symbol(const struct ElfFile& elf, uint64_t symbol, size_t& at) const;

  std::span<const char> file_;
  std::vector<Section> placed_;
  std::vector<int> place_of_section_;  ///< index into placed_, or -1
  std::vector<Reference> references_;
  size_t size_ = 0, entry_ = 0;
  const char* refused_;
};

}  // namespace softgen::eu::jit
