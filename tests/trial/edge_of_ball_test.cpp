// A real trace with one number at the edge of its ball: the last number inside is faithful, the next one is not.
#include "trial/spoiled_run.hpp"

namespace microstep {
namespace {

constexpr const char *adam = "multi_steps(adam(0.1), k=3)", *momentum = "multi_steps(sgd(0.1, momentum=0.9), k=3)";

struct Edge {
  const char* spec;
  Dtype dtype;
  const char* path;
};
void PrintTo(const Edge& edge, std::ostream* out) {
  *out << edge.spec << " " << edge.path << " " << to_string(edge.dtype);
}

/// An update is added to its param, too.
void put(DumpedTrace& dumped, const std::string& path, Dtype dtype, double number) {
  const std::int64_t last = dumped.trace.microsteps();
  numbers_of(dumped, path, last)[0] = number;
  if (path == "updates/w")
    numbers_of(dumped, "params/w", last)[0] = round_to(dtype, numbers_of(dumped, "params/w", last - 1)[0] + number);
}

Faithfulness judged_with(const Edge& edge, double number) {
  DumpedTrace dumped = dumped_run(edge.spec, {.windows = 2, .dtype = edge.dtype});
  put(dumped, edge.path, edge.dtype, number);
  return judged_as(edge.spec, dumped).faithful;
}

/// The ball of the first number of that path in the last microstep: of a number that lies far outside of it.
Ball ball_of(const Edge& edge) { return judged_with(edge, 1024).first.value().expected; }

bool lies_in(const Ball& ball, double x) { return wide::abs(Wide(x) - ball.value) <= Wide(ball.radius); }

class EdgeOfBall : public testing::TestWithParam<Edge> {};
INSTANTIATE_TEST_SUITE_P(JudgeTrace, EdgeOfBall,
                         testing::Values(Edge{adam, Dtype::float32, "updates/w"},
                                         Edge{adam, Dtype::float32, "state/of[0]/mu/w"},
                                         Edge{adam, Dtype::float64, "state/of[0]/nu/w"},
                                         Edge{momentum, Dtype::bfloat16, "updates/w"}));

TEST_P(EdgeOfBall, TheNextNumberIsOutside) {
  const Edge& edge = GetParam();
  const Ball due = ball_of(edge);
  ASSERT_GT(due.radius, 0);
  double inside = round_to(edge.dtype, static_cast<double>(due.value));
  const double size = std::fabs(inside), sign = inside < 0 ? -1 : 1;
  double outside = inside;
  for (std::uint64_t i = 1; lies_in(due, outside); ++i) {
    inside = outside;
    outside = sign * from_bits(edge.dtype, bits_of(edge.dtype, size) + i);
  }
  EXPECT_EQ(judged_with(edge, inside).outcome, Outcome::holds);
  const Faithfulness broken = judged_with(edge, outside);
  ASSERT_EQ(broken.outcome, Outcome::broken);
  // The params that such an update moved are judged from the due one, and may lie outside with it.
  EXPECT_LE(broken.outside, edge.path == std::string("updates/w") ? 2 : 1);
  EXPECT_EQ(broken.first->path, edge.path);
}

// 0.999 is 1 in bfloat16, and 1-b^t is 0 where a loop forms it there: an update then has any size, unless the trace
// says that its loop does not.
TEST(JudgeTrace, AnyUpdateOfAdamInBfloat16IsUndecidableUnlessItsPrecisionIsTold) {
  DumpedTrace dumped = dumped_run(adam, {.windows = 2, .dtype = Dtype::bfloat16});
  EXPECT_EQ(judged_as(adam, dumped).faithful.outcome, Outcome::undecidable);
  dumped.hyper_precision = HyperPrecision::float64;
  EXPECT_EQ(judged_as(adam, dumped).faithful.outcome, Outcome::holds);
  put(dumped, "updates/w", Dtype::bfloat16, 1024);
  EXPECT_EQ(judged_as(adam, dumped).faithful.outcome, Outcome::broken);
  dumped.hyper_precision = HyperPrecision::undeclared;
  EXPECT_EQ(judged_as(adam, dumped).faithful.outcome, Outcome::undecidable);
}

}  // namespace
}  // namespace microstep
