// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>

#include "feed.h"

namespace softgen::debug::check {
namespace {

void enter(Feed& feed, uint32_t tail) { feed.checker().context_entered(feed.entry(0, tail)); }
/// A context runs from 0 on with the tail 100h; then its tail is moved.
void move_tail(Feed& feed, uint32_t head, uint32_t tail) {
  enter(feed, 0x100);
  feed.checker().tail_moved(feed.entry(head, tail), 0x100);
}
void submit(Feed& feed, uint32_t first, uint32_t second) {
  const uint32_t valid = reg::field::RING_ELSP_VALID.mask();
  const std::array<WatchedContext, 2> list = {{{first | valid, 1}, {second ? second | valid : 0, 2}}};
  feed.checker().submitted(EngineId::rcs, list);
}
void store(Feed& feed, uint64_t seqno) {
  feed.ring_command("PIPE_CONTROL",
                    {{"Post Sync Operation", 1}, {"Destination Address Type", 1}, {"Address", 0x8000}, {"Immediate Data", seqno}});
}
void reset_render(Feed& feed) { feed.checker().register_written(reg::GDRST, feed.platform().registers->engine(EngineId::rcs)->reset); }

constexpr RuleCase cases[] = {
    {"F1", [](Feed& feed) { enter(feed, 0x104); }, [](Feed& feed) { enter(feed, 0x100); }},
    {"F1", [](Feed& feed) { enter(feed, 0x4000); }, [](Feed& feed) { enter(feed, 0x3ff8); }},
    {"F2", [](Feed& feed) { move_tail(feed, 0x40, 0x100); }, [](Feed& feed) { move_tail(feed, 0x40, 0x140); }},
    {"F3", [](Feed& feed) { move_tail(feed, 0x40, 0xc0); }, [](Feed& feed) { move_tail(feed, 0x40, 0x20); }},
    {"F4", [](Feed& feed) { submit(feed, 0x1000, 0x1000); }, [](Feed& feed) { submit(feed, 0x1000, 0x2000); }},
    {"F4", [](Feed& feed) { submit(feed, 0x1000, 0), submit(feed, 0x2000, 0); },
     [](Feed& feed) {
       submit(feed, 0x1000, 0);
       feed.checker().list_taken(EngineId::rcs);
       submit(feed, 0x2000, 0);
     }},
    {"F7",
     [](Feed& feed) {
       store(feed.begin(), 1);
       feed.ring_command("MI_USER_INTERRUPT").ring_command("MI_USER_INTERRUPT");
     },
     [](Feed& feed) {
       store(feed.begin(), 1);
       feed.ring_command("MI_USER_INTERRUPT");
       store(feed, 2);
       feed.ring_command("MI_USER_INTERRUPT");
     }},
    {"F7S", [](Feed& feed) { store(feed, 7), store(feed, 6); },
     [](Feed& feed) { store(feed, 0xffff'ffff), store(feed, 1), store(feed, 1); }},
    {"F10", [](Feed& feed) { feed.checker().register_unpowered(reg::GLOBAL_MOCS(0), false); },
     [](Feed& feed) { feed.checker().register_written(reg::GLOBAL_MOCS(0), 1); }, "tgl"},
    {"F12",
     [](Feed& feed) {
       feed.checker().register_written(feed.platform().registers->engine(EngineId::rcs)->mmio_base + reg::RING_MI_MODE, 1);
     },
     [](Feed& feed) {
       feed.checker().register_written(feed.platform().registers->engine(EngineId::rcs)->mmio_base + reg::RING_MI_MODE, 0x10001);
     }},
    {"F14", reset_render,
     [](Feed& feed) {
       const uint32_t request = reg::field::RING_RESET_CTL_REQUEST_RESET.mask();
       feed.checker().register_written(feed.platform().registers->engine(EngineId::rcs)->mmio_base + reg::RING_RESET_CTL,
                                       request << 16 | request);
       reset_render(feed);
     }},
};

}  // namespace

std::span<const RuleCase> submission_cases() { return cases; }

}  // namespace softgen::debug::check
