// SPDX-License-Identifier: GPL-2.0-or-later
// POCS follows the context of the render engine: contexts one after the other, other contexts in the middle, batches within batches.
#include "tests/catch.h"
#include "tests/posh/runner.h"

using namespace softgen;
using namespace softgen::posh;
using namespace softgen::posh::test;

namespace {

constexpr How all_ways[] = {{.threads = 0}, {.threads = 2}, {.threads = 0, .preempted = true}, {.threads = 2, .preempted = true}};
constexpr uint64_t other_address = 0x800'0000;

/// Three draws, each a column of triangles of which each second one lies outside.
Scene columns(uint64_t address = Scene::Form().address) {
  Scene scene({.address = address});
  scene.topology(Topology::_3DPRIM_TRILIST);
  for (unsigned draw = 0; draw < 3; ++draw) {
    std::vector<Vertex> list;
    for (unsigned i = 0; i < 40; ++i) {
      const float x = static_cast<float>(draw) * 30 + 10 + (i % 2 ? 300.f : 0.f), y = static_cast<float>(i) * 3;
      for (const Vertex& corner : {scene.at(x, y, i), scene.at(x + 10, y, i), scene.at(x, y + 10, i)}) list.push_back(corner);
    }
    scene.vertices(list);
    scene.draw({.count = 120});
  }
  return scene;
}
constexpr uint64_t objects = 120, hidden = 60;

/// Dwords that engines and the CPU see, zeros at first.
class Signals {
 public:
  explicit Signals(Machine& machine) : machine_(machine) { machine.map(at, defs::context_page); }

  /// What an engine does: it says that it is here, and waits for the CPU.
  Stream stop() const {
    Stream stream;
    stream.finish_and_store(at, 1);
    stream.wait(at + 64, 1);
    return stream;
  }
  bool stopped() { return machine_.load(at) == 1; }
  void go_on() { machine_.store(at + 64, 1); }
  /// The last batch of a ring.
  uint64_t end() {
    Stream batch;
    batch.finish_and_store(at + 128, 1);
    batch.end_batch();
    return machine_.place(batch);
  }
  bool ended() { return machine_.load(at + 128) == 1; }

 private:
  static constexpr uint64_t at = 0x7000'0000;
  Machine& machine_;
};

/// One context stops in the middle of `batches`, another one renders its scene, the first one goes on.
void preempt_in_the_middle(Machine& machine, Signals& signals, const Rendering::Pair& batches, const Scene& other, bool with_position) {
  const Context stopped = machine.new_context(true), second = machine.new_context(with_position);
  machine.set_ring(stopped, ring_of(machine, batches));
  machine.submit({stopped});
  REQUIRE(machine.wait([&] { return signals.stopped(); }));
  Rendering rendering(machine, other);
  Stream ring = with_position ? ring_of(machine, rendering.split({})) : ring_of(machine, rendering.plain());
  ring.start_render(signals.end(), true);
  machine.set_ring(second, ring);
  machine.submit({second, stopped});
  REQUIRE(machine.wait([&] { return signals.ended(); }));
  CHECK((rendering.picture() == plain_picture(other)));
  CHECK(machine.device().streamers().busy());
  signals.go_on();
  REQUIRE(machine.wait_idle());
  CHECK(machine.sound());
}

/// The engine that executes `preempted` waits after the first draw of a record when the other context comes.
void check_preemption_between_draws(Stream Rendering::Pair::* preempted, bool with_position) {
  const Scene scene = columns(), other = columns(other_address);
  const Picture plain = plain_picture(scene);
  for (const How how : all_ways) {
    CAPTURE(with_position, how.threads, how.preempted);
    Machine machine(how);
    Signals signals(machine);
    Rendering rendering(machine, scene);
    auto batches = rendering.split({});
    const WorkCounts before = work_counts();
    batches.*preempted = with_piece(machine, batches.*preempted, 1, signals.stop());
    preempt_in_the_middle(machine, signals, batches, other, with_position);
    CHECK((rendering.picture() == plain));
    CHECK(counts_since(before).skipped == hidden + (with_position ? hidden : 0));
  }
}

}  // namespace

TEST_CASE("a POSH enabled context whose ring starts nothing for POCS") {
  const Scene scene = columns();
  const Picture plain = plain_picture(scene);
  for (const How how : all_ways) {
    Machine machine(how);
    Rendering rendering(machine, scene);
    run(machine, machine.new_context(true), ring_of(machine, rendering.plain()));
    CHECK((rendering.picture() == plain));
  }
}

TEST_CASE("a context that is not POSH enabled leaves POCS alone") {
  const Scene scene = columns();
  Machine machine({});
  Rendering rendering(machine, scene);
  const WorkCounts before = work_counts();
  run(machine, machine.new_context(false), ring_of(machine, rendering.split({.awaited = false})));
  CHECK((rendering.picture() == plain_picture(scene)));
  CHECK(counts_since(before).recorded == 0);
}

