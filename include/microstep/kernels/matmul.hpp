#pragma once
// Matrix product by a named path.
#include "microstep/kernels/reduction.hpp"

namespace microstep::kernels {

/// Element (i, j) lies at data[i row_stride + j column_stride]. One of the strides is 1 where the product is Eigen's.
template <class Value>
struct Matrix {
  const Value* data;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t row_stride;
  std::int64_t column_stride;

  static Matrix row_major(const Value* data, std::int64_t rows, std::int64_t columns) {
    return {data, rows, columns, columns, 1};
  }
  Matrix transposed() const { return {data, columns, rows, column_stride, row_stride}; }
  Strided<Value> row(std::int64_t i) const { return {data + i * row_stride, columns, column_stride}; }
  Strided<Value> column(std::int64_t j) const { return {data + j * column_stride, rows, row_stride}; }
};

/// result = a b. a: [m, k], b: [k, n], result: [m, n] row-major, not overlapping a or b. Answers which path ran.
/// policy.inputs: both sides are first rounded to that dtype; over semantic balls, and in Wide, that is no rounding.
/// For Plain<float>, Plain<double>, Plain<Wide>, Emulated<double>, Balls<Wide>.
template <class A>
MatmulPath matmul(const A& arithmetic, const KernelPolicy& policy, const Matrix<typename A::Value>& a,
                  const Matrix<typename A::Value>& b, typename A::Value* result);

}  // namespace microstep::kernels
