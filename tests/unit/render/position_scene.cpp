// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/render/position_scene.h"

#include "hw/defs/gen11/all.h"
#include "hw/defs/gen11/set.h"
#include "hw/eu/isa/gen9/isa.h"
#include "tests/catch.h"

namespace softgen::render::test {
namespace {

namespace gen11 = defs::gen11;

const Generation gen11_engines{gen11::commands, gen11::registers, make_state_decoder<defs::Gen11>};
constexpr uint32_t scissor_rect = 0x500;  // from the dynamic base
constexpr uint32_t posh_enable = 1u << 13, predicate_enable = 1u << 8;

bool is_primitive(std::span<const uint32_t> dwords) {
  return gen11::commands.find(defs::EngineClass::render, dwords[0])->id == defs::CommandId::_3DPRIMITIVE;
}

gen11::_3DSTATE_PTBR_TILE_PASS_INFO tile_info(const Tiles& tiles) {
  gen11::_3DSTATE_PTBR_TILE_PASS_INFO info;
  info.tile_columns = tiles.columns - 1, info.tile_rows = tiles.rows - 1;
  info.render_list_address = PositionScene::render_list;
  return info;
}

}  // namespace

PositionScene::PositionScene(unsigned threads) : Scene(size, threads, gen11_engines) {
  put_scissor(scissor_);
  gen9::_3DSTATE_SCISSOR_STATE_POINTERS pointer;
  pointer.scissor_rect_pointer = scissor_rect;
  set(pointer);
  raster.scissor_rectangle_enable = true;
  set(raster);
  for (uint32_t i = 0; i < 48; ++i) view.store(free_list + i * 4, i ^ 1);
}

void PositionScene::put_scissor(const PixelRect& rect) {
  gen9::SCISSOR_RECT r;
  r.scissor_rectangle_x_min = static_cast<uint32_t>(rect.x0), r.scissor_rectangle_y_min = static_cast<uint32_t>(rect.y0);
  r.scissor_rectangle_x_max = static_cast<uint32_t>(rect.x1 - 1), r.scissor_rectangle_y_max = static_cast<uint32_t>(rect.y1 - 1);
  const auto dwords = r.pack();
  view.write(dynamic + scissor_rect, dwords.data(), sizeof dwords);
}

std::vector<uint32_t> PositionScene::take() {
  const std::vector<uint32_t> all = pixels();
  view.fill(target, 0, uint64_t{size} * size * 4);
  return all;
}

void PositionScene::run(Engine& engine, std::span<const uint32_t> dwords) {
  const defs::Command* command = gen11::commands.find(defs::EngineClass::render, dwords[0]);
  REQUIRE(command);
  EngineEnv env{.engine = EngineId::rcs, .view = view, .ggtt = view, .registers = *registers_, .stop = stop_, .predicate = predicate_};
  ExecResult result;
  do {
    if (preempt) stop_.request(StopFlag::preempt);
    result = engine.execute({0x1000, command, dwords}, env);
    stop_.clear(StopFlag::preempt);
    preempted_ += result == ExecResult::preempted;
    if (!preempt) continue;
    std::vector<std::byte> image(engine.context_size());
    engine.save_context(image);
    engine.reset_context();
    engine.restore_context(image);
  } while (result == ExecResult::preempted);
  REQUIRE(result == ExecResult::done);
}

void PositionScene::repeat(Engine& engine, bool recording) {
  unsigned draws = 0;
  for (std::vector<uint32_t> dwords : executed_) {
    if (is_primitive(dwords)) {
      if (before_draw) before_draw(draws, recording);
      dwords[0] |= posh_enable | (predicated ? predicate_enable : 0);
      ++draws;
    }
    run(engine, dwords);
  }
}

void PositionScene::record(std::optional<Tiles> tiles) {
  registers_ = std::make_unique<mmio::RegisterFile>(gen11::registers);
  registers_->poke(reg::PTBR_PAGE_POOL_SIZE, pool_pages);
  PositionEngine engine(gen11::commands, make_state_decoder<defs::Gen11>(), eu::gen9_isa());
  preempted_ = 0;
  if (preempt) engine.set_minimum_run({});
  gen11::_3DSTATE_PTBR_PAGE_POOL_BASE_ADDRESS pages;
  pages.page_pool_base_address = pool;
  run(engine, pages.pack());
  gen11::_3DSTATE_PTBR_FREE_LIST_BASE_ADDRESS free;
  free.free_list_base_address = free_list;
  run(engine, free.pack());
  if (tiles) run(engine, tile_info(*tiles).pack());
  gen11::_3DSTATE_PTBR_RENDER_LIST_BASE_ADDRESS list;
  list.render_list_base_address = render_list;
  run(engine, list.pack());
  put_scissor(scissor_);
  repeat(engine, true);
}

std::vector<uint32_t> PositionScene::render(std::optional<Tiles> tiles) {
  registers_ = std::make_unique<mmio::RegisterFile>(gen11::registers);
  RenderEngine engine(gen11::commands, make_state_decoder<defs::Gen11>(), eu::gen9_isa(), pool_.workers() ? &pool_ : nullptr);
  preempted_ = 0;
  if (preempt) engine.set_minimum_run({});
  const Tiles all = tiles.value_or(Tiles{});
  run(engine, tile_info(all).pack());
  EngineEnv env{.engine = EngineId::rcs, .view = view, .ggtt = view, .registers = *registers_, .stop = stop_};
  for (unsigned pass = 0; pass < all.columns * all.rows; ++pass) {
    gen11::_3DSTATE_PTBR_TILE_SELECT select;
    select.tile_pass = pass, select.visibility_enable = true;
    run(engine, select.pack());
    const auto x = static_cast<int32_t>(pass % all.columns) * 64, y = static_cast<int32_t>(pass / all.columns) * 64;
    PixelRect part = scissor_;
    if (tiles) part.clip({x, y, x + 64, y + 64});
    if (part.empty()) part = {0, size, 1, size + 1};  // no pixel
    put_scissor(part);
    repeat(engine, false);
    REQUIRE(engine.flush({}, env) == ExecResult::done);
  }
  std::vector<uint32_t> result(size_t{size} * size);
  view.read(target, result.data(), result.size() * 4);
  view.fill(target, 0, result.size() * 4);
  return result;
}

}  // namespace softgen::render::test
