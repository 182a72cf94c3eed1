#include "every_form.hpp"
#include "exchange.hpp"
#include "microstep/optim/leaves.hpp"
#include "microstep/optim/links.hpp"
#include "partial.hpp"
#include "skip.hpp"

namespace microstep {
namespace {

template <class A>
class MultiSteps final : public GradientTransformation<A> {
 public:
  using V = typename A::Value;
  explicit MultiSteps(const Spec& spec)
      : inner_(build<A>(spec.of[0])),
        k_(spec.args.at("k")),
        reduce_(named<Reduce>(spec.text("reduce"), {"mean", "sum", "weighted"})),
        skip_(named<Skip>(spec.text("skip"), {"never", "not_finite", "large", "window_not_finite"})),
        partial_(named<Partial>(spec.text("partial"), {"hold", "flush", "flush_by_k", "drop"})),
        max_norm_(spec.number("max_norm")),
        acc_dtype_(dtype_from_name(spec.text("acc_dtype"))),
        multiplies_(spec.text("clear") == "multiply") {}

  State<V> init(const A& arithmetic, const Tree<V>& params) const override {
    State<V> state{"multi_steps", {{"mini_step", 0}, {"gradient_step", 0}}, {}, {}};
    state.slots.emplace_back("acc_grads", zero_slot(params, acc_layout(params)));
    if (reduce_ == Reduce::weighted)
      state.slots.emplace_back("acc_weight", Tree<V>(make_layout({{"total", {}, Dtype::float64}}), Presence::zero));
    state.of.push_back(inner_->init(arithmetic, params));
    return state;
  }

  void update(const A& arithmetic, Tree<V>& updates, State<V>& state, const Tree<V>& params,
              const StepInput& input) const override {
    if (input.after) return close_in_blocks(arithmetic, updates, state, params, input);
    std::int64_t& mini_step = state.count("mini_step");
    const std::int64_t k = current_k(state);
    const bool takes = !is_skipped(arithmetic, updates, input.shown);
    const bool flushes = input.last && (partial_ == Partial::flush || partial_ == Partial::flush_by_k);
    const bool closes = mini_step + (takes ? 1 : 0) >= (flushes ? 1 : k);
    if (takes) {
      remember_input(arithmetic, updates, input.weight, mini_step, state);
      accumulate(arithmetic, updates, state, mini_step++, input.weight, closes);
      widen_accumulator(arithmetic, reduce_, state);
    }
    if (closes) return emit(arithmetic, updates, state, params, input, k);
    if (input.last && partial_ == Partial::drop) reset(state, params);
    if (!takes || !multiplies_) return hold(updates, params);
    hold_by_multiplication(arithmetic, updates, state, params, input);
  }

  bool moves_in_blocks(const State<V>& state) const override {
    const bool by_element = skip_ == Skip::never && reduce_ != Reduce::weighted && !multiplies_;
    const bool closes = state.count("mini_step") + 1 >= current_k(state);
    return by_element && closes && is_all_dense(state.slot("acc_grads")) && inner_->works_in_blocks();
  }

 private:
  std::int64_t current_k(const State<V>& state) const {
    return static_cast<std::int64_t>(schedule_value(k_, state.count("gradient_step")));
  }

  // The last sum is made block by block, just before the inner reads it; leaves are dense and of one dtype.
  void close_in_blocks(const A& arithmetic, Tree<V>& updates, State<V>& state, const Tree<V>& params,
                       const StepInput& input) const {
    const std::int64_t n = state.count("mini_step") + 1;
    Tree<V> gradients = std::exchange(updates, std::move(state.slot("acc_grads")));
    const BlockWork sum_up = [&](std::size_t i, std::size_t first, std::size_t last) {
      const A a = arithmetic.at(updates.leaf(i).dtype);
      V *sum = updates.values(i).data(), *g = gradients.values(i).data();
      if (reduce_ == Reduce::sum)
        for (std::size_t j = first; j < last; ++j) sum[j] = a.add(sum[j], g[j]);
      else
        for (std::size_t j = first; j < last; ++j) sum[j] = a.mean_step(sum[j], g[j], n);
    };
    ++state.count("gradient_step");
    inner_->update(arithmetic, updates, state.of[0], params,
                   {input.weight * static_cast<double>(n), input.last, &sum_up, input.after});
    state.slot("acc_grads") = std::move(gradients);
    reset(state, params);
  }

