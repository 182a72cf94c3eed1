// Who recorded the committed goldens, on what: against the folder's name, the list that pip installed from, and the
// plans and traces that stand beside it.
#include <fmt/format.h>

#include <set>

#include "goldens_fixture.hpp"
#include "microstep/golden/file.hpp"
#include "microstep/json/document.hpp"

namespace microstep {
namespace {

class Provenances : public Goldens {};
INSTANTIATE_TEST_SUITE_P(Optax, Provenances, testing::Values("0.2.6", "0.2.8"), [](const auto& info) {
  std::string name = std::string("v") + info.param;
  std::ranges::replace(name, '.', '_');
  return name;
});

// "3.11" of "3.11.2".
std::string minor_of(const std::string& version) { return version.substr(0, version.rfind('.')); }

std::string pinned(const std::string& optax, const std::string& python, const std::string& program) {
  const std::string list =
      "\n" + read_file(source_path("tools/ports/requirements/optax-" + optax + "-py" + minor_of(python) + ".txt"));
  const std::string key = "\n" + program + "==";
  const std::size_t at = list.find(key);
  return at == std::string::npos ? "" : list.substr(at + key.size(), list.find('\n', at + 1) - at - key.size());
}

TEST_P(Provenances, NameTheVersionsThatArePinned) {
  for (const Golden& golden : goldens()) {
    const auto& runtime = golden.provenance.runtime;
    EXPECT_EQ(golden.provenance.library, "optax") << golden.id;
    ASSERT_EQ(runtime.size(), 5U) << golden.id;
    EXPECT_EQ(runtime.at("optax"), GetParam()) << golden.id;
    for (const char* program : {"optax", "jax", "jaxlib", "numpy"}) {
      EXPECT_NE(runtime.at(program), "") << golden.id;
      EXPECT_EQ(runtime.at(program), pinned(GetParam(), runtime.at("python"), program)) << golden.id << " " << program;
    }
  }
}

std::set<Dtype> dtypes_in(const Golden& golden) {
  std::set<Dtype> found;
  for (const auto& [role, plan] : golden.plans)
    for (const Layout* layout : {&plan.params.layout(), plan.gradient_layout.get()})
      for (const Leaf& leaf : layout->leaves()) found.insert(leaf.dtype);
  for (const auto& [role, trace] : golden.traces)
    for (const Column& column : trace.schema().columns()) found.insert(column.dtype);
  return found;
}

TEST_P(Provenances, DeclareEveryDtypeOfPlansAndTracesOnce) {
  std::set<Dtype> met;
  for (const Golden& golden : goldens()) {
    const auto& listed = golden.provenance.dtypes;
    const std::set<Dtype> declared(listed.begin(), listed.end()), used = dtypes_in(golden);
    EXPECT_EQ(declared.size(), listed.size()) << golden.id;
    EXPECT_TRUE(std::ranges::includes(declared, used)) << golden.id;
    met.insert(used.begin(), used.end());
  }
  EXPECT_TRUE(std::ranges::includes(met, std::set{Dtype::float64, Dtype::float32, Dtype::bfloat16}));
}

// The facts by which a plan's balls are made are those of the port that ran it, and none is left open.
TEST_P(Provenances, DeclareTheFactsOfThePlans) {
  for (const Golden& golden : goldens()) {
    const Provenance& provenance = golden.provenance;
    EXPECT_NE(provenance.hyper_precision, HyperPrecision::undeclared) << golden.id;
    for (const auto& [role, plan] : golden.plans) {
      EXPECT_EQ(plan.hyper_precision, provenance.hyper_precision) << golden.id;
      EXPECT_EQ(plan.flushes_subnormals, provenance.flushes_subnormals) << golden.id;
    }
  }
}

// Decoded values have defaults; what stands in the file has none.
TEST_P(Provenances, StandInTheFileItself) {
  const std::set<std::string> machines = {"x86_64", "aarch64"};
  for (const Golden& golden : goldens()) {
    const std::string path = golden_folder(GetParam()).path + "/" + file_name_of(golden.id);
    const Document said = Document::parse(read_file(path), path).at("provenance");
    EXPECT_EQ(said.at("library").text(), "optax") << golden.id;
    EXPECT_TRUE(said.at("flushes_subnormals").is(Document::Kind::truth)) << golden.id;
    EXPECT_NE(said.at("hyper_precision").text(), "") << golden.id;
    EXPECT_GT(said.at("dtypes").size(), 0U) << golden.id;
    EXPECT_TRUE(machines.contains(said.at("machine").text())) << golden.id;
  }
}

}  // namespace
}  // namespace microstep
