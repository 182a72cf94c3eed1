// Requests that do not fit are refused, each with its id, and leave the tape as it was.
#include <gtest/gtest.h>

#include <functional>

#include "microstep/data/error.hpp"
#include "microstep/grad/ops.hpp"

namespace microstep {
namespace {

using Doubles = Tape<Plain<double>>;

Var zeros(Doubles& tape, const Shape& shape) {
  const std::vector<double> values(static_cast<std::size_t>(element_count(shape)));
  return tape.leaf(values, shape, Dtype::float64);
}

struct Refusal {
  std::string id;
  std::string part;  // of the message
  std::vector<Shape> shapes;
  std::function<void(Doubles&, std::span<const Var>)> request;
};

void cross_entropy(Doubles& tape, Var logits, const std::vector<std::int64_t>& labels) {
  softmax_cross_entropies(tape, logits, labels);
}

const std::vector<Refusal> refusals = {
    {"grad.shape", "add of shapes [2, 3] and [2]", {{2, 3}, {2}}, [](auto& t, auto v) { add(t, v[0], v[1]); }},
    {"grad.shape", "divide of shapes [0] and [2]", {{0}, {2}}, [](auto& t, auto v) { divide(t, v[0], v[1]); }},
    {"grad.shape", "[2, 3] and [2, 3]", {{2, 3}, {2, 3}}, [](auto& t, auto v) { matmul(t, v[0], v[1]); }},
    {"grad.shape", "[3] and [3, 1]", {{3}, {3, 1}}, [](auto& t, auto v) { matmul(t, v[0], v[1]); }},
    {"grad.shape", "[2, 3] to [5]", {{2, 3}}, [](auto& t, auto v) { reshape(t, v[0], {5}); }},
    {"grad.shape",
     "[6, -1]",
     {{6}},
     [](auto& t, auto v) {
       reshape(t, v[0], {6, -1});
     }},
    {"grad.shape",
     "more than 4 axes",
     {{1}},
     [](auto& t, auto v) {
       reshape(t, v[0], {1, 1, 1, 1, 1});
     }},
    {"grad.shape", "[3, 1] and targets [3]", {{3, 1}, {3}}, [](auto& t, auto v) { squared_errors(t, v[0], v[1]); }},
    {"grad.axis", "axis 2", {{2, 3}}, [](auto& t, auto v) { sum(t, v[0], {2}); }},
    {"grad.axis", "axis -3", {{2, 3}}, [](auto& t, auto v) { mean(t, v[0], {-3}); }},
    {"grad.axis",
     "axis -1",
     {{2, 3}},
     [](auto& t, auto v) {
       sum(t, v[0], {1, -1});
     }},
    {"grad.axis", "axis 0", {{}}, [](auto& t, auto v) { sum(t, v[0], {0}); }},
    {"grad.shape", "[2, 3] with 1 labels", {{2, 3}}, [](auto& t, auto v) { cross_entropy(t, v[0], {1}); }},
    {"grad.shape",
     "[3] with 3 labels",
     {{3}},
     [](auto& t, auto v) {
       cross_entropy(t, v[0], {1, 1, 1});
     }},
    {"grad.label",
     "label 3 of 3",
     {{2, 3}},
     [](auto& t, auto v) {
       cross_entropy(t, v[0], {2, 3});
     }},
    {"grad.label", "label -1", {{1, 3}}, [](auto& t, auto v) { cross_entropy(t, v[0], {-1}); }},
    {"grad.label", "label 0 of 0", {{1, 0}}, [](auto& t, auto v) { cross_entropy(t, v[0], {0}); }},
    {"grad.loss-not-scalar", "[2]", {{2}}, [](auto& t, auto v) { t.backward(v[0]); }},
    {"grad.loss-not-scalar", "[0]", {{0}}, [](auto& t, auto v) { t.backward(v[0]); }},
    {"grad.leaf-size", "[2]", {}, [](auto& t, auto) { t.leaf(std::vector<double>(3), {2}, Dtype::float64); }},
    {"grad.shape",
     "more than 4 axes",
     {},
     [](auto& t, auto) {
       zeros(t, {1, 1, 1, 1, 1});
     }},
};

TEST(Refusals, EachHasItsIdAndLeavesTheTapeAsItWas) {
  for (const Refusal& refusal : refusals) {
    Doubles tape(Plain<double>{});
    std::vector<Var> vars;
    for (const Shape& shape : refusal.shapes) vars.push_back(zeros(tape, shape));
    try {
      refusal.request(tape, vars);
      ADD_FAILURE() << "taken: " << refusal.part;
    } catch (const Error& error) {
      EXPECT_EQ(error.id(), refusal.id);
      EXPECT_NE(std::string(error.what()).find(refusal.part), std::string::npos) << error.what();
    }
    EXPECT_EQ(tape.node_count(), static_cast<std::int64_t>(vars.size())) << refusal.part;
  }
}

}  // namespace
}  // namespace microstep
