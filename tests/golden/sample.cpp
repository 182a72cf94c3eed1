#include "sample.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <iterator>
#include <limits>

#include "microstep/golden/folder.hpp"
#include "microstep/json/plan.hpp"
#include "microstep/json/trace.hpp"

namespace microstep {
namespace {

constexpr std::string_view plan_text = R"json({"schema":"microstep/plan/1","spec":"sgd(0.5)",
  "params":{"w":{"dtype":"float32","values":[1,-0.0]},"s":{"dtype":"bfloat16","values":0.1},
  "e":{"dtype":"float16","shape":[0,2],"values":[]}},
  "given":[{"gradients":{"w":["NaN","-Infinity"],"e":[]}}],"batches":[[0]]})json";

constexpr std::string_view trace_text = R"json({"schema":"microstep/trace/1",
  "initial":{"params":{"w":[1,-0.0],"s":0.1,"e":[]},"state":{"counts":{"count":0}}},
  "steps":[{"gradients":{"w":["NaN","-Infinity"],"e":[]},"updates":{"w":["NaN","Infinity"],"e":[]},
  "params":{"w":["NaN",1e-45],"s":0.1,"e":[]},"state":{"counts":{"count":1}}}]})json";

}  // namespace

Golden sample_golden(const std::string& id) {
  Golden golden;
  golden.id = id;
  golden.why = "a \"quoted\" reason";
  golden.source = "by hand";
  golden.flags = {"dyadic"};
  golden.provenance = {"by hand", {{"jax", "0"}}, {Dtype::float32}, HyperPrecision::leaf, true, "x86_64"};
  golden.plans.emplace(Role::accumulated, decode_plan(plan_text));
  golden.traces.emplace(Role::accumulated, decode_trace(trace_text, "sample", &golden.plans.at(Role::accumulated)));
  golden.expected = {Sameness::different, {{"identity.k1", Outcome::broken}}, {"flushes"}};
  return golden;
}

ScratchFolder::ScratchFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "microstep-golden-XXXXXX").string();
  path_ = ::mkdtemp(pattern.data());
}

ScratchFolder::~ScratchFolder() { std::filesystem::remove_all(path_); }

void put(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

std::string get(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void record_two(const ScratchFolder& folder) {
  GoldenWriter writer(folder.text());
  EXPECT_EQ(writer.record(sample_golden("b")), Written::created);
  EXPECT_EQ(writer.record(sample_golden("a")), Written::created);
}

Golden changed(const std::string& id) {
  Golden golden = sample_golden(id);
  golden.why = "another reason";
  return golden;
}

}  // namespace microstep
