#include <algorithm>

#include "grad/cases.hpp"

namespace microstep::testing_grad {
namespace {

using Labels = std::vector<std::int64_t>;

/// Per example: the mean over the `width` elements of an example of (p - t)^2; by p: 2 (p - t) / width.
Case squared_errors_case(const Shape& shape) {
  const auto size = static_cast<std::size_t>(element_count(shape));
  const std::size_t examples = shape.empty() ? 1 : static_cast<std::size_t>(shape[0]);
  const std::size_t width = examples == 0 ? 1 : size / examples;
  const Exact divisor = static_cast<double>(width);
  const Value value = [=](const auto& in) {
    Numbers out(examples);
    for (std::size_t i = 0; i < size; ++i) out[i / width] += (in[0][i] - in[1][i]) * (in[0][i] - in[1][i]) / divisor;
    return out;
  };
  const Gradient gradient = [=](const auto& in, const Numbers& g) {
    std::vector<Numbers> out(2);
    for (std::size_t i = 0; i < size; ++i) {
      const Exact slope = g[i / width] * 2 * (in[0][i] - in[1][i]) / divisor;
      out[0].push_back(slope);
      out[1].push_back(-slope);
    }
    return out;
  };
  const Recipe recipe = [](auto& t, Vars v) { return squared_errors(t, v[0], v[1]); };
  return {"squared_errors" + to_string(shape), {{shape}, {shape}}, recipe, value, gradient};
}

Exact sum_of_exponentials(const Numbers& x, std::size_t from, std::size_t classes) {
  Exact total = 0;
  for (std::size_t j = 0; j < classes; ++j) total += exponential(x[from + j]);
  return total;
}

/// Without the shift: log sum exp(x) - x[label]; by x[j]: exp(x[j]) / sum exp(x) - [j = label].
Case cross_entropy_case(std::int64_t class_count, const Labels& labels) {
  const auto classes = static_cast<std::size_t>(class_count);
  const Value value = [=](const auto& in) {
    Numbers out;
    for (std::size_t i = 0; i < labels.size(); ++i)
      out.push_back(logarithm(sum_of_exponentials(in[0], i * classes, classes)) -
                    in[0][i * classes + static_cast<std::size_t>(labels[i])]);
    return out;
  };
  const Gradient gradient = [=](const auto& in, const Numbers& g) {
    Numbers out;
    for (std::size_t i = 0; i < in[0].size(); ++i) {
      const std::size_t example = i / classes;
      const Exact hit = static_cast<std::size_t>(labels[example]) == i % classes ? 1 : 0;
      out.push_back(g[example] *
                    (exponential(in[0][i]) / sum_of_exponentials(in[0], example * classes, classes) - hit));
    }
    return std::vector<Numbers>{out};
  };
  const Shape shape{static_cast<std::int64_t>(labels.size()), class_count};
  const Recipe recipe = [labels](auto& t, Vars v) { return softmax_cross_entropies(t, v[0], labels); };
  return {"softmax_cross_entropies" + to_string(shape), {{shape}}, recipe, value, gradient};
}

/// The mean over the examples of a per-example case.
Case mean_case(const Case& examples, const std::string& name, const Recipe& recipe) {
  const Value value = [examples](const auto& in) {
    const Numbers parts = examples.value(in);
    Exact total = 0;
    for (const Exact& part : parts) total += part;
    return Numbers{total / static_cast<double>(parts.size())};
  };
  const Gradient gradient = [examples](const auto& in, const Numbers& g) {
    const std::size_t n = examples.value(in).size();
    return examples.gradient(in, Numbers(n, g[0] / static_cast<double>(n)));
  };
  return {name, examples.inputs, recipe, value, gradient};
}

}  // namespace

std::vector<Case> loss_cases() {
  std::vector<Case> cases;
  for (const Shape& shape : {Shape{}, {4}, {3, 2}, {2, 3, 2}, {2, 1, 3, 2}, {0, 3}})
    cases.push_back(squared_errors_case(shape));
  for (const auto& [classes, labels] : std::vector<std::pair<std::int64_t, Labels>>{
           {4, {2, 0, 3}}, {2, {1}}, {1, {0, 0}}, {7, {6, 6, 0, 1, 3}}, {3, {}}})
    cases.push_back(cross_entropy_case(classes, labels));
  cases.push_back(mean_case(squared_errors_case({3, 2}), "mean_squared_error",
                            [](auto& t, Vars v) { return mean_squared_error(t, v[0], v[1]); }));
  const Labels labels{2, 0, 1, 2, 2};
  cases.push_back(mean_case(cross_entropy_case(3, labels), "softmax_cross_entropy",
                            [labels](auto& t, Vars v) { return softmax_cross_entropy(t, v[0], labels); }));
  return cases;
}

}  // namespace microstep::testing_grad
