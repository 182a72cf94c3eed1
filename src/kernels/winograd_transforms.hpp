#pragma once
// The three matrices of F(m x m, 3 x 3) and X -> M X M^T for them.
#include <array>
#include <vector>

#include "microstep/kernels/policy.hpp"
#include "microstep/kernels/reduction.hpp"

namespace microstep::kernels {

struct Ratio {
  int numerator = 0;
  int denominator = 1;
};

/// rows x columns, row-major.
struct Ratios {
  std::int64_t rows;
  std::int64_t columns;
  std::vector<Ratio> values;

  Ratios transposed() const;
};

/// G: [m+2, 3], B^T: [m+2, m+2], A^T: [m, m+2].
struct WinogradMatrices {
  std::int64_t m;
  Ratios kernel;
  Ratios input;
  Ratios output;

  std::int64_t tile() const { return m + 2; }
};

const WinogradMatrices& winograd_matrices(ConvPath path);

/// X -> M X M^T, first by rows. Each sum leaves zero coefficients out, and a coefficient of 1 or -1 is no product.
template <class A>
class Transform {
 public:
  using V = typename A::Value;
  Transform(const A& arithmetic, const Ratios& ratios) : arithmetic_(arithmetic), ratios_(ratios) {
    for (const Ratio& r : ratios.values)
      coefficients_.push_back(arithmetic.divide(A::constant(r.numerator), A::constant(r.denominator)));
  }

  /// x: [columns, columns], result: [rows, rows].
  void operator()(const V* x, V* result) const {
    std::array<V, most> half;
    const std::int64_t rows = ratios_.rows, columns = ratios_.columns;
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) half[index(i * columns + j)] = product(i, {x + j, columns, columns});
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < rows; ++j) *result++ = product(j, {half.data() + i * columns, columns, 1});
  }

  /// Of one tile of either side.
  static constexpr std::size_t most = 36;

 private:
  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

  V product(std::int64_t row, const Strided<V>& x) const {
    std::array<V, 6> terms;
    std::int64_t count = 0;
    for (std::int64_t j = 0; j < ratios_.columns; ++j) {
      const auto at = index(row * ratios_.columns + j);
      const Ratio& r = ratios_.values[at];
      if (r.numerator == 0) continue;
      terms[index(count++)] = r.numerator == r.denominator    ? x[j]
                              : r.numerator == -r.denominator ? A::negate(x[j])
                                                              : arithmetic_.multiply(coefficients_[at], x[j]);
    }
    return sum(arithmetic_, Strided<V>{terms.data(), count});
  }

  const A& arithmetic_;
  const Ratios& ratios_;
  std::vector<V> coefficients_;
};

}  // namespace microstep::kernels