  bool is_skipped(const A& arithmetic, const Tree<V>& updates, const Passing* shown) const {
    if (skip_ == Skip::not_finite) return !all_finite(arithmetic, updates, shown);
    return skip_ == Skip::large && !has_norm_below(arithmetic, updates, max_norm_, shown);
  }

  void accumulate(const A& arithmetic, Tree<V>& updates, State<V>& state, std::int64_t mini_step, double weight,
                  bool closes) const {
    Tree<V>& acc = state.slot("acc_grads");
    V share = A::constant(1);
    if (reduce_ == Reduce::weighted) {
      const A in_double = arithmetic.at(Dtype::float64);
      V& total = state.slot("acc_weight").dense_values(0, A::constant(0))[0];
      total = in_double.add(total, A::constant(weight));
      share = in_double.divide(A::constant(weight), total);
    }
    if (mini_step == 0 && !multiplies_ && may_exchange<A>(updates, acc)) return std::swap(updates, acc);
    for (std::size_t i = 0; i < acc.leaf_count(); ++i) {
      if (acc.presence(i) == Presence::absent) continue;
      const Dtype wide = promote(updates.leaf(i).dtype, acc.leaf(i).dtype);
      accumulate_leaf(arithmetic, updates, acc, i, mini_step, share, closes ? wide : acc.leaf(i).dtype);
      if (closes && acc.is_dense(i)) set_dtype(acc, i, wide);
    }
  }

  // The first gradient of a leaf after n others that were absent is a step from zero. The sum that closes a window goes
  // to the inner as it was computed and is not cast to the accumulator's dtype (Optax: float32 under float64 params).
  void accumulate_leaf(const A& arithmetic, const Tree<V>& updates, Tree<V>& acc, std::size_t i, std::int64_t mini_step,
                       const V& share, Dtype stored_in) const {
    if (updates.presence(i) == Presence::absent && !acc.is_dense(i)) return;
    const A a = arithmetic.at(promote(updates.leaf(i).dtype, acc.leaf(i).dtype));
    const A store = arithmetic.at(stored_in);
    if (mini_step == 0 && updates.is_dense(i) && !(multiplies_ && acc.is_dense(i))) {
      acc.mark(i, Presence::dense);
      return each(store, arithmetic.at(updates.leaf(i).dtype), acc.values(i), updates, i,
                  [](const V&, const V& g) { return g; });
    }
    const std::span<V> sum = acc.dense_values(i, A::constant(0));
    const V part = store.cast(share);
    const std::int64_t n = mini_step + 1;
    if (reduce_ == Reduce::sum)
      each(store, a, sum, updates, i, [&a](const V& s, const V& g) { return a.add(s, g); });
    else if (reduce_ == Reduce::mean)
      each(store, a, sum, updates, i, [&a, n](const V& s, const V& g) { return a.mean_step(s, g, n); });
    else
      each(store, a, sum, updates, i,
           [&a, &part](const V& s, const V& g) { return a.add(s, a.multiply(a.subtract(g, s), part)); });
  }

  // The choice of the reduction stands outside of the loop, which then vectorises.
  template <class Combine>
  static void each(const A& store, const A& computed, std::span<V> sum, const Tree<V>& updates, std::size_t i,
                   const Combine& combine) {
    if (updates.is_dense(i)) {
      const std::span<const V> g = updates.values(i);
      for_fetched_blocks(sum, g, [&](std::size_t first, std::size_t last) {
        for (std::size_t j = first; j < last; ++j) sum[j] = stored(store, computed, combine(sum[j], g[j]));
      });
    } else {
      const V zero = A::constant(0);
      for (V& s : sum) s = stored(store, computed, combine(s, zero));
    }
  }

