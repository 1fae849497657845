// SPDX-License-Identifier: GPL-2.0-or-later
// Object files from another process or a disk: anything that kernels do not have is refused, and nothing outside the file or the memory is
// accessed.
#include "hw/eu/isa/gen9/isa.h"
#include "hw/eu/jit/object_linker.h"

#include <elf.h>
#include <sys/mman.h>

#include <cstring>
#include <random>

#include "hw/base/log.h"
#include "hw/eu/jit/code_arena.h"
#include "hw/eu/jit/compile.h"
#include "tests/catch.h"
#include "tests/unit/eu/harness.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;
using jit::CodeArena;
using jit::LinkedObject;

namespace {

struct Made {
  std::vector<char> bytes;
  std::string name;
};

/// A kernel with constants, so with relocations.
Made made() {
  std::vector<Instruction> code;
  for (unsigned n = 0; n < 4; n++)
    code.push_back(op_imm(Opcode::mul, 8, grf(10 + n, RegType::f), grf(2 + n, RegType::f), RegType::f, 0x3f9d70a4 + n));
  code.push_back(end());
  const auto program = Program::decode(gen9_isa(), assemble(code));
  const jit::Variant variant{.channels = 0xff, .keep_registers = true};
  const jit::ObjectFile object = jit::compile(*program, variant, jit::best_host_isa());
  REQUIRE(!object.refused);
  return {object.bytes, jit::code_name(*program, variant, jit::best_host_isa())};
}

template <typename T>
T at(const std::vector<char>& file, uint64_t offset) {
  T v;
  std::memcpy(&v, file.data() + offset, sizeof(v));
  return v;
}
template <typename T>
void put(std::vector<char>& file, uint64_t offset, const T& v) {
  std::memcpy(file.data() + offset, &v, sizeof(v));
}

/// Offset in the file of the first section header of that kind.
uint64_t section(const std::vector<char>& file, uint32_t type, uint64_t flags = 0) {
  const auto header = at<Elf64_Ehdr>(file, 0);
  for (unsigned n = 0; n < header.e_shnum; n++) {
    const uint64_t offset = header.e_shoff + n * sizeof(Elf64_Shdr);
    const auto s = at<Elf64_Shdr>(file, offset);
    if (s.sh_type == type && (s.sh_flags & flags) == flags) return offset;
  }
  FAIL("no such section");
  return 0;
}

/// Memory of exactly the object's size, at the end of a page before an unmapped one: an access beyond it faults.
class Guarded {
 public:
  explicit Guarded(size_t size) : pages_((size + 4095) / 4096 * 4096) {
    base_ = static_cast<std::byte*>(mmap(nullptr, pages_ + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(base_ != MAP_FAILED);
    REQUIRE(mprotect(base_ + pages_, 4096, PROT_NONE) == 0);
    memory = {base_ + pages_ - size, size};
  }
  ~Guarded() { munmap(base_, pages_ + 4096); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  std::span<std::byte> memory;

 private:
  size_t pages_;
  std::byte* base_;
};

}  // namespace

TEST_CASE("eu object linker: LLVM's file is accepted, and references lead to its constants") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  const Made m = made();
  const LinkedObject object(m.bytes, m.name);
  REQUIRE(object.refused() == nullptr);
  CHECK(object.size() > 0);
  CHECK(object.entry() < object.size());
  CHECK(LinkedObject(m.bytes, "another").refused());
  CHECK(LinkedObject(m.bytes, m.name.substr(0, m.name.size() - 1)).refused());
  const Guarded guarded(object.size());
  REQUIRE(object.place(guarded.memory));
  CHECK_FALSE(object.place(guarded.memory.first(object.size() - 1)));
  const auto rela = at<Elf64_Shdr>(m.bytes, section(m.bytes, SHT_RELA));
  REQUIRE(rela.sh_size >= sizeof(Elf64_Rela));
}

TEST_CASE("eu object linker: each field that leads outside is refused") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  const Made m = made();
  const uint64_t header = 0, code = section(m.bytes, SHT_PROGBITS, SHF_EXECINSTR), relocations = section(m.bytes, SHT_RELA),
                 symbols = section(m.bytes, SHT_SYMTAB);
  const auto refused = [&](const char* what, auto change) {
    std::vector<char> file = m.bytes;
    change(file);
    INFO(what);
    CHECK(LinkedObject(file, m.name).refused() != nullptr);
  };
  const auto in = [](auto type, uint64_t offset, auto change) {
    return [=](std::vector<char>& file) {
      auto v = at<decltype(type)>(file, offset);
      change(v);
      put(file, offset, v);
    };
  };
  const Elf64_Ehdr ehdr{};
  const Elf64_Shdr shdr{};
  const Elf64_Rela rela{};
  refused("magic", in(ehdr, header, [](auto& h) { h.e_ident[0] = 0; }));
  refused("machine", in(ehdr, header, [](auto& h) { h.e_machine = EM_AARCH64; }));
  refused("an executable", in(ehdr, header, [](auto& h) { h.e_type = ET_DYN; }));
  refused("sections behind the end", in(ehdr, header, [](auto& h) { h.e_shoff = ~uint64_t{0} - 10; }));
  refused("no sections", in(ehdr, header, [](auto& h) { h.e_shnum = 0; }));
  refused("many sections", in(ehdr, header, [](auto& h) { h.e_shnum = 0xfeff; }));
  refused("code behind the end", in(shdr, code, [](auto& s) { s.sh_offset = ~uint64_t{0} - 4; }));
  refused("huge code", in(shdr, code, [](auto& s) { s.sh_size = uint64_t{1} << 60; }));
  refused("huge zeros", in(shdr, code, [](auto& s) { s.sh_type = SHT_NOBITS, s.sh_size = uint64_t{1} << 40; }));
  refused("odd alignment", in(shdr, code, [](auto& s) { s.sh_addralign = 24; }));
  refused("large alignment", in(shdr, code, [](auto& s) { s.sh_addralign = uint64_t{1} << 62; }));
  refused("writable", in(shdr, code, [](auto& s) { s.sh_flags |= SHF_WRITE; }));
  refused("no code", in(shdr, code, [](auto& s) { s.sh_flags &= ~uint64_t{SHF_EXECINSTR}; }));
  refused("symbols behind the end", in(shdr, symbols, [](auto& s) { s.sh_size = uint64_t{1} << 50; }));
  refused("names nowhere", in(shdr, symbols, [](auto& s) { s.sh_link = 200; }));
  refused("relocations of nothing", in(shdr, relocations, [](auto& s) { s.sh_info = 200; }));
  refused("relocations of another size", in(shdr, relocations, [](auto& s) { s.sh_entsize = 16; }));
  const uint64_t first = at<Elf64_Shdr>(m.bytes, relocations).sh_offset;
  refused("a relocation outside of its section", in(rela, first, [](auto& r) { r.r_offset = uint64_t{1} << 40; }));
  refused("a relocation at the last byte", in(rela, first, [&](auto& r) { r.r_offset = at<Elf64_Shdr>(m.bytes, code).sh_size - 1; }));
  refused("another kind of relocation",
          in(rela, first, [](auto& r) { r.r_info = ELF64_R_INFO(ELF64_R_SYM(r.r_info), R_X86_64_GOTPCREL); }));
  refused("a symbol that is not there", in(rela, first, [](auto& r) { r.r_info = ELF64_R_INFO(100000, R_X86_64_PC32); }));
  refused("no symbol", in(rela, first, [](auto& r) { r.r_info = ELF64_R_INFO(0, R_X86_64_PC32); }));
  refused("far away", in(rela, first, [](auto& r) { r.r_addend = int64_t{1} << 40; }));
  refused("far before", in(rela, first, [](auto& r) { r.r_addend = -(int64_t{1} << 40); }));
  const uint64_t table = at<Elf64_Shdr>(m.bytes, symbols).sh_offset, count = at<Elf64_Shdr>(m.bytes, symbols).sh_size / sizeof(Elf64_Sym);
  refused("symbols outside of their sections", [&](std::vector<char>& file) {
    for (uint64_t n = 1; n < count; n++) {
      auto symbol = at<Elf64_Sym>(file, table + n * sizeof(Elf64_Sym));
      symbol.st_value = uint64_t{1} << 45;
      put(file, table + n * sizeof(Elf64_Sym), symbol);
    }
  });
  refused("symbols of somebody else", [&](std::vector<char>& file) {
    for (uint64_t n = 1; n < count; n++) {
      auto symbol = at<Elf64_Sym>(file, table + n * sizeof(Elf64_Sym));
      symbol.st_shndx = SHN_UNDEF;
      put(file, table + n * sizeof(Elf64_Sym), symbol);
    }
  });
}

TEST_CASE("eu object linker: damaged files cause no access outside their memory") {
  if (jit::best_host_isa() == jit::HostIsa::none) return note("test", "no compiler here");
  const Made m = made();
  constexpr uint32_t seed = 14;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  unsigned taken = 0, refused = 0;
  for (unsigned n = 0; n < 20'000; n++) {
    std::vector<char> file = m.bytes;
    for (unsigned change = 0; change <= n % 4; change++) {
      const size_t where = random() % file.size();
      constexpr uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
      file[where] = static_cast<char>(n % 3 ? random() : values[random() % 5]);
    }
    if (n % 7 == 0) file.resize(random() % file.size());
    const LinkedObject object(file, m.name);
    if (object.refused()) {
      refused++;
      continue;
    }
    taken++;
    const Guarded guarded(object.size());
    object.place(guarded.memory);
  }
  CHECK(taken > 100);
  CHECK(refused > 100);
}
