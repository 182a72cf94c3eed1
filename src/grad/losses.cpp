#include <fmt/format.h>

#include <algorithm>

#include "contribute.hpp"
#include "microstep/data/error.hpp"
#include "microstep/grad/ops.hpp"
#include "microstep/kernels/reduction.hpp"
#include "microstep/scalar/balls.hpp"
#include "microstep/scalar/emulated.hpp"

namespace microstep {
namespace {

// Saved for the pullback: d loss / d logits of each example, softmax(x) - [j = label], of the logits' shape.
template <class A>
void pull_cross_entropies(Tape<A>& tape, const Node<A>& node) {
  const Var logits = node.operands[0];
  const Dimensions& d = tape.node(logits).dimensions;
  const A a = tape.arithmetic(node.dtype);
  const auto* g = tape.cotangent_of(node);
  const auto* slope = tape.saved(node.saved);
  contribute(tape, logits, d, [&](auto* place) {
    for (std::int64_t i = 0; i < d[0]; ++i)
      for (std::int64_t j = 0; j < d[1]; ++j) *place++ = a.multiply(g[i], *slope++);
  });
}

template <class A>
constexpr Operation<A> cross_entropies_operation{"softmax_cross_entropies", pull_cross_entropies<A>};

template <class A, class Value>
Value largest_of(const A& a, const Value* x, std::int64_t classes) {
  Value largest = x[0];
  for (std::int64_t j = 1; j < classes; ++j) largest = a.maximum(largest, x[j]);
  return largest;
}

/// The loss of one example; slope[j] becomes its derivative by x[j].
template <class A, class Value>
Value cross_entropy(const A& a, Reduction order, const Value* x, std::int64_t classes, std::int64_t label,
                    Value* slope) {
  const Value shift = largest_of(a, x, classes);
  for (std::int64_t j = 0; j < classes; ++j) slope[j] = a.exp(a.subtract(x[j], shift));
  const Value total = kernels::sum(a, {slope, classes, 1}, order);
  for (std::int64_t j = 0; j < classes; ++j) slope[j] = a.divide(slope[j], total);
  slope[label] = a.subtract(slope[label], A::constant(1));
  return a.subtract(a.log(total), a.subtract(x[label], shift));
}

void require_logits(const Dimensions& logits, std::span<const std::int64_t> labels) {
  if (logits.rank != 2 || logits[0] != static_cast<std::int64_t>(labels.size())) {
    throw Error(
        "grad.shape",
        fmt::format("softmax cross-entropy of logits {} with {} labels", to_string(logits.shape()), labels.size()),
        "softmax_cross_entropy", "give logits [batch, classes] and one label an example");
  }
  const auto wrong = std::ranges::find_if(labels, [&](auto label) { return label < 0 || label >= logits[1]; });
  if (wrong == labels.end()) return;
  throw Error("grad.label", fmt::format("label {} of {} classes", *wrong, logits[1]),
              fmt::format("example {}", wrong - labels.begin()), "labels count from 0");
}

void require_same(const Dimensions& predictions, const Dimensions& targets) {
  if (predictions == targets) return;
  throw Error(
      "grad.shape",
      "squared errors of predictions " + to_string(predictions.shape()) + " and targets " + to_string(targets.shape()),
      "mean_squared_error", "give both the same shape: broadcasting would count pairs that are no examples");
}

}  // namespace

template <class A>
Var Losses<A>::squared_errors(Tape<A>& tape, Var predictions, Var targets) {
  require_same(tape.node(predictions).dimensions, tape.node(targets).dimensions);
  const Var squares = microstep::square(tape, subtract(tape, predictions, targets));
  Axes within = all_axes(tape.node(squares).dimensions.rank);
  if (within.size() < 2) return squares;
  within.erase(within.begin());
  return mean(tape, squares, within);
}

template <class A>
Var Losses<A>::cross_entropies(Tape<A>& tape, Var logits, std::span<const std::int64_t> labels) {
  const Dimensions d = tape.node(logits).dimensions;
  require_logits(d, labels);
  const Dtype dtype = tape.dtype(logits);
  const Var result = tape.record(cross_entropies_operation<A>, {logits, Var{}}, Shape{d[0]}, dtype);
  tape.last().saved = tape.save(d.count());
  const A a = tape.arithmetic(dtype);
  const auto* x = tape.values(logits).data();
  auto* slope = tape.saved(tape.node(result).saved);
  auto* loss = tape.data(result);
  for (std::size_t i = 0; i < labels.size(); ++i, x += d[1], slope += d[1])
    loss[i] = cross_entropy(a, tape.policy().reduction, x, d[1], labels[i], slope);
  return result;
}

template struct Losses<Plain<float>>;
template struct Losses<Plain<double>>;
template struct Losses<Plain<Wide>>;
template struct Losses<Emulated<double>>;
template struct Losses<Balls<Wide>>;

}  // namespace microstep