TEST_CASE("a context is not POSH enabled because the one before it was") {
  const Scene scene = columns();
  Machine machine({});
  Rendering rendering(machine, scene);
  run(machine, machine.new_context(true), ring_of(machine, rendering.plain()));
  run(machine, machine.new_context(false), ring_of(machine, rendering.plain()));
  CHECK((rendering.picture() == plain_picture(scene)));
}

TEST_CASE("a second submission goes on with the state of POCS's image") {
  const Scene scene = columns();
  const Picture plain = plain_picture(scene);
  for (const How how : all_ways) {
    CAPTURE(how.threads, how.preempted);
    Machine machine(how);
    Rendering rendering(machine, scene);
    const Context context = machine.new_context(true);
    run(machine, context, ring_of(machine, rendering.split({})));
    const WorkCounts before = work_counts();
    run(machine, context, ring_of(machine, rendering.split({}, std::span(scene.packets()).last(1))));
    CHECK((rendering.picture() == plain));
    CHECK(counts_since(before).recorded == objects / 3);
    CHECK(counts_since(before).skipped == hidden / 3);
  }
}

TEST_CASE("two contexts in one submission, each with records of its own") {
  const Scene one = columns(), other = columns(other_address);
  const Picture plain = plain_picture(one);
  for (const How how : all_ways) {
    CAPTURE(how.threads, how.preempted);
    Machine machine(how);
    Rendering first(machine, one), second(machine, other);
    const Context contexts[] = {machine.new_context(true), machine.new_context(true)};
    machine.set_ring(contexts[0], ring_of(machine, first.split({})));
    machine.set_ring(contexts[1], ring_of(machine, second.split({})));
    const WorkCounts before = work_counts();
    machine.submit({contexts[0], contexts[1]});
    REQUIRE(machine.wait_idle());
    CHECK(machine.sound());
    CHECK((first.picture() == plain));
    CHECK((second.picture() == plain));
    CHECK(counts_since(before).recorded == 2 * objects);
    CHECK(counts_since(before).skipped == 2 * hidden);
  }
}

TEST_CASE("the render engine is preempted between draws of a record") {
  check_preemption_between_draws(&Rendering::Pair::render, GENERATE(false, true));
}

TEST_CASE("POCS is preempted while it waits between draws of a record") {
  check_preemption_between_draws(&Rendering::Pair::position, GENERATE(false, true));
}

TEST_CASE("the device's state is saved, and loaded, in the middle of a record") {
  const Scene scene = columns();
  const Picture plain = plain_picture(scene);
  const bool recording = GENERATE(false, true);
  for (const How how : all_ways) {
    CAPTURE(recording, how.threads, how.preempted);
    Machine machine(how);
    Signals signals(machine);
    Rendering rendering(machine, scene);
    auto batches = rendering.split({});
    Stream& stopped = recording ? batches.position : batches.render;
    stopped = with_piece(machine, stopped, 1, signals.stop());
    const Context context = machine.new_context(true);
    machine.set_ring(context, ring_of(machine, batches));
    const WorkCounts before = work_counts();
    machine.submit({context});
    REQUIRE(machine.wait([&] { return signals.stopped(); }));
    CHECK(machine.save_and_load() == "");
    signals.go_on();
    REQUIRE(machine.wait_idle());
    CHECK(machine.sound());
    CHECK((rendering.picture() == plain));
    CHECK(counts_since(before).recorded == objects);
    CHECK(counts_since(before).skipped == hidden);
  }
}

TEST_CASE("POCS finds its batches in those that it traverses") {
  const Scene scene = columns();
  const Picture plain = plain_picture(scene);
  const bool second_level = GENERATE(true, false);
  for (const How how : all_ways) {
    CAPTURE(second_level, how.threads, how.preempted);
    Machine machine(how);
    Rendering rendering(machine, scene);
    const auto batches = rendering.split({});
    Stream outer, ring;
    outer.start_position(machine.place(batches.position), true, second_level);
    outer.copy(batches.render.dwords());
    ring.start_render(machine.place(outer), true, true);
    const WorkCounts before = work_counts();
    run(machine, machine.new_context(true), ring);
    CHECK((rendering.picture() == plain));
    CHECK(counts_since(before).skipped == hidden);
  }
}

TEST_CASE("batches for POCS in a batch that it does not traverse are not run") {
  const Scene scene = columns();
  Machine machine({});
  Rendering rendering(machine, scene);
  const auto batches = rendering.split({.awaited = false});
  Stream outer, ring;
  outer.start_position(machine.place(batches.position), true, true);
  outer.copy(batches.render.dwords());
  ring.start_render(machine.place(outer), true, false);
  const WorkCounts before = work_counts();
  run(machine, machine.new_context(true), ring);
  CHECK((rendering.picture() == plain_picture(scene)));
  CHECK(counts_since(before).recorded == 0);
}
