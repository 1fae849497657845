// SPDX-License-Identifier: GPL-2.0-or-later
// The execlist submit port (ELSP) of Gen8 and Gen9: a list is four dwords written to one register (SKL PRM vol 2c, EXECLIST_SUBMITPORT;
// vol 3, "Execlists").
#pragma once

#include "hw/cs/submission.h"

namespace softgen::cs {

/// Lists of two elements, a status buffer of six entries.
extern const SubmissionForm elsp;

}  // namespace softgen::cs
