// The smallest numbers of the public reports: the right value from the definition, the faulty one from the liar.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/liars/scene.hpp"

namespace microstep::liars {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// One report. Leaf w of one number starts at `start` and gets one gradient a microstep. `path` after microstep
/// `microstep` is `right` by the definition (digits as printed in the report) and `faulty` by the liar.
struct Report {
  std::string_view id;
  std::string_view liar;
  std::string_view spec;
  double start;
  std::vector<double> gradients;
  std::string path;
  std::int64_t microstep;
  std::string right;
  std::string faulty;
};

/// The number with as many decimals as the text has.
std::string as_printed(double number, const std::string& text) {
  const auto point = text.find('.');
  const auto decimals = point == std::string::npos ? 0 : text.size() - point - 1;
  if (std::isnan(number)) return "nan";
  return fmt::format("{:.{}f}", number == 0 ? 0.0 : number, decimals);
}

double value_at(const Envelope& trace, const std::string& path, std::int64_t row) {
  if (auto count = trace.schema().find_count(path)) return static_cast<double>(trace.count(row, *count));
  const std::size_t column = trace.schema().find_column(path).value();
  if (trace.presence(row, column) != Presence::dense) return 0;
  return static_cast<double>(trace.numbers(row, column)[0].value);
}

const std::string u = "updates/w", w = "params/w", mu = "state/mu/w", mini = "state/mini_step";

const std::vector<Report> sum_and_weight_reports = {
    {"B001", "sum-for-mean", "multi_steps(sgd(1), k=2)", 0, {2, 4}, w, 2, "-3", "-6"},
    {"B004", "sum-for-mean", "multi_steps(sgd(1), k=2)", 0, {2, 2}, w, 2, "-2", "-4"},
    {"B005", "sum-for-mean", "multi_steps(sgd(1), k=2)", 0, {2, 4}, u, 2, "-3", "-6"},
    {"B007", "divided-twice", "multi_steps(sgd(1), k=2)", 0, {2.5, 2.5}, u, 2, "-2.50", "-1.25"},
    {"B008", "divided-twice", "multi_steps(sgd(1), k=2)", 0, {2, 4}, u, 2, "-3.0", "-1.5"},
    {"B009", "sum-clipped", "multi_steps(chain(clip_by_global_norm(5), sgd(1)), k=2)", 0, {2, 4}, u, 2, "-3", "-5"},
    {"B011",
     "sum-for-mean-behind-adam",
     "multi_steps(adam(0.1), k=2)",
     0,
     {2, 4},
     "state/of[0]/nu/w",
     2,
     "0.009",
     "0.036"},
    {"B012", "mean-for-sum", "multi_steps(sgd(1, momentum=0.5), k=2, reduce=sum)", 0, {2, 4}, u, 2, "-6", "-3"},
    {"B073", "partial-by-k", "multi_steps(sgd(1), k=3, partial=flush)", 0, {6}, u, 1, "-6", "-2"},
    {"B074", "partial-dropped", "multi_steps(sgd(1), k=3, partial=flush)", 0, {6}, u, 1, "-6", "0"},
    {"B013", "sum-for-mean", "multi_steps(sgd(1), k=2)", 0, {2, 4}, w, 2, "-3", "-6"},
    {"B078", "only-last", "multi_steps(sgd(1), k=2)", 0, {2, 4}, u, 2, "-3", "-2"},
};

const std::vector<Report> step_reports = {
    {"B030",
     "decay-every-microstep",
     "multi_steps(chain(add_decayed_weights(0.1), sgd(0.1)), k=3)",
     1,
     {0, 0, 0},
     w,
     3,
     "0.990000",
     "0.970299"},
    {"B031", "inner-awake", "multi_steps(adam(1), k=2)", 0, {2, 4}, u, 2, "-1.0000", "-1.9652"},
    {"B033", "skip-by-zeros", "multi_steps(adam(1), k=1, skip=not_finite)", 0, {1, nan, 1}, u, 3, "-1.0000", "-0.8180"},
    {"B033",
     "skip-by-zeros",
     "multi_steps(adam(1), k=1, skip=not_finite)",
     0,
     {1, nan, 1},
     "state/of[0]/count",
     3,
     "2",
     "3"},
    {"B055", "micro-time", "multi_steps(adam(1), k=2)", 0, {1, 1}, u, 2, "-1.0000", "-0.7441"},
    {"B065", "schedule-from-one", "sgd([[0, 0], [1, 1], [2, 2]])", 0, {1, 1}, u, 2, "-1", "-2"},
    {"B067",
     "schedule-per-microstep",
     "multi_steps(sgd([[0, 1], [1, 0.5], [2, 0.25], [3, 0.125]]), k=2)",
     0,
     {1, 1, 1, 1},
     u,
     4,
     "-0.500",
     "-0.125"},
    {"B071",
     "schedule-per-microstep",
     "multi_steps(sgd([[0, 1], [1, 0.5], [2, 0.25], [3, 0.125]]), k=2)",
     0,
     {1, 1, 1, 1},
     u,
     2,
     "-1.0",
     "-0.5"},
    {"B070",
     "schedule-stretched",
     "multi_steps(sgd([[0, 1], [1, 0.5], [2, 0.25], [3, 0.125]]), k=2)",
     0,
     {1, 1, 1, 1},
     u,
     4,
     "-0.5",
     "-1.0"},
    {"B084", "stepped-every-time", "multi_steps(sgd(1), k=2)", 0, {2, 4}, u, 1, "0", "-2"},
    {"B086",
     "dropped-window-kept",
     "multi_steps(sgd(1), k=2, skip=window_not_finite)",
     0,
     {1, nan, 2, 4},
     u,
     4,
     "-3",
     "nan"},
    {"B090", "skip-of-scaled", "multi_steps(sgd(1), k=2, skip=not_finite)", 0, {0x1p110, 2}, mini, 1, "1", "0"},
    {"B038", "clip-of-buffer", "multi_steps(chain(clip(1), sgd(1)), k=2, reduce=sum)", 0, {2, -2}, u, 2, "0", "1"},
    {"B042", "unscaled-twice", "chain(scale(0.0009765625), adam(1))", 0, {0x1p-10}, u, 1, "-0.9896", "-0.0852"},
};

const std::vector<Report> moment_reports = {
    {"B057", "uncorrected", "adam(1)", 0, {1}, u, 1, "-1.000", "-3.162"},
    {"B058", "first-uncorrected", "adam(1)", 0, {1}, u, 1, "-1.0", "-0.1"},
    {"B059", "time-from-zero", "adam(1)", 0, {1}, u, 1, "-1", "nan"},
    {"B060", "compounding", "adam(1)", 0, {1, 1}, mu, 1, "0.1", "1.0"},
    {"B060", "compounding", "adam(1)", 0, {1, 1}, mu, 2, "0.190", "5.263"},
    {"B064", "complement-twice", "adam(1)", 0, {1}, u, 1, "-1.0000", "-0.1111"},
    {"B093", "integer-decay", "adam(1, b1=0)", 0, std::vector<double>(65, 1.0), u, 63, "-1", "-1"},
    {"B093", "integer-decay", "adam(1, b1=0)", 0, std::vector<double>(65, 1.0), u, 64, "-1", "nan"},
    // 0.999 as a float32 is 16760439/2^24, and 1 minus that 16777/2^24 = 0.00099998712...
    {"B095", "b2-as-float32", "adam(1)", 0, {1}, "state/nu/w", 1, "0.0010000000", "0.0009999871"},
    {"B096", "b2-truncated", "adam(1)", 0, {1}, "state/nu/w", 1, "0.00100000", "0.00390625"},
    {"B100", "eps-scaled", "adam(1)", 0, {1e-8}, u, 1, "-0.5000", "-0.0307"},
    {"B102", "eps-scaled", "adam(1)", 0, {1e-8}, u, 1, "-0.5000", "-0.0307"},
    {"B106", "no-root", "adam(1)", 0, {2}, u, 1, "-1.0", "-0.5"},
    {"B106", "no-root", "adam(1)", 0, {4}, u, 1, "-1.00", "-0.25"},
    {"B107", "dampened", "chain(trace(0.9), scale(-1))", 0, {1}, "state/of[0]/trace/w", 1, "1.0", "0.5"},
    {"B109", "momentum-as-average", "chain(trace(0.9), scale(-1))", 0, {1}, u, 1, "-1.0", "-0.1"},
    // Both are right at step 1. At step 2 the moments are 0.19 and 0.001999, or mu is 0.9 * 1 + 0.1 after the
    // correction.
    {"B198", "time-frozen", "adam(1)", 0, {1, 1}, u, 1, "-1.0000", "-1.0000"},
    {"B198", "time-frozen", "adam(1)", 0, {1, 1}, u, 2, "-1.0000", "-1.3438"},
    {"B198", "compounding", "adam(1)", 0, {1, 1}, u, 1, "-1.000", "-1.000"},
    {"B198", "compounding", "adam(1)", 0, {1, 1}, u, 2, "-1.000", "-5.263"},
    {"B116", "state-frozen", "adam(1)", 0, {1, 1}, mu, 2, "0.19", "0.00"},
    {"B117", "not-a-number", "adamw(0.1)", 0, {1}, u, 1, "-0.1", "nan"},
    {"B127", "zero-as-absent", "adam(1)", 0, {1, 0}, u, 2, "-0.6701", "0.0000"},
};

const std::vector<Report> decay_reports = {
    {"B044", "decay-after-step", "adamw(0.1, eps=0, weight_decay=0.5)", 1, {1}, w, 1, "0.850", "0.855"},
    // The first step of Adam without eps is the sign, as every step of Lion is: 1 + 0.1 - 0.01, or 1 - 0.1.
    {"B046", "decay-into-gradient", "adamw(0.1, eps=0, weight_decay=0.1)", 1, {-0.05}, w, 1, "1.09", "0.90"},
    {"B047", "decoupled-for-coupled", "chain(add_decayed_weights(0.1), adam(0.1))", 2, {0}, w, 1, "1.90", "1.98"},
    {"B047",
     "decoupled-for-coupled",
     "chain(add_decayed_weights(0.1), adam(0.1))",
     2,
     {0},
     "state/of[1]/mu/w",
     1,
     "0.02",
     "0.00"},
    {"B049",
     "decay-after-rate",
     "chain(scale_by_adam(eps=0), add_decayed_weights(0.5), scale(-0.1))",
     1,
     {1},
     w,
     1,
     "0.85",
     "1.40"},
    {"B050", "decay-ignored", "chain(add_decayed_weights(0.1), sgd(1))", 1, {0}, w, 1, "0.9", "1.0"},
    {"B052", "decay-ignored", "chain(add_decayed_weights(0.1), sgd(1))", 1, {0}, w, 1, "0.9", "1.0"},
    {"B053",
     "decay-after-scheduled-step",
     "adamw([[0, 0.1], [1, 0.2]], eps=0, weight_decay=0.5)",
     1,
     {1, 1},
     w,
     1,
     "0.850",
     "0.855"},
    {"B053",
     "decay-after-scheduled-step",
     "adamw([[0, 0.1], [1, 0.2]], eps=0, weight_decay=0.5)",
     1,
     {1, 1},
     w,
     2,
     "0.5650",
     "0.5895"},
    {"B113", "maximise-by-rate", "chain(scale(-1), add_decayed_weights(0.1), scale(-1))", 1, {1}, w, 1, "1.9", "2.1"},
    {"B115", "maximise-dropped", "scale(1)", 0, {1}, w, 1, "1", "-1"},
    {"semantics", "rate-inside-momentum", "sgd([[0, 1], [1, 0.1]], momentum=0.9)", 0, {1, 1}, w, 2, "-1.19", "-2.00"},
};

std::vector<Report> reports() {
  std::vector<Report> all;
  for (const auto& part : {sum_and_weight_reports, step_reports, moment_reports, decay_reports})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

class EveryReport : public testing::TestWithParam<Report> {};

TEST_P(EveryReport, GivesTheRightValueHonestlyAndTheFaultyOneByTheLiar) {
  const Report& row = GetParam();
  Liar planted = liar(row.liar);
  planted.spec = row.spec;
  const Plan plan = scalar_plan(parse_spec(row.spec), row.start, row.gradients);
  for (Carrier carrier : {Carrier::float64, Carrier::balls}) {
    EXPECT_EQ(as_printed(value_at(observed(plan, carrier, nullptr), row.path, row.microstep), row.right), row.right);
    EXPECT_EQ(as_printed(value_at(observed(plan, carrier, &planted), row.path, row.microstep), row.faulty), row.faulty);
  }
}

INSTANTIATE_TEST_SUITE_P(Public, EveryReport, testing::ValuesIn(reports()),
                         [](const auto& info) { return fmt::format("{}_{}", info.param.id, info.index); });

}  // namespace
}  // namespace microstep::liars
