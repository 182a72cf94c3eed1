// A command line that cannot be obeyed: exit 2, one message, nothing on standard output.
#include "cli/command.hpp"

namespace microstep::cli_test {
namespace {

const std::string spec = "multi_steps(adam(0.1), k=2)";

struct Line {
  std::vector<std::string> arguments;
  std::string id, words;
};

class Usage : public ::testing::TestWithParam<Line> {};

TEST_P(Usage, IsRefusedWithANextStep) {
  const Result result = microstep(GetParam().arguments);
  EXPECT_TRUE(refuses(result, 2, GetParam().id));
  EXPECT_TRUE(result.warns(GetParam().words)) << result.err;
}

INSTANTIATE_TEST_SUITE_P(
    Commands, Usage,
    ::testing::Values(Line{{}, "usage.no-command", "compare"},
                      Line{{"compar", spec}, "usage.unknown-command", "did you mean 'compare'?"},
                      Line{{"\xC3\xA9\xFF"}, "usage.unknown-command", "one of compare"},
                      Line{{"--bogus"}, "usage.unexpected", "--bogus"}, Line{{"compare"}, "usage.missing", "SPEC"},
                      Line{{"compare", spec, "more"}, "usage.unexpected", "more"},
                      Line{{"compare", spec, "--bogus"}, "usage.unexpected", "microstep compare --help"},
                      Line{{"judge"}, "usage.missing", "TRACE"}, Line{{"diff", "one"}, "usage.missing", "AFTER"},
                      Line{{"verify"}, "usage.missing", "DIR"}, Line{{"accept"}, "usage.missing", "DIR"},
                      Line{{"record", "somewhere"}, "usage.missing", "--experiments"},
                      Line{
                          {"contracts", "state.inner_aslep"}, "contract.unknown", "did you mean state.inner_asleep?"}));

INSTANTIATE_TEST_SUITE_P(
    Options, Usage,
    ::testing::Values(Line{{"compare", spec, "--windows", "1.5"}, "usage.wrong-type", "--windows"},
                      Line{{"compare", spec, "--windows", "many"}, "usage.wrong-type", "--windows"},
                      Line{{"compare", spec, "--windows"}, "usage.wrong-count", "--windows"},
                      Line{{"compare", spec, "--windows", "0"}, "plan.option", "--windows"},
                      Line{{"compare", spec, "--windows", "-3"}, "plan.option", "--windows"},
                      Line{{"compare", spec, "--windows", "4000000000"}, "plan.too-long", "fewer windows"},
                      Line{{"compare", spec, "--windows", "99999999999999999999"}, "usage.out-of-range", "windows"},
                      Line{{"compare", spec, "--partial", "99999999999999999999"}, "usage.out-of-range", "--partial"},
                      Line{{"compare", spec, "--examples", "-9999999999999999999"}, "usage.out-of-range", "--examples"},
                      Line{{"compare", spec, "--partial", "-1"}, "plan.option", "--partial"},
                      Line{{"compare", spec, "--partial", "4000000000"}, "plan.too-long", "microsteps"},
                      Line{{"compare", spec, "--examples", "0"}, "plan.option", "--examples"},
                      Line{{"compare", spec, "--examples", "4000000000"}, "plan.too-long", "smaller"},
                      Line{{"compare", spec, "--seed", "99999999999999999999"}, "usage.out-of-range", "--seed"},
                      Line{{"compare", spec, "--seed", "-1"}, "usage.out-of-range", "--seed"},
                      Line{{"compare", spec, "--loss", "median"}, "usage.out-of-range", "median"},
                      Line{{"compare", spec, "--dtype", "float13"}, "usage.out-of-range", "float32"},
                      Line{{"verify", "x", "--timeout", "nan"}, "usage.out-of-range", "--timeout"},
                      Line{{"verify", "x", "--timeout", "-1"}, "usage.out-of-range", "--timeout"},
                      Line{{"verify", "x", "--start-timeout", "soon"}, "usage.out-of-range", "--start-timeout"}));

INSTANTIATE_TEST_SUITE_P(Ports, Usage,
                         ::testing::Values(Line{{"verify", "x", "--"}, "usage.no-port", "-- python3 port.py"},
                                           Line{{"record", "x", "--experiments", "y", "--"}, "usage.no-port", "--"},
                                           Line{{"record", "x", "--experiments", "y"}, "usage.no-port", "PORT"},
                                           Line{{"compare", spec, "--", "cat"}, "usage.unexpected", "no port"}));

// Where an error is told: an option, an argument, the place of a port, or the whole line where that is all that is
// known.
class Place : public ::testing::TestWithParam<Line> {};

TEST_P(Place, IsWhatHasToBeMended) {
  const Result result = microstep(GetParam().arguments);
  EXPECT_TRUE(refuses(result, 2, GetParam().id));
  EXPECT_TRUE(result.warns("\n  at " + GetParam().words + "\n  next: ")) << result.err;
}

INSTANTIATE_TEST_SUITE_P(
    Usage, Place,
    ::testing::Values(Line{{}, "usage.no-command", "microstep"},
                      Line{{"compar", spec}, "usage.unknown-command", "microstep compar " + spec},
                      Line{{"compare", spec, "--bogus"}, "usage.unexpected", "microstep compare " + spec + " --bogus"},
                      Line{{"compare", spec, "--windows", "0"}, "plan.option", "--windows"},
                      Line{{"compare", spec, "--examples", "0"}, "plan.option", "--examples"},
                      Line{{"compare", spec, "--partial", "-1"}, "plan.option", "--partial"},
                      Line{{"contracts", "foo"}, "contract.unknown", "foo"},
                      Line{{"verify", "x", "--"}, "usage.no-port", "behind --"},
                      Line{{"record", "x", "--experiments", "y"}, "usage.no-port", "behind --"},
                      Line{{"compare", spec, "--", "cat"}, "usage.unexpected", "behind --"}));

struct Bad {
  std::string spec, id, words;
};

class BadSpec : public ::testing::TestWithParam<Bad> {};

TEST_P(BadSpec, ExitsWith2AndACaret) {
  const Result result = microstep({"compare", GetParam().spec});
  EXPECT_TRUE(refuses(result, 2, GetParam().id));
  EXPECT_TRUE(result.warns(GetParam().words)) << result.err;
  EXPECT_TRUE(result.warns("^")) << result.err;
}

INSTANTIATE_TEST_SUITE_P(Windows, BadSpec,
                         ::testing::Values(Bad{"multi_steps(adam(0.1), k=0)", "spec.out-of-range", "k = 0"},
                                           Bad{"multi_steps(adam(0.1), k=-2)", "spec.out-of-range", "k = -2"},
                                           Bad{"multi_steps(adam(0.1), k=1.5)", "spec.wrong-type", "not an integer"},
                                           Bad{"multi_steps(adam(0.1), k=2147483648)", "spec.out-of-range",
                                               "2147483647"},
                                           Bad{"multi_steps(adam(0.1), k=nan)", "spec.out-of-range", "k"},
                                           Bad{"multi_steps(adam(0.1), k=[[0,2],[0,3]])", "spec.out-of-range", "rise"},
                                           Bad{"multi_steps(adam(0.1))", "spec.missing-argument", "k"},
                                           Bad{"chain(adam(0.1), apply_every(0))", "spec.out-of-range", "k = 0"}));

INSTANTIATE_TEST_SUITE_P(
    Arguments, BadSpec,
    ::testing::Values(Bad{"multi_steps(adam(-0.1), k=2)", "spec.out-of-range", "lr"},
                      Bad{"multi_steps(adam(nan), k=2)", "spec.out-of-range", "lr"},
                      Bad{"multi_steps(adam(inf), k=2)", "spec.out-of-range", "lr"},
                      Bad{"multi_steps(adam(1e999), k=2)", "spec.out-of-range", "1e999"},
                      Bad{"multi_steps(adam(0.1, b1=1), k=2)", "spec.out-of-range", "zero"},
                      Bad{"multi_steps(adam(0.1, b2=1.5), k=2)", "spec.out-of-range", "b2"},
                      Bad{"multi_steps(adam(0.1, b1=nan), k=2)", "spec.out-of-range", "b1"},
                      Bad{"multi_steps(adm(0.1), k=2)", "spec.unknown-op", "did you mean 'adam'?"},
                      Bad{"multi_steps(adam(0.1, beta1=0.9), k=2)", "spec.unknown-argument", "b1"},
                      Bad{"multi_steps(adam(0.1, b1=0.9, b1=0.8), k=2)", "spec.duplicate-argument", "b1"},
                      Bad{"multi_steps(adam(0.1), k=2, acc_dtype=float33)", "spec.out-of-range",
                          "did you mean 'float32'?"},
                      Bad{"multi_steps(adam(0.1), k=2", "spec.syntax", ")"}, Bad{"", "spec.syntax", "next"}));

TEST(UsageOfSpecs, WhatAccumulatesNothingIsRefused) {
  EXPECT_TRUE(refuses(microstep({"compare", "adam(0.1)"}), 2, "spec.no-accumulator"));
}

TEST(UsageOfSpecs, AProblemIsCheckedAsASpec) {
  EXPECT_TRUE(refuses(microstep({"compare", spec, "--problem", "mpl(3, 5, 2)"}), 2, "spec.unknown-op"));
  EXPECT_TRUE(refuses(microstep({"compare", spec, "--problem", "mlp(3)"}), 2, "spec.out-of-range"));
  EXPECT_TRUE(refuses(microstep({"compare", spec, "--problem", "adam(0.1)"}), 2, "spec.unknown-op"));
  EXPECT_TRUE(refuses(microstep({"compare", spec, "--problem", "mlp(3, 99999999, 2)"}), 2, "spec.out-of-range"));
}

TEST(UsageOfSpecs, TheReferenceIsCheckedAsASpec) {
  EXPECT_TRUE(refuses(microstep({"compare", spec, "--against", "adam()"}), 2, "spec.missing-argument"));
}

}  // namespace
}  // namespace microstep::cli_test
