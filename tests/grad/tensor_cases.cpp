#include <algorithm>
#include <numeric>

#include "grad/cases.hpp"

namespace microstep::testing_grad {
namespace {

std::size_t count(const Shape& shape) { return static_cast<std::size_t>(element_count(shape)); }

/// [m, k] [k, n]: da = g b^T, db = a^T g.
Case matmul_case(std::int64_t m, std::int64_t k, std::int64_t n) {
  const auto rows = static_cast<std::size_t>(m), inner = static_cast<std::size_t>(k),
             columns = static_cast<std::size_t>(n);
  const auto each_product = [=](const auto& use) {
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        for (std::size_t l = 0; l < inner; ++l) use(i * inner + l, l * columns + j, i * columns + j);
  };
  const Value value = [=](const auto& in) {
    Numbers out(rows * columns);
    each_product([&](auto a, auto b, auto c) { out[c] += in[0][a] * in[1][b]; });
    return out;
  };
  const Gradient gradient = [=](const auto& in, const Numbers& g) {
    std::vector<Numbers> out{Numbers(rows * inner), Numbers(inner * columns)};
    each_product([&](auto a, auto b, auto c) {
      out[0][a] += g[c] * in[1][b];
      out[1][b] += g[c] * in[0][a];
    });
    return out;
  };
  const Shape a{m, k}, b{k, n};
  const Recipe recipe = [](auto& t, Vars v) { return matmul(t, v[0], v[1]); };
  return {"matmul" + to_string(a) + to_string(b), {{a}, {b}}, recipe, value, gradient};
}

Case reshape_case(const Shape& from, const Shape& to) {
  const Recipe recipe = [to](auto& t, Vars v) { return reshape(t, v[0], to); };
  return {"reshape" + to_string(from) + to_string(to),
          {{from}},
          recipe,
          [](const auto& in) { return in[0]; },
          [](const auto&, const Numbers& g) { return std::vector<Numbers>{g}; }};
}

struct Reduced {
  Shape from;
  Axes axes;
  Shape kept;
};

const std::vector<Reduced> reductions = {
    {{}, {}, {}},
    {{5}, {0}, {1}},
    {{2, 3}, {0}, {1, 3}},
    {{2, 3}, {-1}, {2, 1}},
    {{2, 3}, {1, 0}, {1, 1}},
    {{2, 3}, {}, {2, 3}},
    {{4, 2, 3}, {1}, {4, 1, 3}},
    {{2, 3, 4}, {0, 2}, {1, 3, 1}},
    {{2, 3, 2, 2}, {1, 3}, {2, 1, 2, 1}},
    {{2, 3, 1, 2}, {0, 1}, {1, 1, 1, 2}},
    {{3, 1, 2, 2}, {0, -1}, {1, 1, 2, 1}},
    {{2, 0, 3}, {0}, {1, 0, 3}},
    {{0, 3}, {1}, {0, 1}},
};

/// divided: by the number of terms.
Case reduction_case(const Reduced& r, bool divided, bool keepdims) {
  const auto to = index_map(r.kept, r.from);
  const std::size_t size = count(r.kept);
  const Exact terms =
      divided ? static_cast<double>(to.size()) / static_cast<double>(std::max<std::size_t>(size, 1)) : 1;
  const Value value = [=](const auto& in) {
    Numbers out(size);
    for (std::size_t i = 0; i < to.size(); ++i) out[to[i]] += in[0][i];
    for (Exact& x : out) x = x / terms;
    return out;
  };
  const Gradient gradient = [=](const auto&, const Numbers& g) {
    Numbers out;
    for (std::size_t i : to) out.push_back(g[i] / terms);
    return std::vector<Numbers>{out};
  };
  const Recipe recipe = [=, axes = r.axes](auto& t, Vars v) {
    return divided ? mean(t, v[0], axes, keepdims) : sum(t, v[0], axes, keepdims);
  };
  return {(divided ? "mean" : "sum") + to_string(r.from) + to_string(r.kept), {{r.from}}, recipe, value, gradient};
}

}  // namespace

std::vector<std::size_t> index_map(const Shape& from, const Shape& out) {
  std::vector<std::size_t> map;
  for (std::size_t flat = 0; flat < count(out); ++flat) {
    std::size_t rest = flat, index = 0, stride = 1;
    for (std::size_t back = 1; back <= from.size(); ++back) {
      const auto size = static_cast<std::size_t>(from[from.size() - back]);
      const auto whole = static_cast<std::size_t>(out[out.size() - back]);
      index += (size == 1 ? 0 : rest % whole) * stride;
      stride *= size;
      rest /= whole;
    }
    map.push_back(index);
  }
  return map;
}

std::vector<Case> matrix_cases() {
  return {matmul_case(2, 3, 4),         matmul_case(1, 5, 1),
          matmul_case(3, 1, 2),         matmul_case(2, 0, 3),
          matmul_case(0, 3, 2),         matmul_case(9, 17, 5),
          reshape_case({2, 3}, {3, 2}), reshape_case({}, {1, 1}),
          reshape_case({0}, {2, 0, 3}), reshape_case({2, 3, 1, 2}, {12})};
}

std::vector<Case> axes_cases() {
  std::vector<Case> cases;
  for (const Reduced& r : reductions)
    for (bool divided : {false, true})
      for (bool keepdims : {false, true}) cases.push_back(reduction_case(r, divided, keepdims));
  cases.push_back(reduction_case({{2, 0}, {1}, {2, 1}}, false, false));
  return cases;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto& part :
       {function_cases(), broadcast_cases(), matrix_cases(), conv_cases(), axes_cases(), loss_cases()})
    cases.insert(cases.end(), part.begin(), part.end());
  return cases;
}

}  // namespace microstep::testing_grad
