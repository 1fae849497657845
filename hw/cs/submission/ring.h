// SPDX-License-Identifier: GPL-2.0-or-later
// Submission by TAIL alone: Ironlake's rings (ILK PRM vol 1 part 2, 5.3.4; part 4, 1.1.5).
#pragma once

#include "hw/cs/submission.h"

namespace softgen::cs {

extern const SubmissionForm ring;

}  // namespace softgen::cs
