// SPDX-License-Identifier: GPL-2.0-or-later
// Ironlake's kernels of i965-va-driver, where SOFTGEN_VA_SHADERS names its src/shaders: all decode and come back to their words; those of MPEG-2 reconstruct
// macroblocks as the arithmetic of their comments says, computed here one pixel at a time; the setup kernel gives the planes of a rectangle.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "hw/eu/program/loader.h"
#include "tests/catch.h"
#include "tests/unit/eu/gen5_program.h"
#if defined(EU_TEST_JIT)
#include "tests/unit/eu/compiler_now.h"
#endif
#include "tests/unit/memory/mapped.h"

using namespace softgen;
using namespace softgen::eu;
using namespace softgen::eu::test;

namespace {

using Path = std::filesystem::path;

/// The words of an assembler's output: "{ 0x…, 0x…, 0x…, 0x… },".
std::vector<std::byte> kernel_bytes(const Path& path) {
  std::ifstream in(path);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  std::vector<std::byte> bytes;
  for (size_t at = 0; (at = text.find("0x", at)) != std::string::npos; at += 2) {
    const auto word = static_cast<uint32_t>(std::stoul(text.substr(at, 10), nullptr, 16));
    const auto* first = reinterpret_cast<const std::byte*>(&word);
    bytes.insert(bytes.end(), first, first + 4);
  }
  return bytes;
}

/// Empty when the variable is not set.
Path shaders() {
  const char* folder = std::getenv("SOFTGEN_VA_SHADERS");
  if (!folder) WARN("SOFTGEN_VA_SHADERS is not set: kernels of i965-va-driver are not run");
  return folder ? folder : "";
}

constexpr unsigned size = 8, coefficients = 64;
using Block = std::array<int32_t, coefficients>;

/// The rows of its matrix: cosines of (2k + 1) j pi / 16 times 32768 / sqrt(2), the driver's C1 to C7 with the signs of those.
int32_t transform(unsigned k, unsigned j) {
  constexpr int32_t c[8] = {16383, 22725, 21407, 19266, 16383, 12873, 8867, 4520};
  const unsigned angle = (2 * k + 1) * j % 32;
  const unsigned folded = angle > 16 ? 32 - angle : angle;
  if (!j) return c[0];
  return folded < 8 ? c[folded] : folded == 8 ? 0 : -c[16 - folded];
}

Block pass(const Block& rows, int32_t round, unsigned shift) {
  Block columns;
  for (unsigned n = 0; n < size; n++)
    for (unsigned k = 0; k < size; k++) {
      int32_t sum = 0;
      for (unsigned j = 0; j < size; j++) sum += rows[n * size + j] * transform(k, j);
      columns[k * size + n] = static_cast<int16_t>((sum + round) >> shift);
    }
  return columns;
}

Block inverse_transform(const Block& block) { return pass(pass(block, 0x400, 11), 0x80000, 20); }

struct Macroblock {
  std::array<Block, 6> blocks{};
  uint32_t quantizer = 5;  ///< q_scale_type 1: as it is below 9
  unsigned x = 48, y = 32;
  int16_t motion_x = 0, motion_y = 0;
};

uint8_t intra_matrix(unsigned n) { return static_cast<uint8_t>(8 + n % 30); }
uint8_t other_matrix(unsigned n) { return static_cast<uint8_t>(16 + n % 17); }
uint8_t reference_pixel(unsigned surface, int x, int y) {
  return static_cast<uint8_t>((x * 7 + y * 13 + static_cast<int>(surface) * 31 + x * y) & 0xff);
}
uint8_t clamped(int32_t v) { return static_cast<uint8_t>(std::clamp(v, 0, 255)); }

/// Bytes from row to row in a media block's registers.
unsigned row_pitch(unsigned width) { return width > 16 ? 32 : width > 8 ? 16 : width > 4 ? 8 : 4; }

/// Answers reads from reference_pixel() and keeps what is written, by surface and place.
class Surfaces {
 public:
  SendResult answer(const Message& message, ThreadEnv&) {
    const auto kind = message.op.kind;
    if (kind != MessageKind::media_block_read && kind != MessageKind::media_block_write) return SendResult::done;
    const uint32_t* header = message.payload[0].dw;
    const unsigned width = (header[2] & 0x1f) + 1, height = (header[2] >> 16 & 0x3f) + 1, pitch = row_pitch(width);
    for (unsigned row = 0; row < height; row++)
      for (unsigned column = 0; column < width; column++) {
        const int x = static_cast<int>(header[0] + column), y = static_cast<int>(header[1] + row);
        const unsigned at = row * pitch + column;
        if (kind == MessageKind::media_block_read) {
          REQUIRE(at / 32 < message.response.size());
          reinterpret_cast<uint8_t*>(&message.response[at / 32])[at % 32] = reference_pixel(message.op.binding.index, x, y);
        } else {
          REQUIRE(at / 32 + 1 < message.payload.size());
          written[{message.op.binding.index, x, y}] = reinterpret_cast<const uint8_t*>(&message.payload[1 + at / 32])[at % 32];
        }
      }
    return SendResult::done;
  }
  std::map<std::array<int, 3>, uint8_t> written;
};

/// Runs `kernel` at `start` of an instruction memory that has `library` at `library_start`.
void reconstruct(Machine& m, Surfaces& surfaces, const std::vector<std::byte>& kernel, const std::vector<std::byte>& library,
                 const Macroblock& mb) {
  constexpr uint64_t start = 0x1000, library_start = 0x20000;
  memory::test::Mapped memory(start, library_start + 0x10000);
  memory.view.write(start, kernel.data(), kernel.size());
  memory.view.write(library_start, library.data(), library.size());
  ThreadEnv env{memory.view, m.env.bases, m.stop};
#if defined(EU_TEST_JIT)
  Loader loader(gen5_isa(), &compiler_now());
#else
  Loader loader(gen5_isa(), nullptr);
#endif
  const auto program = loader.load(memory.view, env.bases, start, m.stop);
  m.program = program;
  for (unsigned n = 0; n < coefficients; n++) m.set<uint8_t>(1, n, intra_matrix(n)), m.set<uint8_t>(3, n, other_matrix(n));
  for (unsigned k = 0; k < size; k++)
    for (unsigned n = 0; n < 16; n++) m.set<int32_t>(5 + 2 * k, n, transform(k, n % 8));
  m.set<uint32_t>(21, 0, library_start);
  constexpr uint16_t all_coded = 0xfc0, linear_scale = 0x20, precision_8 = 0;
  m.set<uint16_t>(31, 4, static_cast<uint16_t>(mb.quantizer | linear_scale | all_coded | precision_8));
  m.set<uint16_t>(31, 5, 3);
  m.set<uint16_t>(31, 6, static_cast<uint16_t>(mb.x)), m.set<uint16_t>(31, 7, static_cast<uint16_t>(mb.y));
  m.set<int16_t>(31, 8, mb.motion_x), m.set<int16_t>(31, 9, mb.motion_y);
  for (unsigned b = 0; b < 6; b++)
    for (unsigned n = 0; n < coefficients; n++) m.set<int16_t>(32 + 4 * b, n, static_cast<int16_t>(mb.blocks[b][n]));
  m.target.answer = [&](const Message& message, ThreadEnv& env) { return surfaces.answer(message, env); };
  ThreadStart how;
  how.program = program.get();
  how.code = &loader;
  how.dispatch_mask = 0xffffffff;
  m.thread.start(how);
  const auto result = eu::run(m.thread, env, m.target);
  INFO((m.thread.failure ? m.thread.failure : "no failure"));
  REQUIRE(result == RunResult::finished);
}

Macroblock random_macroblock(uint32_t seed) {
  std::mt19937 random(seed);
  Macroblock mb;
  mb.quantizer = 1 + random() % 8;
  for (Block& block : mb.blocks)
    for (unsigned n = 0; n < coefficients; n++) block[n] = random() % 5 ? 0 : static_cast<int32_t>(random() % 41) - 20;
  for (Block& block : mb.blocks) block[0] = static_cast<int32_t>(random() % 128);
  return mb;
}

/// Of pixel (x, y) of the macroblock's plane: its block, and its place there. Frame DCT.
int32_t residual(const std::array<Block, 6>& blocks, unsigned plane, unsigned x, unsigned y) {
  const unsigned block = plane ? 3 + plane : y / size * 2 + x / size;
  return blocks[block][y % size * size + x % size];
}

/// Half-sample interpolation of MPEG-2 (ISO 13818-2, 7.6.4), but for the sum of four, which these kernels cut off (read_frame_x1y1_y.g4i).
int32_t predicted(unsigned surface, int x, int y, bool half_x, bool half_y) {
  const auto p = [&](int dx, int dy) { return int32_t{reference_pixel(surface, x + dx, y + dy)}; };
  if (half_x && half_y) return (p(0, 0) + p(1, 0) + p(0, 1) + p(1, 1)) >> 2;
  if (half_x) return (p(0, 0) + p(1, 0) + 1) >> 1;
  if (half_y) return (p(0, 0) + p(0, 1) + 1) >> 1;
  return p(0, 0);
}

}  // namespace

