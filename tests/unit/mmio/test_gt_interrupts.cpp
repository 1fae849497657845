// SPDX-License-Identifier: GPL-2.0-or-later
// The interrupts of the GT as software sees them, rule by rule (TGL PRM vol 13, "Interrupts Overview"; the tests name the sections under it and quote
// their sentences), on Ice Lake and Tiger Lake. The rules of the second level by itself: test_interrupt_bank.cpp.
#include <array>
#include <string_view>
#include <utility>

#include "tests/unit/mmio/interrupt_rig.h"

using namespace softgen;
using namespace softgen::mmio;
using namespace softgen::mmio::engine_event;

namespace {

struct Tree : InterruptRig {
  Tree() : InterruptRig(*GENERATE(&defs::gen11::registers, &defs::gen12::registers)) { driver.install(); }
  /// Whether a user interrupt of the engine reaches the second level now.
  bool pends(EngineId engine) {
    tree.raise(engine, user);
    const bool raised = read(reg::GT_INTR_DW(0)) | read(reg::GT_INTR_DW(1));
    for (unsigned word = 0; word < 2; ++word) driver.serve(word);
    return raised;
  }
};

/// Where an engine's interrupts are.
struct EngineRow {
  EngineId engine;
  unsigned word, source;   ///< bit of GT_INTR_DW
  unsigned cls, instance;  ///< "Engine Class", "Engine Instance"
  uint32_t enable, enable_half;
  uint32_t mask, mask_half;
};
constexpr EngineRow engine_rows[] = {
    {EngineId::rcs, 0, 0, 0, 0, 0x190030, 0xffff'0000, 0x190090, 0xffff'0000},
    {EngineId::bcs, 0, 15, 3, 0, 0x190030, 0x0000'ffff, 0x1900a0, 0xffff'0000},
    {EngineId::vcs0, 1, 0, 1, 0, 0x190034, 0xffff'0000, 0x1900a8, 0xffff'0000},
    {EngineId::vcs1, 1, 2, 1, 2, 0x190034, 0xffff'0000, 0x1900ac, 0xffff'0000},
    {EngineId::vecs, 1, 31, 2, 0, 0x190034, 0x0000'ffff, 0x1900d0, 0xffff'0000},
};

}  // namespace

// "GT Engine Interrupts": the table of classes and instances, and the format of an interrupt message, which INTR_IDENTITY_REG has: "[29:27] VF ID, [25:20]
// Instance ID, [18:16] Engine Class ID, [15:0] Interrupt data". Bits of GT_INTR_DW: i915 gt/intel_gt_regs.h, GEN11_RCS0, GEN11_BCS, GEN11_VCS, GEN11_VECS.
TEST_CASE_METHOD(Tree, "gt interrupts: each engine has its bit, its class and its instance") {
  for (const EngineRow& row : engine_rows) {
    CAPTURE(name_of(row.engine));
    tree.raise(row.engine, user | context_switch);
    CHECK(read(reg::GT_INTR_DW(row.word)) == 1u << row.source);
    CHECK(read(reg::GFX_MSTR_IRQ) == (enable | 1u << row.word));
    CHECK(driver.serve(row.word) == std::vector<uint32_t>{valid | row.instance << 20 | row.cls << 16 | 0x101});
    CHECK(read(reg::GFX_MSTR_IRQ) == enable);
    CHECK(read(reg::INTR_IDENTITY_REG(row.word)) == 0);
  }
  // "Each engine reports up to 16 interrupts": the same ones for all (i915 gt/intel_gt_irq.c, gen11_gt_irq_postinstall).
  const std::pair<EngineEvents, uint32_t> events[] = {{user, 0},     {error, 3},          {flush_notify, 4},
                                                      {watchdog, 6}, {context_switch, 8}, {wait_semaphore, 11}};
  for (const auto& [event, bit] : events)
    for (const EngineRow& row : engine_rows) CHECK(tree.engine_bits(row.engine, event) == 1u << bit);
}

