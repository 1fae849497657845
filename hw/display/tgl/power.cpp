// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/tgl/power.h"

#include <utility>

#include "hw/display/pll.h"
#include "hw/display/tgl/dekel.h"

namespace softgen::display {

namespace field = reg::field;
namespace gen12 = reg::gen12;

namespace {

constexpr FuseRow fuses[] = {{gen12::field::PWR_WELL_CTL_POWER_WELL_1_STATE, field::FUSE_STATUS_FUSE_PG1_DISTRIBUTION_STATUS},
                             {gen12::field::PWR_WELL_CTL_POWER_WELL_2_STATE, field::FUSE_STATUS_FUSE_PG2_DISTRIBUTION_STATUS},
                             {field::PWR_WELL_CTL_POWER_WELL_3_STATE, field::FUSE_STATUS_FUSE_PG3_DISTRIBUTION_STATUS},
                             {field::PWR_WELL_CTL_POWER_WELL_4_STATE, field::FUSE_STATUS_FUSE_PG4_DISTRIBUTION_STATUS},
                             {field::PWR_WELL_CTL_POWER_WELL_5_STATE, field::FUSE_STATUS_FUSE_PG5_DISTRIBUTION_STATUS}};

// DPCLKA_CFGCR0 numbers them so.
constexpr PllRow combo_plls[] = {{reg::DPLL_ENABLE(0), gen12::DPLL_CFGCR0(0), gen12::DPLL_CFGCR1(0)},
                                 {reg::DPLL_ENABLE(1), gen12::DPLL_CFGCR0(1), gen12::DPLL_CFGCR1(1)},
                                 {reg::DPLL4_ENABLE, gen12::DPLL_CFGCR0(2), gen12::DPLL_CFGCR1(2)}};
constexpr ComboFields combo_fields{.integer = gen12::field::DPLL_CFGCR0_DCO_INTEGER,
                                   .fraction = gen12::field::DPLL_CFGCR0_DCO_FRACTION,
                                   .pdiv = gen12::field::DPLL_CFGCR1_PDIV,
                                   .kdiv = gen12::field::DPLL_CFGCR1_KDIV,
                                   .qdiv_mode = gen12::field::DPLL_CFGCR1_QDIV_MODE,
                                   .qdiv_ratio = gen12::field::DPLL_CFGCR1_QDIV_RATIO};

constexpr PllRow other_plls[] = {{reg::TBT_PLL_ENABLE, gen12::DPLL_CFGCR0(3), gen12::DPLL_CFGCR1(3)}};

constexpr ComboPortRow combo_ports[] = {{0, field::DPCLKA_CFGCR0_DDI_A_CLOCK_OFF, field::DPCLKA_CFGCR0_DDI_A_CLOCK_SELECT},
                                        {1, field::DPCLKA_CFGCR0_DDI_B_CLOCK_OFF, field::DPCLKA_CFGCR0_DDI_B_CLOCK_SELECT},
                                        {2, field::DPCLKA_CFGCR0_DDI_C_CLOCK_OFF, field::DPCLKA_CFGCR0_DDI_C_CLOCK_SELECT}};
constexpr TypeCPortRow type_c_ports[DekelPhys::ports] = {
    {3, reg::MG_PLL_ENABLE(0), field::DPCLKA_CFGCR0_TC1_CLOCK_OFF}, {4, reg::MG_PLL_ENABLE(1), field::DPCLKA_CFGCR0_TC2_CLOCK_OFF},
    {5, reg::MG_PLL_ENABLE(2), field::DPCLKA_CFGCR0_TC3_CLOCK_OFF}, {6, reg::MG_PLL_ENABLE(3), field::DPCLKA_CFGCR0_TC4_CLOCK_OFF},
    {7, reg::MG_PLL_ENABLE(4), field::DPCLKA_CFGCR0_TC5_CLOCK_OFF}, {8, reg::MG_PLL_ENABLE(5), field::DPCLKA_CFGCR0_TC6_CLOCK_OFF}};
constexpr ComboPhyRow phys[] = {{reg::PORT_PCS_TX_GROUP(0), reg::PORT_PCS_TX_LANE_0(0)},
                                {reg::PORT_PCS_TX_GROUP(1), reg::PORT_PCS_TX_LANE_0(1)},
                                {reg::PORT_PCS_TX_GROUP_C(0), reg::PORT_PCS_TX_LANES_C(0)}};

const PowerModel model{
    .fuses = fuses,
    .reference_hz = tgl_reference_hz,
    .combo_plls = combo_plls,
    .combo_fields = combo_fields,
    .combo_ports = combo_ports,
    .type_c_ports = type_c_ports,
    .other_plls = other_plls,
    .phys = phys,
    .ports = 9,
    .type_c_plls = [](mmio::RegisterFile& registers, const std::function<void()>& changed) -> std::unique_ptr<TypeCPlls> {
      return std::make_unique<DekelPhys>(registers, changed);
    }};

}  // namespace

std::unique_ptr<Clocks> tgl_power(mmio::RegisterFile& registers, std::function<void()> clocks_changed) {
  return std::make_unique<Power>(registers, std::move(clocks_changed), model);
}

}  // namespace softgen::display
