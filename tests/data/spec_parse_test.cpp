#include <gtest/gtest.h>

#include <cmath>

#include "microstep/data/error.hpp"
#include "microstep/data/spec.hpp"

namespace microstep {
namespace {

using Values = std::vector<Value>;

Spec adam_spec(const Value& lr) {
  return {"adam", {{"lr", lr}, {"b1", 0.9}, {"b2", 0.999}, {"eps", 1e-8}, {"eps_root", 0}}, {}};
}

TEST(SpecParse, FillsDefaults) { EXPECT_EQ(parse_spec("adam(0.1)"), adam_spec(0.1)); }

TEST(SpecParse, MultiStepsHoldsItsInnerAndAllArguments) {
  const Spec expected{"multi_steps",
                      {{"k", 4},
                       {"reduce", "mean"},
                       {"skip", "never"},
                       {"max_norm", 0},
                       {"partial", "hold"},
                       {"acc_dtype", "same"},
                       {"clear", "select"}},
                      {adam_spec(0.1)}};
  EXPECT_EQ(parse_spec("multi_steps(adam(0.1), k=4)"), expected);
}

TEST(SpecParse, PositionalArgumentsFollowTheTable) {
  EXPECT_EQ(parse_spec("adam(0.1, 0.5, 0.75)"), parse_spec("adam(b2=0.75, lr=0.1, b1=0.5)"));
  EXPECT_EQ(parse_spec("multi_steps(adam(0.1), 4, sum)"), parse_spec("multi_steps(reduce=sum, k=4, inner=adam(0.1))"));
  EXPECT_EQ(parse_spec("masked(scale(2), [w])"), parse_spec("masked(scale(2), mask=[w])"));
}

TEST(SpecParse, ChainKeepsItsLinksInOrder) {
  const Spec chain = parse_spec("chain(scale(2), trace(0.5), ema(0.25))");
  ASSERT_EQ(chain.of.size(), 3u);
  EXPECT_EQ(chain.of[0], (Spec{"scale", {{"factor", 2}}, {}}));
  EXPECT_EQ(chain.of[1], (Spec{"trace", {{"momentum", 0.5}, {"nesterov", false}}, {}}));
  EXPECT_EQ(chain.of[2], (Spec{"ema", {{"decay", 0.25}, {"debias", true}}, {}}));
}

/// The large-batch reference of apply_every(2) alone.
TEST(SpecParse, AChainMayBeEmpty) {
  const Spec empty{"chain", {}, {}};
  EXPECT_EQ(parse_spec("chain()"), empty);
  EXPECT_EQ(parse_spec(to_string(empty)), empty);
}

TEST(SpecParse, AChoiceMayHoldANumber) {
  const Spec spec = parse_spec("multi_steps(sgd(1), k=2, skip=large(1.5))");
  EXPECT_EQ(spec.text("skip"), "large");
  EXPECT_EQ(spec.number("max_norm"), 1.5);
  EXPECT_EQ(parse_spec("multi_steps(sgd(1), k=2, skip=large(max_norm=1.5))"), spec);
  EXPECT_EQ(parse_spec("multi_steps(sgd(1), k=2, skip=large, max_norm=1.5)"), spec);
}

TEST(SpecParse, SchedulesAreListsOfPairs) {
  const Value expected = Values{Values{0, 0.1}, Values{10, 0.01}};
  EXPECT_EQ(parse_spec("adam([[0, 0.1], [10, 0.01]])"), adam_spec(expected));
  const Value counts = Values{Values{0, 2}, Values{3, 4}};
  EXPECT_EQ(parse_spec("multi_steps(adam(0.1), k=[[0, 2], [3, 4]])").args.at("k"), counts);
}

TEST(SpecParse, MasksAreListsOfGlobs) {
  const Value expected = Values{"w", "layer0/*", "a\"b\\c", "\xce\xb2\n"};
  const Spec spec = parse_spec(R"(masked(scale(2), mask=[w, 'layer0/*', "a\"b\\c", "\xce\xb2\x0a"]))");
  EXPECT_EQ(spec.args.at("mask"), expected);
  EXPECT_EQ(parse_spec("masked(scale(2), mask=[])").args.at("mask"), Value(Values{}));
}

TEST(SpecParse, ProblemsUseTheSameGrammar) {
  const Spec mlp{"mlp", {{"sizes", Values{3, 5, 2}}, {"act", "relu"}, {"loss", "mse"}}, {}};
  EXPECT_EQ(parse_spec("mlp(3, 5, 2, act=relu)", OpKind::problem), mlp);
  EXPECT_EQ(parse_spec("mlp(sizes=[3, 5, 2], act=relu)", OpKind::problem), mlp);
  EXPECT_EQ(parse_spec("replay", OpKind::problem), (Spec{"replay", {}, {}}));
  EXPECT_EQ(parse_spec("linear_regression()", OpKind::problem).integer("targets"), 2);
}

TEST(SpecParse, ReadsEveryFormOfANumber) {
  for (const auto& [text, number] : std::map<std::string, double>{
           {"1e3", 1000}, {".5", 0.5}, {"2.", 2}, {"-0.25", -0.25}, {"1E-2", 0.01}, {"2e+2", 200}, {"5e-324", 5e-324}})
    EXPECT_EQ(parse_spec("scale(" + text + ")").number("factor"), number) << text;
  EXPECT_EQ(parse_spec("apply_every(1e3)").integer("k"), 1000);
}

TEST(SpecParse, SpaceIsFree) {
  EXPECT_EQ(parse_spec(" multi_steps\t( adam (\n0.1 ) ,k = 4 )\r\n"), parse_spec("multi_steps(adam(0.1), k=4)"));
}

TEST(SpecParse, MinusZeroIsZero) { EXPECT_FALSE(std::signbit(parse_spec("scale(-0)").number("factor"))); }

std::string nested(int depth, const std::string& innermost) {
  std::string text;
  for (int i = 1; i < depth; ++i) text += "chain(";
  return text + innermost + std::string(static_cast<std::size_t>(depth) - 1, ')');
}

TEST(SpecParse, AScheduleMayStandInTheDeepestSpec) {
  for (const char* innermost : {"scale_by_adam", "sgd([[0, 1]])"})
    EXPECT_EQ(parse_spec(to_string(parse_spec(nested(32, innermost)))), parse_spec(nested(32, innermost)));
}

TEST(SpecParse, RefusesWhatIsTooDeep) {
  for (const std::string& text : {nested(33, "scale_by_adam"), nested(33, "sgd(1)"), nested(100000, "sgd(1)"),
                                  "sgd(" + std::string(100000, '[') + ")"}) {
    try {
      parse_spec(text);
      ADD_FAILURE() << text.size();
    } catch (const Error& error) {
      EXPECT_EQ(error.id(), "spec.too-deep");
      EXPECT_LT(std::string(error.what()).size(), 400u);
    }
  }
}

}  // namespace
}  // namespace microstep
