// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/surface/mcs.h"
#include "tests/catch.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;
using namespace softgen::surface;

TEST_CASE("MCS elements: place, clear and identity codes") {
  constexpr uint64_t base = 0x10000;
  memory::test::Mapped mapped(base, base + 0x8000);
  memory::View& view = mapped.view;
  Surface s;
  s.type = SurfaceType::two_d;
  s.format = find_format(SurfaceFormat::R8G8B8A8_UNORM);
  s.aux = AuxMode::ccs_d;
  s.aux_base = base;
  s.aux_pitch = 128;
  s.aux_qpitch = 32;
  CHECK_FALSE(Mcs(s));  // one sample
  for (const unsigned samples : {2u, 4u, 8u, 16u}) {
    s.samples = static_cast<uint8_t>(samples);
    const Mcs mcs(s);
    REQUIRE(mcs);
    const unsigned bytes = samples <= 4 ? 1 : samples == 8 ? 4 : 8;
    view.fill(base, 0xff, 8192);
    CHECK(mcs.is_clear(mcs.read(view, 3, 5, 1)));
    mcs.write(view, 3, 5, 1, mcs.identity());
    CHECK(mcs.read(view, 3, 5, 1) == mcs.identity());
    CHECK_FALSE(mcs.is_clear(mcs.identity()));
    CHECK(mcs.is_clear(mcs.read(view, 2, 5, 1)));
    for (unsigned i = 0; i < samples; ++i) CHECK(mcs.slice_of(mcs.identity(), i) == i);
    // Y tiled, slice 1 is one tile down: 16-byte columns of 32 rows.
    CHECK(view.load<uint8_t>(base + 4096 + (3 * bytes / 16) * 512 + 5 * 16 + 3 * bytes % 16) == (mcs.identity() & 0xff));
  }
}
