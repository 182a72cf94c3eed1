#pragma once
// The table of operations that the generic checks run: how to record it, and its value and gradient derived by hand.
#include <functional>
#include <ostream>
#include <string>
#include <tuple>

#include "grad/exact.hpp"
#include "microstep/grad/ops.hpp"
#include "microstep/scalar/emulated.hpp"

namespace microstep::testing_grad {

using Vars = std::span<const Var>;

/// One loss for every arithmetic.
struct Recipe {
  template <class A>
  using For = std::function<Var(Tape<A>&, Vars)>;
  std::tuple<For<Plain<float>>, For<Plain<double>>, For<Plain<Wide>>, For<Emulated<double>>, For<Balls<Wide>>> all;

  template <class F>
  Recipe(F f) : all(f, f, f, f, f) {}
  template <class A>
  Var operator()(Tape<A>& tape, Vars vars) const {
    return std::get<For<A>>(all)(tape, vars);
  }
};

/// Values are drawn from low to high, multiples of 1/32 other than 0, so every dtype holds them.
struct Input {
  Shape shape;
  double low = -3;
  double high = 3;
};

using Value = std::function<Numbers(const std::vector<Numbers>& inputs)>;
/// g: the cotangent of the value. Answers the gradient of sum g value by each input.
using Gradient = std::function<std::vector<Numbers>(const std::vector<Numbers>& inputs, const Numbers& g)>;

struct Case {
  std::string name;
  std::vector<Input> inputs;
  Recipe recipe;
  Value value;
  Gradient gradient;
};
inline void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::vector<Case> function_cases();
std::vector<Case> broadcast_cases();
std::vector<Case> matrix_cases();
std::vector<Case> conv_cases();
std::vector<Case> axes_cases();
std::vector<Case> loss_cases();
std::vector<Case> all_cases();

/// For each element of `out` (row-major) the flat index of the element of `from` that broadcasts to it.
std::vector<std::size_t> index_map(const Shape& from, const Shape& out);

}  // namespace microstep::testing_grad
