// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/replay/image.h"

#include "hw/debug/byte_source.h"
#include "tests/catch.h"
#include "tests/unit/replay/recording.h"

using namespace softgen;
using test::Recording;

namespace {

struct Loaded {
  memory::SparseMemory memory{1 << 24};
  memory::Ggtt ggtt;
  replay::Image image{memory, ggtt, {}};
  std::vector<replay::Submission> submissions;
  Loaded() {
    image.on_submit = [this](const replay::Submission& s) { submissions.push_back(s); };
  }
};

}  // namespace

TEST_CASE("a submission runs the context of its image") {
  Recording recording;
  const uint32_t commands[] = {0x05000000};
  recording.submit(EngineId::bcs, commands);
  Loaded l;
  const auto source = debug::open_bytes(recording.bytes());
  CHECK_FALSE(debug::read_aub(*source, l.image));
  REQUIRE(l.submissions.size() == 1);
  const auto& s = l.submissions[0];
  CHECK(s.engine == EngineId::bcs);
  CHECK(s.lrca == Recording::lrca);
  CHECK(s.ring_start == Recording::ring);
  CHECK(s.ring_tail == 16);
  CHECK(s.ring_size == 4096);
  CHECK(s.ppgtt.kind == memory::AddressSpace::Kind::ppgtt48);
  CHECK(s.ppgtt.roots[0] == 0x1000);
  memory::View view(l.memory, nullptr);
  view.set_space(s.ppgtt);
  CHECK(view.load<uint32_t>(Recording::batch) == 0x05000000);
}

TEST_CASE("GGTT writes to pages without an entry get pages of their own") {
  Loaded l;
  const uint32_t value[] = {42};
  l.image.memory_write(debug::aub::Space::ggtt, 0x7ffe, std::as_bytes(std::span(value)));
  CHECK(l.image.ggtt_view().load<uint32_t>(0x7ffe) == 42);
}

TEST_CASE("writes outside the GGTT are errors, other address spaces are counted") {
  Loaded l;
  const std::byte data[8] = {};
  CHECK_THROWS_AS(l.image.memory_write(debug::aub::Space::ggtt_entry, memory::Ggtt().window_size(), data), replay::ImageError);
  CHECK_THROWS_AS(l.image.memory_write(debug::aub::Space::ggtt_entry, ~uint64_t{0} - 3, data), replay::ImageError);
  CHECK_THROWS_AS(l.image.memory_write(debug::aub::Space::ggtt_entry, 2, data), replay::ImageError);
  CHECK_THROWS_AS(l.image.memory_write(debug::aub::Space::ggtt, uint64_t{1} << 32, data), replay::ImageError);
  CHECK_NOTHROW(l.image.memory_write(debug::aub::Space::local, 0, data));
}

TEST_CASE("the head of a capture names the device that made it") {
  Recording recording;
  const auto source = debug::open_bytes(recording.bytes());
  CHECK(replay::captured_device(*source) == 0x5912);
  const std::byte nothing[4] = {};
  const auto none = debug::open_bytes(nothing);
  CHECK(replay::captured_device(*none) == 0);
}
