#include <gtest/gtest.h>

#include "microstep/data/error.hpp"
#include "microstep/data/spec.hpp"

namespace microstep {
namespace {

/// The caret is expected under the character behind `@`. `says` and `next` must occur in the message and the next step.
struct Refusal {
  std::string marked, id, says, next;
  OpKind kind = OpKind::transformation;
};

void expect_refused(const Refusal& refusal) {
  const std::size_t column = refusal.marked.find('@');
  std::string text = refusal.marked;
  text.erase(column, 1);
  try {
    parse_spec(text, refusal.kind);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.id(), refusal.id);
    const std::string caret = "\n    " + std::string(column, ' ') + "^";
    EXPECT_EQ(error.place(), "column " + testing::PrintToString(column + 1) + "\n    " + text + caret);
    EXPECT_NE(error.message().find(refusal.says), std::string::npos) << error.message();
    EXPECT_NE(error.next().find(refusal.next), std::string::npos) << error.next();
  }
}

void expect_all_refused(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(refusal.marked);
    expect_refused(refusal);
  }
}

TEST(SpecError, Syntax) {
  expect_all_refused({
      {"@", "spec.syntax", "empty", "adam(0.1)"},
      {"@(0.1)", "spec.syntax", "expected the name of an op", "adam(0.1)"},
      {"@0.1", "spec.syntax", "expected the name of an op", "adam(0.1)"},
      {"adam@(0.1", "spec.syntax", "'(' is never closed", "add ')'"},
      {"sgd(@[[0, 1]", "spec.syntax", "'[' is never closed", "add ']'"},
  });
}

TEST(SpecError, SyntaxInside) {
  expect_all_refused({
      {"adam(0.1) @x", "spec.syntax", "expected the end", "remove"},
      {"adam(0.1)@)", "spec.syntax", "expected the end", "remove"},
      {"adam(0.1,@)", "spec.syntax", "expected a value, found \")\"", "a value is"},
      {"adam(0.1 @0.2)", "spec.syntax", "expected ',' or ')'", "(0.1, b1=0.9)"},
      {"adam(lr@:0.1)", "spec.syntax", "expected ',' or ')'", "b1=0.9"},
      {"adam(lr=@=0.1)", "spec.syntax", "expected a value", "a value is"},
      {"adam(lr=0.1, @0.9)", "spec.syntax", "positional argument after a named one", "name=value"},
      {"masked(scale(2), [@'w)", "spec.syntax", "string is never closed", "add '"},
      {"masked(scale(2), ['w@\\q'])", "spec.syntax", "unknown escape", "\\xHH"},
      {"masked(scale(2), ['w@\\x9'])", "spec.syntax", "unknown escape", "\\xHH"},
  });
}

TEST(SpecError, SyntaxOfNumbers) {
  expect_all_refused({
      {"adam(@-)", "spec.syntax", "expected digits", "-0.5"},
      {"adam(@.)", "spec.syntax", "expected digits", "-0.5"},
      {"adam(@1e)", "spec.syntax", "digits after the e", "1e-8"},
      {"adam(0@x10)", "spec.syntax", "unexpected \"x\"", "decimal"},
      {"adam(0.1@.2)", "spec.syntax", "unexpected \".\"", "decimal"},
      {"adam(@-lr)", "spec.syntax", "expected digits", "-0.5"},
      {"adam(@+1)", "spec.syntax", "expected a value", "a value is"},
  });
}

TEST(SpecError, UnknownOp) {
  expect_all_refused({
      {"@adan(0.1)", "spec.unknown-op", "\"adan\" is not an optimizer", "did you mean 'adam'?"},
      {"@aadm", "spec.unknown-op", "\"aadm\"", "did you mean 'adam'?"},
      {"multi_steps(@SGD(0.1), k=4)", "spec.unknown-op", "\"SGD\"", "did you mean 'sgd'?"},
      {"chain(scale(1), @lion(0.1))", "spec.unknown-op", "\"lion\"", "known: sgd, adam, adamw"},
      {"@mlp(3, 5)", "spec.unknown-op", "mlp is a problem, not an optimizer", "known: sgd"},
      {"@adam(0.1)", "spec.unknown-op", "adam is an optimizer, not a problem", "known: replay", OpKind::problem},
      {"@repaly", "spec.unknown-op", "\"repaly\"", "did you mean 'replay'?", OpKind::problem},
  });
}

