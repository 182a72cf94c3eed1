// From trees to rows: paths, presence, dtypes of the updates, and what deviates from the declared form.
#include "microstep/train/recorder.hpp"

#include "microstep/optim/leaves.hpp"
#include "train/plans.hpp"

namespace microstep::testing_train {
namespace {

using A = Plain<double>;

TEST(Recorder, NamesEveryColumnAndCount) {
  const Trace trace = run(replay_of("multi_steps(chain(adam(1), ema(0.5)), k=2, reduce=weighted)", {1, 2}));
  std::vector<std::string> paths;
  for (const Column& column : trace.schema().columns()) paths.push_back(column.path);
  const std::vector<std::string> expected = {"params/w",
                                             "gradients/w",
                                             "updates/w",
                                             "state/acc_grads/w",
                                             "state/acc_weight/total",
                                             "state/of[0]/of[0]/mu/w",
                                             "state/of[0]/of[0]/nu/w",
                                             "state/of[0]/of[1]/ema/w",
                                             "loss"};
  EXPECT_EQ(paths, expected);
  const std::vector<std::string> counts = {"state/mini_step", "state/gradient_step", "state/of[0]/of[0]/count",
                                           "state/of[0]/of[1]/count"};
  EXPECT_EQ(trace.schema().count_paths(), counts);
}

TEST(Recorder, TheFirstRowIsTheStart) {
  const Trace trace = run(replay_of("sgd(1, momentum=0.5)", {3, 4}));
  EXPECT_EQ(trace.rows(), 3);
  EXPECT_EQ(trace.microsteps(), 2);
  EXPECT_EQ(at(trace, 0, "params/w"), Numbers{0});
  EXPECT_EQ(at(trace, 0, "state/trace/w"), Numbers{0});
  for (const char* path : {"gradients/w", "updates/w", "loss"}) EXPECT_EQ(at(trace, 0, path), Numbers{}) << path;
}

TEST(Recorder, KeepsTheLossOfEachMicrostep) {
  const Plan plan = plan_of("sgd(0.5)", "linear_regression");
  const Trace trace = run(plan);
  Training<Plain<float>> training(Plain<float>{}, plan);
  for (std::int64_t row = 1; row < trace.rows(); ++row) {
    training.step();
    EXPECT_GT(training.loss, 0);
    EXPECT_EQ(at(trace, row, "loss"), Numbers{training.loss});
  }
}

TEST(Recorder, LearnsTheDtypeOfTheUpdates) {
  Plan plan = replay_of("sgd(0.5, momentum=0.5)", {1, 2}, {}, {}, Dtype::bfloat16);
  plan.gradient_layout = with_dtype(plan.gradient_layout, Dtype::float32);
  for (GivenGradient& given : plan.given) given.gradient.replace_layout(plan.gradient_layout);
  const Trace trace = run(plan);
  EXPECT_EQ(trace.schema().columns()[*trace.schema().find_column("updates/w")].dtype, Dtype::float32);
  EXPECT_EQ(trace.schema().columns()[*trace.schema().find_column("state/trace/w")].dtype, Dtype::bfloat16);
  EXPECT_TRUE(trace.deviations.empty());
}

// Changes the form of its update or state in the second microstep.
class Shapeshifter final : public GradientTransformation<A> {
 public:
  explicit Shapeshifter(LayoutPointer other) : other_(std::move(other)) {}
  State<double> init(const A&, const Tree<double>& params) const override {
    return {"shifter", {{"count", 0}}, {{"mu", zero_slot(params)}}, {}};
  }
  void update(const A&, Tree<double>& updates, State<double>& state, const Tree<double>&,
              const StepInput&) const override {
    if (++state.count("count") < 2) return;
    updates.replace_layout(other_);
    state.slot("mu").replace_layout(other_);
  }

 private:
  LayoutPointer other_;
};

TEST(Recorder, NotesOtherDtypesWithPlaceAndMicrostep) {
  const Plan plan = replay_of("sgd(1)", {1, 2});
  const auto shifter = std::make_shared<Shapeshifter>(make_layout({{"w", {1}, Dtype::float32}}));
  const Trace trace = run_recorded<A>(A{}, plan, shifter);
  ASSERT_EQ(trace.deviations.size(), 2U);
  EXPECT_EQ(trace.deviations[0].path, "updates/w");
  EXPECT_EQ(trace.deviations[0].microstep, 2);
  EXPECT_EQ(trace.deviations[0].kind, Deviation::Kind::dtype);
  EXPECT_EQ(trace.deviations[0].message, "float32 where float64 was declared");
  EXPECT_EQ(trace.deviations[1].path, "state/mu/w");
}

TEST(Recorder, NotesOtherShapes) {
  const Plan plan = replay_of("sgd(1)", {1, 2});
  const auto shifter = std::make_shared<Shapeshifter>(make_layout({{"w", {1, 1}, Dtype::float64}}));
  const Trace trace = run_recorded<A>(A{}, plan, shifter);
  ASSERT_EQ(trace.deviations.size(), 2U);
  EXPECT_EQ(trace.deviations[0].kind, Deviation::Kind::shape);
  EXPECT_EQ(trace.deviations[0].message, "[1, 1] where [1] was declared");
}

TEST(Recorder, BallsKeepTheirRadius) {
  const Plan plan = replay_of("sgd(0.1)", {1}, {}, {}, Dtype::float32);
  const Envelope rows = run_recorded(Balls<Wide>::rounding(Dtype::float32), plan);
  const Ball u = rows.numbers(1, *rows.schema().find_column("updates/w"))[0];
  EXPECT_GT(u.radius, 0);
  EXPECT_TRUE(contains(u, -0.1F));
}

}  // namespace
}  // namespace microstep::testing_train
