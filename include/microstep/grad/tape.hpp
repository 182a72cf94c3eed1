#pragma once
// Reverse mode on a flat tape: the order of construction is the topological order and the gradient is one loop
// backwards over it. Nodes lie in one vector, values in one arena, cotangents in a second one of the same layout. A
// shared node is visited once, after all that use it; nothing recurses. clear() keeps the memory for the next round.
#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "microstep/grad/dimensions.hpp"
#include "microstep/kernels/ran.hpp"

namespace microstep {

template <class A>
class Tape;

/// A value on a tape.
struct Var {
  std::int32_t index = -1;
  explicit operator bool() const { return index >= 0; }
  bool operator==(const Var&) const = default;
};

template <class A>
struct Node;

/// What a node came from. pullback reads the node's cotangent and contributes to those of its operands.
template <class A>
struct Operation {
  std::string_view name;
  void (*pullback)(Tape<A>&, const Node<A>&);
};

/// dimensions: of the value. dtype: the one its operation rounds to. offset: in both arenas.
/// kept: of a reduction, its dimensions with the reduced axes as 1. saved: offset of what the pullback needs besides.
template <class A>
struct Node {
  const Operation<A>* operation = nullptr;
  std::array<Var, 2> operands{};
  Dimensions dimensions;
  Dimensions kept;
  Dtype dtype = Dtype::float32;
  bool wants_gradient = false;
  std::int64_t offset = 0;
  std::int64_t size = 0;
  std::int64_t saved = 0;
};

/// Grows by doubling, never initialises, keeps its memory.
template <class Value>
class Arena {
 public:
  std::int64_t take(std::int64_t count) {
    reserve(used_ + count);
    return std::exchange(used_, used_ + count);
  }
  void reserve(std::int64_t count);
  void clear() { used_ = 0; }
  Value* at(std::int64_t offset) { return memory_.get() + offset; }
  const Value* at(std::int64_t offset) const { return memory_.get() + offset; }
  std::int64_t used() const { return used_; }
  std::int64_t capacity() const { return capacity_; }

 private:
  std::unique_ptr<Value[]> memory_;
  std::int64_t used_ = 0;
  std::int64_t capacity_ = 0;
};

/// A: Plain<float>, Plain<double>, Plain<Wide>, Emulated<double> or Balls<Wide>. A span that the tape hands out is
/// valid until the next node is recorded.
template <class A>
class Tape {
 public:
  using Value = typename A::Value;

  explicit Tape(A arithmetic, KernelPolicy policy = {}) : arithmetic_(std::move(arithmetic)), policy_(policy) {}

  /// A variable: values (row-major, already of the dtype) are copied. Throws `grad.leaf-size`, `grad.shape`.
  Var leaf(std::span<const Value> values, const Shape& shape, Dtype dtype);
  /// The same without a gradient: data, targets, factors.
  Var constant(std::span<const Value> values, const Shape& shape, Dtype dtype);

  std::span<const Value> values(Var v) const { return {values_.at(node(v).offset), extent(node(v))}; }
  Shape shape(Var v) const { return node(v).dimensions.shape(); }
  Dtype dtype(Var v) const { return node(v).dtype; }

  /// d loss / d each node that leads to it. loss has one element. Answers how many pullbacks ran: each at most once.
  /// Throws `grad.loss-not-scalar`.
  std::int64_t backward(Var loss);
  /// d loss / d v of the last backward, of v's shape and dtype; zeros if loss does not depend on v.
  std::span<const Value> cotangent(Var v);
  /// backward(loss), then the cotangents of the variables, in their order.
  std::vector<std::span<const Value>> gradient(Var loss, std::span<const Var> variables);
  std::vector<std::span<const Value>> gradient(Var loss, std::initializer_list<Var> variables) {
    return gradient(loss, std::span<const Var>(variables.begin(), variables.size()));
  }

  void clear();
  std::int64_t node_count() const { return static_cast<std::int64_t>(nodes_.size()); }
  /// Elements that the arenas can hold.
  std::int64_t capacity() const { return values_.capacity() + cotangents_.capacity() + scratch_.capacity(); }

  // For operations.
  const Node<A>& node(Var v) const { return nodes_[static_cast<std::size_t>(v.index)]; }
  A arithmetic(Dtype dtype) const { return arithmetic_.at(dtype); }
  const KernelPolicy& policy() const { return policy_; }
  /// Which paths its kernels took, forwards and backwards; clear() keeps them.
  KernelsRan& ran() { return ran_; }
  const KernelsRan& ran() const { return ran_; }
  /// Adds a node whose value is to be written to data(answer). It wants a gradient if an operand does.
  Var record(const Operation<A>& operation, std::array<Var, 2> operands, const Dimensions& dimensions, Dtype dtype);
  Node<A>& last() { return nodes_.back(); }
  Value* data(Var v) { return values_.at(node(v).offset); }
  /// More room in the arena of values: the offset of `count` elements.
  std::int64_t save(std::int64_t count) { return values_.take(count); }
  Value* saved(std::int64_t offset) { return values_.at(offset); }
  bool wants(Var v) const { return v && node(v).wants_gradient; }
  const Value* cotangent_of(const Node<A>& node) const { return cotangents_.at(node.offset); }
  /// open: where a contribution to v's cotangent is to be written, of the given dimensions (v's, broadcast).
  /// close: sums it over the broadcast axes and adds it to what is there.
  Value* open(Var v, const Dimensions& contribution);
  void close(Var v, const Dimensions& contribution);

 private:
  static std::size_t extent(const Node<A>& node) { return static_cast<std::size_t>(node.size); }
  Var append(Node<A> node);
  bool writes_directly(Var v, const Dimensions& contribution) const;

  A arithmetic_;
  KernelPolicy policy_;
  KernelsRan ran_;
  std::vector<Node<A>> nodes_;
  std::vector<bool> reached_;
  Arena<Value> values_;
  Arena<Value> cotangents_;
  Arena<Value> scratch_;
};

}  // namespace microstep
