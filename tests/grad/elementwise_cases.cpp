#include "grad/cases.hpp"

namespace microstep::testing_grad {
namespace {

using Scalar = std::function<Exact(const Exact&)>;
using Scalar2 = std::function<Exact(const Exact&, const Exact&)>;

struct Function {
  std::string name;
  Recipe recipe;
  Scalar value;
  Scalar slope;
  double low = -3;
};

Exact hyperbolic_tangent(const Exact& x) {
  const Exact up = exponential(x), down = exponential(-x);
  return (up - down) / (up + down);
}

/// 4 / (e^x + e^-x)^2.
Exact tangent_slope(const Exact& x) {
  const Exact twice_cosine = exponential(x) + exponential(-x);
  return 4 / (twice_cosine * twice_cosine);
}

bool is_positive(const Exact& x) { return x.ball.value > 0; }

std::vector<Function> functions() {
  return {
      {"negate", [](auto& t, Vars v) { return negate(t, v[0]); }, [](const Exact& x) { return 0 - x; },
       [](const Exact&) { return -1; }},
      {"square", [](auto& t, Vars v) { return square(t, v[0]); }, [](const Exact& x) { return x * x; },
       [](const Exact& x) { return x + x; }},
      {"exp", [](auto& t, Vars v) { return exp(t, v[0]); }, exponential, exponential},
      {"log", [](auto& t, Vars v) { return log(t, v[0]); }, logarithm, [](const Exact& x) { return 1 / x; }, 0.25},
      {"tanh", [](auto& t, Vars v) { return tanh(t, v[0]); }, hyperbolic_tangent, tangent_slope},
      {"relu", [](auto& t, Vars v) { return relu(t, v[0]); },
       [](const Exact& x) { return is_positive(x) ? x : Exact(0); },
       [](const Exact& x) { return is_positive(x) ? 1 : 0; }},
  };
}

Case case_of(const Function& f, const Shape& shape) {
  const Value value = [f](const auto& in) {
    Numbers out;
    for (const Exact& x : in[0]) out.push_back(f.value(x));
    return out;
  };
  const Gradient gradient = [f](const auto& in, const Numbers& g) {
    Numbers out;
    for (std::size_t i = 0; i < g.size(); ++i) out.push_back(g[i] * f.slope(in[0][i]));
    return std::vector<Numbers>{out};
  };
  return {f.name + to_string(shape), {{shape, f.low}}, f.recipe, value, gradient};
}

/// by_x and by_y: the partial derivatives.
struct Function2 {
  std::string name;
  Recipe recipe;
  Scalar2 value;
  Scalar2 by_x;
  Scalar2 by_y;
  double low_y = -3;
};

std::vector<Function2> functions_of_two() {
  return {
      {"add", [](auto& t, Vars v) { return add(t, v[0], v[1]); }, std::plus<Exact>(),
       [](const Exact&, const Exact&) { return 1; }, [](const Exact&, const Exact&) { return 1; }},
      {"subtract", [](auto& t, Vars v) { return subtract(t, v[0], v[1]); }, std::minus<Exact>(),
       [](const Exact&, const Exact&) { return 1; }, [](const Exact&, const Exact&) { return -1; }},
      {"multiply", [](auto& t, Vars v) { return multiply(t, v[0], v[1]); }, std::multiplies<Exact>(),
       [](const Exact&, const Exact& y) { return y; }, [](const Exact& x, const Exact&) { return x; }},
      {"divide", [](auto& t, Vars v) { return divide(t, v[0], v[1]); }, std::divides<Exact>(),
       [](const Exact&, const Exact& y) { return 1 / y; }, [](const Exact& x, const Exact& y) { return -x / (y * y); },
       0.5},
  };
}

Case case_of(const Function2& f, const Shape& x, const Shape& y, const Shape& out) {
  const auto x_of = index_map(x, out), y_of = index_map(y, out);
  const Value value = [f, x_of, y_of](const auto& in) {
    Numbers result;
    for (std::size_t i = 0; i < x_of.size(); ++i) result.push_back(f.value(in[0][x_of[i]], in[1][y_of[i]]));
    return result;
  };
  const Gradient gradient = [f, x_of, y_of](const auto& in, const Numbers& g) {
    std::vector<Numbers> result{Numbers(in[0].size()), Numbers(in[1].size())};
    for (std::size_t i = 0; i < g.size(); ++i) {
      const Exact &a = in[0][x_of[i]], &b = in[1][y_of[i]];
      result[0][x_of[i]] += g[i] * f.by_x(a, b);
      result[1][y_of[i]] += g[i] * f.by_y(a, b);
    }
    return result;
  };
  return {f.name + to_string(x) + to_string(y), {{x}, {y, f.low_y}}, f.recipe, value, gradient};
}

struct Pair {
  Shape x, y, out;
};

const std::vector<Pair> pairs = {
    {{}, {}, {}},
    {{3}, {}, {3}},
    {{}, {2, 3}, {2, 3}},
    {{2, 3}, {2, 3}, {2, 3}},
    {{2, 3}, {3}, {2, 3}},
    {{3}, {2, 3}, {2, 3}},
    {{2, 3}, {2, 1}, {2, 3}},
    {{2, 1}, {1, 3}, {2, 3}},
    {{4, 1, 2}, {3, 1}, {4, 3, 2}},
    {{2, 1, 3, 2}, {4, 1, 1}, {2, 4, 3, 2}},
    {{1, 2, 1, 3}, {2, 1, 4, 1}, {2, 2, 4, 3}},
    {{0}, {1}, {0}},
    {{2, 0}, {2, 1}, {2, 0}},
    {{3, 1, 2}, {0, 1}, {3, 0, 2}},
};

}  // namespace

std::vector<Case> function_cases() {
  std::vector<Case> cases;
  for (const Function& f : functions())
    for (const Shape& shape : {Shape{}, {5}, {2, 3}, {3, 1, 2}, {2, 1, 3, 2}, {0}, {2, 0, 3}})
      cases.push_back(case_of(f, shape));
  return cases;
}

std::vector<Case> broadcast_cases() {
  std::vector<Case> cases;
  for (const Function2& f : functions_of_two())
    for (const Pair& pair : pairs) cases.push_back(case_of(f, pair.x, pair.y, pair.out));
  return cases;
}

}  // namespace microstep::testing_grad
