#include "microstep/kernels/matmul.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <vector>

#include "microstep/scalar/emulated.hpp"

namespace microstep::kernels {
namespace {

template <class A>
void by_loops(const A& arithmetic, Reduction order, const Matrix<typename A::Value>& a,
              const Matrix<typename A::Value>& b, typename A::Value* result) {
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < b.columns; ++j) *result++ = dot(arithmetic, a.row(i), b.column(j), order);
}

template <class A>
typename A::Value cast_to(const A& arithmetic, Dtype dtype, const typename A::Value& x) {
  if constexpr (has_eigen_path<A>)
    return static_cast<typename A::Value>(round_to(dtype, static_cast<double>(x)));
  else if constexpr (std::is_same_v<A, Plain<Wide>>)
    return x;
  else
    return arithmetic.at(dtype).cast(x);
}

template <class T, int order>
using View = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, order>, 0, Eigen::OuterStride<>>;

template <class T, class Use>
void viewed(const Matrix<T>& m, const Use& use) {
  if (m.column_stride == 1)
    use(View<T, Eigen::RowMajor>(m.data, m.rows, m.columns, Eigen::OuterStride<>(m.row_stride)));
  else
    use(View<T, Eigen::ColMajor>(m.data, m.rows, m.columns, Eigen::OuterStride<>(m.column_stride)));
}

template <class T>
void by_eigen(const Matrix<T>& a, const Matrix<T>& b, T* result) {
  using Result = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<Result> out(result, a.rows, b.columns);
  viewed(a, [&](const auto& left) { viewed(b, [&](const auto& right) { out.noalias() = left * right; }); });
}

template <class Value>
bool has_unit_stride(const Matrix<Value>& m) {
  return m.column_stride == 1 || m.row_stride == 1;
}

// Row-major, each element rounded to the dtype.
template <class A>
std::vector<typename A::Value> rounded(const A& arithmetic, Dtype dtype, const Matrix<typename A::Value>& m) {
  std::vector<typename A::Value> values;
  values.reserve(static_cast<std::size_t>(m.rows * m.columns));
  for (std::int64_t i = 0; i < m.rows; ++i)
    for (std::int64_t j = 0; j < m.columns; ++j) values.push_back(cast_to(arithmetic, dtype, m.row(i)[j]));
  return values;
}

template <class A>
MatmulPath by_narrow_inputs(const A& arithmetic, const KernelPolicy& policy, const Matrix<typename A::Value>& a,
                            const Matrix<typename A::Value>& b, typename A::Value* result) {
  const Dtype dtype = policy.inputs == MatmulInputs::tf32 ? Dtype::tf32 : Dtype::bfloat16;
  KernelPolicy rest = policy;
  rest.inputs = MatmulInputs::same;
  const auto narrow_a = rounded(arithmetic, dtype, a), narrow_b = rounded(arithmetic, dtype, b);
  using M = Matrix<typename A::Value>;
  return matmul(arithmetic, rest, M::row_major(narrow_a.data(), a.rows, a.columns),
                M::row_major(narrow_b.data(), b.rows, b.columns), result);
}

}  // namespace

template <class A>
MatmulPath matmul(const A& arithmetic, const KernelPolicy& policy, const Matrix<typename A::Value>& a,
                  const Matrix<typename A::Value>& b, typename A::Value* result) {
  if (policy.inputs != MatmulInputs::same) return by_narrow_inputs(arithmetic, policy, a, b, result);
  if (policy.one_row && a.rows == 1) {
    by_loops(arithmetic, *policy.one_row, a, b, result);
    return MatmulPath::loops;
  }
  if constexpr (has_eigen_path<A>) {
    if (policy.matmul == MatmulPath::eigen && has_unit_stride(a) && has_unit_stride(b)) {
      by_eigen(a, b, result);
      return MatmulPath::eigen;
    }
  }
  by_loops(arithmetic, policy.reduction, a, b, result);
  return MatmulPath::loops;
}

template MatmulPath matmul(const Plain<float>&, const KernelPolicy&, const Matrix<float>&, const Matrix<float>&,
                           float*);
template MatmulPath matmul(const Plain<double>&, const KernelPolicy&, const Matrix<double>&, const Matrix<double>&,
                           double*);
template MatmulPath matmul(const Plain<Wide>&, const KernelPolicy&, const Matrix<Wide>&, const Matrix<Wide>&, Wide*);
template MatmulPath matmul(const Emulated<double>&, const KernelPolicy&, const Matrix<double>&, const Matrix<double>&,
                           double*);
template MatmulPath matmul(const Balls<Wide>&, const KernelPolicy&, const Matrix<Ball>&, const Matrix<Ball>&, Ball*);

}  // namespace microstep::kernels

namespace microstep {

std::string eigen_version() {
  return fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
}

}  // namespace microstep
