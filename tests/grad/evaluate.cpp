#include "grad/evaluate.hpp"

#include <random>

namespace microstep::testing_grad {
namespace {

double draw(std::mt19937& bits, const Input& input) {
  const auto steps = static_cast<unsigned>((input.high - input.low) * 32);
  const double x = input.low + (bits() % steps) / 32.0;
  return x == 0 ? input.high : x;
}

}  // namespace

Points draw_inputs(const Case& c) {
  std::mt19937 bits(7);
  Points points;
  for (const Input& input : c.inputs) {
    std::vector<double> values(static_cast<std::size_t>(element_count(input.shape)));
    for (double& x : values) x = draw(bits, input);
    points.push_back(values);
  }
  return points;
}

std::vector<double> weights(std::size_t count) {
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back((i % 2 == 0 ? 1.0 : -1.0) * (1 + static_cast<double>(i) / 32));
  return out;
}

}  // namespace microstep::testing_grad