// "Enable and Mask Registers". After reset nothing is enabled and all is masked (i915 gt/intel_gt_irq.c, gen11_gt_irq_reset, leaves it so).
TEST_CASE("gt interrupts: enables of classes, and masks of instances, keep all bits") {
  const defs::RegisterSet& set = *GENERATE(&defs::gen11::registers, &defs::gen12::registers);
  InterruptRig rig(set);
  const struct {
    uint32_t offset;
    std::string_view name;
  } enables[] = {{0x190030, "RENDER_COPY_INTR_ENABLE"},   {0x190034, "VCS_VECS_INTR_ENABLE"},    {0x190038, "GUC_SG_INTR_ENABLE"},
                 {0x19003c, "GPM_WGBOXPERF_INTR_ENABLE"}, {0x190040, "CRYPTO_RSVD_INTR_ENABLE"}, {0x190044, "GUNIT_CSME_INTR_ENABLE"}},
    masks[] = {{0x190090, "RCS0_RSVD_INTR_MASK"},     {0x1900a0, "BCS_RSVD_INTR_MASK"},    {0x1900a8, "VCS_INTR_MASK[0]"},
               {0x1900ac, "VCS_INTR_MASK[1]"},        {0x1900d0, "VECS_INTR_MASK"},        {0x1900e8, "GUC_SG_INTR_MASK"},
               {0x1900ec, "GPM_WGBOXPERF_INTR_MASK"}, {0x1900f0, "CRYPTO_RSVD_INTR_MASK"}, {0x1900f4, "GUNIT_CSME_INTR_MASK"}};
  const auto keeps = [&](uint32_t offset, std::string_view name, uint32_t reset) {
    CAPTURE(name);
    CHECK(set.name_of(offset) == name);
    CHECK(rig.read(offset) == reset);
    for (const uint32_t value : {0x5a5a'a5a5u, ~0u, 0u}) {
      rig.write(offset, value);
      CHECK(rig.read(offset) == value);
    }
  };
  for (const auto& row : enables) keeps(row.offset, row.name, 0);
  for (const auto& row : masks) keeps(row.offset, row.name, ~0u);
}

// "Enable and Mask Registers": "Different instances of the same engine class use the same Enable register [...]. Each engine instance, even within the same
// Engine Class, has a unique Mask Register."
TEST_CASE_METHOD(Tree, "gt interrupts: an event needs its class's enable and its engine's mask, and no other") {
  tree.raise(EngineId::rcs, flush_notify | wait_semaphore);
  CHECK(read(reg::GT_INTR_DW(0)) == 1);
  CHECK((driver.identity(0, 0) & 0xffff) == 0x800);
  write(reg::GT_INTR_DW(0), 1);

  for (const EngineRow& row : engine_rows) {
    CAPTURE(name_of(row.engine));
    write(row.enable, row.enable_half);
    write(row.mask, ~row.mask_half);
    CHECK(pends(row.engine));
    write(row.enable, ~row.enable_half);
    CHECK_FALSE(pends(row.engine));
    write(row.enable, row.enable_half);
    write(row.mask, row.mask_half);
    CHECK_FALSE(pends(row.engine));
  }
}

// "First Level Interrupt Bits": "it is AND-ed with a per-Engine Enable register (IER). [...] Disabled events are simply dropped by the interrupt handling
// logic." "Enabled interrupts are logged in a per-instance, non-SW readable Collapsing Register." "Masked events remain in the per-Instance Collapsing
// Register until they are unmasked."
TEST_CASE_METHOD(Tree, "gt interrupts: disabled events are dropped, masked ones come when they are unmasked, an instance at a time") {
  write(reg::VCS_INTR_MASK(0), ~0u);
  write(reg::VCS_INTR_MASK(1), ~0u);
  tree.raise(EngineId::vcs0, user | flush_notify);  // the enable lets flush_notify not through
  tree.raise(EngineId::vcs1, context_switch);
  CHECK(read(reg::GFX_MSTR_IRQ) == enable);
  write(reg::VCS_INTR_MASK(1), 0);
  CHECK(host.levels == std::vector<bool>{true});
  CHECK(driver.serve(1) == std::vector<uint32_t>{valid | 2u << 20 | 1u << 16 | 0x100});
  write(reg::VCS_VECS_INTR_ENABLE, ~0u);
  write(reg::VCS_INTR_MASK(0), 0);
  CHECK(driver.serve(1) == std::vector<uint32_t>{valid | 1u << 16 | 1});
}

// The same: the enable is asked "when an interrupt event comes into the interrupt handling logic".
TEST_CASE_METHOD(Tree, "gt interrupts: what has been logged does not need its class's enable any more") {
  write(reg::BCS_RSVD_INTR_MASK, ~0u);
  tree.raise(EngineId::bcs, user);
  write(reg::RENDER_COPY_INTR_ENABLE, 0);
  tree.raise(EngineId::bcs, context_switch);
  write(reg::BCS_RSVD_INTR_MASK, 0);
  CHECK(driver.serve(0) == std::vector<uint32_t>{valid | 3u << 16 | 1});
}

// "GT Engine Interrupts": "WDOAPerf" is instance 2 of class 4. The halves of its enable and mask: "drm/i915: handle interrupts from the OA unit", intel-gfx.
TEST_CASE_METHOD(Tree, "gt interrupts: the observation unit's event passes the low halves of its enable and mask") {
  constexpr uint32_t event = 0x1000;
  write(reg::GPM_WGBOXPERF_INTR_ENABLE, event << 16);
  write(reg::GPM_WGBOXPERF_INTR_MASK, 0);
  tree.raise_observation();
  CHECK(read(reg::GFX_MSTR_IRQ) == enable);
  write(reg::GPM_WGBOXPERF_INTR_ENABLE, event);
  write(reg::GPM_WGBOXPERF_INTR_MASK, event);
  tree.raise_observation();
  CHECK(read(reg::GFX_MSTR_IRQ) == enable);
  write(reg::GPM_WGBOXPERF_INTR_MASK, ~event);
  CHECK(read(reg::GFX_MSTR_IRQ) == (enable | 1));
  CHECK(read(reg::GT_INTR_DW(0)) == 1u << 20);
  CHECK(driver.serve(0) == std::vector<uint32_t>{valid | 2u << 20 | 4u << 16 | event});
  tree.raise_observation();
  CHECK(host.levels == std::vector<bool>{true, false, true});
}

// "Host SW Interface": "Interrupt bits in the Primary Interrupt Control Register are Read-Only bits, and are level indications that a second level interrupt is
// present". "Graphics interrupts use 2 bits [...]. In addition, interrupt events from Display".
TEST_CASE_METHOD(Tree, "gt interrupts: bits of the primary register are read-only levels") {
  write(reg::GFX_MSTR_IRQ, ~0u);
  CHECK(read(reg::GFX_MSTR_IRQ) == enable);
  CHECK(host.levels.empty());
  write(reg::DISPLAY_INT_CTL, ~0u);
  CHECK(read(reg::DISPLAY_INT_CTL) == enable);
  tree.raise(EngineId::rcs, user);
  tree.raise(EngineId::vcs0, user);
  tree.post(0, pipe_event::vertical_blank);
  for (const uint32_t written : {~0u, 0u, enable}) {
    write(reg::GFX_MSTR_IRQ, written);
    CHECK(read(reg::GFX_MSTR_IRQ) == ((written & enable) | 1u << 16 | 3));
  }
  driver.serve(1);
  CHECK(read(reg::GFX_MSTR_IRQ) == (enable | 1u << 16 | 1));
  driver.serve(0);
  CHECK(read(reg::GFX_MSTR_IRQ) == (enable | 1u << 16));
  write(reg::DE_PIPE_IIR(0), 1);
  CHECK(read(reg::GFX_MSTR_IRQ) == enable);
}

// "Host SW Interface": "An interrupt is sent to driver whenever bits are set in the Primary Interrupt Control Register and the Enable bit is also set. As a
// result of this interrupt, SW first resets the Primary Control Enable bit. [...] Once all lower level interrupts have been serviced, SW writes the
// Primary Interrupt Control register to set the Primary Control Enable bit."
TEST_CASE_METHOD(Tree, "gt interrupts: the order of service: nothing is sent until the enable is set again") {
  tree.raise(EngineId::rcs, user);
  CHECK(host.levels == std::vector<bool>{true});
  write(reg::GFX_MSTR_IRQ, 0);
  CHECK(read(reg::GFX_MSTR_IRQ) == 1);
  tree.raise(EngineId::vecs, user);  // another word, not in software's copy
  CHECK(driver.serve(0) == std::vector<uint32_t>{valid | 1});
  CHECK(host.levels == std::vector<bool>{true, false});
  write(reg::GFX_MSTR_IRQ, enable);
  CHECK(host.levels == std::vector<bool>{true, false, true});
  write(reg::GFX_MSTR_IRQ, 0);
  CHECK(driver.serve(1) == std::vector<uint32_t>{valid | 2u << 16 | 1});
  write(reg::GFX_MSTR_IRQ, enable);
  CHECK(host.levels == std::vector<bool>{true, false, true, false});
}

// "Second Level Interrupt Bits": "From the time of read to the time of SW completely clearing the second-level IIR (to indicate end of service), all incoming
// interrupts are logged in a secondary storage structure."
TEST_CASE_METHOD(Tree, "gt interrupts: an event between the identity and the clearing of its word is not lost") {
  tree.raise(EngineId::rcs, user);
  write(reg::GFX_MSTR_IRQ, 0);
  CHECK(read(reg::GFX_MSTR_IRQ) == 1);
  CHECK(read(reg::GT_INTR_DW(0)) == 1);
  write(reg::IIR_REG_SELECTOR(0), 1);

  SECTION("before the identity is read: it comes on its own") {
    tree.raise(EngineId::rcs, user | context_switch);
    CHECK(read(reg::INTR_IDENTITY_REG(0)) == (valid | 0x1));
    write(reg::INTR_IDENTITY_REG(0), valid);
    write(reg::GT_INTR_DW(0), 1);
    CHECK(read(reg::GT_INTR_DW(0)) == 1);
    write(reg::GFX_MSTR_IRQ, enable);
    CHECK(host.levels == std::vector<bool>{true, false, true});
    CHECK(driver.serve(0) == std::vector<uint32_t>{valid | 0x101});
    CHECK_FALSE(tree.level());
  }
  SECTION("after, with the master enabled: a message of its own") {
    write(reg::GFX_MSTR_IRQ, enable);
    host.levels.clear();
    tree.raise(EngineId::rcs, context_switch);
    write(reg::GT_INTR_DW(0), 1);
    CHECK(read(reg::GT_INTR_DW(0)) == 1);
    CHECK(host.levels == std::vector<bool>{false, true});
  }
  SECTION("none: the word and the line are clear") {
    write(reg::GT_INTR_DW(0), 1);
    write(reg::GFX_MSTR_IRQ, enable);
    CHECK(host.levels == std::vector<bool>{true, false});
  }
}

// "Second Level Interrupt Bits": "If events exist in the secondary storage at the time that the IIR is completely cleared, a second DW-level event will be
// generated."
TEST_CASE_METHOD(Tree, "gt interrupts: events during service make a second interrupt when their word is cleared") {
  tree.raise(EngineId::rcs, user);
  CHECK(read(reg::GT_INTR_DW(0)) == 1);
  tree.raise(EngineId::bcs, user);
  CHECK(read(reg::GT_INTR_DW(0)) == 1);
  CHECK(host.levels == std::vector<bool>{true});
  CHECK(driver.identity(0, 0) == (valid | 1));
  write(reg::GT_INTR_DW(0), 1);
  CHECK(host.levels == std::vector<bool>{true, false, true});
  CHECK(read(reg::GT_INTR_DW(0)) == 1u << 15);
}

// "Interrupt Aggregating Logic": "32 bits of second level interrupts are OR-ed together to generate a DW-level interrupt event [...]. Two such events".
TEST_CASE_METHOD(Tree, "gt interrupts: each word has a snapshot, a selector and an identity of its own") {
  tree.raise(EngineId::rcs, user);
  CHECK(read(reg::GT_INTR_DW(0)) == 1);
  tree.raise(EngineId::vcs0, user);  // word 1 is not in service
  CHECK(read(reg::GT_INTR_DW(1)) == 1);
  write(reg::IIR_REG_SELECTOR(0), 1);
  write(reg::IIR_REG_SELECTOR(1), 1);
  CHECK(read(reg::INTR_IDENTITY_REG(0)) == (valid | 1));
  CHECK(read(reg::INTR_IDENTITY_REG(1)) == (valid | 1u << 16 | 1));
  write(reg::INTR_IDENTITY_REG(0), valid);
  CHECK(read(reg::INTR_IDENTITY_REG(1)) == (valid | 1u << 16 | 1));
  CHECK(read(reg::IIR_REG_SELECTOR(1)) == 1);
}

// "Shared IIR, Selector": "Second-level IIR bits must not be cleared without first servicing that engine's interrupts". What happens then is chosen.
TEST_CASE_METHOD(Tree, "gt interrupts: a word's bit stays until its shared IIR was taken") {
  tree.raise(EngineId::bcs, user);
  write(reg::GT_INTR_DW(0), ~0u);
  CHECK(read(reg::GT_INTR_DW(0)) == 1u << 15);
  driver.identity(0, 15);
  write(reg::GT_INTR_DW(0), ~0u);
  CHECK(read(reg::GT_INTR_DW(0)) == 0);
}

// "Shared IIR, Selector": "SW must clear the Shared IIR by writing 1 to the Data-Valid bit [...]. This clearing of the Shared IIR Data-Valid bit clears both
// the Shared IIR as well as the Selector."
TEST_CASE_METHOD(Tree, "gt interrupts: Data Valid clears the shared IIR and the selector") {
  tree.raise(EngineId::bcs, user);
  CHECK(read(reg::GT_INTR_DW(0)) == 1u << 15);
  write(reg::IIR_REG_SELECTOR(0), 1u << 15);
  CHECK(read(reg::IIR_REG_SELECTOR(0)) == 1u << 15);
  write(reg::INTR_IDENTITY_REG(0), 1);
  CHECK(read(reg::INTR_IDENTITY_REG(0)) == (valid | 3u << 16 | 1));
  write(reg::INTR_IDENTITY_REG(0), valid);
  CHECK(read(reg::INTR_IDENTITY_REG(0)) == 0);
  CHECK(read(reg::IIR_REG_SELECTOR(0)) == 0);
}

// "Shared IIR, Selector": "Note that the Selector data must be one-hot. Selector must not have a bit set that is not set in the second-level IIR at the time of
// SW read." That nothing is presented then is chosen.
TEST_CASE_METHOD(Tree, "gt interrupts: a selector that the manual forbids presents nothing") {
  CHECK(driver.identity(1, 2) == 0);  // nothing pends
  tree.raise(EngineId::rcs, user);
  CHECK(read(reg::GT_INTR_DW(0)) == 1);
  tree.raise(EngineId::bcs, user);  // after the reading
  for (const uint32_t selector : {0u, 1u | 1u << 15, 1u << 15, 1u << 25}) {
    write(reg::IIR_REG_SELECTOR(0), selector);
    CHECK(read(reg::INTR_IDENTITY_REG(0)) == 0);
  }
  CHECK(driver.serve(0) == std::vector<uint32_t>{valid | 1});
}

// The interrupt handling logic stands outside the engines, so that a reset of one does not take what software is about to serve (chosen).
TEST_CASE_METHOD(Tree, "gt interrupts: a reset of engines leaves what software has to serve") {
  tree.raise(EngineId::rcs, user);
  tree.reset_engines(~0u);
  CHECK(driver.serve(0) == std::vector<uint32_t>{valid | 1});
}
