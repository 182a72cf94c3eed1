// Hypotheses on what the window's gradients became: the sum, the mean of means, one of them only, ...
#include <cmath>

#include "clue.hpp"

namespace microstep {
namespace {

/// sum(c g) over the window, c from the hypothesis.
Numbers combined(const Clue& clue, const std::vector<double>& shares) {
  Numbers result(clue.observed.size(), 0.0);
  for (std::size_t t = 0; t < clue.gradients.size(); ++t)
    for (std::size_t i = 0; i < result.size() && shares[t] != 0; ++i) result[i] += shares[t] * clue.gradients[t][i];
  return result;
}

enum class Reduction { mean, sum, weighted };

Reduction declared(const Clue& clue) {
  const Spec* accumulator = find_op(clue.reading.plan().spec, "multi_steps");
  if (!accumulator) return Reduction::sum;
  const std::string& reduce = accumulator->text("reduce");
  return reduce == "sum" ? Reduction::sum : reduce == "weighted" ? Reduction::weighted : Reduction::mean;
}

std::vector<double> shares_of(const Clue& clue, Reduction reduction) {
  double total = 0;
  for (double w : clue.weights) total += w;
  std::vector<double> shares;
  for (double w : clue.weights)
    shares.push_back(reduction == Reduction::sum        ? 1.0
                     : reduction == Reduction::weighted ? w / total
                                                        : 1.0 / static_cast<double>(clue.weights.size()));
  return shares;
}

std::vector<double> only(const Clue& clue, std::size_t t, double share) {
  std::vector<double> shares(clue.gradients.size(), 0.0);
  shares[t] = share;
  return shares;
}

/// The column answers to the reduced gradient, less what it held before: in proportion, or with its square.
bool explains_reduced(const Clue& clue, const Numbers& right, const Numbers& wrong) {
  for (int power : {1, 2}) {
    Numbers hypothesis;
    for (std::size_t i = 0; i < right.size(); ++i) {
      if (right[i] == 0) return false;
      hypothesis.push_back(clue.expected[i] * std::pow(wrong[i] / right[i], power));
    }
    if (explains(clue, hypothesis)) return true;
  }
  return false;
}

}  // namespace

void explain_reduction(const Clue& clue, Causes& causes) {
  const std::size_t n = clue.gradients.size();
  if (!clue.reading.has_accumulator() || n == 0) return;
  const Reduction reduction = declared(clue);
  const Numbers right = combined(clue, shares_of(clue, reduction));
  auto reduces_to = [&](const std::vector<double>& shares) {
    const Numbers wrong = combined(clue, shares);
    return clue.is_accumulator() ? explains(clue, wrong) : explains_reduced(clue, right, wrong);
  };
  const double length = static_cast<double>(n);
  add_cause(causes, clue.is_accumulator() && clue.observed == Numbers(clue.observed.size(), 0.0), "boundary");
  for (std::size_t t : {std::size_t{0}, n - 1})
    for (double share : {1.0, 1 / length}) add_cause(causes, n > 1 && reduces_to(only(clue, t, share)), "boundary");
  std::vector<double> first_out(n, 1 / length);
  first_out[0] = 0;
  add_cause(causes, n > 1 && reduces_to(first_out), "boundary");
  if (!causes.empty()) return;
  if (reduction == Reduction::weighted) add_cause(causes, reduces_to(shares_of(clue, Reduction::mean)), "token-weight");
  if (reduction != Reduction::sum) add_cause(causes, reduces_to(shares_of(clue, Reduction::sum)), "sum-mean");
  if (reduction == Reduction::sum) add_cause(causes, reduces_to(shares_of(clue, Reduction::mean)), "sum-mean");
  const double k = length > 1 ? length : 2;
  for (double factor : {k, 1 / k, k * k, 1 / (k * k)}) add_cause(causes, explains_factor(clue, factor), "sum-mean");
}

}  // namespace microstep
