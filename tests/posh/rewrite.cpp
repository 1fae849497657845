// SPDX-License-Identifier: GPL-2.0-or-later
// posh-rewrite: a capture of an Ice Lake client's ordinary work, rewritten so that it uses position-only shading.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "hw/debug/aub_reader.h"
#include "hw/debug/byte_source.h"
#include "tests/posh/rewriter.h"

using namespace softgen;

namespace {

struct Arguments {
  std::string in, out, tiles;
  posh::Rewriter::Options rewrite;
};

int complain(const std::string& what) {
  fmt::print(stderr, "posh-rewrite: {}\n", what);
  return 1;
}

/// "2x3": passes of 64 x 64 pixels in two columns and three rows.
void read_tiles(const std::string& text, posh::Passes& passes) {
  char rest = 0;
  constexpr uint32_t max_side = 16;
  if (std::sscanf(text.c_str(), "%ux%u%c", &passes.columns, &passes.rows, &rest) != 2 || passes.columns - 1 >= max_side ||
      passes.rows - 1 >= max_side)
    throw std::runtime_error("--tiles: COLUMNSxROWS, each from 1 to 16");
  passes.width = passes.height = 64;
}

int run(Arguments& args) {
  if (!args.tiles.empty()) read_tiles(args.tiles, args.rewrite.passes);
  const auto source = debug::open_file(args.in);
  std::FILE* file = std::fopen(args.out.c_str(), "wb");
  if (!file) return complain("cannot write " + args.out);
  debug::AubWriter writer(
      [file](std::span<const std::byte> data) { return std::fwrite(data.data(), 1, data.size(), file) == data.size(); });
  posh::Rewriter rewriter(writer, args.rewrite);
  const auto error = debug::read_aub(*source, rewriter);
  if (std::fclose(file) || writer.failed()) return complain("cannot write " + args.out);
  if (error) return complain(fmt::format("{}: byte {}: {}", args.in, error->offset, error->message));
  fmt::print("{} submissions, {} draws recorded\n", rewriter.result().submissions, rewriter.result().draws);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments args;
  CLI::App app("Rewrites an Ice Lake capture so that its draws use position-only shading.");
  app.add_option("in", args.in, "capture (.aub or .aub.xz)")->required();
  app.add_option("out", args.out, "the capture to write (.aub)")->required();
  app.add_option("--tiles", args.tiles, "COLUMNSxROWS: tile passes of 64x64 pixels, each rendered by itself");
  app.add_option("--pool", args.rewrite.pool_pages, "pages that a record may take")->check(CLI::Range(1, 4096));
  app.add_flag("!--no-rectangles", args.rewrite.rectangles, "leave rectangle lists (clears, copies) as they are");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(args);
  } catch (const std::exception& error) { return complain(error.what()); }
}
