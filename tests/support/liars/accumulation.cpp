// What is added up, what it is divided by, and whether it is forgotten.
#include "support/liars/lying.hpp"

namespace microstep::liars {
namespace {

/// Every gradient is divided by k before the accumulator divides again.
template <class A>
class DividedTwice final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void before(Step<A>& s) const override { multiply_all(s.arithmetic, s.updates, 0.5); }
};

/// The weights of the microbatches are not looked at.
template <class A>
class Unweighted final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void before(Step<A>& s) const override { s.input.weight = 1; }
};

/// Only the microstep of number detail (from 0; 9: the last) of each window counts; the others are zeros.
template <class A>
class OnlyOne final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void before(Step<A>& s) const override {
    auto k = static_cast<std::int64_t>(schedule_value(this->spec_.args.at("k"), s.state.count("gradient_step")));
    std::int64_t wanted = std::min<std::int64_t>(this->detail_[0] - '0', k - 1);
    if (s.state.count("mini_step") != wanted) on_all(s.updates, [](auto& x) { x = A::constant(0); });
  }
};

/// The last gradient of a window stays in the accumulator.
template <class A>
class NotCleared final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override {
    if (!s.held()) s.state.slot("acc_grads") = s.gradients;
  }
};

/// The accumulator starts a window from what the last one left, and adds.
template <class A>
class CarriedOver final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override {
    if (s.state.count("count") == 1) add_before(s);
  }

 private:
  static void add_before(Step<A>& s) {
    auto &sum = s.state.slot("grad_acc"), &left = s.before.slot("grad_acc");
    for (std::size_t i = 0; i < sum.leaf_count(); ++i)
      for (std::size_t j = 0; sum.is_dense(i) && left.is_dense(i) && j < sum.values(i).size(); ++j)
        sum.values(i)[j] = s.arithmetic.add(sum.values(i)[j], left.values(i)[j]);
  }
};

/// The accumulator is emptied after the first microstep of a window.
template <class A>
class ClearedEarly final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override {
    if (s.state.count("mini_step") == 1) s.state.slot("acc_grads").mark_all(Presence::zero);
  }
};

/// The accumulator is multiplied by 0 in place of being set to 0.
template <class A>
class ClearedByZero final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override {
    if (s.held()) return;
    s.state.slot("acc_grads") = s.gradients;
    multiply_all(s.arithmetic, s.state.slot("acc_grads"), 0.0);
  }
};

/// The first gradient of a window counts double.
template <class A>
class FirstTwice final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void before(Step<A>& s) const override {
    if (s.state.count("mini_step") == 0) multiply_all(s.arithmetic, s.updates, 2.0);
  }
};

void with_a_nan(Plan& plan) {
  on_leaf(plan.given[1].gradient, 0, [](double& x) { x = std::numeric_limits<double>::quiet_NaN(); });
}

constexpr std::string_view sgd_by_two = "multi_steps(sgd(1), k=2)";

const std::vector<Liar> rows = {
    {"sum-for-mean",
     {"B001", "B004", "B005", "B012", "B013"},
     "sum-mean",
     sgd_by_two,
     "the window's gradients are added and never divided",
     "multi_steps(sgd(1), k=2, reduce=sum)",
     makers<Substitute>()},
    {"sum-for-mean-behind-adam",
     {"B011"},
     "sum-mean",
     "multi_steps(adam(0.1), k=2)",
     "the same where the params hardly show it: mu is twice, nu four times too large",
     "multi_steps(adam(0.1), k=2, reduce=sum)",
     makers<Substitute>()},
    {"mean-for-sum",
     {"B012"},
     "sum-mean",
     "multi_steps(sgd(1, momentum=0.5), k=2, reduce=sum)",
     "the mean where the sum was declared",
     "multi_steps(sgd(1, momentum=0.5), k=2)",
     makers<Substitute>()},
    {"divided-twice",
     {"B007", "B008"},
     "sum-mean",
     sgd_by_two,
     "the mean is divided by k once more",
     "",
     makers<DividedTwice>()},
    {"mean-of-means",
     {"B014", "B015", "B016", "B018", "B021"},
     "token-weight",
     "multi_steps(sgd(1), k=2, reduce=weighted)",
     "every microbatch counts alike, whatever its tokens",
     "",
     makers<Unweighted>()},
    {"only-last",
     {"B078"},
     "boundary",
     sgd_by_two,
     "the buffer is reset in every microstep: last gradient over k",
     "9",
     makers<OnlyOne>()},
    {"only-first", {}, "boundary", sgd_by_two, "the first gradient over k", "0", makers<OnlyOne>()},
    {"not-cleared",
     {},
     "boundary",
     "multi_steps(adam(0.1), k=2)",
     "the last gradient stays in the accumulator",
     "",
     makers<NotCleared>()},
    {"carried-over",
     {},
     "boundary",
     "apply_every(2)",
     "a window begins with the sum of the last one",
     "",
     makers<CarriedOver>()},
    {"cleared-early",
     {},
     "boundary",
     "multi_steps(sgd(1), k=3)",
     "the accumulator is emptied after one microstep",
     "",
     makers<ClearedEarly>()},
    {"cleared-by-zero",
     {},
     "nonfinite-skip",
     sgd_by_two,
     "cleared by multiplication: 0 times NaN is NaN",
     "",
     makers<ClearedByZero>(),
     {},
     nullptr,
     with_a_nan},
    {"first-twice",
     {},
     "sum-mean",
     "multi_steps(adam(0.1), k=2)",
     "the first gradient of a window counts double",
     "",
     makers<FirstTwice>()},
};

}  // namespace

std::vector<Liar> accumulation_liars() { return rows; }

}  // namespace microstep::liars
