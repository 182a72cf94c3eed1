// Hypotheses on what the window's gradients became: the sum, the mean of means, one of them only, ...
#include <algorithm>
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
  const Node* accumulator = clue.node("multi_steps");
  if (!accumulator) return Reduction::sum;
  const std::string& reduce = accumulator->spec->text("reduce");
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

bool weights_differ(const Clue& clue) {
  return std::ranges::adjacent_find(clue.weights, std::ranges::not_equal_to{}) != clue.weights.end();
}

std::vector<double> only(const Clue& clue, std::size_t t, double share) {
  std::vector<double> shares(clue.gradients.size(), 0.0);
  shares[t] = share;
  return shares;
}

/// By what a column may multiply what it holds; an update holds nothing.
std::vector<double> decays_of(const Clue& clue) {
  std::vector<double> decays = {0};
  if (clue.is_update()) return decays;
  if (clue.path().starts_with("params/")) return {1};
  const auto add = [&](const auto& self, const Spec& spec) -> void {
    for (const char* name : {"b1", "b2", "momentum", "decay"})
      if (auto value = spec.args.find(name); value != spec.args.end())
        if (const double* number = std::get_if<double>(&value->second.data)) decays.push_back(*number);
    for (const Spec& inner : spec.of) self(self, inner);
  };
  add(add, clue.reading.plan().spec);
  return decays;
}

/// The column answers to the reduced gradient, less what it held before: in proportion, or with its square.
bool explains_reduced(const Clue& clue, const Numbers& right, const Numbers& wrong) {
  for (double decay : decays_of(clue))
    for (int power : {1, 2}) {
      Numbers hypothesis;
      for (std::size_t i = 0; i < right.size(); ++i) {
        if (right[i] == 0 && wrong[i] != 0) return false;
        const double kept = decay * clue.before[i], share = right[i] == 0 ? 1 : wrong[i] / right[i];
        hypothesis.push_back(kept + (clue.expected[i] - kept) * std::pow(share, power));
      }
      if (explains(clue, hypothesis)) return true;
    }
  return false;
}

/// Divided by one more than the window's length, or by one less.
bool explains_divisor(const Clue& clue, const Numbers& right, double length) {
  for (double divisor : {length - 1, length + 1}) {
    Numbers wrong = right;
    for (double& x : wrong) x *= length / divisor;
    if (divisor > 0 && explains_reduced(clue, right, wrong)) return true;
  }
  return false;
}

}  // namespace

void explain_reduction(const Clue& clue, Causes& causes) {
  const std::size_t n = clue.gradients.size();
  if (!clue.reading.has_accumulator() || clue.is_behind_adam() || n == 0) return;
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
  for (std::size_t t : {std::size_t{0}, n - 1}) {
    std::vector<double> out(n, 1 / length);
    out[t] = 0;
    add_cause(causes, n > 1 && reduces_to(out), "boundary");
  }
  if (!causes.empty()) return;
  if (reduction != Reduction::weighted)
    add_cause(causes, reduces_to(shares_of(clue, Reduction::weighted)) && weights_differ(clue), "token-weight");
  if (reduction == Reduction::weighted) add_cause(causes, reduces_to(shares_of(clue, Reduction::mean)), "token-weight");
  if (reduction != Reduction::sum) add_cause(causes, reduces_to(shares_of(clue, Reduction::sum)), "sum-mean");
  if (reduction == Reduction::sum) add_cause(causes, reduces_to(shares_of(clue, Reduction::mean)), "sum-mean");
  const double k = length > 1 ? length : 2;
  for (double factor : {k, 1 / k, k * k, 1 / (k * k)}) add_cause(causes, explains_factor(clue, factor), "sum-mean");
  add_cause(causes, causes.empty() && explains_divisor(clue, right, length), "boundary");
}

}  // namespace microstep
