// Ourselves as a port: a bad request is answered, never thrown.
#include "microstep/trial/serve.hpp"

#include <gtest/gtest.h>

#include "microstep/json/document.hpp"

namespace microstep {
namespace {

struct Refused {
  const char* line;
  std::int64_t seq;
  const char* id;
};

class ServeLine : public ::testing::TestWithParam<Refused> {};

TEST_P(ServeLine, AnswersErroredWithTheId) {
  const Served served = serve_line(GetParam().line);
  const Document answer = Document::parse(served.answer);
  EXPECT_EQ(answer.at("seq").integer(), GetParam().seq);
  EXPECT_EQ(answer.at("errored").at("id").text(), GetParam().id) << served.answer;
  EXPECT_EQ(served.answer.find(GetParam().id), served.answer.rfind(GetParam().id)) << "the id is told twice";
  EXPECT_FALSE(served.stops);
}

INSTANTIATE_TEST_SUITE_P(
    Requests, ServeLine,
    ::testing::Values(Refused{"", 0, "json.empty"}, Refused{"{", 0, "json.invalid-json"},
                      Refused{"{\"seq\":1}", 1, "json.missing-key"},
                      Refused{"{\"seq\":1,\"seq\":2,\"request\":\"stop\"}", 0, "json.duplicate-key"},
                      Refused{"{\"seq\":2,\"request\":\"dance\"}", 2, "json.unknown-request"},
                      Refused{"{\"seq\":6,\"request\":\"start\",\"version\":2}", 6, "port.version-mismatch"},
                      Refused{"{\"seq\":3,\"request\":\"run\"}", 3, "json.missing-key"},
                      Refused{"{\"seq\":4,\"request\":\"run\",\"plan\":{\"schema\":\"microstep/plan/2\"}}", 4,
                              "json.newer-schema"}));

TEST(Serve, NamesThePlaceInTheRequest) {
  const std::string answer = serve_line("{\"seq\":6,\"request\":\"start\",\"version\":2}").answer;
  EXPECT_NE(answer.find("port 1, tool 2\\n  at request#/version\\n  next: speak version 1"), std::string::npos)
      << answer;
  EXPECT_NE(serve_line("{\"seq\":1}").answer.find("at request#"), std::string::npos);
  EXPECT_TRUE(Document::parse(serve_line("{\"seq\":6,\"request\":\"start\",\"version\":1}").answer).find("specs"));
}

TEST(Serve, StopIsAnsweredAndStops) {
  const Served served = serve_line("{\"seq\":9,\"request\":\"stop\"}");
  EXPECT_EQ(served.answer, "{\"seq\":9}");
  EXPECT_TRUE(served.stops);
}

TEST(Serve, ARunGivesATrace) {
  // w = 1 - 0.5 * 2 = 0.
  const Served served = serve_line(
      R"x({"seq":5,"request":"run","plan":{"schema":"microstep/plan/1","spec":"sgd(0.5)","params":{"w":{"dtype":"float32","shape":[1],"values":[1]}},"given":[{"gradients":{"w":[2]}}],"batches":[[0]]}})x");
  const Document step = Document::parse(served.answer).at("trace").at("steps").element(0);
  EXPECT_NE(served.answer.find("\"params\":{\"w\":[0]}"), std::string::npos) << served.answer;
  EXPECT_NE(served.answer.find("\"updates\":{\"w\":[-1]}"), std::string::npos) << served.answer;
  EXPECT_GT(step.size(), 0u);
}

}  // namespace
}  // namespace microstep
