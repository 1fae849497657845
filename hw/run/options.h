// SPDX-License-Identifier: GPL-2.0-or-later
// The options travel from softgen-run to the preloaded library in one environment variable, as JSON.
#pragma once

#include <string>

#include "hw/run/gpu.h"

namespace softgen::run {

inline constexpr const char* options_variable = "SOFTGEN_RUN_OPTIONS";
inline constexpr const char* root_variable = "SOFTGEN_RUN_ROOT";

std::string options_to_json(const Options& options);
/// Throws std::runtime_error with one sentence on malformed text.
Options options_from_json(const std::string& text);
/// Of SOFTGEN_RUN_OPTIONS; defaults when it is not set.
Options options_from_environment();

/// `path` when this process is the first to ask for it, else a name with the process's number appended: a program may start others that use
/// the GPU. "-", an empty path, and what is no regular file stay as they are.
std::string own_file(const std::string& path);

}  // namespace softgen::run
