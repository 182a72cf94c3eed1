#pragma once
// A model without its loss: from the examples of one batch to its predictions. Every model is a row of layers, each a
// model of its own.
#include <memory>

#include "microstep/data/spec.hpp"
#include "microstep/grad/tape.hpp"

namespace microstep {

/// spec: linear, conv2d or mean_pool; params: how many leaves it takes, behind those of the layers before it.
struct Layer {
  Spec spec;
  std::size_t params = 0;
};

/// The layers of a model or trained problem, first the one that sees the inputs. Throws spec.unknown-op.
std::vector<Layer> layers_of(const Spec& model);

/// Leaves of the params: of a problem those of problem_leaves; of linear w, b; of conv2d k, b.
std::vector<Leaf> model_leaves(const Spec& model, Dtype dtype);
/// Of one example.
Shape input_shape(const Spec& model);
Shape output_shape(const Spec& model);

template <class A>
class Model {
 public:
  /// Throws spec.unknown-op.
  explicit Model(const Spec& spec) : layers_(layers_of(spec)), input_shape_(microstep::input_shape(spec)) {}

  /// Of one example.
  const Shape& input_shape() const { return input_shape_; }
  /// params: the leaves of model_leaves, in their order; inputs: [batch, input shape]. Answers [batch, output shape].
  Var forward(Tape<A>& tape, std::span<const Var> params, Var inputs) const;

 private:
  std::vector<Layer> layers_;
  Shape input_shape_;
};

}  // namespace microstep
