// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/eu/jit/code_dump.h"

#include <elf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "hw/base/log.h"
#include "hw/eu/isa/print.h"

namespace softgen::eu::jit {

namespace {

/// Number of bytes of machine code in an object file.
uint64_t code_bytes(const std::vector<char>& object) {
  Elf64_Ehdr header;
  if (object.size() < sizeof(header)) return 0;
  std::memcpy(&header, object.data(), sizeof(header));
  uint64_t bytes = 0;
  for (unsigned n = 0; n < header.e_shnum; n++) {
    const uint64_t at = header.e_shoff + uint64_t{n} * sizeof(Elf64_Shdr);
    if (at + sizeof(Elf64_Shdr) > object.size()) break;
    Elf64_Shdr section;
    std::memcpy(&section, object.data() + at, sizeof(section));
    if (section.sh_flags & SHF_EXECINSTR) bytes += section.sh_size;
  }
  return bytes;
}

void write_file(const std::string& path, std::string_view bytes, std::ios::openmode mode = std::ios::trunc) {
  std::ofstream file(path, std::ios::binary | mode);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) note("SOFTGEN_JIT_DUMP", "{} cannot be written", path);
}

}  // namespace

const std::string& dump_folder() {
  static const std::string folder = [] {
    const char* choice = std::getenv("SOFTGEN_JIT_DUMP");
    return std::string(choice ? choice : "");
  }();
  return folder;
}

void dump_code(const Program& program, const std::string& name, const ObjectFile& object, const std::string& text, Code code) {
  if (dump_folder().empty()) return;
  std::error_code error;
  std::filesystem::create_directories(dump_folder(), error);
  const std::string path = dump_folder() + "/" + name;
  write_file(path + ".eu", disassemble(program.isa(), program.bytes()));
  if (!text.empty()) write_file(path + ".ll", text);
  write_file(path + ".o", {object.bytes.data(), object.bytes.size()});
  write_file(fmt::format("/tmp/perf-{}.map", getpid()),
             fmt::format("{:x} {:x} {}\n", reinterpret_cast<uintptr_t>(code), code_bytes(object.bytes), name), std::ios::app);
}

}  // namespace softgen::eu::jit
