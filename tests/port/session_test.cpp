// What a port answers to a plan: trace, skipped, or an error that names its kind; the next plan is not affected.
#include "session_fixture.hpp"

namespace microstep {
namespace {

struct Fault {
  const char* name;
  const char* id;
  const char* says;
};

// Names are those of children/port.py; ids and hints are those of docs/protocol.md and of the table of bad inputs.
constexpr Fault faults[] = {
    {"bare-nan", "json.bare-nan", "\"NaN\""},
    {"null", "json.null-number", "write NaN as null"},
    {"text", "json.wrong-type", "#/trace/steps/0/params/w/values/0"},
    {"huge", "json.number-out-of-range", "1e999"},
    {"not-a-float32", "json.not-representable", "float32"},
    {"count-of-2^64", "json.integer-range", "18446744073709551616"},
    {"three-numbers", "json.shape-mismatch", "3 numbers for the shape [2, 2]"},
    {"unknown-dtype", "json.unknown-dtype", "known are float64, float32, bfloat16, float16"},
    {"negative-shape", "json.shape-mismatch", "[-2, -2]"},
    {"endless-shape", "json.shape-mismatch", "[4294967296, 4294967296]"},
    {"wrong-seq", "port.seq-mismatch", "seq 9 came where 2 was due"},
    {"no-seq", "json.missing-key", "seq"},
    {"text-seq", "json.wrong-type", "#/seq"},
    {"missing-step", "port.wrong-length", "1 steps came where the plan has 2 microsteps"},
    {"one-step-more", "port.wrong-length", "3 steps came where the plan has 2 microsteps"},
    {"no-steps", "json.missing-key", "steps"},
    {"no-initial", "json.missing-key", "initial"},
    {"nothing", "json.wrong-answer", "trace, skipped, errored"},
    {"both", "json.wrong-answer", "trace, skipped, errored"},
    {"truncated", "json.invalid-json", "^"},
    {"duplicate-key", "json.duplicate-key", "seq"},
    {"empty-line", "json.empty", ""},
    {"list", "json.wrong-type", "an object"},
    {"nul", "port.nul-byte", "NUL"},
    {"crash", "port.crashed",
     "killed by SIGSEGV; it wrote nothing on stderr\n  at request 3, 2 microsteps of sgd(0.5)\n  next: repeat it "
     "alone"},
    {"exit", "port.exited", "ValueError: the model is gone"},
    {"half", "port.exited", "its last line unfinished (50 bytes)"},
    {"closed", "port.stdout-closed", "must answer until 'stop'"},
    {"hang", "port.timeout",
     "gave no answer within 1 s\n  at request 3, 2 microsteps of sgd(0.5)\n  next: raise --timeout"},
};

class FaultyAnswer : public SessionTest, public testing::WithParamInterface<Fault> {};

TEST_P(FaultyAnswer, IsAnErrorOfThatPlanAlone) {
  const Fault& fault = GetParam();
  PortSession& port = start({fault.name});
  expect_right(port.run(plan(1)));
  // Requests 1 and 2 are the start and the first plan; where a seq is told, the fault comes in a fresh session.
  if (contains(fault.id, "seq-mismatch")) start({fault.name});
  const Errored trouble = errored(session->run(plan(13)));
  EXPECT_EQ(trouble.id, fault.id);
  EXPECT_TRUE(contains(trouble.message, fault.says)) << trouble.message;
  EXPECT_FALSE(trouble.message.starts_with(trouble.id)) << "the id is told twice";
  EXPECT_TRUE(contains(trouble.message, "\n  at ") && contains(trouble.message, "\n  next: ")) << trouble.message;
  expect_right(session->run(plan(2)));
}

INSTANTIATE_TEST_SUITE_P(Port, FaultyAnswer, testing::ValuesIn(faults), [](const auto& info) {
  std::string name = info.param.name;
  std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
  return name;
});

TEST_F(SessionTest, ARightPortIsRight) {
  PortSession& port = start();
  EXPECT_EQ(port.facts().name, "sgd");
  for (int seed : {1, 2, 13}) expect_right(port.run(plan(seed)));
  const Producer producer = port.producer();
  expect_right(producer(plan(4)));
  const PortExit exit = port.stop();
  EXPECT_EQ(to_string(exit), "exit 0");
  EXPECT_FALSE(exit.forced);
  EXPECT_TRUE(port.warnings().empty());
}

TEST_F(SessionTest, ExtraKeysAreIgnoredAndCounted) {
  PortSession& port = start({"extra"});
  expect_right(port.run(plan(13)));
  EXPECT_EQ(port.ignored_keys(), 2U);
}

TEST_F(SessionTest, CarriageReturnsAreAccepted) { expect_right(start({"crlf"}).run(plan(13))); }

TEST_F(SessionTest, SkippedIsNoError) {
  PortSession& port = start({"skipped"});
  for (int i = 0; i < 4; ++i) {
    const Answer answer = port.run(plan(13));
    ASSERT_TRUE(std::holds_alternative<Skipped>(answer));
    EXPECT_EQ(std::get<Skipped>(answer).reason, "no float16");
  }
}

TEST_F(SessionTest, AnErrorOfThePortKeepsItAlive) {
  PortSession& port = start({"errored"});
  for (int i = 0; i < 4; ++i) {
    const Errored trouble = errored(port.run(plan(13)));
    EXPECT_EQ(trouble.id, "port.error");
    EXPECT_EQ(trouble.message, "ValueError: no sgd today");
  }
  expect_right(port.run(plan(1)));
}

// The second may arrive before or after the next request is written: unsolicited, or with a seq that is not due.
TEST_F(SessionTest, ASecondAnswerIsNotTakenForTheNextOne) {
  for (const char* fault : {"two-answers", "late-line"}) {
    PortSession& port = start({fault});
    expect_right(port.run(plan(13)));
    const std::string id = errored(port.run(plan(1))).id;
    EXPECT_TRUE(id == "port.unsolicited-line" || id == "port.seq-mismatch" || id == "json.invalid-json") << id;
    expect_right(port.run(plan(1)));
  }
}

TEST_F(SessionTest, AfterThreeFailuresInARowNothingIsRun) {
  PortSession& port = start({"crash", "always"});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(errored(port.run(plan(1))).id, "port.crashed");
  const auto begin = Clock::now();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(errored(port.run(plan(1))).id, "port.not-run");
  EXPECT_LT(Clock::now() - begin, 1s) << "no process is started any more";
  EXPECT_EQ(our_children(), "");
}

TEST_F(SessionTest, ARightAnswerForgivesFailures) {
  PortSession& port = start({"crash"});
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(errored(port.run(plan(13))).id, "port.crashed");
    EXPECT_EQ(errored(port.run(plan(13))).id, "port.crashed");
    expect_right(port.run(plan(1)));
  }
}

TEST_F(SessionTest, ADeviatingRowIsRecorded) {
  for (const auto& [fault, kind] :
       {std::pair("other-shape", Deviation::Kind::shape), {"other-dtype", Deviation::Kind::dtype}}) {
    const Answer answer = start({fault}).run(plan(13));
    ASSERT_TRUE(std::holds_alternative<Trace>(answer)) << fault;
    const Trace& trace = std::get<Trace>(answer);
    ASSERT_EQ(trace.deviations.size(), 1U) << fault;
    EXPECT_EQ(trace.deviations[0].kind, kind);
    EXPECT_EQ(trace.deviations[0].microstep, 2);
    EXPECT_EQ(trace.deviations[0].path, "params/w");
  }
}

}  // namespace
}  // namespace microstep
