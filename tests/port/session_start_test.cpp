// The handshake and the end of a session: a port that is not usable is refused, and nothing of it is left.
#include "session_fixture.hpp"

namespace microstep {
namespace {

struct Refusal {
  const char* fault;
  const char* id;
  const char* says;
};

constexpr Refusal refusals[] = {
    {"handshake:no-specs", "port.bad-handshake", "\"specs\""},
    {"handshake:no-version", "port.bad-handshake", "\"version\""},
    {"handshake:version-2", "port.version-mismatch", "port 2, tool 1"},
    {"handshake:number-as-name", "port.bad-handshake", "#/name"},
    {"handshake:unknown-dtype", "port.bad-handshake", "known are float64, float32, bfloat16, float16"},
    {"handshake:wrong-seq", "port.seq-mismatch", "seq 9 came where 1 was due"},
    {"handshake:not-json", "port.bad-handshake", "json.invalid-json"},
    {"handshake:exit", "port.exited-before-handshake", "ValueError: the model is gone"},
    {"handshake:crash", "port.crashed", "killed by SIGSEGV"},
    {"handshake:silence", "port.timeout", "is stdout flushed?"},
};

TEST_F(SessionTest, AnUnusablePortIsRefusedAndNothingIsLeft) {
  options.start_timeout = 2s;
  for (const Refusal& refusal : refusals) {
    const Error error = refused(port({refusal.fault}));
    EXPECT_EQ(error.id(), refusal.id) << refusal.fault;
    EXPECT_TRUE(contains(error.what(), refusal.says)) << error.what();
    EXPECT_EQ(our_children(), "") << refusal.fault;
  }
}

TEST_F(SessionTest, ABadHandshakeIsToldWithWhatIsDue) {
  const std::string text = refused(port({"handshake:no-specs"})).what();
  EXPECT_TRUE(contains(text, "answer#")) << text;
  EXPECT_TRUE(contains(text, R"("specs":[TEXT..])")) << text;
  EXPECT_TRUE(contains(text, "/usr/bin/python3")) << text;
}

TEST_F(SessionTest, ABadHandshakeHasOnePlaceAndOneNextStep) {
  for (const char* fault : {"no-specs", "unknown-dtype", "number-as-name", "not-json"}) {
    const Error error = refused(port({std::string("handshake:") + fault}));
    const std::string text = error.what();
    for (const char* mark : {"\n  at ", "\n  next: "}) {
      EXPECT_TRUE(contains(text, mark)) << text;
      EXPECT_EQ(text.find(mark), text.rfind(mark)) << text;
    }
    EXPECT_TRUE(error.place().starts_with("/usr/bin/python3, answer")) << text;
  }
}

TEST_F(SessionTest, LastWordsAreToldOnce) {
  const std::string text = refused(port({"handshake:exit"})).what(), words = "ValueError: the model is gone";
  EXPECT_EQ(text.find(words), text.rfind(words)) << text;
}

TEST_F(SessionTest, ACommandThatCannotBeStartedIsRefused) {
  EXPECT_EQ(refused({"no-such-port-at-all"}).id(), "port.not-found");
  EXPECT_EQ(refused({MICROSTEP_SOURCE_DIR}).id(), "port.not-executable");
  EXPECT_EQ(refused({}).id(), "port.not-found");
}

TEST_F(SessionTest, ExtraKeysOfTheHandshakeAreCounted) {
  PortSession& port = start({"handshake:extra"});
  EXPECT_EQ(port.ignored_keys(), 1U);
  expect_right(port.run(plan(1)));
}

TEST_F(SessionTest, WhatThePortDoesNotClaimIsNotAsked) {
  for (const auto& [fault, reason] : {std::pair("no-sgd", "the port does not claim sgd"),
                                      {"no-replay", "the port does not claim the problem replay"},
                                      {"no-float32", "the port does not claim float32"}}) {
    const Answer answer = start({std::string("handshake:") + fault}).run(plan(1));
    ASSERT_TRUE(std::holds_alternative<Skipped>(answer)) << fault;
    EXPECT_EQ(std::get<Skipped>(answer).reason, reason);
  }
}

TEST_F(SessionTest, AnExitCodeAtTheStopIsAWarning) {
  PortSession& port = start({"stop:exit-1"});
  expect_right(port.run(plan(1)));
  const PortExit exit = port.stop();
  EXPECT_EQ(to_string(exit), "exit 1");
  EXPECT_FALSE(exit.forced);
  EXPECT_EQ(port.warnings(), std::vector<std::string>{"the port ended with exit 1 at the stop"});
}

TEST_F(SessionTest, APortThatIgnoresTheStopIsEnded) {
  PortSession& port = start({"stop:ignores"});
  expect_right(port.run(plan(1)));
  const auto begin = Clock::now();
  EXPECT_TRUE(port.stop().forced);
  // The end of stdin, SIGTERM and SIGKILL have 0.3 s each; the house's limit is 3 s.
  EXPECT_LT(Clock::now() - begin, 3s);
  ASSERT_EQ(port.warnings().size(), 1U);
  EXPECT_TRUE(contains(port.warnings()[0], "ignored stop")) << port.warnings()[0];
  EXPECT_EQ(our_children(), "");
}

TEST_F(SessionTest, AStoppedSessionStartsAnew) {
  PortSession& port = start();
  port.stop();
  expect_right(port.run(plan(1)));
}

}  // namespace
}  // namespace microstep
