// SPDX-License-Identifier: GPL-2.0-or-later
// What most sources use of the C++ library, precompiled once per library of ours (cpp_pch in meson.build): it is half of what a small source costs.
// Sources include what they use nevertheless (scripts/check_style.py): builds with -Db_pch=false have no such header.
#ifndef SOFTGEN_STANDARD_H
#define SOFTGEN_STANDARD_H

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#endif
