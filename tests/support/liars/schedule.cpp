// Which index a schedule is read at, and what a counter counts.
#include "support/liars/lying.hpp"

namespace microstep::liars {
namespace {

/// The inner counter of that name moves in held microsteps too.
template <class A>
class CountsMicrosteps final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override {
    if (!s.held()) return;
    if (auto* inner = find_state(s.state.of[0], this->detail_)) ++inner->count(this->detail_);
  }
};

/// The count of the inner is set to detail times what it ought to be.
template <class A>
class CountTimes final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override {
    auto *now = find_state(s.state.of[0], "count"), *then = find_state(s.before.of[0], "count");
    if (!s.held() && now) now->count("count") = then->count("count") + (this->detail_[0] - '0');
  }
};

/// The count begins at 1.
template <class A>
class FromOne final : public Lying<A> {
 public:
  using Lying<A>::Lying;
  State<typename A::Value> init(const A& arithmetic, const Tree<typename A::Value>& params) const override {
    auto state = Lying<A>::init(arithmetic, params);
    find_state(state, "count")->count("count") = 1;
    return state;
  }
};

/// lr stands inside the momentum buffer: b <- m b + lr g, u = -b.
template <class A>
class RateInside final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override {
    const double lr = schedule_value(this->spec_.args.at("lr"), s.before.count("count"));
    const A& a = s.arithmetic;
    for (std::size_t i = 0; i < s.updates.leaf_count(); ++i) {
      if (!s.updates.is_dense(i)) continue;
      auto b = s.state.slot("trace").values(i), u = s.updates.values(i);
      for (std::size_t j = 0; j < u.size(); ++j) {
        auto old = s.before.slot("trace").is_dense(i) ? s.before.slot("trace").values(i)[j] : A::constant(0);
        b[j] = a.add(a.multiply(a.hyper(lr), s.gradients.values(i)[j]), a.multiply(a.hyper(0.9), old));
        u[j] = A::negate(b[j]);
      }
    }
  }
};

constexpr std::string_view halving = "multi_steps(sgd([[0, 1], [1, 0.5], [2, 0.25], [3, 0.125]]), k=2)";
constexpr std::string_view adam_by_two = "multi_steps(adam(0.1), k=2)";

const std::vector<Liar> rows = {
    {"schedule-from-one",
     {"B065"},
     "schedule-count",
     "sgd([[0, 0], [1, 1], [2, 2]])",
     "the schedule is read from 1 on",
     "sgd([[0, 1], [1, 2]])",
     makers<Substitute>()},
    {"schedule-per-microstep",
     {"B067", "B069", "B071"},
     "schedule-count",
     halving,
     "the schedule's counter moves in every microstep",
     "count",
     makers<CountsMicrosteps>()},
    {"schedule-stretched",
     {"B070"},
     "schedule-count",
     halving,
     "the schedule is stretched by k",
     "multi_steps(sgd([[0, 1], [2, 0.5], [4, 0.25]]), k=2)",
     makers<Substitute>()},
    {"adam-count-per-microstep",
     {},
     "time-index",
     adam_by_two,
     "Adam's count moves in every microstep",
     "count",
     makers<CountsMicrosteps>()},
    {"count-not-advanced", {}, "time-index", adam_by_two, "Adam's count stays", "0", makers<CountTimes>()},
    {"count-doubled", {}, "time-index", adam_by_two, "Adam's count moves by two", "2", makers<CountTimes>()},
    {"count-from-one",
     {},
     "time-index",
     "multi_steps(scale_by_adam, k=2)",
     "Adam's count begins at 1",
     "",
     makers<FromOne>()},
    {"rate-inside-momentum",
     {},
     "formula",
     "sgd([[0, 1], [1, 0.1]], momentum=0.9)",
     "the learning rate enters the momentum buffer",
     "",
     makers<RateInside>()},
};

}  // namespace

std::vector<Liar> schedule_liars() { return rows; }

}  // namespace microstep::liars
