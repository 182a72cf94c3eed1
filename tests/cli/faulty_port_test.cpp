// A port that fails in the middle of a run: one message with experiment, role, id, reason, place and next step; what
// failed is not written, and the other experiments go on.
#include <filesystem>

#include "cli/command.hpp"

namespace microstep::cli_test {
namespace {

// children/faulty.py fails on sgd(0.5), which only the reference of the first one is: three microsteps, asked for after
// the start and the accumulated run.
const std::string list = R"x({"schema": "microstep/experiments/1", "experiments": [
  {"id": "mean.of.two", "why": "the mean", "source": "by hand", "spec": "multi_steps(sgd(0.5), k=2)", "plans": "same"},
  {"id": "sum.of.two", "why": "the sum", "source": "by hand", "spec": "chain(sgd(0.25), apply_every(2))",
   "plans": "different", "broken": ["reduction.large_batch"]}]})x";

struct Fault {
  std::string name, id, reason, place, next;
};

class FaultyPort : public ::testing::TestWithParam<Fault> {
 protected:
  FaultyPort() : goldens(folder.file("goldens")) { folder.write("list.json", list); }

  Result with(std::vector<std::string> arguments, const std::vector<std::string>& port) {
    arguments.emplace_back("--");
    arguments.insert(arguments.end(), port.begin(), port.end());
    return microstep(arguments);
  }
  Result with_faulty(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--timeout", GetParam().name == "hang" ? "3" : "60"});
    return with(arguments, {"python3", source("tests/cli/children/faulty.py"), MICROSTEP_BINARY, GetParam().name});
  }
  std::vector<std::string> recording() const { return {"record", goldens, "--experiments", folder.file("list.json")}; }
  std::map<std::string, std::string> kept() const {
    std::map<std::string, std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(goldens))
      found[entry.path().filename().string()] = text_of(entry.path().string());
    return found;
  }

  Folder folder;
  std::string goldens;
};

// The lines from `begin` up to its next step, if there is one such message and it has all that is due.
void expect_one_message(const Result& result, const std::string& begin, const Fault& fault) {
  const std::string all = result.out + result.err;
  const std::string head = begin + "mean.of.two";
  const std::size_t at = all.find(head);
  ASSERT_NE(at, std::string::npos) << all;
  EXPECT_EQ(all.find("mean.of.two", at + head.size()), std::string::npos) << "a second message\n" << all;
  EXPECT_EQ(all.find(fault.id), all.rfind(fault.id)) << "the id is told twice\n" << all;
  EXPECT_TRUE(result.says("reference: " + fault.id + ": " + fault.reason)) << all;
  EXPECT_TRUE(result.says("\n  at " + fault.place)) << all;
  EXPECT_TRUE(result.says("\n  next: " + fault.next)) << all;
  EXPECT_EQ(result.err, "");
}

TEST_P(FaultyPort, IsNotRecordedAndTheOtherExperimentIs) {
  const Result result = with_faulty(recording());
  EXPECT_EQ(result.code, 1);
  expect_one_message(result, "", GetParam());
  EXPECT_TRUE(result.says("mean.of.two: not written: reference: ")) << result.out;
  EXPECT_TRUE(result.says("\n1 created\n1 refused\n")) << result.out;
  const auto files = kept();
  EXPECT_EQ(files.size(), 2U);
  EXPECT_TRUE(files.contains("MANIFEST.sha256") && files.contains("sum.of.two.json"));
  EXPECT_EQ(files.at("MANIFEST.sha256").find("mean.of.two"), std::string::npos);
}

TEST_P(FaultyPort, FailsTheGoldenAndProposesNothing) {
  ASSERT_EQ(with(recording(), {MICROSTEP_BINARY, "serve"}).code, 0);
  const auto before = kept();
  const Result result = with_faulty({"verify", goldens});
  EXPECT_EQ(result.code, 1);
  expect_one_message(result, "FAIL ", GetParam());
  EXPECT_TRUE(result.says("\n1 pass, 1 fail, 0 skipped, 0 faults, 0 orphans\n")) << result.out;
  EXPECT_EQ(kept(), before);
}

const std::string request = "request 3, 3 microsteps of sgd(0.5)\n";
const std::string alone = "repeat it alone with --filter and the experiment's id; ";

// steps/1 of the answer is microstep 2.
INSTANTIATE_TEST_SUITE_P(
    MidRun, FaultyPort,
    ::testing::Values(
        Fault{"crash", "port.crashed", "the port crashed: killed by SIGSEGV; it wrote nothing on stderr\n", request,
              alone},
        Fault{"exit", "port.exited", "the port left (exit 3) before it answered; it wrote nothing on stderr\n", request,
              alone},
        Fault{"hang", "port.timeout", "the port gave no answer within 3 s\n", request, "raise --timeout if it is only"},
        Fault{"seq", "port.seq-mismatch", "seq 10 came where 3 was due\n", request, "echo the seq of the request"},
        Fault{"NaN", "json.bare-nan", "a bare NaN or Infinity is not JSON\n", "answer:1:", "Python's json writes it"},
        Fault{"null", "json.null-number", "null where a number is due\n", "answer#/trace/steps/1/params/w/0\n",
              "JavaScript and Rust write NaN as null"},
        Fault{"shape", "json.shape-mismatch", "5 numbers for the shape [2, 3]\n", "answer#/trace/steps/1/params/w\n",
              "give one number an element"}),
    [](const auto& info) { return info.param.name; });

// A leaf that says another shape is read, and judged: the contracts of form name the leaf and the microstep.
TEST(PortOfAnotherShape, IsNotRecordedAndTheMicrostepIsTold) {
  const Folder folder;
  const Result result =
      microstep({"record", folder.file("goldens"), "--experiments", folder.write("list.json", list), "--", "python3",
                 source("tests/cli/children/faulty.py"), MICROSTEP_BINARY, "other-shape"});
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(
      result.says("mean.of.two: not written: form.shape is broken: params/w (run reference, microstep 2): "
                  "[1] where [2, 3] is due."))
      << result.out << result.err;
  EXPECT_TRUE(std::filesystem::exists(folder.file("goldens/sum.of.two.json")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("goldens/mean.of.two.json")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("goldens/mean.of.two.json.new")));
}

}  // namespace
}  // namespace microstep::cli_test
