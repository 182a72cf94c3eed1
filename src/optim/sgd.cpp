// sgd and trace: the same momentum buffer, with and without the learning rate.
#include <optional>

#include "microstep/optim/leaves.hpp"
#include "microstep/optim/links.hpp"

namespace microstep {
namespace {

template <class A>
class Momentum final : public GradientTransformation<A> {
 public:
  using V = typename A::Value;
  Momentum(const Spec& spec, std::optional<Value> lr)
      : op_(spec.op), lr_(std::move(lr)), momentum_(spec.number("momentum")), nesterov_(spec.flag("nesterov")) {}

  State<V> init(const A&, const Tree<V>& params) const override {
    State<V> state{op_, {}, {}, {}};
    if (is_scheduled()) state.counts.emplace_back("count", 0);
    if (has_buffer()) state.slots.emplace_back("trace", zero_slot(params));
    return state;
  }

  void update(const A& arithmetic, Tree<V>& updates, State<V>& state, const Tree<V>&,
              const StepInput& input) const override {
    double lr = lr_ ? schedule_value(*lr_, is_scheduled() ? state.count("count")++ : 0) : -1;
    for (std::size_t i = 0; i < updates.leaf_count(); ++i) {
      if (updates.presence(i) == Presence::absent) {
        if (has_buffer()) set_dtype(updates, i, promote(updates.leaf(i).dtype, state.slot("trace").leaf(i).dtype));
        continue;
      }
      StepInput rest = input;
      if (has_buffer()) {
        add_momentum(arithmetic, updates, state.slot("trace"), i,
                     {1, false, input.before, lr_ ? nullptr : input.after});
        rest.before = nullptr;
      }
      if (lr_) scale_leaf(arithmetic, updates, i, -lr, rest);
    }
  }

  bool works_in_blocks() const override { return true; }

 private:
  bool is_scheduled() const { return lr_ && std::holds_alternative<std::vector<Value>>(lr_->data); }
  bool has_buffer() const { return momentum_ != 0 || !lr_; }

  void add_momentum(const A& arithmetic, Tree<V>& updates, Tree<V>& buffer, std::size_t i,
                    const StepInput& input) const {
    const A at = arithmetic.at(promote(updates.leaf(i).dtype, buffer.leaf(i).dtype));
    const A store = arithmetic.at(buffer.leaf(i).dtype);
    const V m = at.hyper(momentum_);
    auto u = updates.dense_values(i, A::constant(0));
    auto b = buffer.dense_values(i, A::constant(0));
    for_blocks(input, i, u.size(), [&, u, b, nesterov = nesterov_](std::size_t first, std::size_t last) {
      for (std::size_t j = first; j < last; ++j) {
        const V moved = at.add(u[j], at.multiply(m, b[j]));
        b[j] = stored(store, at, moved);
        u[j] = nesterov ? at.add(u[j], at.multiply(m, moved)) : moved;
      }
    });
    set_dtype(updates, i, promote(updates.leaf(i).dtype, buffer.leaf(i).dtype));
  }

  std::string op_;
  std::optional<Value> lr_;
  double momentum_;
  bool nesterov_;
};

}  // namespace

template <class A>
TransformationPointer<A> make_sgd(const Spec& spec) {
  return std::make_shared<Momentum<A>>(spec, spec.args.at("lr"));
}
MICROSTEP_INSTANTIATE_LINK(make_sgd)

template <class A>
TransformationPointer<A> make_trace(const Spec& spec) {
  return std::make_shared<Momentum<A>>(spec, std::nullopt);
}
MICROSTEP_INSTANTIATE_LINK(make_trace)

}  // namespace microstep
