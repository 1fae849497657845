// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/icl/display.h"

#include "hw/display/engine.h"
#include "hw/display/icl/pipes.h"
#include "hw/display/icl/power.h"
#include "hw/display/icp.h"

namespace softgen::display {

namespace {

const ChipModel model{.pipes = icl_pipes,
                      .ports = icp_ports(reg::gen11::field::GMBUS0_PIN_PAIR_SELECT, 6),
                      .compressor = fbc,
                      .clock_counter = reg::TIMESTAMP_CTR,
                      .sleep_counts = SleepCounts{.dc5 = reg::DMC_DC5_COUNT, .dc6 = reg::DMC_DC6_COUNT},
                      .clocks = icl_power};

}  // namespace

std::unique_ptr<Display> icl(const DisplayLinks& links, const DisplayConfig& config) {
  return std::make_unique<DisplayEngine>(links, config, model);
}

}  // namespace softgen::display
