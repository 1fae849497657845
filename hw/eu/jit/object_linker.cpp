// SPDX-License-Identifier: GPL-2.0-or-later
// ELF-64 object files of x86-64: System V ABI, "Object Files"; relocations: AMD64 supplement, table 4.9.
#include "hw/eu/jit/object_linker.h"

#include <elf.h>

#include <bit>
#include <cstring>
#include <limits>
#include <optional>

namespace softgen::eu::jit {

namespace {

constexpr unsigned max_sections = 64;
constexpr uint64_t max_alignment = 4096;
constexpr uint64_t max_size = uint64_t{64} << 20;

template <typename T>
std::optional<T> value_at(std::span<const char> bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::optional<std::span<const char>> bytes_of(std::span<const char> file, const Elf64_Shdr& section) {
  if (section.sh_offset > file.size() || file.size() - section.sh_offset < section.sh_size) return std::nullopt;
  return file.subspan(section.sh_offset, section.sh_size);
}

/// Number of bytes that a relocation writes; 0: a type that our kernels do not use.
size_t width_of(uint32_t type) {
  switch (type) {
    case R_X86_64_PC32:
    case R_X86_64_PLT32: return 4;
    case R_X86_64_64:
    case R_X86_64_PC64: return 8;
    default: return 0;
  }
}

}  // namespace

/// The file's tables, each within the file.
struct ElfFile {
  std::vector<Elf64_Shdr> sections;
  std::span<const char> symbols, names;
};

LinkedObject::LinkedObject(std::span<const char> file, std::string_view entry) : file_(file), refused_(read(entry)) {}

const char* LinkedObject::read(std::string_view entry) {
  const auto header = value_at<Elf64_Ehdr>(file_, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_ident[EI_DATA] != ELFDATA2LSB || header->e_type != ET_REL || header->e_machine != EM_X86_64 ||
      header->e_shentsize != sizeof(Elf64_Shdr))
    return "it is no object file of this host";
  if (header->e_shnum == 0 || header->e_shnum > max_sections) return "it has too many sections";
  ElfFile elf;
  for (unsigned n = 0; n < header->e_shnum; n++) {
    const uint64_t offset = header->e_shoff + uint64_t{n} * sizeof(Elf64_Shdr);
    if (offset < header->e_shoff) return "its sections are outside of it";
    const auto section = value_at<Elf64_Shdr>(file_, offset);
    if (!section) return "its sections are outside of it";
    elf.sections.push_back(*section);
  }
  const char* wrong = read_sections(elf);
  if (!wrong) wrong = read_symbols(elf);
  if (!wrong) wrong = read_entry(elf, entry);
  if (!wrong) wrong = read_references(elf);
  return wrong;
}

const char* LinkedObject::read_sections(const ElfFile& elf) {
  place_of_section_.assign(elf.sections.size(), -1);
  uint64_t size = 0;
  for (size_t n = 0; n < elf.sections.size(); n++) {
    const Elf64_Shdr& s = elf.sections[n];
    if (!(s.sh_flags & SHF_ALLOC) || s.sh_size == 0) continue;
    if (s.sh_type != SHT_PROGBITS || (s.sh_flags & (SHF_WRITE | SHF_TLS | SHF_COMPRESSED)))
      return "it has data of another kind than code and constants";
    if (!bytes_of(file_, s)) return "a section is outside of it";
    const uint64_t alignment = s.sh_addralign ? s.sh_addralign : 1;
    if (!std::has_single_bit(alignment) || alignment > max_alignment) return "a section wants an odd place";
    size = (size + alignment - 1) & ~(alignment - 1);
    place_of_section_[n] = static_cast<int>(placed_.size());
    placed_.push_back({s.sh_offset, s.sh_size, size});
    size += s.sh_size;
    if (size > max_size) return "it is too large";
  }
  size_ = size;
  return nullptr;
}

const char* LinkedObject::read_symbols(ElfFile& elf) const {
  for (const Elf64_Shdr& s : elf.sections) {
    if (s.sh_type != SHT_SYMTAB) continue;
    const auto symbols = bytes_of(file_, s);
    if (!symbols || s.sh_entsize != sizeof(Elf64_Sym) || s.sh_link >= elf.sections.size()) return "its symbols are damaged";
    const auto names = bytes_of(file_, elf.sections[s.sh_link]);
    if (!names) return "its symbols are damaged";
    elf.symbols = *symbols;
    elf.names = *names;
    return nullptr;
  }
  return "it has no symbols";
}

const char* LinkedObject::read_entry(const ElfFile& elf, std::string_view entry) {
  for (uint64_t n = 0; n < elf.symbols.size() / sizeof(Elf64_Sym); n++) {
    const auto symbol = value_at<Elf64_Sym>(elf.symbols, n * sizeof(Elf64_Sym));
    if (symbol->st_name >= elf.names.size()) return "its symbols are damaged";
    const std::string_view rest(elf.names.data() + symbol->st_name, elf.names.size() - symbol->st_name);
    if (symbol->st_shndx == SHN_UNDEF || rest.substr(0, rest.find('\0')) != entry) continue;
    if (symbol->st_shndx >= elf.sections.size() || !(elf.sections[symbol->st_shndx].sh_flags & SHF_EXECINSTR))
      return "its function is not code";
    const char* wrong = place_of_symbol(elf, n, entry_);
    return !wrong && symbol->st_value >= elf.sections[symbol->st_shndx].sh_size ? "its function is not code" : wrong;
  }
  return "it lacks the function";
}

const char* LinkedObject::place_of_symbol(const ElfFile& elf, uint64_t index, size_t& at) const {
  if (index >= elf.symbols.size() / sizeof(Elf64_Sym)) return "it refers to a symbol that is not there";
  const auto symbol = value_at<Elf64_Sym>(elf.symbols, index * sizeof(Elf64_Sym));
  if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= place_of_section_.size() || place_of_section_[symbol->st_shndx] < 0)
    return "it refers to something outside of it";
  const Section& section = placed_[static_cast<size_t>(place_of_section_[symbol->st_shndx])];
  if (symbol->st_value > section.size) return "a symbol is outside of its section";
  at = section.at + symbol->st_value;
  return nullptr;
}

/// Whether the target lies inside the code. A relative addend counts from the end of the instruction, which may be an immediate beyond the
/// field.
bool LinkedObject::leads_inside(const Reference& reference) const {
  constexpr int64_t max_immediate = 16;
  return reference.addend >= -static_cast<int64_t>(reference.to) - max_immediate &&
         reference.addend <= static_cast<int64_t>(size_ - reference.to);
}

const char* LinkedObject::read_references(const ElfFile& elf) {
  for (const Elf64_Shdr& s : elf.sections) {
    if (s.sh_type == SHT_REL) return "its relocations are of another kind";
    if (s.sh_type != SHT_RELA) continue;
    if (s.sh_info >= place_of_section_.size()) return "its relocations are damaged";
    if (place_of_section_[s.sh_info] < 0) continue;  // of something that is not loaded
    const Section& target = placed_[static_cast<size_t>(place_of_section_[s.sh_info])];
    const auto bytes = bytes_of(file_, s);
    if (!bytes || s.sh_entsize != sizeof(Elf64_Rela)) return "its relocations are damaged";
    for (uint64_t n = 0; n < bytes->size() / sizeof(Elf64_Rela); n++) {
      const auto rela = value_at<Elf64_Rela>(*bytes, n * sizeof(Elf64_Rela));
      Reference reference{0, 0, rela->r_addend, static_cast<uint32_t>(ELF64_R_TYPE(rela->r_info))};
      const size_t width = width_of(reference.type);
      if (!width) return "its relocations are of another kind";
      if (rela->r_offset > target.size || target.size - rela->r_offset < width) return "a relocation is outside of its section";
      if (const char* wrong = place_of_symbol(elf, ELF64_R_SYM(rela->r_info), reference.to)) return wrong;
      if (!leads_inside(reference)) return "a relocation leads outside of it";
      reference.at = target.at + rela->r_offset;
      references_.push_back(reference);
    }
  }
  return nullptr;
}

bool LinkedObject::place(std::span<std::byte> memory) const {
  if (refused_ || memory.size() < size_) return false;
  for (const Section& s : placed_) std::memcpy(memory.data() + s.at, file_.data() + s.file_offset, s.size);
  const auto base = static_cast<int64_t>(reinterpret_cast<uintptr_t>(memory.data()));
  for (const Reference& r : references_) {
    const int64_t target = base + static_cast<int64_t>(r.to) + r.addend, here = base + static_cast<int64_t>(r.at);
    const int64_t value = r.type == R_X86_64_64 ? target : target - here;
    if (width_of(r.type) == 8) {
      std::memcpy(memory.data() + r.at, &value, 8);
    } else {
      if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max()) return false;
      const auto narrow = static_cast<int32_t>(value);
      std::memcpy(memory.data() + r.at, &narrow, 4);
    }
  }
  return true;
}

}  // namespace softgen::eu::jit
