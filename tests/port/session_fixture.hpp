#pragma once
// A session with children/port.py, whose first argument names its fault; short timeouts, and nothing may be left of it.
#include <fmt/format.h>

#include <memory>

#include "microstep/json/plan.hpp"
#include "microstep/port/session.hpp"
#include "process_fixture.hpp"

namespace microstep {

class SessionTest : public ProcessTest {
 protected:
  SessionTest() {
    options.request_timeout = 1s;
    options.start_timeout = 10s;
  }

  static std::vector<std::string> port(std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(),
                     {"/usr/bin/python3", std::string(MICROSTEP_SOURCE_DIR) + "/tests/port/children/port.py"});
    return arguments;
  }

  // Two microsteps of sgd(0.5) on w = [[1, 2], [3, 4]]; the port shows its fault where the seed is 13.
  static Plan plan(int seed) {
    std::string text = R"json({"schema":"microstep/plan/1","spec":"sgd(0.5)",
      "params":{"w":{"dtype":"float32","shape":[2,2],"values":[1,2,3,4]}},
      "given":[{"gradients":{"w":[2,4,6,8]}},{"gradients":{"w":[1,1,2,2]}}],"batches":[[0],[1]],"seed":")json";
    return decode_plan(text + fmt::to_string(seed) + "\"}");
  }

  PortSession& start(std::vector<std::string> arguments = {}) {
    session = std::make_unique<PortSession>(port(std::move(arguments)), options);
    return *session;
  }

  // The id and message with which a port does not start.
  Error refused(const std::vector<std::string>& argv) {
    try {
      PortSession(argv, options);
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "it started";
    return {"", "", {}, {}};
  }

  static Errored errored(const Answer& answer) {
    if (const auto* trouble = std::get_if<Errored>(&answer)) return *trouble;
    ADD_FAILURE() << (std::holds_alternative<Trace>(answer) ? "a trace" : "skipped") << " where an error is due";
    return {};
  }

  // [1 2 3 4] - 0.5 [2 4 6 8] - 0.5 [1 1 2 2], by hand.
  static void expect_right(const Answer& answer) {
    if (const auto* trouble = std::get_if<Errored>(&answer)) ADD_FAILURE() << trouble->id << ": " << trouble->message;
    if (const auto* skipped = std::get_if<Skipped>(&answer)) ADD_FAILURE() << "skipped: " << skipped->reason;
    const auto* trace = std::get_if<Trace>(&answer);
    if (!trace) return;
    const auto last = trace->numbers(2, *trace->schema().find_column("params/w"));
    EXPECT_EQ(std::vector<double>(last.begin(), last.end()), (std::vector<double>{-0.5, -0.5, -1, -1}));
    EXPECT_TRUE(trace->deviations.empty());
  }

  void TearDown() override {
    session.reset();
    ProcessTest::TearDown();
  }

  std::unique_ptr<PortSession> session;
};

}  // namespace microstep
