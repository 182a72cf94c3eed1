#pragma once
// Which float path a kernel takes. All paths of a kernel are the same operation in another order, or in another
// algorithm; each can be switched on its own.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "microstep/scalar/plain.hpp"

namespace microstep {

enum class Order : std::uint8_t { sequential, reversed, pairwise, blocked, lanes, split_k, kahan };

/// The order in which the terms of a sum are added.
///   sequential   ((x0 + x1) + x2) + ...
///   reversed     ((xn + xn-1) + xn-2) + ...
///   pairwise     the sum of the first floor(n/2) terms plus the sum of the others, each formed the same way
///   blocked(b)   blocks of b neighbours, each sequential; then the blocks' sums, sequential
///   lanes(n)     lane j adds the terms j, j + n, ...; then the lanes, pairwise: a vector unit of n lanes
///   split_k(n)   n parts of neighbours of nearly one size, each sequential; then the parts' sums, sequential
///   kahan        sequential, with the lost part of each addition taken off the next term
/// fused: a dot adds each product unrounded (fused multiply-add); plain sums are the same with and without.
struct Reduction {
  Order order = Order::sequential;
  /// b of blocked, n of lanes and split_k, at least 1; lanes at most most_lanes.
  std::int32_t size = 0;
  bool fused = false;

  static constexpr std::int32_t most_lanes = 64;
  static const Reduction sequential, reversed, pairwise, kahan;
  static constexpr Reduction blocked(std::int32_t size) { return {Order::blocked, size, false}; }
  static constexpr Reduction lanes(std::int32_t size) { return {Order::lanes, size, false}; }
  static constexpr Reduction split_k(std::int32_t size) { return {Order::split_k, size, false}; }
  constexpr Reduction with_fma() const { return {order, size, true}; }

  bool operator==(const Reduction&) const = default;
};

inline constexpr Reduction Reduction::sequential{Order::sequential, 0, false};
inline constexpr Reduction Reduction::reversed{Order::reversed, 0, false};
inline constexpr Reduction Reduction::pairwise{Order::pairwise, 0, false};
inline constexpr Reduction Reduction::kahan{Order::kahan, 0, false};

/// loops: each element a dot in the policy's order. eigen: Eigen's product.
enum class MatmulPath : std::uint8_t { loops, eigen };

/// What a matrix unit rounds its inputs to; products and sums stay in the dtype.
enum class MatmulInputs : std::uint8_t { same, tf32, bfloat16 };

/// scalar: the arithmetic's own function, element by element. eigen: Eigen's vectorised function.
enum class TanhPath : std::uint8_t { scalar, eigen };

/// direct: each output a dot over its window. im2col: one matmul over unrolled windows. winograd2, winograd4:
/// Winograd's F(2x2, 3x3) and F(4x4, 3x3), for kernels of 3x3. automatic: chosen by batch and input size (AutoConv).
enum class ConvPath : std::uint8_t { direct, im2col, winograd2, winograd4, automatic };

/// When `automatic` leaves im2col for `large`: at `batch` images or at `elements` input elements, batch included,
/// whichever comes first; 0: that one never.
struct AutoConv {
  std::int64_t batch = 16;
  std::int64_t elements = 0;
  ConvPath large = ConvPath::winograd4;

  bool operator==(const AutoConv&) const = default;
};

std::string to_string(const Reduction& order);
std::string_view to_string(MatmulPath path);
std::string_view to_string(MatmulInputs inputs);
std::string_view to_string(TanhPath path);
std::string_view to_string(ConvPath path);

/// "3.4.0", of the Eigen whose paths these are.
std::string eigen_version();

/// The wished paths. An arithmetic without an Eigen path takes the other one.
struct KernelPolicy {
  Reduction reduction = Reduction::sequential;
  MatmulPath matmul = MatmulPath::eigen;
  TanhPath tanh = TanhPath::eigen;
  MatmulInputs inputs = MatmulInputs::same;
  /// The order of a product whose left side has one row; none: like many rows.
  std::optional<Reduction> one_row = std::nullopt;
  ConvPath conv = ConvPath::automatic;
  AutoConv automatic = {};

  bool operator==(const KernelPolicy&) const = default;
};

template <class A>
inline constexpr bool has_eigen_path = false;
template <>
inline constexpr bool has_eigen_path<Plain<float>> = true;
template <>
inline constexpr bool has_eigen_path<Plain<double>> = true;

}  // namespace microstep
