// dtypes, shapes and keys that change.
#include "support/liars/lying.hpp"

namespace microstep::liars {
namespace {

/// Emitted updates come out in another dtype.
template <class A>
class Widened final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override {
    for (std::size_t i = 0; i < s.updates.leaf_count(); ++i) set_dtype(s.updates, i, Dtype::float16);
  }
};

/// mu is kept with the precision of bfloat16 under the name of its own dtype.
template <class A>
class Downcast final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override {
    if (auto* moments = find_state(s.state, "mu"))
      on_all(moments->slot("mu"), [](auto& x) { x = A::load(rounded(x)); });
  }

 private:
  static double rounded(const typename A::Value& x) {
    return static_cast<double>(round_to(Dtype::bfloat16, Wide(plain<A>(x))));
  }
};

/// Updates come out as flat vectors.
template <class A>
class Flattened final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override {
    std::vector<Leaf> leaves = s.updates.layout().leaves();
    for (Leaf& leaf : leaves) leaf.shape = {leaf.size};
    s.updates.replace_layout(make_layout(std::move(leaves)));
  }
};

/// nu of the first leaf is gone after the first emission.
template <class A>
class DropsKey final : public Lying<A> {
 public:
  using Lying<A>::Lying;

 protected:
  void after(Step<A>& s) const override {
    auto* moments = find_state(s.state, "nu");
    if (!s.held() && moments) moments->slot("nu").mark(0, Presence::absent);
  }
};

/// mu is called otherwise.
template <class A>
class Renames final : public Lying<A> {
 public:
  using Lying<A>::Lying;
  State<typename A::Value> init(const A& arithmetic, const Tree<typename A::Value>& params) const override {
    auto state = Lying<A>::init(arithmetic, params);
    find_state(state, "mu")->slots[0].first = "exp_avg";
    return state;
  }

 protected:
  void instead(Step<A>& s) const override {
    auto& name = find_state(s.state, "nu")->slots[0].first;
    name = "mu";
    Lying<A>::instead(s);
    name = "exp_avg";
  }
};

constexpr std::string_view adam = "multi_steps(adam(0.1), k=2)";

const std::vector<Liar> rows = {
    {"update-dtype",
     {"B091"},
     "dtype",
     "multi_steps(sgd(1), k=2)",
     "updates come out in another dtype",
     "",
     makers<Widened>()},
    {"state-downcast", {}, "dtype", adam, "mu has the precision of bfloat16", "", makers<Downcast>()},
    {"accumulator-downcast",
     {"B098", "B099"},
     "dtype",
     "multi_steps(sgd(1), k=2)",
     "the accumulator is kept in bfloat16",
     "multi_steps(sgd(1), k=2, acc_dtype=bfloat16)",
     makers<RunsAs>()},
    {"shape-flattened", {}, "shape", adam, "updates come out as flat vectors", "", makers<Flattened>()},
    {"key-dropped", {}, "absent", adam, "nu of a leaf is gone after a window", "", makers<DropsKey>()},
    {"key-renamed", {}, "api-state", adam, "mu is called otherwise", "", makers<Renames>()},
};

}  // namespace

std::vector<Liar> form_liars() { return rows; }

}  // namespace microstep::liars
