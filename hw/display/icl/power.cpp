// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/display/icl/power.h"

#include <utility>

#include "hw/display/pll.h"

namespace softgen::display {

namespace field = reg::field;
namespace gen11 = reg::gen11;

namespace {

constexpr FuseRow fuses[] = {{gen11::field::PWR_WELL_CTL_POWER_WELL_1_STATE, field::FUSE_STATUS_FUSE_PG1_DISTRIBUTION_STATUS},
                             {gen11::field::PWR_WELL_CTL_POWER_WELL_2_STATE, field::FUSE_STATUS_FUSE_PG2_DISTRIBUTION_STATUS},
                             {field::PWR_WELL_CTL_POWER_WELL_3_STATE, field::FUSE_STATUS_FUSE_PG3_DISTRIBUTION_STATUS},
                             {field::PWR_WELL_CTL_POWER_WELL_4_STATE, field::FUSE_STATUS_FUSE_PG4_DISTRIBUTION_STATUS}};

constexpr PllRow combo_plls[] = {{reg::DPLL_ENABLE(0), gen11::DPLL_CFGCR0(0), gen11::DPLL_CFGCR1(0)},
                                 {reg::DPLL_ENABLE(1), gen11::DPLL_CFGCR0(1), gen11::DPLL_CFGCR1(1)}};
constexpr ComboFields combo_fields{.integer = gen11::field::DPLL_CFGCR0_DCO_INTEGER,
                                   .fraction = gen11::field::DPLL_CFGCR0_DCO_FRACTION,
                                   .pdiv = gen11::field::DPLL_CFGCR1_PDIV,
                                   .kdiv = gen11::field::DPLL_CFGCR1_KDIV,
                                   .qdiv_mode = gen11::field::DPLL_CFGCR1_QDIV_MODE,
                                   .qdiv_ratio = gen11::field::DPLL_CFGCR1_QDIV_RATIO};

constexpr PllRow other_plls[] = {{reg::TBT_PLL_ENABLE, gen11::DPLL_CFGCR0(2), gen11::DPLL_CFGCR1(2)}};

constexpr ComboPortRow combo_ports[] = {{0, field::DPCLKA_CFGCR0_DDI_A_CLOCK_OFF, field::DPCLKA_CFGCR0_DDI_A_CLOCK_SELECT},
                                        {1, field::DPCLKA_CFGCR0_DDI_B_CLOCK_OFF, field::DPCLKA_CFGCR0_DDI_B_CLOCK_SELECT}};
// DDI C to F.
constexpr TypeCPortRow type_c_ports[] = {{2, reg::MG_PLL_ENABLE(0), field::DPCLKA_CFGCR0_TC1_CLOCK_OFF},
                                         {3, reg::MG_PLL_ENABLE(1), field::DPCLKA_CFGCR0_TC2_CLOCK_OFF},
                                         {4, reg::MG_PLL_ENABLE(2), field::DPCLKA_CFGCR0_TC3_CLOCK_OFF},
                                         {5, reg::MG_PLL_ENABLE(3), field::DPCLKA_CFGCR0_TC4_CLOCK_OFF}};
constexpr ComboPhyRow phys[] = {{reg::PORT_PCS_TX_GROUP(0), reg::PORT_PCS_TX_LANE_0(0)},
                                {reg::PORT_PCS_TX_GROUP(1), reg::PORT_PCS_TX_LANE_0(1)}};

class MgPlls final : public TypeCPlls {
 public:
  MgPlls(mmio::RegisterFile& registers, const std::function<void()>& changed) : registers_(registers) {
    for (unsigned i = 0; i < std::size(type_c_ports); i++) {
      for (const uint32_t offset : {reg::MG_PLL_DIV0(i), reg::MG_PLL_DIV1(i), reg::MG_CLKTOP2_HSCLKCTL(i)})
        registers.on_write(offset, [changed](uint32_t, uint32_t) { changed(); });
    }
  }
  uint64_t hz(unsigned i) const override {
    const uint32_t div0 = registers_.peek(reg::MG_PLL_DIV0(i)), hsclkctl = registers_.peek(reg::MG_CLKTOP2_HSCLKCTL(i));
    return type_c_pll_hz(
        icl_reference_hz,
        {.predivider = field::MG_PLL_DIV1_FEEDBACK_PREDIVIDER.of(registers_.peek(reg::MG_PLL_DIV1(i))),
         .feedback = field::MG_PLL_DIV0_FEEDBACK_DIVIDER_INTEGER.of(div0),
         .fraction = field::MG_PLL_DIV0_FRACTION_ENABLE.of(div0) ? field::MG_PLL_DIV0_FEEDBACK_DIVIDER_FRACTION.of(div0) : 0,
         .hsdiv = field::MG_CLKTOP2_HSCLKCTL_HSDIV_RATIO.of(hsclkctl),
         .dsdiv = field::MG_CLKTOP2_HSCLKCTL_DSDIV_RATIO.of(hsclkctl)});
  }

 private:
  const mmio::RegisterFile& registers_;
};

const PowerModel model{
    .fuses = fuses,
    .reference_hz = icl_reference_hz,
    .combo_plls = combo_plls,
    .combo_fields = combo_fields,
    .combo_ports = combo_ports,
    .type_c_ports = type_c_ports,
    .other_plls = other_plls,
    .phys = phys,
    .ports = 6,
    .type_c_plls = [](mmio::RegisterFile& registers, const std::function<void()>& changed) -> std::unique_ptr<TypeCPlls> {
      return std::make_unique<MgPlls>(registers, changed);
    }};

}  // namespace

std::unique_ptr<Clocks> icl_power(mmio::RegisterFile& registers, std::function<void()> clocks_changed) {
  return std::make_unique<Power>(registers, std::move(clocks_changed), model);
}

}  // namespace softgen::display
