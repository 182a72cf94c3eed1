// Value and gradient of an mlp 32-64-64-10 with tanh and mean-squared error on 8 rows, float32.
#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <memory>

#include "case.hpp"
#include "microstep/data/random.hpp"
#include "microstep/grad/value_and_grad.hpp"
#include "microstep/scalar/plain.hpp"
#include "microstep/train/problem.hpp"
#include "microstep/train/setup.hpp"

namespace microstep::bench {
namespace {

using A = Plain<float>;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Row = Eigen::Matrix<float, 1, Eigen::Dynamic>;

constexpr int rows = 8;

Plan plan_of(const char* problem) {
  PlanOptions options;
  options.windows = 1;
  options.examples = rows;
  return make_plan(parse_spec("multi_steps(adam(0.1), k=1)"), parse_spec(problem, OpKind::problem), options);
}

Tree<float> params_of(const Plan& plan) {
  Tree<float> params(plan.params.layout_pointer());
  for (std::size_t i = 0; i < params.leaf_count(); ++i)
    std::ranges::copy(plan.params.values(i), params.values(i).begin());
  return params;
}

Matrix drawn(std::int64_t columns, const char* stream) {
  const Stream numbers(stream, 1);
  Matrix matrix(rows, columns);
  for (std::int64_t i = 0; i < matrix.size(); ++i)
    matrix.data()[i] = static_cast<float>(numbers.dyadic(64, 0, static_cast<std::uint64_t>(i)));
  return matrix;
}

// The layers of train/supervised on data that are there.
class OnTape {
 public:
  OnTape(Tree<float> params, bool relu) : params_(std::move(params)), gradients_(params_), relu_(relu) {}

  void run() {
    auto loss = [&](Tape<A>& tape, std::span<const Var> variables) {
      Var x = data(tape, inputs_);
      for (std::size_t i = 0; i < variables.size(); i += 2) {
        if (i > 0) x = relu_ ? relu(tape, x) : tanh(tape, x);
        x = add(tape, matmul(tape, x, variables[i]), variables[i + 1]);
      }
      return mean_squared_error(tape, x, data(tape, targets_));
    };
    benchmark::DoNotOptimize(value_and_grad_into(tape_, loss, params_, gradients_));
  }

 private:
  static Var data(Tape<A>& tape, const Matrix& m) {
    return tape.constant({m.data(), static_cast<std::size_t>(m.size())}, {m.rows(), m.cols()}, Dtype::float32);
  }

  Tape<A> tape_{A{}};
  Tree<float> params_, gradients_;
  Matrix inputs_ = drawn(32, "inputs"), targets_ = drawn(10, "targets");
  bool relu_;
};

// The same by hand; no allocation after the first run.
class ByHand {
 public:
  ByHand(const Tree<float>& params, bool relu) : relu_(relu) {
    for (std::size_t i = 0; i < params.leaf_count(); i += 2) {
      const Shape& shape = params.leaf(i).shape;
      weights_.push_back(Eigen::Map<const Matrix>(params.values(i).data(), shape[0], shape[1]));
      biases_.push_back(Eigen::Map<const Row>(params.values(i + 1).data(), shape[1]));
    }
    for (auto* matrices : {&activations_, &weight_gradients_, &deltas_}) matrices->resize(weights_.size());
    bias_gradients_.resize(weights_.size());
  }

  void run() {
    forward();
    const Matrix& out = activations_.back();
    deltas_.back() = out - targets_;
    const float value = deltas_.back().squaredNorm() / static_cast<float>(out.size());
    deltas_.back() *= 2.0F / static_cast<float>(out.size());
    for (std::size_t i = weights_.size(); i-- > 0;) backward(i);
    benchmark::DoNotOptimize(value);
  }

 private:
  void forward() {
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      activations_[i].noalias() = before(i) * weights_[i];
      activations_[i].rowwise() += biases_[i];
      if (i + 1 < weights_.size() && relu_) activations_[i] = activations_[i].cwiseMax(0.0F);
      if (i + 1 < weights_.size() && !relu_) activations_[i] = activations_[i].array().tanh();
    }
  }

  void backward(std::size_t i) {
    weight_gradients_[i].noalias() = before(i).transpose() * deltas_[i];
    bias_gradients_[i] = deltas_[i].colwise().sum();
    if (i == 0) return;
    const Matrix& y = activations_[i - 1];
    deltas_[i - 1].noalias() = deltas_[i] * weights_[i].transpose();
    if (relu_)
      deltas_[i - 1].array() *= (y.array() > 0.0F).cast<float>();
    else
      deltas_[i - 1].array() *= 1.0F - y.array().square();
  }

  const Matrix& before(std::size_t i) const { return i == 0 ? inputs_ : activations_[i - 1]; }

  Matrix inputs_ = drawn(32, "inputs"), targets_ = drawn(10, "targets");
  bool relu_;
  std::vector<Matrix> weights_, activations_, weight_gradients_, deltas_;
  std::vector<Row> biases_, bias_gradients_;
};

Case against(const char* problem, bool relu) {
  const Plan plan = plan_of(problem);
  auto tape = std::make_shared<OnTape>(params_of(plan), relu);
  auto hand = std::make_shared<ByHand>(params_of(plan), relu);
  const std::string name = "value and gradient of " + to_string(plan.problem) + " on 8 rows";
  return {name, Figure::ratio, 1.5, {name, {}, [=] { tape->run(); }}, Work{name + ", Eigen", {}, [=] { hand->run(); }},
          200};
}

}  // namespace

std::vector<Case> network_cases() {
  return {against("mlp(32, 64, 64, 10)", false), against("mlp(32, 64, 64, 10, act=relu)", true)};
}

}  // namespace microstep::bench