  void emit(const A& arithmetic, Tree<V>& updates, State<V>& state, const Tree<V>& params, const StepInput& input,
            std::int64_t k) const {
    Tree<V>& acc = state.slot("acc_grads");
    const std::int64_t length = state.count("mini_step");
    const StepInput window{window_weight(state, input, length), input.last, nullptr, nullptr, inner_of(input.shown)};
    LayoutPointer incoming = updates.layout_pointer();
    if (skip_ == Skip::window_not_finite && !all_finite(arithmetic, acc, input.shown)) {
      reset(state, params);
      return hold(updates, params);
    }
    if (partial_ == Partial::flush_by_k && length < k && reduce_ != Reduce::sum)
      divide_by_k(arithmetic, acc, length, k);
    Tree<V> cleared;
    if (multiplies_) clear_by_multiplication(arithmetic, cleared = acc);
    hand_over(arithmetic, updates, acc);
    reset(state, params);
    if (multiplies_) take_numbers(acc, cleared);
    ++state.count("gradient_step");
    inner_->update(arithmetic, updates, state.of[0], params, window);
    for (std::size_t i = 0; i < updates.leaf_count(); ++i) finish_leaf(arithmetic, updates, *incoming, params, i);
  }

  // 0 times what the inner, asleep, would make of the sum so far.
  void hold_by_multiplication(const A& arithmetic, Tree<V>& updates, const State<V>& state, const Tree<V>& params,
                              const StepInput& input) const {
    const LayoutPointer incoming = updates.layout_pointer();
    State<V> asleep = state.of[0];
    updates = state.slot("acc_grads");
    for (std::size_t i = 0; i < updates.leaf_count(); ++i)
      cast_leaf(arithmetic, updates, i, incoming->leaves()[i].dtype);
    inner_->update(arithmetic, updates, asleep, params, {input.weight, input.last});
    for (std::size_t i = 0; i < updates.leaf_count(); ++i) finish_leaf(arithmetic, updates, *incoming, params, i);
    clear_by_multiplication(arithmetic, updates);
  }

  static void take_numbers(Tree<V>& acc, const Tree<V>& cleared) {
    for (std::size_t i = 0; i < acc.leaf_count(); ++i)
      if (cleared.is_dense(i)) std::ranges::copy(cleared.values(i), acc.dense_values(i, A::constant(0)).begin());
  }

  // What an inner accumulator reads: the weight of the whole window, known or of equal microbatches.
  double window_weight(const State<V>& state, const StepInput& input, std::int64_t length) const {
    if (reduce_ != Reduce::weighted) return input.weight * static_cast<double>(length);
    const V& total = state.slot("acc_weight").values(0)[0];
    if constexpr (A::is_ball)
      return wide::to_double(total.value);
    else
      return static_cast<double>(total);
  }

  LayoutPointer acc_layout(const Tree<V>& params) const {
    return acc_dtype_ ? with_dtype(params.layout_pointer(), *acc_dtype_) : params.layout_pointer();
  }

  // The inner gets the gradients' own dtypes (Optax: cast_like). A leaf without any gradient in the window is absent to
  // it, as it is to the large batch.
  static void hand_over(const A& arithmetic, Tree<V>& updates, Tree<V>& acc) {
    std::swap(updates, acc);
    for (std::size_t i = 0; i < updates.leaf_count(); ++i) {
      if (updates.presence(i) == Presence::zero) updates.mark(i, Presence::absent);
      cast_leaf(arithmetic, updates, i, acc.leaf(i).dtype);
    }
  }

  void reset(State<V>& state, const Tree<V>& params) const {
    state.count("mini_step") = 0;
    state.window = {};
    Tree<V>& acc = state.slot("acc_grads");
    acc.replace_layout(acc_layout(params));
    hold(acc, params);
    if (state.slots.size() > 1) state.slots[1].second.mark_all(Presence::zero);
  }

  static void finish_leaf(const A& arithmetic, Tree<V>& updates, const Layout& incoming, const Tree<V>& params,
                          std::size_t i) {
    if (params.presence(i) == Presence::absent)
      updates.mark(i, Presence::absent);
    else if (updates.presence(i) == Presence::absent)
      updates.mark(i, Presence::zero);
    cast_leaf(arithmetic, updates, i, incoming.leaves()[i].dtype);
  }

  TransformationPointer<A> inner_;
  Value k_;
  Reduce reduce_;
  Skip skip_;
  Partial partial_;
  double max_norm_;
  std::optional<Dtype> acc_dtype_;
  bool multiplies_;
};

}  // namespace

template <class A>
TransformationPointer<A> make_multi_steps(const Spec& spec) {
  return std::make_shared<MultiSteps<A>>(spec);
}
MICROSTEP_INSTANTIATE_LINK(make_multi_steps)

}  // namespace microstep
