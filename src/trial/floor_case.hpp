#pragma once
// What `floor` runs: a model with drawn params on drawn rows, and what it ought to give.
#include <vector>

#include "microstep/data/trace.hpp"
#include "microstep/scalar/ball.hpp"
#include "microstep/trial/floor.hpp"

namespace microstep {

/// Uniform in (-1, 1), all bits of the dtype used; weights divided by about the root of their inputs. Row i is the same
/// at every batch size.
Forward floor_case(const Spec& model, Dtype dtype, std::uint64_t seed, std::int64_t batch);

/// The first rows of it.
Forward first_rows(const Forward& forward, std::int64_t count);
Forward one_row(const Forward& forward, std::int64_t row);
/// [batch, output shape]
Shape due_shape(const Forward& forward);

/// One entry a layer: the layer alone on what the layers before it give exactly, rounded to the dtype.
std::vector<Forward> layers_alone(const Forward& forward);

/// The bounds that are known of an evaluation, made when they are asked for.
class KnownBounds {
 public:
  /// Of the first rows of forward.
  explicit KnownBounds(const Forward& forward);
  std::int64_t rows() const { return rows_; }
  /// values: at least those rows.
  BoundShare share_of(std::span<const double> values);
  Distance distance_of(std::span<const double> values);

 private:
  const std::vector<Ball>& balls(std::size_t rule);

  Forward forward_;
  std::int64_t rows_;
  std::vector<std::vector<Ball>> balls_;
};

/// values and others: rows of `width` numbers; those of the shorter of both.
Distance distance(Dtype dtype, std::span<const double> values, std::span<const double> others, std::int64_t width);

}  // namespace microstep