TEST(SpecError, UnknownAndSuperfluousArguments) {
  expect_all_refused({
      {"adam(0.1, @b3=0.9)", "spec.unknown-argument", "adam: no argument \"b3\"", "did you mean 'b1'?"},
      {"adam(0.1, @momentum=0.9)", "spec.unknown-argument", "\"momentum\"", "adam takes lr, b1, b2, eps, eps_root"},
      {"trace(0.9, false, @1)", "spec.unknown-argument", "trace: one argument too many", "momentum, nesterov"},
      {"chain(scale(1), @k=2)", "spec.unknown-argument", "\"k\"", "chain takes ops only"},
      {"replay(@3)", "spec.unknown-argument", "one argument too many", "takes no arguments", OpKind::problem},
      {"multi_steps(sgd(1), k=2, max_norm=@3)", "spec.unknown-argument", "only in skip=large(max_norm)", "remove it"},
      {"multi_steps(sgd(1), k=2, skip=large(@norm=3))", "spec.unknown-argument", "\"norm\"", "large(max_norm)"},
  });
}

TEST(SpecError, MissingArguments) {
  expect_all_refused({
      {"@adam", "spec.missing-argument", "lr is missing", "lr takes a number in [0, infinity)"},
      {"chain(scale(1), @adam())", "spec.missing-argument", "lr is missing", "lr takes"},
      {"@multi_steps(adam(0.1))", "spec.missing-argument", "k is missing", "[1, 2147483647]"},
      {"@multi_steps(k=4)", "spec.missing-argument", "inner op is missing", "multi_steps(adam(0.1)"},
      {"@masked(sgd(1))", "spec.missing-argument", "mask is missing", "globs"},
      {"multi_steps(sgd(1), k=2, skip=@large)", "spec.missing-argument", "large needs max_norm", "large(max_norm)"},
      {"multi_steps(sgd(1), k=2, skip=@large())", "spec.missing-argument", "large needs max_norm", "large(max_norm)"},
      {"@mlp", "spec.missing-argument", "sizes is missing", "at least two", OpKind::problem},
  });
}

TEST(SpecError, DuplicateArguments) {
  expect_all_refused({
      {"adam(0.1, @lr=0.2)", "spec.duplicate-argument", "lr is given twice", "keep one"},
      {"adam(lr=0.1, b1=0.5, @b1=0.5)", "spec.duplicate-argument", "b1 is given twice", "keep one"},
      {"multi_steps(adam(1), @inner=adam(1), k=2)", "spec.duplicate-argument", "inner is given twice", "keep one"},
      {"multi_steps(sgd(1), k=2, skip=large(1, @2))", "spec.duplicate-argument", "max_norm is given twice", "keep"},
      {"mlp(3, 5, @sizes=[3, 5])", "spec.duplicate-argument", "sizes is given twice", "keep one", OpKind::problem},
  });
}

TEST(SpecError, WrongTypes) {
  expect_all_refused({
      {"multi_steps(adam(0.1), k=@1.5)", "spec.wrong-type", "k = 1.5 is not an integer", "an integer in"},
      {"multi_steps(adam(0.1), k=@four)", "spec.wrong-type", "k = \"four\" has the wrong type", "an integer in"},
      {"adam(@true)", "spec.wrong-type", "lr = true has the wrong type", "a number in"},
      {"adam(@sgd(0.1))", "spec.wrong-type", "lr takes no op", "a number in"},
      {"sgd([[0, @sgd(0.1)]])", "spec.wrong-type", "lr takes no op", "a number in"},
      {"trace(@[0.9])", "spec.wrong-type", "momentum = a list", "a number in [0, 1]"},
      {"sgd(1, 0.9, nesterov=@1)", "spec.wrong-type", "nesterov = 1", "true or false"},
      {"multi_steps(@0.1, k=4)", "spec.wrong-type", "expected an optimizer", "adam(0.1)"},
      {"multi_steps(sgd(1), k=2, reduce=@2)", "spec.wrong-type", "reduce = 2", "one of mean, sum, weighted"},
      {"multi_steps(sgd(1), k=2, skip=@never(3))", "spec.wrong-type", "skip takes no op", "large(max_norm)"},
      {"masked(sgd(1), mask=@w)", "spec.wrong-type", "mask = \"w\"", "a list of leaf-name globs"},
      {"masked(sgd(1), mask=[w, @true])", "spec.wrong-type", "mask = true", "globs"},
      {"mlp(3, @tanh)", "spec.wrong-type", "sizes = \"tanh\"", "at least two sizes", OpKind::problem},
      {"mlp(3, @2.5)", "spec.wrong-type", "2.5 is not an integer", "an integer in [1, 4096]", OpKind::problem},
  });
}

TEST(SpecError, CountsOutOfRange) {
  for (const char* k : {"0", "-4", "2147483648", "1e300", "inf", "nan"})
    expect_all_refused({
        {"multi_steps(adam(0.1), k=@" + std::string(k) + ")", "spec.out-of-range", "k = ", "[1, 2147483647]"},
        {"apply_every(@" + std::string(k) + ")", "spec.out-of-range", "k = ", "an integer in [1, 2147483647]"},
    });
}

