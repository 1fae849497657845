// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/defs/gen9/all.h"
#include "hw/surface/binding.h"
#include "tests/catch.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;
using namespace softgen::surface;

namespace {

constexpr uint64_t base = 0x10000, bindless = 0x12000;

struct Fixture : memory::test::Mapped {
  ShaderBases bases;

  Fixture() : Mapped(base, base + 0x4000) {
    bases.decode_surface = decode_surface<defs::Gen9>;
    bases.surface_state = bases.binding_tables = base;
    bases.bindless_surface = bindless;
    bases.binding_table = 0x100;
  }
};

}  // namespace

TEST_CASE("binding table entries are offsets from Surface State Base") {
  Fixture f;
  f.view.store<uint32_t>(base + 0x100 + 4 * 3, 0x1c0);
  CHECK(surface_state_address(f.view, f.bases, {3}) == base + 0x1c0);
  f.view.store<uint32_t>(base + 0x1c0, 1u << 29 | 0x0c7u << 18);  // 2D, B8G8R8A8_UNORM
  f.view.store<uint32_t>(base + 0x1c0 + 8, 9u << 16 | 4u);
  const Surface s = load_surface(f.view, f.bases, {3});
  CHECK(s.type == SurfaceType::two_d);
  CHECK(s.width == 5);
  CHECK(s.height == 10);
}

TEST_CASE("bindless surfaces are selected by the extended descriptor, within their bound") {
  Fixture f;
  CHECK(surface_state_address(f.view, f.bases, {bindless_index, 5}) == bindless + 5 * 64);
  f.bases.bindless_surfaces = 5 * 64;
  CHECK(surface_state_address(f.view, f.bases, {bindless_index, 4}) == bindless + 4 * 64);
  CHECK(surface_state_address(f.view, f.bases, {bindless_index, 5}) == no_surface);
  CHECK(load_surface(f.view, f.bases, {bindless_index, 5}).is_null());
}

TEST_CASE("indices without a surface are null surfaces") {
  Fixture f;
  for (const uint8_t index : {240, 253, 254, 255}) CHECK(load_surface(f.view, f.bases, {index}).is_null());
}
