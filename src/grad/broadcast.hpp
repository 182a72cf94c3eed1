#pragma once
// Element-wise loops over two operands that broadcast to `out`. The innermost stride of an operand is 1 or 0.
#include <array>

#include "microstep/grad/dimensions.hpp"

namespace microstep {

template <class Value>
struct Operand {
  const Value* data;
  const Dimensions& dimensions;

  bool is_scalar() const { return dimensions.count() == 1; }
  std::int64_t inner_stride() const { return dimensions.sizes[most_axes - 1] == 1 ? 0 : 1; }
  /// The row that belongs to outer index (i, j, k) of the result.
  const Value* row(std::int64_t i, std::int64_t j, std::int64_t k) const {
    const auto& s = dimensions.sizes;
    const std::int64_t outer = ((s[0] == 1 ? 0 : i) * s[1] + (s[1] == 1 ? 0 : j)) * s[2] + (s[2] == 1 ? 0 : k);
    return data + outer * s[3];
  }
};

template <class Value, class F>
void each_in_row(std::int64_t count, const Value* a, std::int64_t a_stride, const Value* b, std::int64_t b_stride,
                 Value* result, const F& f) {
  if (a_stride == 1 && b_stride == 1)
    for (std::int64_t i = 0; i < count; ++i) result[i] = f(a[i], b[i]);
  else if (a_stride == 1)
    for (std::int64_t i = 0; i < count; ++i) result[i] = f(a[i], b[0]);
  else if (b_stride == 1)
    for (std::int64_t i = 0; i < count; ++i) result[i] = f(a[0], b[i]);
  else
    for (std::int64_t i = 0; i < count; ++i) result[i] = f(a[0], b[0]);
}

/// result[index] = f(a[index], b[index]) for every index of `out`.
template <class Value, class F>
void each(const Dimensions& out, const Operand<Value>& a, const Operand<Value>& b, Value* result, const F& f) {
  const bool flat_a = a.dimensions.sizes == out.sizes, flat_b = b.dimensions.sizes == out.sizes;
  if ((flat_a || a.is_scalar()) && (flat_b || b.is_scalar()))
    return each_in_row(out.count(), a.data, flat_a ? 1 : 0, b.data, flat_b ? 1 : 0, result, f);
  for (std::int64_t i = 0; i < out.sizes[0]; ++i)
    for (std::int64_t j = 0; j < out.sizes[1]; ++j)
      for (std::int64_t k = 0; k < out.sizes[2]; ++k, result += out.sizes[3])
        each_in_row(out.sizes[3], a.row(i, j, k), a.inner_stride(), b.row(i, j, k), b.inner_stride(), result, f);
}

}  // namespace microstep
