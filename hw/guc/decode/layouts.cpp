// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/guc/layout.h"

namespace softgen::guc {

namespace {

const InterfaceV9 gen9_v9{.core_family = 12};

}  // namespace

// i915 gt/uc/intel_guc.c, intel_guc_init_early(); intel_huc.c, intel_huc_init_early(); gt/intel_ggtt.c, guc_ggtt_invalidate(). GUC_HOST_INTERRUPT's value
// is a payload for the firmware, 0 from xe (xe_guc.c, xe_guc_notify()), 1 from i915.
const Layout gen9_layout{.mailbox = reg::SOFT_SCRATCH(0),
                         .notify = reg::GUC_SEND_INTERRUPT,
                         .notify_bits = reg::field::GUC_SEND_INTERRUPT_TRIGGER.mask(),
                         .tlb_invalidate = reg::GTCR,
                         .reset = reg::gen9::field::GDRST_GUC,
                         .huc_status = reg::HUC_STATUS2,
                         .huc_verified = reg::field::HUC_STATUS2_VERIFIED,
                         .contexts = defs::gen9::context_images,
                         .v9 = &gen9_v9};
const Layout gen11_layout{.mailbox = reg::GUC_MESSAGE(0),
                          .notify = reg::GUC_HOST_INTERRUPT,
                          .notify_bits = 0,
                          .tlb_invalidate = reg::GTCR,
                          .reset = reg::gen11::field::GDRST_GUC,
                          .huc_status = reg::HUC_KERNEL_LOAD_INFO,
                          .huc_verified = reg::field::HUC_KERNEL_LOAD_INFO_SUCCESSFUL,
                          .contexts = defs::gen11::context_images};
const Layout gen12_layout{.mailbox = reg::GUC_MESSAGE(0),
                          .notify = reg::GUC_HOST_INTERRUPT,
                          .notify_bits = 0,
                          .tlb_invalidate = reg::GUC_TLB_INV_CR,
                          .reset = reg::gen11::field::GDRST_GUC,
                          .huc_status = reg::HUC_KERNEL_LOAD_INFO,
                          .huc_verified = reg::field::HUC_KERNEL_LOAD_INFO_SUCCESSFUL,
                          .contexts = defs::gen12::context_images};

}  // namespace softgen::guc
