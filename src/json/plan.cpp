#include "microstep/json/plan.hpp"

#include <fmt/format.h>

#include <charconv>

#include "leaf.hpp"
#include "microstep/data/error.hpp"
#include "texts.hpp"
#include "tree.hpp"

namespace microstep {
namespace {

using Form = JsonWriter::Form;
using Kind = Document::Kind;

constexpr std::string_view plan_keys[] = {
    "schema",       "spec",     "problem",       "params",          "gradient_dtypes",    "given",
    "batches",      "loss",     "interruptions", "hyper_precision", "flushes_subnormals", "true_division",
    "running_mean", "training", "seed",          "switches"};

void write_gradient_dtypes(JsonWriter& out, const Plan& plan) {
  if (*plan.gradient_layout == plan.params.layout()) return;
  out.key("gradient_dtypes").open_object(Form::line);
  for (std::size_t i = 0; i < plan.params.leaf_count(); ++i) {
    const Leaf& leaf = plan.gradient_layout->leaves()[i];
    if (leaf.dtype != plan.params.leaf(i).dtype) out.key(leaf.name).text(to_string(leaf.dtype));
  }
  out.close();
}

void write_given(JsonWriter& out, const Plan& plan) {
  out.key("given").open_array();
  for (const GivenGradient& given : plan.given) {
    out.open_object(Form::line).key("weight").number(given.weight).key("gradients").open_object();
    write_values(out, given.gradient);
    out.close().close();
  }
  out.close();
}

void write_integers(JsonWriter& out, const std::vector<std::int64_t>& values) {
  out.open_array(Form::line);
  for (std::int64_t value : values) out.integer(value);
  out.close();
}

std::vector<std::int64_t> read_integers(const Document& list) {
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < list.expect(Kind::list).size(); ++i) values.push_back(list.element(i).integer());
  return values;
}

std::vector<std::int64_t> read_batch(const Document& batch) {
  if (!batch.is(Kind::list))
    batch.refuse("json.wrong-type", "a microbatch is a list of examples, here it is none",
                 "write a list a microstep, as in [[0], [1]]");
  return read_integers(batch);
}

Spec read_spec(const Document& text, OpKind kind) {
  try {
    return parse_spec(text.text(), kind);
  } catch (const Error& error) {
    throw Error(error.id(), error.message(), text.place() + '\n' + error.place(), error.next());
  }
}

LayoutPointer read_gradient_layout(const Document& dtypes, const LayoutPointer& params) {
  std::vector<Leaf> leaves = params->leaves();
  check_leaf_names(dtypes, *params);
  for (Leaf& leaf : leaves)
    if (std::optional<Document> dtype = dtypes.find(leaf.name)) leaf.dtype = read_dtype(*dtype);
  return make_layout(std::move(leaves));
}

GivenGradient read_given(const Document& document, const LayoutPointer& layout) {
  static constexpr std::string_view keys[] = {"weight", "gradients"};
  document.expect_only(keys);
  GivenGradient given;
  if (std::optional<Document> weight = document.find("weight")) given.weight = weight->number();
  given.gradient = read_values(document.at("gradients"), layout);
  return given;
}

Loss read_loss(const Document& name) {
  if (name.text() == "mean") return Loss::mean;
  if (name.text() == "sum") return Loss::sum;
  name.refuse("json.wrong-value", "the loss \"" + name.text() + "\" is unknown", "known are mean, sum");
}

std::uint64_t read_seed(const Document& seed) {
  std::string digits = seed.is(Kind::text) ? seed.text() : fmt::to_string(seed.integer());
  std::uint64_t value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size())
    seed.refuse("json.integer-range", "\"" + digits + "\" is no seed", "0 to 2^64-1, as digits in a string");
  return value;
}

void read_switches(const Document& document, Plan& plan) {
  if (auto loss = document.find("loss")) plan.loss = read_loss(*loss);
  if (auto list = document.find("interruptions")) plan.interruptions = read_integers(*list);
  if (auto name = document.find("hyper_precision")) plan.hyper_precision = read_hyper_precision(*name);
  if (auto flag = document.find("flushes_subnormals")) plan.flushes_subnormals = flag->truth();
  if (auto flag = document.find("true_division")) plan.true_division = flag->truth();
  if (auto flag = document.find("running_mean")) plan.running_mean = flag->truth();
  if (auto flag = document.find("training")) plan.training = flag->truth();
  if (auto seed = document.find("seed")) plan.seed = read_seed(*seed);
  if (auto switches = document.find("switches")) plan.switches = read_text_map(*switches);
}

void read_run(const Document& document, Plan& plan) {
  if (auto given = document.find("given"))
    for (std::size_t i = 0; i < given->expect(Kind::list).size(); ++i)
      plan.given.push_back(read_given(given->element(i), plan.gradient_layout));
  Document batches = document.at("batches");
  for (std::size_t i = 0; i < batches.expect(Kind::list).size(); ++i)
    plan.batches.push_back(read_batch(batches.element(i)));
}

void check_at(const Document& document, const Plan& plan) {
  try {
    check(plan);
  } catch (const Error& error) {
    throw Error(error.id(), error.message(), document.place() + error.place(), error.next());
  }
}

}  // namespace

void write_plan(JsonWriter& out, const Plan& plan) {
  out.open_object().key("schema").text("microstep/plan/1");
  out.key("spec").text(to_string(plan.spec)).key("problem").text(to_string(plan.problem));
  out.key("params").open_object();
  write_whole(out, plan.params);
  out.close();
  write_gradient_dtypes(out, plan);
  write_given(out, plan);
  out.key("batches").open_array(Form::line);
  for (const auto& batch : plan.batches) write_integers(out, batch);
  out.close().key("loss").text(plan.loss == Loss::mean ? "mean" : "sum");
  write_integers(out.key("interruptions"), plan.interruptions);
  out.key("hyper_precision").text(to_string(plan.hyper_precision));
  out.key("flushes_subnormals").truth(plan.flushes_subnormals).key("true_division").truth(plan.true_division);
  if (!plan.running_mean) out.key("running_mean").truth(false);
  out.key("training").truth(plan.training);
  out.key("seed").text(fmt::to_string(plan.seed));
  if (!plan.switches.empty()) write_texts(out.key("switches"), plan.switches);
  out.close();
}

Plan read_plan(const Document& document) {
  check_schema(document, "plan");
  document.expect_only(plan_keys);
  Plan plan;
  plan.spec = read_spec(document.at("spec"), OpKind::transformation);
  auto problem = document.find("problem");
  plan.problem = problem ? read_spec(*problem, OpKind::problem) : parse_spec("replay", OpKind::problem);
  plan.params = read_whole(document.at("params"));
  auto dtypes = document.find("gradient_dtypes");
  const LayoutPointer& layout = plan.params.layout_pointer();
  plan.gradient_layout = dtypes ? read_gradient_layout(*dtypes, layout) : layout;
  read_switches(document, plan);
  read_run(document, plan);
  check_at(document, plan);
  return plan;
}

std::string encode_plan(const Plan& plan) {
  JsonWriter out;
  write_plan(out, plan);
  return out.finish();
}

Plan decode_plan(std::string_view text, const std::string& source) { return read_plan(Document::parse(text, source)); }

}  // namespace microstep
