// SPDX-License-Identifier: GPL-2.0-or-later
// Checks the build flags that limit what a hostile guest can gain from a bug.
#include <elf.h>
#include <link.h>

#include <string>
#include <vector>

#include "tests/catch.h"

TEST_CASE("hardening: frames and indices of the standard library are checked") {
#if defined(__SSP_STRONG__) || defined(__SSP_ALL__)
  SUCCEED();
#elif defined(__clang__) || defined(__GNUC__)
  FAIL("built without -fstack-protector-strong");
#endif
#if !defined(_GLIBCXX_ASSERTIONS)
  FAIL("built without -D_GLIBCXX_ASSERTIONS");
#endif
}

TEST_CASE("hardening: all symbols are resolved at the start, and the table is read only from then on") {
  struct Found {
    bool relro = false, now = false;
  } found;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* result) {
        auto& f = *static_cast<Found*>(result);
        for (unsigned n = 0; n < info->dlpi_phnum; n++) {
          const auto& header = info->dlpi_phdr[n];
          f.relro |= header.p_type == PT_GNU_RELRO;
          if (header.p_type != PT_DYNAMIC) continue;
          for (const auto* d = reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + header.p_vaddr); d->d_tag != DT_NULL; d++)
            f.now |= d->d_tag == DT_BIND_NOW || (d->d_tag == DT_FLAGS && (d->d_un.d_val & DF_BIND_NOW)) ||
                     (d->d_tag == DT_FLAGS_1 && (d->d_un.d_val & DF_1_NOW));
        }
        return 1;  // the program itself comes first, and is enough
      },
      &found);
  CHECK(found.relro);
  CHECK(found.now);
}