TEST(SpecError, NumbersOutOfRange) {
  for (const char* lr : {"-0.1", "NaN", "Infinity", "-inf", "1e999", "1e-999"})
    expect_refused({"adam(@" + std::string(lr) + ")", "spec.out-of-range", "adam: ", "a number in [0, infinity)"});
  expect_all_refused({
      {"adam(0.1, b1=@1)", "spec.out-of-range", "division by zero", "b1 takes a number in [0, 1)"},
      {"adam(0.1, b2=@1)", "spec.out-of-range", "division by zero", "b2 takes a number in [0, 1)"},
      {"adam(0.1, b2=@1.5)", "spec.out-of-range", "b2 = 1.5 is out of range", "[0, 1)"},
      {"clip(@0)", "spec.out-of-range", "max_delta = 0", "a number in (0, infinity)"},
      {"scale(@inf)", "spec.out-of-range", "factor = inf", "any finite number"},
      {"multi_steps(sgd(1), k=2, skip=large(@0))", "spec.out-of-range", "max_norm = 0", "(0, infinity)"},
      {"multi_steps(sgd(1), k=2, reduce=@men)", "spec.out-of-range", "\"men\" is no choice",
       "did you mean 'mean'? reduce takes one of mean, sum, weighted"},
      {"@mlp(3)", "spec.out-of-range", "sizes", "at least two sizes", OpKind::problem},
      {"mlp(3, @4097)", "spec.out-of-range", "sizes = 4097", "[1, 4096]", OpKind::problem},
  });
}

TEST(SpecError, Schedules) {
  expect_all_refused({
      {"adam(@[])", "spec.out-of-range", "the schedule is empty", "[[from_step, value], ...]"},
      {"adam([@0, 0.1])", "spec.wrong-type", "lr = 0 has", "[[from_step, value], ...]"},
      {"adam([@[0]])", "spec.wrong-type", "lr = a list", "[[from_step, value], ...]"},
      {"adam([[@1, 0.1]])", "spec.out-of-range", "rise from 0", "[[from_step, value], ...]"},
      {"adam([[0, 0.1], [@0, 0.2]])", "spec.out-of-range", "rise from 0", "[[from_step, value], ...]"},
      {"adam([[0, 0.1], [@2147483648, 0.2]])", "spec.out-of-range", "rise from 0 to 2147483647", "[[from_step"},
      {"adam([[0, 0.1], [@2.5, 0.2]])", "spec.wrong-type", "2.5 has", "[[from_step, value], ...]"},
      {"adam([[0, 0.1], [5, @-1]])", "spec.out-of-range", "lr = -1", "[0, infinity)"},
      {"multi_steps(sgd(1), k=[[0, 2], [5, @0]])", "spec.out-of-range", "k = 0", "[1, 2147483647]"},
      {"multi_steps(sgd(1), k=[[0, 2], [@nan, 3]])", "spec.wrong-type", "nan", "[1, 2147483647]"},
  });
}

TEST(SpecError, ACrossEntropyNeedsTwoClasses) {
  expect_all_refused({
      {"mlp(2, @1, loss=cross_entropy)", "spec.out-of-range", "over one class", "two classes", OpKind::problem},
      {"logistic_regression(2, @1)", "spec.out-of-range", "classes = 1", "[2, 4096]", OpKind::problem},
  });
  EXPECT_EQ(parse_spec("mlp(2, 1)", OpKind::problem).text("loss"), "mse");
}

std::string place_of(const std::string& text) {
  try {
    parse_spec(text);
  } catch (const Error& error) {
    return error.place();
  }
  return "accepted";
}

TEST(SpecError, BytesThatAreNotPrintableAreEscaped) {
  EXPECT_EQ(place_of("adam(\n0.1, \xce\xb2=1)"), "column 12\n    adam(\\n0.1, \\xce\\xb2=1)\n                ^");
  EXPECT_EQ(place_of("\x1b[31m"), "column 1\n    \\x1b[31m\n    ^");
  EXPECT_EQ(place_of(std::string("sgd(1)\0", 7)), "column 7\n    sgd(1)\\x00\n          ^");
}

TEST(SpecError, LongTextsAreCutAroundTheCaret) {
  const std::string many(1000, ' ');
  EXPECT_EQ(place_of("sgd(" + many + "?" + many + ")"), "column 1005\n    ..." + std::string(48, ' ') + "?" +
                                                            std::string(31, ' ') + "...\n    " + std::string(51, ' ') +
                                                            "^");
}

}  // namespace
}  // namespace microstep