TEST_CASE("gen5 kernels: all of i965-va-driver's decode, print, and come back to their words") {
  const Path folder = shaders();
  if (folder.empty()) return;
  unsigned kernels = 0, instructions = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".gen5") continue;
    const auto code = kernel_bytes(entry.path());
    INFO(entry.path().string());
    for (size_t at = 0; at < code.size();) {
      const auto i = gen5_isa().decode(std::span(code).subspan(at));
      REQUIRE(i);
      INFO("byte " << at << ": " << print(gen5_isa(), *i));
      CHECK(gen5::has_opcode(i->opcode));
      CHECK(i->opcode != Opcode::illegal);
      if (i->info() && is_send(*i->info()) && !i->descriptor_in_register) CHECK(gen5_isa().message_is_known(i->sfid(), i->descriptor));
      Native native{};
      std::memcpy(native.q, code.data() + at, i->size());
      if (i->end_of_thread) native.set(90, 90, 0);  // the assembler says it twice
      if (!i->compacted) CHECK(gen5::encode(*i) == native);
      at += i->size(), instructions++;
    }
    kernels++;
  }
  CHECK(kernels > 30);
  CHECK(instructions > 10000);
}

TEST_CASE("gen5 kernels: an intra macroblock of MPEG-2") {
  const Path folder = shaders();
  if (folder.empty()) return;
  for (uint32_t seed = 1; seed <= 8; seed++) {
    INFO("seed " << seed);
    const Macroblock mb = random_macroblock(seed);
    Machine m(gen5_isa());
    Surfaces surfaces;
    reconstruct(m, surfaces, kernel_bytes(folder / "mpeg2/vld/frame_intra.g4b.gen5"), {}, mb);
    std::array<Block, 6> pixels;
    for (unsigned b = 0; b < 6; b++) {
      Block scaled;
      for (unsigned n = 0; n < coefficients; n++)
        scaled[n] = static_cast<int16_t>(mb.blocks[b][n] * intra_matrix(n) * static_cast<int32_t>(mb.quantizer) >> 4);
      scaled[0] = mb.blocks[b][0] * 8;  // DC of 8 bits
      pixels[b] = inverse_transform(scaled);
    }
    CHECK(surfaces.written.size() == 384);
    for (const auto& [place, value] : surfaces.written) {
      const auto [plane, x, y] = place;
      const unsigned shift = plane ? 1 : 0;
      INFO("plane " << plane << " " << x << "," << y);
      CHECK(value == clamped(128 + residual(pixels, static_cast<unsigned>(plane), static_cast<unsigned>(x) - (mb.x >> shift),
                                            static_cast<unsigned>(y) - (mb.y >> shift))));
    }
  }
}

