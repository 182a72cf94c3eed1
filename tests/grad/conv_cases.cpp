#include "grad/cases.hpp"
#include "microstep/kernels/conv.hpp"

namespace microstep::testing_grad {
namespace {

/// use(index of x, index of w, index of the output) for every product of the definition.
template <class Use>
void each_product(const kernels::ConvShape& s, const Use& use) {
  std::size_t at = 0;
  for (std::int64_t n = 0; n < s.batch; ++n)
    for (std::int64_t o = 0; o < s.out_channels; ++o)
      for (std::int64_t y = 0; y < s.out_height(); ++y)
        for (std::int64_t z = 0; z < s.out_width(); ++z, ++at)
          for (std::int64_t t = 0; t < s.in_channels * s.window(); ++t) {
            const std::int64_t c = t / s.window(), row = y + t % s.window() / s.kernel_width - s.pad_height,
                               column = z + t % s.kernel_width - s.pad_width;
            if (row < 0 || row >= s.height || column < 0 || column >= s.width) continue;
            use(static_cast<std::size_t>(((n * s.in_channels + c) * s.height + row) * s.width + column),
                static_cast<std::size_t>(o * s.in_channels * s.window() + t), at);
          }
}

/// dx = sum of g w, dw = sum of g x over the products that each takes part in.
Case conv_case(const kernels::ConvShape& s) {
  const auto outputs = static_cast<std::size_t>(s.output_size());
  const Value value = [=](const auto& in) {
    Numbers out(outputs);
    each_product(s, [&](auto x, auto w, auto at) { out[at] += in[0][x] * in[1][w]; });
    return out;
  };
  const Gradient gradient = [=](const auto& in, const Numbers& g) {
    std::vector<Numbers> out{Numbers(in[0].size()), Numbers(in[1].size())};
    each_product(s, [&](auto x, auto w, auto at) {
      out[0][x] += g[at] * in[1][w];
      out[1][w] += g[at] * in[0][x];
    });
    return out;
  };
  const Shape x{s.batch, s.in_channels, s.height, s.width};
  const Shape w{s.out_channels, s.in_channels, s.kernel_height, s.kernel_width};
  const Recipe recipe = [padding = s.pad_height](auto& t, Vars v) { return conv2d(t, v[0], v[1], padding); };
  return {"conv2d" + to_string(x) + to_string(w), {{x}, {w}}, recipe, value, gradient};
}

}  // namespace

std::vector<Case> conv_cases() {
  return {conv_case({1, 1, 3, 3, 1, 3, 3, 0, 0}), conv_case({2, 2, 4, 5, 3, 3, 3, 1, 1}),
          conv_case({2, 1, 3, 2, 2, 2, 2, 1, 1}), conv_case({1, 2, 2, 3, 1, 1, 2, 0, 0})};
}

}  // namespace microstep::testing_grad
