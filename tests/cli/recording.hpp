#pragma once
// A folder of two goldens that our own `serve` makes, and ports that do otherwise.
#include <filesystem>

#include "cli/command.hpp"

namespace microstep::cli_test {

inline const std::string list = R"x({"schema": "microstep/experiments/1", "experiments": [
  {"id": "mean.of.two", "why": "the mean", "source": "by hand", "spec": "multi_steps(sgd(0.5), k=2)", "plans": "same"},
  {"id": "sum.of.two", "why": "the sum", "source": "by hand", "spec": "chain(sgd(0.5), apply_every(2))",
   "plans": "different", "broken": ["reduction.large_batch"]}]})x";

// Our own port with one word of its requests exchanged: a library that changed its behaviour.
inline constexpr const char* liar = R"x(import json, subprocess, sys
port = subprocess.Popen([sys.argv[1], "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for line in sys.stdin:
    port.stdin.write(line.replace(sys.argv[2], sys.argv[3]))
    port.stdin.flush()
    print(port.stdout.readline(), end="", flush=True)
)x";

class Recording : public ::testing::Test {
 protected:
  Recording() : goldens(folder.file("goldens")) { folder.write("list.json", list); }

  Result with_port(std::vector<std::string> arguments, const Surroundings& surroundings = {}) {
    for (const std::string word : {"--", MICROSTEP_BINARY, "serve"}) arguments.push_back(word);
    return microstep(arguments, surroundings);
  }
  // A wrong library: half the learning rate.
  Result with_liar(std::vector<std::string> arguments, const Surroundings& surroundings = {},
                   const std::string& what = "sgd(0.5)", const std::string& with = "sgd(0.25)") {
    const std::string script = folder.write("liar.py", liar);
    for (const std::string& word : {std::string("--"), std::string("python3"), script, std::string(MICROSTEP_BINARY)})
      arguments.push_back(word);
    arguments.insert(arguments.end(), {what, with});
    return microstep(arguments, surroundings);
  }
  // A library with a behaviour of its own: its accumulators are float32.
  Result with_float32(const std::vector<std::string>& arguments) {
    return with_liar(arguments, {}, "k=2", "k=2, acc_dtype=float32");
  }
  void record_in_float64() {
    std::string wide = replaced(list, "\"plans\": \"same\"", "\"dtype\": \"float64\", \"plans\": \"same\"");
    wide = replaced(wide, "\"plans\": \"different\"", "\"dtype\": \"float64\", \"plans\": \"different\"");
    folder.write("list.json",
                 replaced(wide, "chain(sgd(0.5), apply_every(2))", "multi_steps(sgd(0.5), k=2, reduce=sum)"));
    EXPECT_TRUE(record().says("2 created"));
  }
  Result record() { return with_port({"record", goldens, "--experiments", folder.file("list.json")}); }
  std::map<std::string, std::string> kept() const {
    std::map<std::string, std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(goldens))
      if (!entry.path().filename().string().starts_with("."))
        found[entry.path().filename().string()] = text_of(entry.path().string());
    return found;
  }

  Folder folder;
  std::string goldens;
};

}  // namespace microstep::cli_test
