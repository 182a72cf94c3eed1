#pragma once
// Which float path a kernel takes. All paths of a kernel are the same operation in another order; its ball holds them
// all.
#include <cstdint>
#include <string_view>

#include "microstep/scalar/plain.hpp"

namespace microstep {

/// The order in which the terms of a sum are added.
///   sequential   ((x0 + x1) + x2) + ...
///   reversed     ((xn + xn-1) + xn-2) + ...
///   pairwise     the sum of the first floor(n/2) terms plus the sum of the others, each formed the same way
enum class Reduction : std::uint8_t { sequential, reversed, pairwise };

/// sequential: a triple loop, each element a dot in the policy's order. eigen: Eigen's product.
enum class MatmulPath : std::uint8_t { sequential, eigen };

/// scalar: the arithmetic's own function, element by element. eigen: Eigen's vectorised function.
enum class TanhPath : std::uint8_t { scalar, eigen };

std::string_view to_string(Reduction order);
std::string_view to_string(MatmulPath path);
std::string_view to_string(TanhPath path);

/// The wished paths. An arithmetic without an Eigen path takes the other one.
struct KernelPolicy {
  Reduction reduction = Reduction::sequential;
  MatmulPath matmul = MatmulPath::eigen;
  TanhPath tanh = TanhPath::eigen;

  bool operator==(const KernelPolicy&) const = default;
};

template <class A>
inline constexpr bool has_eigen_path = false;
template <>
inline constexpr bool has_eigen_path<Plain<float>> = true;
template <>
inline constexpr bool has_eigen_path<Plain<double>> = true;

}  // namespace microstep