TEST_CASE("gen5 kernels: a predicted macroblock of MPEG-2, whose residual comes from code elsewhere") {
  const Path folder = shaders();
  if (folder.empty()) return;
  for (uint32_t seed = 1; seed <= 16; seed++) {
    INFO("seed " << seed);
    Macroblock mb = random_macroblock(seed);
    mb.motion_x = static_cast<int16_t>(static_cast<int>(seed * 5 % 23) - 11),
    mb.motion_y = static_cast<int16_t>(static_cast<int>(seed * 3 % 17) - 8);
    Machine m(gen5_isa());
    Surfaces surfaces;
    reconstruct(m, surfaces, kernel_bytes(folder / "mpeg2/vld/frame_frame_pred_forward.g4b.gen5"),
                kernel_bytes(folder / "mpeg2/vld/lib.g4b.gen5"), mb);
    std::array<Block, 6> residuals;
    for (unsigned b = 0; b < 6; b++) {
      Block scaled;
      for (unsigned n = 0; n < coefficients; n++)
        scaled[n] = static_cast<int16_t>(mb.blocks[b][n] * other_matrix(n) * static_cast<int32_t>(mb.quantizer) >> 4);
      residuals[b] = inverse_transform(scaled);
    }
    CHECK(surfaces.written.size() == 384);
    for (const auto& [place, value] : surfaces.written) {
      const auto [plane, x, y] = place;
      const unsigned shift = plane ? 1 : 0;
      const int vx = mb.motion_x >> shift, vy = mb.motion_y >> shift;  // chroma's round down: the standard's (7.6.3.7) would go towards 0
      const int32_t p = predicted(4 + static_cast<unsigned>(plane), x + (vx >> 1), y + (vy >> 1), vx & 1, vy & 1);
      INFO("plane " << plane << " " << x << "," << y);
      CHECK(value == clamped(p + residual(residuals, static_cast<unsigned>(plane), static_cast<unsigned>(x) - (mb.x >> shift),
                                          static_cast<unsigned>(y) - (mb.y >> shift))));
    }
  }
}

