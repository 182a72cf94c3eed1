#pragma once
// A model without its loss: from the examples of one batch to its predictions.
#include <memory>

#include "microstep/data/spec.hpp"
#include "microstep/grad/tape.hpp"

namespace microstep {

template <class A>
class Model {
 public:
  virtual ~Model() = default;
  /// Of one example.
  virtual Shape input_shape() const = 0;
  /// params: the leaves of problem_leaves, in their order; inputs: [batch, input shape]. Answers [batch, outputs].
  virtual Var forward(Tape<A>& tape, std::span<const Var> params, Var inputs) const = 0;
};

/// The model of a trained problem (linear_regression, logistic_regression, mlp, tiny_conv_net). Throws spec.unknown-op.
template <class A>
std::unique_ptr<Model<A>> make_model(const Spec& problem);

}  // namespace microstep
