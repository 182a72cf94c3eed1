#include "winograd_transforms.hpp"

namespace microstep::kernels {
namespace {

Ratios whole(std::int64_t rows, std::int64_t columns, std::initializer_list<int> numerators, int denominator = 1) {
  Ratios result{rows, columns, {}};
  for (int n : numerators) result.values.push_back({n, denominator});
  return result;
}

WinogradMatrices two() {
  return {2, whole(4, 3, {2, 0, 0, 1, 1, 1, 1, -1, 1, 0, 0, 2}, 2),
          whole(4, 4, {1, 0, -1, 0, 0, 1, 1, 0, 0, -1, 1, 0, 0, 1, 0, -1}), whole(2, 4, {1, 1, 1, 0, 0, 1, -1, -1})};
}

WinogradMatrices four() {
  return {4, whole(6, 3, {6, 0, 0, -4, -4, -4, -4, 4, -4, 1, 2, 4, 1, -2, 4, 0, 0, 24}, 24),
          whole(6, 6, {4, 0,  -5, 0, 1, 0, 0, -4, -4, 1,  1, 0, 0, 4, -4, -1, 1, 0,
                       0, -2, -1, 2, 1, 0, 0, 2,  -1, -2, 1, 0, 0, 4, 0,  -5, 0, 1}),
          whole(4, 6, {1, 1, 1, 1, 1, 0, 0, 1, -1, 2, -2, 0, 0, 1, 1, 4, 4, 0, 0, 1, -1, 8, -8, 1})};
}

}  // namespace

Ratios Ratios::transposed() const {
  Ratios result{columns, rows, {}};
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = 0; i < rows; ++i) result.values.push_back(values[static_cast<std::size_t>(i * columns + j)]);
  return result;
}

const WinogradMatrices& winograd_matrices(ConvPath path) {
  static const WinogradMatrices small = two(), large = four();
  return path == ConvPath::winograd2 ? small : large;
}

}  // namespace microstep::kernels