TEST_CASE("gen5 kernels: the setup kernel of rectangles") {
  const Path folder = shaders();
  if (folder.empty()) return;
  // It is made for rectangles: differences of x and y are in g1.3 and g1.5, the vertices' channels in g3 to g5.
  const auto code = kernel_bytes(folder / "render/exa_sf.g4b.gen5");
  Machine m(gen5_isa());
  std::vector<Grf> sent;
  MessageOp op;
  m.target.answer = [&](const Message& message, ThreadEnv&) {
    sent.assign(message.payload.begin(), message.payload.end());
    op = message.op;
    return SendResult::done;
  };
  m.load(code, 0xff);
  const float width = 16, height = 8;
  m.set<float>(1, 3, width), m.set<float>(1, 5, height);
  const float vertices[3][4] = {{1, 2, 3, 4}, {5, 10, 3, 0}, {2, 2, 7, -4}};
  for (unsigned v = 0; v < 3; v++)
    for (unsigned c = 0; c < 4; c++) m.set<float>(3 + v, c, vertices[v][c]);
  m.set<uint32_t>(0, 0, 0x1234);
  REQUIRE(m.run() == RunResult::finished);
  CHECK(op.kind == MessageKind::urb_write);
  CHECK(op.transposed);
  REQUIRE(sent.size() == 4);
  CHECK(sent[0].dw[0] == 0x1234);
  for (unsigned c = 0; c < 4; c++) {
    INFO("channel " << c);
    CHECK(std::bit_cast<float>(sent[1].dw[c]) == (vertices[1][c] - vertices[2][c]) / width);
    CHECK(std::bit_cast<float>(sent[2].dw[c]) == (vertices[2][c] - vertices[0][c]) / height);
    CHECK(std::bit_cast<float>(sent[3].dw[c]) == vertices[0][c]);
  }
}
