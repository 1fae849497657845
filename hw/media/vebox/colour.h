// SPDX-License-Identifier: GPL-2.0-or-later
// Image enhancement and colour processing (IECP) as far as it is built: front-end CSC, ProcAmp, CSC.
#pragma once

#include "hw/media/vebox/band.h"

namespace softgen::media::vebox {

/// Y' = (Y - 16) * contrast + brightness + 16; U' = (U - 128) * cos + (V - 128) * sin + 128; V' = (V - 128) * cos - (U - 128) * sin + 128.
void amplify(const ProcAmp& amplifier, Band& band);
/// The band has s444.
void transform(const Matrix& matrix, Band& band);

/// Whether pixels are to be changed before they are stored as `to`; else the band can be stored as it is.
bool changes(const Colour& colour, Sampling from, Sampling to);
/// All of it. Returns the band that has the result, of sampling `to`: one of the three; `a` and `b` are scratch memory.
const Band& recolour(const Colour& colour, Band& band, int width, Sampling to, Band& a, Band& b);

}  // namespace softgen::media::vebox
