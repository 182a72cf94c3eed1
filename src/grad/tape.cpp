#include "microstep/grad/tape.hpp"

#include <algorithm>

#include "axes.hpp"
#include "microstep/data/error.hpp"
#include "microstep/scalar/balls.hpp"
#include "microstep/scalar/emulated.hpp"

namespace microstep {

template <class Value>
void Arena<Value>::reserve(std::int64_t count) {
  if (count <= capacity_) return;
  capacity_ = std::max(count, 2 * capacity_);
  auto grown = std::make_unique_for_overwrite<Value[]>(static_cast<std::size_t>(capacity_));
  std::copy_n(memory_.get(), used_, grown.get());
  memory_ = std::move(grown);
}

template <class A>
Var Tape<A>::append(Node<A> node) {
  node.size = node.dimensions.count();
  node.offset = values_.take(node.size);
  nodes_.push_back(node);
  return {static_cast<std::int32_t>(nodes_.size()) - 1};
}

template <class A>
Var Tape<A>::record(const Operation<A>& operation, std::array<Var, 2> operands, const Dimensions& dimensions,
                    Dtype dtype) {
  Node<A> node;
  node.operation = &operation;
  node.operands = operands;
  node.dimensions = dimensions;
  node.dtype = dtype;
  node.wants_gradient = wants(operands[0]) || wants(operands[1]);
  return append(node);
}

template <class A>
Var Tape<A>::constant(std::span<const Value> values, const Shape& shape, Dtype dtype) {
  Node<A> node;
  node.dimensions = shape;
  node.dtype = dtype;
  if (static_cast<std::int64_t>(values.size()) != node.dimensions.count())
    throw Error("grad.leaf-size", "the number of values is not that of shape " + to_string(shape), "a leaf of the tape",
                "give one value an element");
  const Var v = append(node);
  std::copy(values.begin(), values.end(), data(v));
  return v;
}

template <class A>
Var Tape<A>::leaf(std::span<const Value> values, const Shape& shape, Dtype dtype) {
  const Var v = constant(values, shape, dtype);
  nodes_.back().wants_gradient = true;
  return v;
}

template <class A>
std::int64_t Tape<A>::backward(Var loss) {
  if (node(loss).size != 1) {
    throw Error("grad.loss-not-scalar", "the loss has shape " + to_string(shape(loss)), "the loss",
                "reduce it with sum or mean before asking for a gradient");
  }
  cotangents_.clear();
  cotangents_.take(values_.used());
  reached_.assign(nodes_.size(), false);
  reached_[static_cast<std::size_t>(loss.index)] = true;
  *cotangents_.at(node(loss).offset) = A::constant(1);
  std::int64_t visited = 0;
  for (auto i = static_cast<std::size_t>(loss.index) + 1; i-- > 0;) {
    const Node<A>& at = nodes_[i];
    if (!reached_[i] || at.operation == nullptr || !at.wants_gradient) continue;
    at.operation->pullback(*this, at);
    ++visited;
  }
  return visited;
}

template <class A>
bool Tape<A>::writes_directly(Var v, const Dimensions& contribution) const {
  return !reached_[static_cast<std::size_t>(v.index)] && contribution.sizes == node(v).dimensions.sizes;
}

template <class A>
auto Tape<A>::open(Var v, const Dimensions& contribution) -> Value* {
  if (writes_directly(v, contribution)) return cotangents_.at(node(v).offset);
  scratch_.reserve(contribution.count() + node(v).size);
  return scratch_.at(0);
}

template <class A>
void Tape<A>::close(Var v, const Dimensions& contribution) {
  const bool was_reached = reached_[static_cast<std::size_t>(v.index)];
  const bool direct = writes_directly(v, contribution);
  reached_[static_cast<std::size_t>(v.index)] = true;
  if (direct) return;
  const Node<A>& to = node(v);
  const A arithmetic = arithmetic_.at(to.dtype);
  Value* total = cotangents_.at(to.offset);
  Value* part = scratch_.at(0);
  if (contribution.sizes != to.dimensions.sizes) {
    Value* summed = was_reached ? scratch_.at(contribution.count()) : total;
    sum_over_axes(arithmetic, policy_.reduction, contribution, to.dimensions, part, summed);
    part = summed;
  }
  if (!was_reached) return;
  for (std::int64_t i = 0; i < to.size; ++i) total[i] = arithmetic.add(total[i], part[i]);
}

template <class A>
auto Tape<A>::cotangent(Var v) -> std::span<const Value> {
  const Node<A>& at = node(v);
  if (static_cast<std::size_t>(v.index) >= reached_.size() || !reached_[static_cast<std::size_t>(v.index)]) {
    cotangents_.reserve(values_.used());
    std::fill_n(cotangents_.at(at.offset), at.size, A::constant(0));
  }
  return {cotangents_.at(at.offset), extent(at)};
}

template <class A>
auto Tape<A>::gradient(Var loss, std::span<const Var> variables) -> std::vector<std::span<const Value>> {
  backward(loss);
  std::vector<std::span<const Value>> found;
  for (Var v : variables) found.push_back(cotangent(v));
  return found;
}

template <class A>
void Tape<A>::clear() {
  nodes_.clear();
  reached_.clear();
  values_.clear();
  cotangents_.clear();
}

template class Arena<float>;
template class Arena<double>;
template class Arena<Wide>;
template class Arena<Ball>;
template class Tape<Plain<float>>;
template class Tape<Plain<double>>;
template class Tape<Plain<Wide>>;
template class Tape<Emulated<double>>;
template class Tape<Balls<Wide>>;

}  // namespace microstep
