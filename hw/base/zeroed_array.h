// SPDX-License-Identifier: GPL-2.0-or-later
// Large tables that begin as zeros: the host hands out zero pages, and those never written cost neither time nor memory. A program under
// softgen-run makes a whole device at its start, so that counts.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace softgen {

/// `count` elements of T, for which all bytes zero is the initial value (integers, atomics of them, structs of them).
template <typename T>
class ZeroedArray {
 public:
  /// Throws std::bad_alloc.
  explicit ZeroedArray(size_t count) : elements_(static_cast<T*>(std::calloc(count, sizeof(T)))) {
    static_assert(std::is_trivially_destructible_v<T>);
    if (!elements_) throw std::bad_alloc();
  }
  T& operator[](size_t index) { return elements_.get()[index]; }
  const T& operator[](size_t index) const { return elements_.get()[index]; }

 private:
  struct Free {
    void operator()(T* elements) const { std::free(elements); }
  };
  std::unique_ptr<T[], Free> elements_;
};

}  // namespace softgen
