// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/base/log.h"
#include "hw/defs/gen9/all.h"
#include "hw/defs/gen9/set.h"
#include "hw/eu/isa/gen9/isa.h"
#include "hw/mmio/register_file.h"
#include "hw/render/render_engine.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;

namespace {

struct Environment : memory::test::Mapped {
  mmio::RegisterFile registers{softgen::defs::gen9::registers};
  StopFlag stop;
  EngineEnv env{.engine = EngineId::rcs, .view = view, .ggtt = view, .registers = registers, .stop = stop};
  Environment() : Mapped(0x1000, 0x2000) {}
};

}  // namespace

TEST_CASE("textures are examined again after the texture or the state cache was invalidated") {
  struct Shared : MessageTarget {
    SendResult send(const Message&, ThreadEnv&) override { return SendResult::done; }
    void invalidate_textures() override { ++invalidated; }
    unsigned invalidated = 0;
  } shared;
  render::RenderEngine engine(defs::gen9::commands, render::make_state_decoder<defs::Gen9>(), eu::gen9_isa(), nullptr, &shared);
  Environment f;
  EngineEnv& env = f.env;
  CHECK(engine.flush({}, env) == ExecResult::done);
  CHECK(shared.invalidated == 0);
  CHECK(engine.flush({.texture = true}, env) == ExecResult::done);
  CHECK(shared.invalidated == 1);
  // RENDER_SURFACE_STATE is cached in the state cache: its clear colour may have changed.
  CHECK(engine.flush({.state = true}, env) == ExecResult::done);
  CHECK(shared.invalidated == 2);
}

TEST_CASE("texture palettes belong to the context") {
  struct Shared : MessageTarget {
    SendResult send(const Message&, ThreadEnv&) override { return SendResult::done; }
    void set_palettes(const TexturePalettes& given) override { palettes = given; }
    TexturePalettes palettes{};
  } shared;
  render::RenderEngine engine(defs::gen9::commands, render::make_state_decoder<defs::Gen9>(), eu::gen9_isa(), nullptr, &shared);
  Environment f;
  const auto load = [&](std::vector<uint32_t> dwords) {
    CHECK(engine.execute({0, defs::gen9::commands.find(defs::EngineClass::render, dwords[0]), dwords}, f.env) == ExecResult::done);
  };
  load({0x79020001, 1, 2});
  load({0x790c0000, 3});
  CHECK(shared.palettes[0][1] == 2);
  CHECK(shared.palettes[1][0] == 3);
  std::vector<std::byte> image(engine.context_size());
  engine.save_context(image);
  engine.reset_context();
  CHECK(shared.palettes[0][1] == 0);
  engine.restore_context(image);
  CHECK(shared.palettes[0][1] == 2);
  CHECK(shared.palettes[1][0] == 3);
}

TEST_CASE("draws of a command set without a decoder are counted, and draw nothing") {
  quiet_log();
  clear_failure_counts();
  const defs::CommandSet other{defs::gen9::commands};
  render::RenderEngine engine(other, nullptr, eu::gen9_isa());
  Environment f;
  const auto execute = [&](std::vector<uint32_t> dwords) {
    CHECK(engine.execute({0, other.find(defs::EngineClass::render, dwords[0]), dwords}, f.env) == ExecResult::done);
  };
  execute({0x78520003, 1u << 30, 0, 0, 0});                      // 3DSTATE_WM_HZ_OP, a depth clear
  execute({0x79180006, 1u << 31 | 1u << 21, 0, 0, 0, 0, 0, 0});  // 3DSTATE_SO_BUFFER with an offset to load
  execute({0x7b000005, 0, 3, 0, 1, 0, 0});
  CHECK(failure_count(Failure::unimplemented, "3DPRIMITIVE") == 1);
}
