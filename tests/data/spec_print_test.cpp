#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>

#include "microstep/data/error.hpp"
#include "microstep/data/spec.hpp"

namespace microstep {
namespace {

using Values = std::vector<Value>;
constexpr double largest = std::numeric_limits<double>::max();

/// Canonical texts: printing what was read gives the same text.
TEST(SpecPrint, CanonicalOptimizersArePrintedAsTheyAreWritten) {
  for (const char* text : {"multi_steps(adam(0.1), k=4)", "chain(adam(0.1), apply_every(2))", "sgd(0.1)",
                           "sgd(0.1, momentum=0.9, nesterov=true)", "adam([[0, 0.1], [10, 0.01]])", "scale_by_adam",
                           "scale_by_adam(0.8)", "scale_by_adam(b2=0.99)", "apply_every", "scale(-1e-8)", "scale(1e22)",
                           "multi_steps(adam(0.1), k=[[0, 2], [100000, 4]], reduce=sum, partial=flush_by_k)",
                           "multi_steps(sgd(1), k=2, skip=large(1.5), acc_dtype=float32)", "apply_every(100000)",
                           "masked(trace(0.5), mask=[w, \"layer0/*\", \"\", \"true\", \"Inf\", \"0\", \"a\\\"\\\\b\"])",
                           "adamw(0.1, weight_decay=0, mask=[w])", "multi_steps(multi_steps(ema(0), k=2), k=3)"})
    EXPECT_EQ(to_string(parse_spec(text)), text);
}

TEST(SpecPrint, CanonicalProblemsArePrintedAsTheyAreWritten) {
  for (const char* text :
       {"mlp(3, 5, 2, act=relu)", "mlp(3, 5)", "mlp(3, 5, loss=cross_entropy)", "replay", "linear_regression",
        "linear_regression(5)", "linear_regression(targets=4)", "logistic_regression(classes=10)"})
    EXPECT_EQ(to_string(parse_spec(text, OpKind::problem)), text);
}

TEST(SpecPrint, OtherTextsBecomeCanonical) {
  for (const auto& [text, canonical] :
       std::map<std::string, std::string>{{"multi_steps( adam( lr = 1e-1 ),4,mean )", "multi_steps(adam(0.1), k=4)"},
                                          {"apply_every(k=1)", "apply_every"},
                                          {"adam(0.10, 0.90, eps=0.00000001)", "adam(0.1)"},
                                          {"scale_by_adam()", "scale_by_adam"},
                                          {"scale(0.0001)", "scale(1e-4)"},
                                          {"masked(scale(-0), mask=['w', 'a b', 'it\\'s', '\xce\xb2'])",
                                           R"(masked(scale(0), mask=[w, "a b", "it's", "\xce\xb2"]))"}})
    EXPECT_EQ(to_string(parse_spec(text)), canonical);
}

Values schedules_of(const Values& values) {
  Values schedules = values;
  for (const Value& value : values) schedules.push_back(Values{Values{0, value}, Values{2147483647, value}});
  return schedules;
}

/// Right values of an argument, those at the ends of its range among them.
Values samples(const ArgumentRule& rule) {
  const double least = std::max(rule.least, -largest), most = std::min(rule.most, largest);
  const Values numbers{rule.least_open ? std::nextafter(least, most) : least,
                       rule.most_open ? std::nextafter(most, least) : most, least / 2 + most / 2};
  switch (rule.type) {
    case ArgumentType::number:
      return numbers;
    case ArgumentType::integer:
      return {rule.least, rule.most};
    case ArgumentType::number_schedule:
      return schedules_of(numbers);
    case ArgumentType::integer_schedule:
      return schedules_of({rule.least, rule.most});
    case ArgumentType::flag:
      return {true, false};
    case ArgumentType::choice:
      return {std::string(rule.choices.back()), std::string(rule.choices.front())};
    case ArgumentType::sizes:
      return {Values{1, 4096}, Values{7, 1, 2}};
    case ArgumentType::text:
    case ArgumentType::globs:
      return {Values{}, Values{"*", "nan", "f(x)", std::string("\0\xff'\"\\", 5)}};
  }
  return {};
}

Spec least_spec(const OpRule& rule) {
  Spec spec{std::string(rule.name), {}, {}};
  for (const ArgumentRule& argument : rule.arguments)
    if (argument.preset.empty()) spec.args[std::string(argument.name)] = samples(argument).front();
  if (rule.inner != Inner::none) spec.of.push_back(parse_spec("adam(0.1, eps=1)"));
  if (rule.inner == Inner::many) spec.of.push_back(parse_spec("scale_by_adam"));
  return spec;
}

void expect_round_trip(const Spec& made, OpKind kind) {
  const Spec spec = checked(made, kind);
  EXPECT_EQ(parse_spec(to_string(spec), kind), spec) << to_string(spec);
}

TEST(SpecPrint, EveryOpOfTheTableIsReadBack) {
  for (const OpRule& rule : op_table()) {
    const Spec least = least_spec(rule);
    expect_round_trip(least, rule.kind);
    for (const ArgumentRule& argument : rule.arguments) {
      for (const Value& value : samples(argument)) {
        Spec spec = least;
        if (argument.name == "max_norm" && rule.inner == Inner::one) spec.args["skip"] = "large";
        spec.args[std::string(argument.name)] = value;
        expect_round_trip(spec, rule.kind);
      }
    }
  }
}

TEST(SpecPrint, RefusesWhatItCouldNotReadBack) {
  EXPECT_THROW(to_string(Spec{"lion", {}, {}}), Error);
  EXPECT_THROW(to_string(Spec{"adam", {{"lr", 0.1}, {"beta", 1}}, {}}), Error);
  EXPECT_THROW(to_string(Spec{"adam", {{"lr", -1}}, {}}), Error);
}

TEST(SpecPrint, ThePageOfTheLanguageHoldsTheTable) {
  std::ifstream file(MICROSTEP_SOURCE_DIR "/docs/language.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::string reference = language_reference();
  EXPECT_TRUE(page.ends_with("a test holds this page to it. -->\n" + reference)) << "docs/language.md should end with\n"
                                                                                 << reference;
  for (const OpRule& rule : op_table()) EXPECT_NE(reference.find("### `" + std::string(rule.name)), std::string::npos);
}

}  // namespace
}  // namespace microstep
