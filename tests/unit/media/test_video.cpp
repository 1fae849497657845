// SPDX-License-Identifier: GPL-2.0-or-later
// HuC's stream copier, with packets as iHD writes them (codechal_hw.cpp, PerformHucStreamOut), and its copy kernel as IGT's gem_huc_copy uses it.
#include "hw/media/video.h"

#include <vector>

#include "hw/defs/gen11/all.h"
#include "hw/defs/gen12/all.h"
#include "hw/defs/gen9/all.h"
#include "hw/mmio/register_file.h"
#include "tests/catch.h"
#include "tests/quiet_log.h"
#include "tests/unit/memory/mapped.h"

using namespace softgen;
using namespace softgen::media;

namespace {

constexpr uint64_t source = 0x1'0000, target = 0x8'0000, end = 0x10'0000;

struct Chip {
  const char* name;
  const defs::CommandSet& commands;
  const defs::RegisterSet& registers;
  std::unique_ptr<const HucDecoder> (*decoder)();
  uint32_t authentication, authenticated, status;
  uint32_t status_of_second = 0;  ///< 0: the second engine executes no kernels
};
const Chip kbl{"kbl", defs::gen9::commands, defs::gen9::registers, make_huc_decoder<defs::Gen9>, 0xd3b0, 1 << 7, 0xd3b0};
const Chip icl{"icl", defs::gen11::commands, defs::gen11::registers, make_huc_decoder<defs::Gen11>, 0xc1dc, 1, 0x1c23b0, 0x1d23b0};
const Chip tgl{"tgl", defs::gen12::commands, defs::gen12::registers, make_huc_decoder<defs::Gen12>, 0xc1dc, 1, 0x1c23b0, 0x1d23b0};
const Chip* const chips[] = {&kbl, &icl, &tgl};
constexpr uint32_t valid_memory = 1 << 6;

struct Rig : memory::test::Mapped {
  explicit Rig(const Chip& chip = kbl)
      : Mapped(source, end),
        chip(chip),
        registers(chip.registers),
        env{EngineId::vcs0, view, view, registers, stop},
        video(chip.decoder(), nullptr, nullptr) {
    quiet_log();
    for (uint64_t at = source; at < target; at += 4) view.store<uint32_t>(at, static_cast<uint32_t>(at * 0x9e37'79b1) | 1);
  }
  ExecResult run(const std::vector<uint32_t>& dwords) { return run(dwords, video); }
  ExecResult run(const std::vector<uint32_t>& dwords, Engine& on) {
    const defs::Command* command = chip.commands.find(defs::EngineClass::video, dwords[0]);
    REQUIRE(command);
    REQUIRE(defs::command_length(*command, dwords[0]) == dwords.size());
    return on.execute({0x1000, command, dwords}, env);
  }
  void select(bool stream_out = true) { run({0x7580'0001, uint32_t{stream_out} << 4, 0}); }
  void streams(uint32_t in, uint32_t in_bound, uint32_t out, uint32_t out_bound) {
    run({0x7585'0009, in, 0, 0, in_bound, 0, out, 0, 0, out_bound, 0});
  }
  /// HUC_STREAM_OBJECT: bitstream and stream-out enabled, and `flags`.
  ExecResult object(uint32_t bytes, uint32_t in, uint32_t out, uint32_t flags = 1 << 29 | 1 << 26) {
    return run({0x75a0'0003, bytes, in, out, flags});
  }
  void load_kernel(uint32_t kernel) { run({0x7581'0003, 0, 0, 0, kernel}); }
  void addresses(uint32_t from, uint32_t to) {
    std::vector<uint32_t> packet(49);
    packet[0] = 0x7584'002f;
    packet[1] = from;
    packet[1 + 14 * 3] = to;
    run(packet);
  }
  ExecResult start(bool last = true) { return run({0x75a1'0000, last}); }
  void authenticate() { registers.set_bits(chip.authentication, chip.authenticated); }
  /// Bytes from `target` on that are as from `from` on.
  uint64_t equal_bytes(uint64_t from) {
    uint64_t count = 0;
    while (target + count < end && view.load<uint8_t>(target + count) == view.load<uint8_t>(from + count)) ++count;
    return count;
  }

  const Chip& chip;
  mmio::RegisterFile registers;
  StopFlag stop;
  EngineEnv env;
  Video video;
};

}  // namespace

TEST_CASE("huc: a stream object is copied, of any length and place") {  // iHD codechal_hw.cpp, PerformHucStreamOut
  for (const Chip* chip : chips) {
    Rig rig(*chip);
    INFO(chip->name);
    rig.select();
    rig.streams(source, 0, target - 0x100, 0);
    CHECK(rig.object(0x1'2345, 0x13, 0x100) == ExecResult::done);
    CHECK(rig.equal_bytes(source + 0x13) == 0x1'2345);
    CHECK(rig.view.load<uint8_t>(target + 0x1'2345) == 0);
  }
}

TEST_CASE("huc: the streams' bounds end input and output") {
  Rig rig;
  rig.select();
  rig.streams(source, source + 0x100, target, target + 0x180);
  rig.object(0x200, 0, 0);
  CHECK(rig.equal_bytes(source) == 0x100);
  rig.view.store<uint32_t>(target + 0x100, 7);
  rig.view.store<uint32_t>(target + 0x180, 7);
  rig.object(0x200, 0, 0);
  CHECK(rig.view.load<uint32_t>(target + 0x100) == 0);  // read beyond the input's bound
  CHECK(rig.view.load<uint32_t>(target + 0x180) == 7);  // not written
}

TEST_CASE("huc: nothing is written without stream-out, in the mode or the object") {
  for (const bool mode : {false, true}) {
    Rig rig;
    rig.select(!mode);
    rig.streams(source, 0, target, 0);
    rig.object(0x100, 0, 0, mode ? 1 << 29 | 1 << 26 : 1 << 29);
    CHECK(rig.equal_bytes(source) == 0);
  }
}

TEST_CASE("huc: an object for a kernel is copied where none is loaded") {  // iHD's AVC decoder, of monochrome pictures
  Rig rig;
  rig.select();
  rig.streams(source, 0, target, 0);
  CHECK(rig.run({0x75a0'0003, 0x100, 1u << 31, 0, 1 << 29 | 1 << 26}) == ExecResult::done);
  CHECK(rig.equal_bytes(source) == 0x100);
}

TEST_CASE("huc: filtered objects are counted, without effect") {
  for (const uint32_t flag : {1u << 24, 1u << 25}) {
    Rig rig;
    rig.select();
    rig.streams(source, 0, target, 0);
    rig.object(0x100, 0, 0, 1 << 29 | 1 << 26 | flag);
    CHECK(rig.equal_bytes(source) == 0);
  }
}

TEST_CASE("huc: a preempted copy goes on where it stopped, from a saved context, too") {
  Rig rig;
  rig.select();
  rig.streams(source, 0, target, 0);
  rig.stop.request(StopFlag::preempt);
  CHECK(rig.object(0x2'0000, 0, 0) == ExecResult::preempted);
  std::vector<std::byte> image(rig.video.context_size());
  rig.video.save_context(image);
  rig.stop.clear(StopFlag::preempt);
  Video other(rig.chip.decoder(), nullptr, nullptr);
  other.restore_context(image);
  CHECK(rig.run({0x75a0'0003, 0x2'0000, 0, 0, 1 << 29 | 1 << 26}, other) == ExecResult::done);
  CHECK(rig.equal_bytes(source) == 0x2'0000);
  rig.stop.request(StopFlag::reset);
  CHECK(rig.object(0x2'0000, 0, 0) == ExecResult::aborted);
}

TEST_CASE("huc: the copy kernel of an authenticated firmware copies 4 KiB") {  // IGT lib/huc_copy.c
  for (const Chip* chip : chips) {
    Rig rig(*chip);
    INFO(chip->name);
    rig.authenticate();
    rig.load_kernel(3);
    CHECK((rig.registers.read(chip->status) & valid_memory));
    CHECK(rig.run({0x6800'0100}) == ExecResult::done);  // MFX_WAIT
    rig.select(false);
    rig.addresses(source, target);
    rig.start(false);
    CHECK((rig.registers.read(chip->status) & valid_memory));
    rig.start();
    CHECK(rig.equal_bytes(source) == 4096);
    CHECK(rig.registers.read(chip->status) == (chip->status == chip->authentication ? chip->authenticated : 0));
  }
}

// i915 gives a program's batches for "a video engine" to either (i915_gem_execbuffer.c, gen8_dispatch_bsd_engine), gem_huc_copy's among them.
TEST_CASE("huc: from Gen11 on, the second video engine executes kernels, with a status of its own") {
  for (const Chip* chip : chips) {
    Rig rig(*chip);
    INFO(chip->name);
    rig.authenticate();
    const uint32_t before = rig.registers.read(chip->status);
    rig.env.engine = EngineId::vcs1;
    rig.load_kernel(3);
    if (chip->status_of_second) CHECK(rig.registers.read(chip->status_of_second) == valid_memory);
    CHECK(rig.registers.read(chip->status) == before);
    rig.addresses(source, target);
    rig.start();
    CHECK(rig.equal_bytes(source) == (chip->status_of_second ? 4096 : 0));
    if (chip->status_of_second) CHECK(rig.registers.read(chip->status_of_second) == 0);
  }
}

TEST_CASE("huc: no kernel starts without authentication, or of another kind") {
  for (const bool is_authenticated : {false, true}) {
    Rig rig(tgl);
    if (is_authenticated) rig.authenticate();
    rig.load_kernel(is_authenticated ? 4 : 3);
    CHECK_FALSE((rig.registers.read(rig.chip.status) & valid_memory));
    rig.addresses(source, target);
    rig.start();
    CHECK(rig.equal_bytes(source) == 0);
  }
}

TEST_CASE("huc: an image that no video engine saved is a context that never ran") {
  Rig rig;
  rig.select();
  rig.streams(source, 0, target, 0);
  const std::vector<std::byte> forged(rig.video.context_size(), std::byte{0x5a});
  rig.video.restore_context(forged);
  rig.object(0x100, 0, 0);
  CHECK(rig.equal_bytes(source) == 0);
}
