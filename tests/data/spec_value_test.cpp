#include <gtest/gtest.h>

#include <array>

#include "microstep/data/error.hpp"
#include "microstep/data/spec.hpp"

namespace microstep {
namespace {

using Values = std::vector<Value>;

template <class Action>
std::string refusal_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.id() + " at " + error.place();
  }
  return "accepted";
}

TEST(SpecChecked, FillsDefaultsAtEveryLevel) {
  const Spec made{"multi_steps", {{"k", 2}}, {{"chain", {}, {{"adam", {{"lr", 0.1}}, {}}}}}};
  EXPECT_EQ(checked(made), parse_spec("multi_steps(chain(adam(0.1)), k=2)"));
  EXPECT_EQ(checked(checked(made)), checked(made));
}

TEST(SpecChecked, NamesThePathOfWhatIsWrong) {
  const auto refusal = [](const Spec& inner) {
    return refusal_of([&] { checked({"multi_steps", {{"k", 2}}, {{"chain", {}, {inner}}}}); });
  };
  EXPECT_EQ(refusal({"adam", {{"lr", 0.1}, {"b1", 1}}, {}}), "spec.out-of-range at of[0]/of[0]/b1");
  EXPECT_EQ(refusal({"adam", {{"lr", Values{Value(Values{0, -1})}}}, {}}), "spec.out-of-range at of[0]/of[0]/lr[0][1]");
  EXPECT_EQ(refusal({"adam", {{"lr", 0.1}, {"beta", 1}}, {}}), "spec.unknown-argument at of[0]/of[0]");
  EXPECT_EQ(refusal({"adam", {}, {}}), "spec.missing-argument at of[0]/of[0]");
  EXPECT_EQ(refusal({"adam", {{"lr", "fast"}}, {}}), "spec.wrong-type at of[0]/of[0]/lr");
  EXPECT_EQ(refusal({"lion", {}, {}}), "spec.unknown-op at of[0]/of[0]");
  EXPECT_EQ(refusal({"replay", {}, {}}), "spec.unknown-op at of[0]/of[0]");
  EXPECT_EQ(refusal({"masked", {{"mask", Values{}}}, {}}), "spec.missing-argument at of[0]/of[0]");
}

TEST(SpecChecked, CountsTheInnerSpecs) {
  const Spec adam = parse_spec("adam(0.1)");
  EXPECT_EQ(refusal_of([&] { checked({"sgd", {{"lr", 1}}, {adam}}); }), "spec.unknown-argument at the outermost call");
  EXPECT_EQ(refusal_of([&] { checked({"multi_steps", {{"k", 2}}, {adam, adam}}); }), "spec.unknown-argument at the outermost call");
  EXPECT_EQ(refusal_of([&] { checked({"multi_steps", {{"k", 2}}, {}}); }), "spec.missing-argument at the outermost call");
}

TEST(SpecChecked, RefusesWhatIsTooDeep) {
  Spec spec = parse_spec("adam(0.1)");
  for (int i = 1; i < 32; ++i) spec = {"chain", {}, {spec}};
  EXPECT_EQ(checked(spec), spec);
  EXPECT_NE(refusal_of([&] { checked({"chain", {}, {spec}}); }).find("spec.too-deep"), std::string::npos);
}

TEST(SpecChecked, LargeAndItsNormBelongTogether) {
  const auto refusal = [](std::map<std::string, Value> args) {
    args["k"] = 2;
    return refusal_of([&] { checked({"multi_steps", args, {parse_spec("adam(0.1)")}}); });
  };
  EXPECT_EQ(refusal({{"skip", "large"}, {"max_norm", 1.5}}), "accepted");
  EXPECT_EQ(refusal({{"skip", "never"}, {"max_norm", 0}}), "accepted");
  EXPECT_EQ(refusal({{"skip", "large"}}), "spec.missing-argument at skip");
  EXPECT_EQ(refusal({{"skip", "large"}, {"max_norm", 0}}), "spec.out-of-range at max_norm");
  EXPECT_EQ(refusal({{"skip", "never"}, {"max_norm", 1.5}}), "spec.unknown-argument at max_norm");
}

TEST(SpecValues, AreReadByTheirType) {
  const Spec spec = parse_spec("multi_steps(sgd([[0, 1]], nesterov=true), k=4)");
  EXPECT_EQ(spec.integer("k"), 4);
  EXPECT_EQ(spec.number("k"), 4.0);
  EXPECT_EQ(spec.text("reduce"), "mean");
  EXPECT_FALSE(spec.is_list("k"));
  EXPECT_TRUE(spec.of[0].flag("nesterov"));
  EXPECT_TRUE(spec.of[0].is_list("lr"));
  EXPECT_EQ(spec.of[0].list("lr"), (Values{Value(Values{0, 1})}));
}

TEST(SpecValues, RefuseAnotherType) {
  const Spec spec = parse_spec("sgd(0.5)");
  EXPECT_EQ(refusal_of([&] { spec.flag("lr"); }), "spec.wrong-type at sgd(0.5)");
  EXPECT_EQ(refusal_of([&] { spec.integer("lr"); }), "spec.wrong-type at sgd(0.5)");
  EXPECT_EQ(refusal_of([&] { spec.number("nesterov"); }), "spec.wrong-type at sgd(0.5)");
  EXPECT_EQ(refusal_of([&] { spec.number("k"); }), "spec.missing-argument at sgd(0.5)");
  EXPECT_FALSE(spec.is_list("k"));
}

TEST(ScheduleValue, IsTheLastEntryThatBegan) {
  const Value schedule = Values{Values{0, 0.1}, Values{10, 0.01}, Values{11, 5}};
  for (const auto& [step, value] : std::map<std::int64_t, double>{{0, 0.1}, {9, 0.1}, {10, 0.01}, {11, 5}, {1000, 5}})
    EXPECT_EQ(schedule_value(schedule, step), value) << step;
  EXPECT_EQ(schedule_value(Value(0.25), 7), 0.25);
}

TEST(ScheduleValue, HasNoValueBeforeStepZero) {
  const Value schedule = Values{Value(Values{0, 0.1})};
  EXPECT_EQ(refusal_of([&] { schedule_value(schedule, -1); }), "spec.out-of-range at step -1");
}

TEST(NearestName, CountsEditsAndSwaps) {
  constexpr std::array<std::string_view, 4> known{"adam", "adamw", "multi_steps", "b1"};
  for (const auto& [name, nearest] : std::map<std::string, std::string>{{"adam", "adam"},
                                                                        {"Adam", "adam"},
                                                                        {"adma", "adam"},
                                                                        {"adanw", "adamw"},
                                                                        {"dam", "adam"},
                                                                        {"multistep", "multi_steps"},
                                                                        {"b3", "b1"},
                                                                        {"lion", ""},
                                                                        {"xy", ""},
                                                                        {"", ""}})
    EXPECT_EQ(nearest_name(name, known), nearest) << name;
  EXPECT_EQ(nearest_name(std::string(1000000, 'a'), known), "");
}

TEST(OpTable, SaysWhichOpsAccumulate) {
  for (const OpRule& rule : op_table())
    EXPECT_EQ(rule.accumulates, rule.name == "apply_every" || rule.name == "multi_steps") << rule.name;
  EXPECT_EQ(op_rule("adam").arguments.front().name, "lr");
  EXPECT_EQ(refusal_of([] { op_rule("adan"); }), "spec.unknown-op at adan");
}

}  // namespace
}  // namespace microstep
