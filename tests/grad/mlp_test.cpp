// Whole networks: every float path lies in the ball, Wide in the semantic ball, and a batch is the mean of its parts.
#include <gtest/gtest.h>

#include <random>

#include "grad/evaluate.hpp"

namespace microstep::testing_grad {
namespace {

struct Network {
  std::vector<std::int64_t> sizes;
  bool tangent;
  std::int64_t batch;
};

const std::vector<Network> networks = {
    {{3, 5, 2}, true, 4}, {{2, 7, 3}, false, 5}, {{4, 3, 6, 2}, true, 1}, {{5, 4, 3, 2}, false, 3}};

std::vector<double> coarse(std::mt19937& bits, std::int64_t count) {
  std::vector<double> x(static_cast<std::size_t>(count));
  for (double& value : x) value = (static_cast<double>(bits() % 64) - 31.5) / 32;
  return x;
}

/// Weights and biases, layer by layer, and the examples.
struct Numbers32 {
  std::vector<Input> shapes;
  Points params;
  std::vector<double> examples;
  std::vector<std::int64_t> labels;
};

Numbers32 draw(const Network& n, std::uint32_t seed) {
  std::mt19937 bits(seed);
  Numbers32 out;
  for (std::size_t i = 0; i + 1 < n.sizes.size(); ++i)
    for (const Shape& shape : {Shape{n.sizes[i], n.sizes[i + 1]}, Shape{n.sizes[i + 1]}}) {
      out.shapes.push_back({shape});
      out.params.push_back(coarse(bits, element_count(shape)));
    }
  out.examples = coarse(bits, n.batch * n.sizes.front());
  for (std::int64_t i = 0; i < n.batch; ++i)
    out.labels.push_back(static_cast<std::int64_t>(bits() % static_cast<std::uint32_t>(n.sizes.back())));
  return out;
}

/// The mean loss of examples `from` to `to`.
template <class A>
Var loss_of(Tape<A>& tape, const Network& n, const Numbers32& numbers, Vars v, Dtype dtype, std::int64_t from,
            std::int64_t to) {
  const auto all = loaded<A>(numbers.examples);
  const std::int64_t width = n.sizes.front();
  const std::span<const typename A::Value> rows(all.data() + from * width,
                                                static_cast<std::size_t>((to - from) * width));
  Var x = tape.constant(rows, {to - from, width}, dtype);
  for (std::size_t i = 0; i < v.size(); i += 2) {
    x = add(tape, matmul(tape, x, v[i]), v[i + 1]);
    if (i + 2 < v.size()) x = n.tangent ? tanh(tape, x) : relu(tape, x);
  }
  return softmax_cross_entropy(
      tape, x,
      std::span(numbers.labels).subspan(static_cast<std::size_t>(from), rows.size() / static_cast<std::size_t>(width)));
}

/// The loss, then the gradient of every parameter, in one row.
template <class A>
std::vector<typename A::Value> run(const A& arithmetic, const Network& n, const Numbers32& numbers, Dtype dtype,
                                   KernelPolicy policy, std::int64_t from, std::int64_t to) {
  Tape<A> tape(arithmetic, policy);
  std::vector<Var> vars;
  for (std::size_t i = 0; i < numbers.params.size(); ++i)
    vars.push_back(tape.leaf(loaded<A>(numbers.params[i]), numbers.shapes[i].shape, dtype));
  const Var loss = loss_of(tape, n, numbers, vars, dtype, from, to);
  std::vector<typename A::Value> out{tape.values(loss)[0]};
  for (auto part : tape.gradient(loss, vars)) out.insert(out.end(), part.begin(), part.end());
  return out;
}

template <class A>
void expect_held(const A& arithmetic, const Network& n, std::uint32_t seed, Dtype dtype, bool finite) {
  const Numbers32 numbers = draw(n, seed);
  const auto held = run(Balls<Wide>::rounding(dtype), n, numbers, dtype, {}, 0, n.batch);
  for (Reduction order : {Reduction::sequential, Reduction::reversed, Reduction::pairwise})
    for (auto [product, tangent] :
         {std::pair(MatmulPath::eigen, TanhPath::eigen), std::pair(MatmulPath::loops, TanhPath::scalar)}) {
      const auto row = run(arithmetic, n, numbers, dtype, {order, product, tangent}, 0, n.batch);
      for (std::size_t i = 0; i < held.size(); ++i) {
        EXPECT_TRUE(contains(held[i], static_cast<double>(row[i]))) << i;
        EXPECT_TRUE(!finite || held[i].radius < 0x1p-8) << i;
      }
    }
}

TEST(Mlp, EveryFloatPathLiesInTheBall) {
  for (const Network& n : networks)
    for (std::uint32_t seed : {1, 2, 3, 4, 5}) {
      expect_held(Plain<float>{}, n, seed, Dtype::float32, true);
      expect_held(Plain<double>{}, n, seed, Dtype::float64, true);
      for (Dtype dtype : all_dtypes()) expect_held(Emulated<double>{}, n, seed, dtype, facts(dtype).significand >= 24);
    }
}

TEST(Mlp, WideLiesInTheSemanticBall) {
  for (const Network& n : networks)
    for (std::uint32_t seed : {1, 2, 3, 4, 5}) {
      const Numbers32 numbers = draw(n, seed);
      const auto held = run(exact_arithmetic, n, numbers, Dtype::float64, {}, 0, n.batch);
      for (Reduction order : {Reduction::sequential, Reduction::pairwise}) {
        const auto row = run(Plain<Wide>{}, n, numbers, Dtype::float64, {order, {}, {}}, 0, n.batch);
        for (std::size_t i = 0; i < held.size(); ++i) {
          EXPECT_TRUE(overlap(held[i], {row[i], 0.0})) << i;
          EXPECT_LT(held[i].radius, 0x1p-90);
        }
      }
    }
}

TEST(Mlp, BatchIsTheWeightedMeanOfItsParts) {
  for (const Network& n : networks)
    for (std::int64_t cut = 1; cut < n.batch; ++cut) {
      const Numbers32 numbers = draw(n, 9);
      const auto whole = run(exact_arithmetic, n, numbers, Dtype::float64, {}, 0, n.batch);
      const auto first = run(exact_arithmetic, n, numbers, Dtype::float64, {}, 0, cut);
      const auto rest = run(exact_arithmetic, n, numbers, Dtype::float64, {}, cut, n.batch);
      const Exact total = static_cast<double>(n.batch), part = static_cast<double>(cut);
      for (std::size_t i = 0; i < whole.size(); ++i) {
        const Exact mixed = (Exact(first[i]) * part + Exact(rest[i]) * (total - part)) / total;
        EXPECT_TRUE(overlap(mixed.ball, whole[i])) << i;
        EXPECT_LT(mixed.ball.radius, 0x1p-90);
      }
    }
}

}  // namespace
}  // namespace microstep::testing_grad
