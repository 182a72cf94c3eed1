// Microbatches that are left out, and what stays of them.
#include "support/liars/lying.hpp"

namespace microstep::liars {
namespace {

template <class A>
bool is_finite_tree(const A& a, const Tree<typename A::Value>& tree) {
  bool finite = true;
  for (std::size_t i = 0; i < tree.leaf_count(); ++i)
    if (tree.is_dense(i))
      for (const auto& x : tree.values(i)) finite = finite && a.is_finite(x) == Truth::yes;
  return finite;
}

/// A microbatch to be skipped is fed as zeros.
template <class A>
class SkipsByZeros final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void before(Step<A>& s) const override {
    if (!is_finite_tree(s.arithmetic, s.updates)) on_all(s.updates, [](auto& x) { x = A::constant(0); });
  }
};

/// The counters skip, the accumulator takes the gradient in.
template <class A>
class KeepsNan final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override {
    if (!is_finite_tree(s.arithmetic, s.gradients)) s.state.slot("acc_grads") = s.gradients;
  }
};

/// The counters skip what is too large, the accumulator adds it.
template <class A>
class KeepsLarge final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override {
    if (s.state.counts != s.before.counts) return;
    auto& acc = s.state.slot("acc_grads");
    for (std::size_t i = 0; i < acc.leaf_count(); ++i) {
      if (!s.gradients.is_dense(i)) continue;
      auto to = acc.dense_values(i, A::constant(0));
      auto from = s.gradients.values(i);
      for (std::size_t j = 0; j < to.size(); ++j) to[j] = s.arithmetic.add(to[j], from[j]);
    }
  }
};

/// A skipped microbatch counts in the window.
template <class A>
class CountsSkipped final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override {
    if (!is_finite_tree(s.arithmetic, s.gradients)) ++s.state.count("mini_step");
  }
};

/// A skip throws away what the window holds.
template <class A>
class ForgetsWindow final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override {
    if (!is_finite_tree(s.arithmetic, s.gradients)) hold(s.state.slot("acc_grads"), s.params);
  }
};

/// A dropped window stays in the accumulator, the next window adds to it, and only the last gradient is looked at.
template <class A>
class KeepsDropped final : public Lying<A> {
 public:
  KeepsDropped(const Spec& spec, const std::string& detail)
      : Lying<A>(spec, detail), unlooking_(build<A>(parse_spec(detail))) {}

 protected:
  void instead(Step<A>& s) const override {
    if (!is_finite_tree(s.arithmetic, s.gradients)) return Lying<A>::instead(s);
    unlooking_->update(s.arithmetic, s.updates, s.state, s.params, s.input);
  }
  void after(Step<A>& s) const override {
    auto& acc = s.state.slot("acc_grads");
    if (s.held() && s.state.count("mini_step") == 0) acc = s.gradients;
    if (s.state.count("mini_step") != 1) return;
    for (std::size_t i = 0; i < acc.leaf_count(); ++i)
      if (acc.is_dense(i) && s.before.slot("acc_grads").is_dense(i)) add(s, acc.values(i), i);
  }

 private:
  static void add(Step<A>& s, std::span<typename A::Value> to, std::size_t i) {
    auto left = s.before.slot("acc_grads").values(i);
    for (std::size_t j = 0; j < to.size(); ++j) to[j] = s.arithmetic.add(to[j], left[j]);
  }

  TransformationPointer<A> unlooking_;
};

/// Looks for overflow in the scaled gradient: a large finite one is skipped.
template <class A>
class SkipsScaled final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void instead(Step<A>& s) const override {
    bool large = false;
    on_all(s.updates, [&](auto& x) { large = large || wide::abs(Wide(plain<A>(x))) > Wide(0x1p100); });
    if (large) return hold(s.updates, s.params);
    Lying<A>::instead(s);
  }
};

void put(Plan& plan, std::size_t microstep, double value) {
  on_leaf(plan.given[microstep].gradient, 0, [&](double& x) { x = value; });
}
void with_nan_first(Plan& plan) { put(plan, 0, std::numeric_limits<double>::quiet_NaN()); }
void with_nan_second(Plan& plan) { put(plan, 1, std::numeric_limits<double>::quiet_NaN()); }
void with_large(Plan& plan) { put(plan, 1, 0x1p110); }

void with_large_finite(Plan& plan) { put(plan, 1, 0x1p30); }

constexpr std::string_view skipping = "multi_steps(adam(0.1), k=2, skip=not_finite)";
constexpr std::string_view dropping = "multi_steps(sgd(1), k=2, skip=window_not_finite)";

const std::vector<Liar> rows = {
    {"skip-by-zeros",
     {"B033"},
     "nonfinite-skip",
     "multi_steps(adam(1), k=1, skip=not_finite)",
     "a skip feeds zeros: moments and count move",
     "",
     makers<SkipsByZeros>(),
     {},
     nullptr,
     with_nan_second},
    {"skip-ignored",
     {},
     "nonfinite-skip",
     skipping,
     "nothing is skipped",
     "multi_steps(adam(0.1), k=2)",
     makers<Substitute>(),
     {},
     nullptr,
     with_nan_second},
    {"nan-kept",
     {},
     "nonfinite-skip",
     skipping,
     "the counters skip, the accumulator takes the NaN",
     "",
     makers<KeepsNan>(),
     {},
     nullptr,
     with_nan_second},
    {"large-kept",
     {},
     "nonfinite-skip",
     "multi_steps(adam(0.1), k=2, skip=large(1000000))",
     "the counters skip a microbatch for its norm, the accumulator takes it",
     "",
     makers<KeepsLarge>(),
     {},
     nullptr,
     with_large_finite},
    {"skip-counted",
     {},
     "nonfinite-skip",
     skipping,
     "a skipped microbatch counts in the window",
     "",
     makers<CountsSkipped>(),
     {},
     nullptr,
     with_nan_first},
    {"skip-forgets-window",
     {"B089"},
     "nonfinite-skip",
     skipping,
     "a skip throws the earlier good microbatches away",
     "",
     makers<ForgetsWindow>(),
     {},
     nullptr,
     with_nan_second},
    {"dropped-window-kept",
     {"B086"},
     "nonfinite-skip",
     dropping,
     "a dropped window stays in the accumulator",
     "multi_steps(sgd(1), k=2)",
     makers<KeepsDropped>(),
     {},
     nullptr,
     with_nan_first},
    {"skip-of-scaled",
     {"B090"},
     "nonfinite-skip",
     "multi_steps(sgd(1), k=2, skip=not_finite)",
     "the scaled gradient overflows, so a finite one is skipped",
     "",
     makers<SkipsScaled>(),
     {},
     nullptr,
     with_large},
};

}  // namespace

std::vector<Liar> skip_liars() { return rows; }

}  // namespace microstep::liars
