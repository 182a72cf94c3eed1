#include "forward.hpp"

#include "leaf.hpp"
#include "microstep/data/error.hpp"
#include "texts.hpp"
#include "tree.hpp"

namespace microstep {
namespace {

void write_tensor(JsonWriter& out, const Tensor& tensor) {
  write_leaf(out, tensor.dtype, tensor.shape, tensor.values, {.dtype = true, .shape = true});
}

Tensor read_tensor(const Document& leaf) {
  ReadLeaf read = read_leaf(leaf, {});
  return {read.dtype, std::move(read.shape), std::move(read.values)};
}

Spec read_model(const Document& text) {
  try {
    return parse_spec(text.text(), OpKind::model);
  } catch (const Error& error) {
    throw Error(error.id(), error.message(), text.place() + '\n' + error.place(), error.next());
  }
}

}  // namespace

void write_forward(JsonWriter& out, const Forward& forward) {
  out.key("model").text(to_string(forward.model)).key("params").open_object();
  write_whole(out, forward.params);
  out.close();
  write_tensor(out.key("inputs"), forward.inputs);
  write_texts(out.key("switches"), forward.switches);
}

Forward read_forward(const Document& request) {
  static constexpr std::string_view keys[] = {"seq", "request", "model", "params", "inputs", "switches"};
  request.expect_only(keys);
  Forward forward;
  forward.model = read_model(request.at("model"));
  forward.params = read_whole(request.at("params"));
  forward.inputs = read_tensor(request.at("inputs"));
  if (auto switches = request.find("switches")) forward.switches = read_text_map(*switches);
  return forward;
}

void write_outputs(JsonWriter& out, const Outputs& outputs) {
  write_tensor(out.key("outputs"), outputs.outputs);
  if (!outputs.kernels.empty()) write_texts(out.key("kernels"), outputs.kernels);
}

Outputs read_outputs(const Document& answer, Dtype dtype, const Shape& due) {
  const Document leaf = answer.at("outputs");
  Outputs outputs{read_tensor(leaf)};
  if (outputs.outputs.shape != due)
    leaf.refuse("json.shape-mismatch", "the shape " + to_string(outputs.outputs.shape) + " for " + to_string(due),
                "answer one row an example, in the order of the inputs");
  if (outputs.outputs.dtype != dtype)
    leaf.refuse("json.dtype-mismatch",
                std::string(to_string(outputs.outputs.dtype)) + " for " + std::string(to_string(dtype)),
                "answer in the dtype of the inputs");
  if (auto kernels = answer.find("kernels")) outputs.kernels = read_text_map(*kernels);
  return outputs;
}

}  // namespace microstep
