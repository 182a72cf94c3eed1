// What is lost or changed between saving and loading.
#include "support/liars/lying.hpp"

namespace microstep::liars {
namespace {

template <class F>
Restores restores(F change) {
  auto of = [change](const auto& state) {
    auto copy = state;
    change(copy);
    return copy;
  };
  return {of, of, of};
}

template <class S>
double as_double(const S& x) {
  if constexpr (requires { x.radius; })
    return static_cast<double>(x.value);
  else
    return static_cast<double>(x);
}

/// change(count) on every count of that name, in the whole tree.
template <class S, class F>
void on_counts(State<S>& state, std::string_view wanted, const F& change) {
  for (auto& [name, value] : state.counts)
    if (wanted.empty() || name == wanted) change(value);
  for (auto& inner : state.of) on_counts(inner, wanted, change);
}

/// Every number of every slot, rounded to a dtype.
template <class S>
void round_slots(State<S>& state, Dtype dtype) {
  auto round = [&](S& x) {
    const double rounded = round_to(dtype, as_double(x));
    if constexpr (requires { x.radius; })
      x = {Wide(rounded), 0.0};
    else
      x = static_cast<S>(rounded);
  };
  for (auto& [name, slot] : state.slots) on_all(slot, round);
  for (auto& inner : state.of) round_slots(inner, dtype);
}

void lose_accumulator(auto& state) { state.slot("acc_grads").mark_all(Presence::zero); }
void lose_mini_step(auto& state) { state.count("mini_step") = 0; }
void multiply_count(auto& state) {
  on_counts(state, "count", [](std::int64_t& count) { count *= 4; });
}
void reset_count(auto& state) {
  on_counts(state, "count", [](std::int64_t& count) { count = 0; });
}
void lose_gradient_step(auto& state) { state.count("gradient_step") = 0; }
void count_in_bfloat16(auto& state) {
  on_counts(state, "", [](std::int64_t& count) {
    count = static_cast<std::int64_t>(round_to(Dtype::bfloat16, static_cast<double>(count)));
  });
  round_slots(state, Dtype::bfloat16);
}
void slots_in_float16(auto& state) { round_slots(state, Dtype::float16); }
void refuse(auto&) { throw std::runtime_error("the step comes back as another type"); }
template <class S>
void lose_everything(State<S>& state) {
  on_counts(state, "", [](std::int64_t& count) { count = 0; });
  for (auto& [name, slot] : state.slots) slot.mark_all(Presence::zero);
  for (auto& inner : state.of) lose_everything(inner);
}
void widen_slots(auto& state) {
  for (auto& [name, slot] : state.slots)
    for (std::size_t i = 0; i < slot.leaf_count(); ++i) set_dtype(slot, i, Dtype::bfloat16);
}

/// So many steps that bfloat16 no longer holds the count.
void with_many_steps(Plan& plan) {
  const auto batches = plan.batches;
  while (plan.batches.size() < 260) plan.batches.insert(plan.batches.end(), batches.begin(), batches.end());
  plan.batches.resize(260);
}

constexpr std::string_view accumulated = "multi_steps(adam(0.1), k=2)";

#define MICROSTEP_CHANGE(change) restores([](auto& state) { change(state); })

const std::vector<Liar> rows = {
    {"resume-loses-accumulator",
     {"B139"},
     "persist",
     "multi_steps(sgd(1), k=2)",
     "the buffer is not saved",
     "",
     {},
     MICROSTEP_CHANGE(lose_accumulator)},
    {"resume-loses-mini-step",
     {"B140"},
     "persist",
     "multi_steps(sgd(1), k=2)",
     "the micro counter is not saved",
     "",
     {},
     MICROSTEP_CHANGE(lose_mini_step)},
    {"resume-multiplies-count",
     {"B143"},
     "persist",
     "multi_steps(adam(0.1), k=4)",
     "the step comes back times k",
     "",
     {},
     MICROSTEP_CHANGE(multiply_count)},
    {"resume-resets-count",
     {},
     "persist",
     accumulated,
     "Adam's count begins anew",
     "",
     {},
     MICROSTEP_CHANGE(reset_count)},
    {"resume-loses-gradient-step",
     {},
     "persist",
     "multi_steps(sgd(1), k=2)",
     "the window counter is not saved, and no number depends on it",
     "",
     {},
     MICROSTEP_CHANGE(lose_gradient_step)},
    {"resume-resets-unread-count",
     {},
     "persist",
     "multi_steps(adam(0.1, b1=0, b2=0), k=2)",
     "Adam's count begins anew where nothing is corrected by it",
     "",
     {},
     MICROSTEP_CHANGE(reset_count)},
    {"resume-in-bfloat16",
     {"B144"},
     "persist",
     "sgd([[0, 1], [257, 0.5]])",
     "the whole state, counter included, is cast to bfloat16",
     "",
     {},
     MICROSTEP_CHANGE(count_in_bfloat16),
     nullptr,
     with_many_steps},
    {"resume-in-float16",
     {"B146"},
     "persist",
     "adam(0.1)",
     "the moments are cast to float16",
     "",
     {},
     MICROSTEP_CHANGE(slots_in_float16)},
    {"resume-throws",
     {"B149"},
     "persist",
     accumulated,
     "the counter comes back as another type",
     "",
     {},
     MICROSTEP_CHANGE(refuse)},
    {"resume-resets-all",
     {"B150"},
     "persist",
     "adam(1)",
     "every call begins with a fresh state",
     "",
     {},
     MICROSTEP_CHANGE(lose_everything)},
    {"resume-changes-dtype",
     {},
     "persist",
     accumulated,
     "the accumulator comes back as bfloat16",
     "",
     {},
     MICROSTEP_CHANGE(widen_slots)},
};

}  // namespace

std::vector<Liar> persistence_liars() { return rows; }

}  // namespace microstep::liars
