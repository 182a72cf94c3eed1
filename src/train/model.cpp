#include "microstep/train/model.hpp"

#include <fmt/format.h>

#include "microstep/data/error.hpp"
#include "microstep/grad/ops.hpp"
#include "microstep/scalar/balls.hpp"
#include "microstep/scalar/emulated.hpp"

namespace microstep {
namespace {

// Dense layers; weights [in, out] and biases [out] take turns.
template <class A>
class Dense final : public Model<A> {
 public:
  explicit Dense(const Spec& problem)
      : features_(problem.op == "mlp" ? static_cast<std::int64_t>(std::get<double>(problem.list("sizes")[0].data))
                                      : problem.integer("features")),
        relu_(problem.op == "mlp" && problem.text("act") == "relu") {}

  Shape input_shape() const override { return {features_}; }

  Var forward(Tape<A>& tape, std::span<const Var> params, Var x) const override {
    for (std::size_t layer = 0; layer + 1 < params.size(); layer += 2) {
      if (layer > 0) x = relu_ ? relu(tape, x) : tanh(tape, x);
      x = add(tape, matmul(tape, x, params[layer]), params[layer + 1]);
    }
    return x;
  }

 private:
  std::int64_t features_;
  bool relu_;
};

// Two 3x3 convolutions with biases and relu, the mean over the pixels, one dense layer.
template <class A>
class TinyConvNet final : public Model<A> {
 public:
  explicit TinyConvNet(const Spec& problem) : images_(problem.integer("images")), size_(problem.integer("size")) {}

  Shape input_shape() const override { return {images_, size_, size_}; }

  Var forward(Tape<A>& tape, std::span<const Var> params, Var x) const override {
    for (std::size_t layer = 0; layer < 4; layer += 2) {
      const Var bias = reshape(tape, params[layer + 1], {tape.shape(params[layer + 1])[0], 1, 1});
      x = relu(tape, add(tape, conv2d(tape, x, params[layer], 1), bias));
    }
    return add(tape, matmul(tape, mean(tape, x, {2, 3}), params[4]), params[5]);
  }

 private:
  std::int64_t images_;
  std::int64_t size_;
};

template <class A, class M>
std::unique_ptr<Model<A>> make(const Spec& problem) {
  return std::make_unique<M>(problem);
}

template <class A>
struct ModelMaker {
  std::string_view problem;
  std::unique_ptr<Model<A>> (*make)(const Spec&);
};

template <class A>
constexpr ModelMaker<A> model_makers[] = {
    {"linear_regression", make<A, Dense<A>>},
    {"logistic_regression", make<A, Dense<A>>},
    {"mlp", make<A, Dense<A>>},
    {"tiny_conv_net", make<A, TinyConvNet<A>>},
};

}  // namespace

template <class A>
std::unique_ptr<Model<A>> make_model(const Spec& problem) {
  for (const ModelMaker<A>& maker : model_makers<A>)
    if (maker.problem == problem.op) return maker.make(problem);
  throw Error("spec.unknown-op", fmt::format("there is no model '{}'", problem.op), to_string(problem),
              "docs/language.md lists the problems");
}

template std::unique_ptr<Model<Plain<float>>> make_model(const Spec&);
template std::unique_ptr<Model<Plain<double>>> make_model(const Spec&);
template std::unique_ptr<Model<Plain<Wide>>> make_model(const Spec&);
template std::unique_ptr<Model<Emulated<double>>> make_model(const Spec&);
template std::unique_ptr<Model<Balls<Wide>>> make_model(const Spec&);

}  // namespace microstep
