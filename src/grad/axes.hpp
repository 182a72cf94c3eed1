#pragma once
// Sums over axes in the named order: the terms of an element are taken in row-major order.
#include <vector>

#include "microstep/grad/dimensions.hpp"
#include "microstep/kernels/reduction.hpp"

namespace microstep {

/// Adjacent reduced axes make an array [outer, reduced, inner].
struct Block {
  std::int64_t outer = 1;
  std::int64_t reduced = 1;
  std::int64_t inner = 1;
  bool adjacent = true;
};

/// Axes where `from` and `to` differ are reduced (to is 1 there).
inline Block block_of(const Dimensions& from, const Dimensions& to) {
  Block block;
  bool begun = false;
  for (std::size_t i = 0; i < most_axes; ++i) {
    const bool is_reduced = from.sizes[i] != to.sizes[i];
    if (is_reduced && begun && block.inner != 1) block.adjacent = false;
    begun = begun || is_reduced;
    (is_reduced ? block.reduced : begun ? block.inner : block.outer) *= from.sizes[i];
  }
  return block;
}

/// Row by row, so that the inner axis vectorises: each element is still added in sequential order.
template <class A>
void sum_rows(const A& arithmetic, const Block& block, const typename A::Value* in, typename A::Value* out) {
  for (std::int64_t o = 0; o < block.outer; ++o, out += block.inner) {
    for (std::int64_t i = 0; i < block.inner; ++i) out[i] = in[i];
    in += block.inner;
    for (std::int64_t r = 1; r < block.reduced; ++r, in += block.inner)
      for (std::int64_t i = 0; i < block.inner; ++i) out[i] = arithmetic.add(out[i], in[i]);
  }
}

template <class A>
void sum_block(const A& arithmetic, Reduction order, const Block& block, const typename A::Value* in,
               typename A::Value* out) {
  if (!A::is_ball && order == Reduction::sequential && block.reduced > 0 && block.inner > 1)
    return sum_rows(arithmetic, block, in, out);
  for (std::int64_t o = 0; o < block.outer; ++o)
    for (std::int64_t i = 0; i < block.inner; ++i)
      *out++ = kernels::sum(arithmetic, {in + o * block.reduced * block.inner + i, block.reduced, block.inner}, order);
}

/// Offsets, in row-major order, of the elements whose index is 0 on the axes that `walked` leaves at 1.
inline std::vector<std::int64_t> offsets(const Dimensions& whole, const Dimensions& walked) {
  std::array<std::int64_t, most_axes> strides{};
  std::int64_t stride = 1;
  for (std::size_t i = most_axes; i-- > 0; stride *= whole.sizes[i]) strides[i] = stride;
  std::vector<std::int64_t> found{0};
  for (std::size_t i = 0; i < most_axes; ++i) {
    std::vector<std::int64_t> next;
    for (std::int64_t base : found)
      for (std::int64_t k = 0; k < walked.sizes[i]; ++k) next.push_back(base + k * strides[i]);
    found = std::move(next);
  }
  return found;
}

template <class A>
void sum_gathered(const A& arithmetic, Reduction order, const Dimensions& from, const Dimensions& to,
                  const typename A::Value* in, typename A::Value* out) {
  Dimensions reduced = from;
  for (std::size_t i = 0; i < most_axes; ++i)
    if (from.sizes[i] == to.sizes[i]) reduced.sizes[i] = 1;
  const auto inside = offsets(from, reduced);
  std::vector<typename A::Value> terms(inside.size());
  for (std::int64_t base : offsets(from, to)) {
    for (std::size_t i = 0; i < inside.size(); ++i) terms[i] = in[base + inside[i]];
    *out++ = kernels::sum(arithmetic, {terms.data(), static_cast<std::int64_t>(terms.size())}, order);
  }
}

/// in: of dimensions `from`; out: of dimensions `to`, which is 1 or the same on each axis.
template <class A>
void sum_over_axes(const A& arithmetic, Reduction order, const Dimensions& from, const Dimensions& to,
                   const typename A::Value* in, typename A::Value* out) {
  const Block block = block_of(from, to);
  if (block.adjacent) return sum_block(arithmetic, order, block, in, out);
  sum_gathered(arithmetic, order, from, to, in, out);
}

}  // namespace microstep
