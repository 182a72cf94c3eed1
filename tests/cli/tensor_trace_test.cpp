// Traces whose numbers stand in safetensors files beside them.
#include "cli/tensor_trace.hpp"

#include <filesystem>

namespace microstep::cli_test {
namespace {

std::vector<Tensor> without(const std::string& name) {
  std::vector<Tensor> tensors = two_steps();
  std::erase_if(tensors, [&](const Tensor& tensor) { return tensor.name.starts_with(name); });
  return tensors;
}

std::vector<Tensor> with(const Tensor& tensor) {
  std::vector<Tensor> tensors = two_steps();
  tensors.push_back(tensor);
  return tensors;
}

TEST(TensorTrace, IsFaithfulOrNotByItsTensors) {
  const Folder folder;
  const Result right = judged(folder, tensor_file(two_steps()));
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  EXPECT_TRUE(right.says("FAITHFUL: every one of 8 numbers")) << right.out;
  std::vector<Tensor> wrong = two_steps();
  wrong[6].values[1] = -4.5;
  const Result judgement = judged(folder, tensor_file(wrong));
  EXPECT_EQ(judgement.code, 1) << judgement.err;
  EXPECT_TRUE(judgement.says("microstep 2, params/w[1]: -4.5 (0xc0900000) where -4.25")) << judgement.out;
}

TEST(TensorTrace, SaysTheSameAsItsNumbersInTheText) {
  const Folder folder;
  const std::string text =
      R"x({"schema":"microstep/trace/1","spec":"sgd(0.5)","initial":{"params":{"w":{"dtype":"float32","values":[1,-2]}}},)x"
      R"("steps":[{"gradients":{"w":[2,4]},"updates":{"w":[-1,-2]},"params":{"w":[0,-4]}},)"
      R"({"gradients":{"w":[1,0.5]},"updates":{"w":[-0.5,-0.25]},"params":{"w":[-0.5,-4.25]}}]})";
  EXPECT_EQ(microstep({"judge", folder.write("text.json", text)}).out, judged(folder, tensor_file(two_steps())).out);
}

// One part of the numbers in the text, the others in two files.
TEST(TensorTrace, MixesTextAndFiles) {
  const Folder folder;
  std::vector<Tensor> first = without("steps/1"), second = without("steps/0");
  std::erase_if(first, [](const Tensor& tensor) { return tensor.name == "initial/params/w"; });
  std::erase_if(second, [](const Tensor& tensor) { return tensor.name == "initial/params/w"; });
  folder.write("second.safetensors", tensor_file(second));
  std::string text = replaced(two_steps_text, R"("run.safetensors")", R"(["run.safetensors","second.safetensors"])");
  text = replaced(text, R"("initial":{})", R"("initial":{"params":{"w":{"dtype":"float32","values":[1,-2]}}})");
  const Result result = judged(folder, tensor_file(first), text);
  EXPECT_EQ(result.code, 0) << result.out << result.err;
}

// Momentum, in a chain's second link, whose first has no state.
TEST(TensorTrace, HasStateWhereItsPathLeads) {
  const Folder folder;
  std::vector<Tensor> tensors = {{"initial/params/w", {1}},    {"initial/state/of[1]/trace/w", {0}},
                                 {"steps/0/gradients/w", {2}}, {"steps/0/updates/w", {4}},
                                 {"steps/0/params/w", {5}},    {"steps/0/state/of[1]/trace/w", {4}}};
  const std::string text = replaced(replaced(two_steps_text, "sgd(0.5)", "chain(scale(2), trace(0.5))"), "{},{}", "{}");
  const Result right = judged(folder, tensor_file(tensors), text);
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  tensors[5].values[0] = 2;
  const Result wrong = judged(folder, tensor_file(tensors), text);
  EXPECT_TRUE(wrong.says("microstep 1, state/of[1]/trace/w[0]: 2 (0x40000000) where 4")) << wrong.out << wrong.err;
}

TEST(TensorTrace, LacksALeafOrItsDtypeAsTheTextWould) {
  const Folder folder;
  const Result lacks = judged(folder, tensor_file(without("steps/1/params/w")));
  EXPECT_EQ(lacks.code, 1) << lacks.err;
  EXPECT_TRUE(lacks.says("form.keys is broken: params/w (run accumulated, microstep 2): missing")) << lacks.out;
  std::vector<Tensor> other = two_steps();
  other[6].dtype = "BF16";
  const Result narrower = judged(folder, tensor_file(other));
  EXPECT_EQ(narrower.code, 1) << narrower.err;
  EXPECT_TRUE(narrower.says("form.dtype is broken")) << narrower.out;
  EXPECT_TRUE(narrower.says("params/w (run accumulated, microstep 2): bfloat16 where float32 is due")) << narrower.out;
}

TEST(TensorTrace, WithoutTheTensorsOfAStepIsRefused) {
  const Folder folder;
  const Result skipped = judged(folder, tensor_file(without("steps/0")));
  EXPECT_TRUE(refuses(skipped, 3, "json.no-gradients")) << skipped.err;
  EXPECT_TRUE(skipped.warns("run.json#/steps/0\n")) << skipped.err;
  const Result nothing = judged(folder, tensor_file(without("initial")));
  EXPECT_TRUE(refuses(nothing, 3, "json.missing-key")) << nothing.err;
}

struct Misnamed {
  std::string name, why;
};
void PrintTo(const Misnamed& misnamed, std::ostream* out) { *out << misnamed.name; }

class Unnamed : public testing::TestWithParam<Misnamed> {};
INSTANTIATE_TEST_SUITE_P(
    TensorTrace, Unnamed,
    testing::Values(Misnamed{"w", "no path"}, Misnamed{"steps/2/params/w", "the trace has 2 steps, from 0"},
                    Misnamed{"steps/-1/params/w", "no path"}, Misnamed{"steps/00/params/w", "no path"},
                    Misnamed{"steps/99999999999999999999/params/w", "no path"}, Misnamed{"steps/1/param/w", "no path"},
                    Misnamed{"steps/1/params", "no path"}, Misnamed{"steps/1/params/", "no path"},
                    Misnamed{"initial/gradients/w", "no path"},
                    Misnamed{"steps/1/state/count", "counts stand in the text"},
                    Misnamed{"steps/1/state/of[999999999]/mu/w", "no path"},
                    Misnamed{"steps/1/state/of[0/mu/w", "no path"}, Misnamed{"schema/params/w", "no path"}));

TEST_P(Unnamed, TensorIsRefusedByFileAndName) {
  const Folder folder;
  const Result result = judged(folder, tensor_file(with({GetParam().name, {1, 2}})));
  EXPECT_TRUE(refuses(result, 3, "trace.unknown-tensor")) << result.err;
  EXPECT_TRUE(result.warns(GetParam().why)) << result.err;
  EXPECT_TRUE(result.warns("run.safetensors#/" + GetParam().name + "\n")) << result.err;
}

TEST(TensorTrace, RefusesALeafThatStandsTwice) {
  const Folder folder;
  const std::string text = replaced(two_steps_text, "{},{}", R"({"params":{"w":[0,-4]}},{})");
  const Result beside = judged(folder, tensor_file(two_steps()), text);
  EXPECT_TRUE(refuses(beside, 3, "trace.duplicate-leaf")) << beside.err;
  EXPECT_TRUE(beside.warns("run.safetensors#/steps/0/params/w")) << beside.err;
  const std::string twice =
      replaced(two_steps_text, R"("run.safetensors")", R"(["run.safetensors","run.safetensors"])");
  EXPECT_TRUE(refuses(judged(folder, tensor_file(two_steps()), twice), 3, "trace.duplicate-leaf"));
}

TEST(TensorTrace, RefusesFilesThatAreNotBesideIt) {
  const Folder folder;
  for (const std::string name : {"/run.safetensors", "../run.safetensors", "a/../../run.safetensors", ""}) {
    const std::string text = replaced(two_steps_text, R"("run.safetensors")", "\"" + name + "\"");
    EXPECT_TRUE(refuses(judged(folder, tensor_file(two_steps()), text), 3, "trace.outside")) << name;
  }
  std::filesystem::create_symlink(folder.file("run.safetensors"), folder.file("link"));
  const auto named = [&](const std::string& name) {
    return judged(folder, tensor_file(two_steps()), replaced(two_steps_text, R"("run.safetensors")", name));
  };
  EXPECT_TRUE(refuses(named(R"("link")"), 3, "file.is-link"));
  EXPECT_TRUE(refuses(named(R"("none")"), 3, "file.not-found"));
  EXPECT_TRUE(refuses(named(R"(".")"), 3, "file.is-folder"));
  EXPECT_TRUE(refuses(named("7"), 3, "json.wrong-type"));
}

TEST(TensorTrace, RefusesMoreAxesThanALeafHas) {
  const Folder folder;
  const std::string header = R"({"initial/params/w":{"dtype":"F32","shape":[1,1,1,1,1],"data_offsets":[0,4]}})";
  const Result result = judged(folder, tensor_file(header, std::string(4, '\0')));
  EXPECT_TRUE(refuses(result, 3, "trace.tensor-rank")) << result.err;
}

}  // namespace
}  // namespace microstep::cli_test
