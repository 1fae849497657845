// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/mmio/register_file.h"
#include "hw/render/render_engine.h"
#include "tests/catch.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;

TEST_CASE("textures are looked at again after the texture or the state cache was invalidated") {
  struct Shared : MessageTarget {
    SendResult send(const Message&, ThreadEnv&) override { return SendResult::done; }
    void invalidate_textures() override { ++invalidated; }
    unsigned invalidated = 0;
  } shared;
  render::RenderEngine engine(nullptr, &shared);
  memory::test::Mapped f(0x1000, 0x2000);
  mmio::RegisterFile registers;
  StopFlag stop;
  EngineEnv env{.engine = EngineId::rcs, .view = f.view, .ggtt = f.view, .registers = registers, .stop = stop};
  CHECK(engine.flush({.render_target = true, .depth = true, .stall = true}, env) == ExecResult::done);
  CHECK(shared.invalidated == 0);
  CHECK(engine.flush({.texture = true}, env) == ExecResult::done);
  CHECK(shared.invalidated == 1);
  // RENDER_SURFACE_STATE lies in the state cache: its clear colour may be another one now.
  CHECK(engine.flush({.state = true}, env) == ExecResult::done);
  CHECK(shared.invalidated == 2);
}
