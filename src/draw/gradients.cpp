#include "gradients.hpp"

#include <cmath>
#include <limits>
#include <optional>

namespace microstep {
namespace {

constexpr std::int64_t numerators = 127;

double either_sign(Dice& dice, double x) { return dice.below(2) == 0 ? x : -x; }

double tiny(Dice& dice, Dtype dtype) {
  const std::int64_t which = dice.between(0, 3);
  const double x =
      which == 0 ? facts(dtype).smallest_normal : static_cast<double>(which) * facts(dtype).smallest_subnormal;
  return either_sign(dice, x);
}

double huge(Dice& dice, Dtype dtype) {
  return either_sign(dice, dice.below(2) == 0 ? facts(dtype).largest : facts(dtype).largest / 2);
}

// One draw decides which special value, if any.
std::optional<double> special(Dice& dice, const SpecialShares& shares, Dtype dtype) {
  double left = dice.unit();
  auto falls = [&](double share) { return (left -= share) < 0; };
  if (falls(shares.zero)) return 0.0;
  if (falls(shares.negative_zero)) return -0.0;
  if (falls(shares.tiny)) return tiny(dice, dtype);
  if (falls(shares.huge)) return huge(dice, dtype);
  if (falls(shares.infinite)) return either_sign(dice, std::numeric_limits<double>::infinity());
  if (falls(shares.nan)) return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

}  // namespace

GradientMaker::GradientMaker(Dice& dice, const PlanLimits& limits, const Plan& plan)
    : dice_(dice), limits_(limits), plan_(plan) {
  const bool dyadic = limits.numbers == Numbers::either ? dice_.below(2) == 0 : limits.numbers == Numbers::dyadic;
  for (std::size_t i = 0; i < plan.params.leaf_count(); ++i) leaves_.push_back(leaf_plan(i, dyadic));
}

GradientMaker::LeafPlan GradientMaker::leaf_plan(std::size_t leaf, bool dyadic) {
  LeafPlan drawn;
  drawn.dyadic = dyadic;
  drawn.exponent = -static_cast<int>(dice_.between(0, 8));
  drawn.frozen = plan_.params.presence(leaf) == Presence::absent;
  drawn.sparse = dice_.chance(2 * limits_.absent);
  for (std::int64_t j = plan_.params.leaf(leaf).size; j > 0; --j)
    drawn.elements.push_back({dice_.below(numerators), dice_.between(1, numerators - 1)});
  return drawn;
}

Tree<double> GradientMaker::gradient(std::int64_t example) {
  Tree<double> tree(plan_.gradient_layout, Presence::absent);
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    if (leaves_[i].frozen || (leaves_[i].sparse && dice_.below(2) == 0)) continue;
    tree.mark(i, Presence::dense);
    auto values = tree.values(i);
    for (std::size_t j = 0; j < values.size(); ++j) values[j] = number(leaves_[i], j, example, tree.leaf(i).dtype);
  }
  return tree;
}

double GradientMaker::number(const LeafPlan& leaf, std::size_t element, std::int64_t example, Dtype dtype) {
  if (const auto drawn = special(dice_, limits_.special, dtype)) return *drawn;
  return ordinary(leaf, element, example, dtype);
}

double GradientMaker::ordinary(const LeafPlan& leaf, std::size_t element, std::int64_t example, Dtype dtype) {
  if (!leaf.dyadic) {
    const int exponent = leaf.exponent + 4 + static_cast<int>(dice_.between(-2, 1));
    return round_to(dtype, either_sign(dice_, std::ldexp(1 + dice_.unit(), exponent)));
  }
  const Sequence& sequence = leaf.elements[element];
  const std::int64_t numerator = 1 + (sequence.first + example * sequence.step) % numerators;
  return either_sign(dice_, std::ldexp(static_cast<double>(numerator), leaf.exponent));
}

}  // namespace microstep
