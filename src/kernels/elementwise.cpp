#include "microstep/kernels/elementwise.hpp"

#include <Eigen/Core>

#include "microstep/scalar/balls.hpp"
#include "microstep/scalar/emulated.hpp"

namespace microstep::kernels {
namespace {

// Eigen's float tanh clamps its argument and so turns NaN into 1: select it back.
template <class T>
void by_eigen(std::span<const T> x, std::span<T> result) {
  using Elements = Eigen::Array<T, Eigen::Dynamic, 1>;
  const Eigen::Map<const Elements> in(x.data(), static_cast<Eigen::Index>(x.size()));
  Eigen::Map<Elements> out(result.data(), in.size());
  out = in.tanh();
  for (std::size_t i = 0; i < x.size(); ++i) result[i] = x[i] == x[i] ? result[i] : x[i];
}

}  // namespace

template <class A>
TanhPath tanh(const A& arithmetic, const KernelPolicy& policy, std::span<const typename A::Value> x,
              std::span<typename A::Value> result) {
  if constexpr (has_eigen_path<A>) {
    if (policy.tanh == TanhPath::eigen) {
      by_eigen(x, result);
      return TanhPath::eigen;
    }
  }
  for (std::size_t i = 0; i < x.size(); ++i) result[i] = arithmetic.tanh(x[i]);
  return TanhPath::scalar;
}

template TanhPath tanh(const Plain<float>&, const KernelPolicy&, std::span<const float>, std::span<float>);
template TanhPath tanh(const Plain<double>&, const KernelPolicy&, std::span<const double>, std::span<double>);
template TanhPath tanh(const Plain<Wide>&, const KernelPolicy&, std::span<const Wide>, std::span<Wide>);
template TanhPath tanh(const Emulated<double>&, const KernelPolicy&, std::span<const double>, std::span<double>);
template TanhPath tanh(const Balls<Wide>&, const KernelPolicy&, std::span<const Ball>, std::span<Ball>);

}  // namespace microstep::kernels
