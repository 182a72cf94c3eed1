#pragma once
// The given gradients of one plan: every element has its own sequence over the examples.
#include <vector>

#include "microstep/draw/plans.hpp"

namespace microstep {

class GradientMaker {
 public:
  /// dice and limits must outlive the maker; the plan's leaves are drawn already.
  GradientMaker(Dice& dice, const PlanLimits& limits, const Plan& plan);

  Tree<double> gradient(std::int64_t example);

 private:
  /// Example i has the numerator 1 + (first + i step) mod 127: 127 is prime, so 127 of them differ.
  struct Sequence {
    std::int64_t first;
    std::int64_t step;
  };
  struct LeafPlan {
    bool dyadic = true;
    int exponent = 0;
    bool frozen = false;
    bool sparse = false;
    std::vector<Sequence> elements;
  };

  LeafPlan leaf_plan(std::size_t leaf, bool dyadic);
  double number(const LeafPlan& leaf, std::size_t element, std::int64_t example, Dtype dtype);
  double ordinary(const LeafPlan& leaf, std::size_t element, std::int64_t example, Dtype dtype);

  Dice& dice_;
  const PlanLimits& limits_;
  const Plan& plan_;
  std::vector<LeafPlan> leaves_;
};

}  // namespace microstep
