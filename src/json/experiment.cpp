#include "microstep/json/plan.hpp"
#include "tree.hpp"

namespace microstep {
namespace {

using Kind = Document::Kind;

constexpr std::string_view state_keys[] = {"op", "counts", "slots", "of"};

void write_state(JsonWriter& out, const State<double>& state) {
  out.open_object().key("op").text(state.op).key("counts").open_object(JsonWriter::Form::line);
  for (const auto& [name, count] : state.counts) out.key(name).integer(count);
  out.close().key("slots").open_object();
  for (const auto& [name, tree] : state.slots) {
    out.key(name).open_object();
    write_whole(out, tree, Zeros::kept);
    out.close();
  }
  out.close().key("of").open_array();
  for (const State<double>& inner : state.of) write_state(out, inner);
  out.close().close();
}

State<double> read_state(const Document& document) {
  document.expect_only(state_keys);
  State<double> state;
  state.op = document.at("op").text();
  Document counts = document.at("counts"), slots = document.at("slots"), of = document.at("of");
  for (std::size_t i = 0; i < counts.expect(Kind::object).size(); ++i)
    state.counts.emplace_back(counts.key(i), counts.element(i).integer());
  for (std::size_t i = 0; i < slots.expect(Kind::object).size(); ++i)
    state.slots.emplace_back(slots.key(i), read_whole(slots.element(i), Zeros::kept));
  for (std::size_t i = 0; i < of.expect(Kind::list).size(); ++i) state.of.push_back(read_state(of.element(i)));
  return state;
}

}  // namespace

std::string encode_state(const State<double>& state) {
  JsonWriter out(JsonWriter::Form::line);
  write_state(out, state);
  return out.finish();
}

State<double> decode_state(std::string_view text) { return read_state(Document::parse(text, "state")); }

void write_plans(JsonWriter& out, const std::map<Role, Plan>& plans) {
  out.open_object();
  for (const auto& [role, plan] : plans) write_plan(out.key(to_string(role)), plan);
  out.close();
}

std::map<Role, Plan> read_plans(const Document& object) {
  std::map<Role, Plan> plans;
  for (std::size_t i = 0; i < object.expect(Kind::object).size(); ++i) {
    std::optional<Role> role = role_from_name(object.key(i));
    if (!role)
      object.element(i).refuse("json.unknown-role", "the role \"" + object.key(i) + "\" is unknown",
                               "accumulated, reference, interrupted, permuted, single or clean");
    plans.emplace(*role, read_plan(object.element(i)));
  }
  return plans;
}

std::string encode_experiment(const Experiment& experiment) {
  JsonWriter out;
  out.open_object().key("schema").text("microstep/experiment/1").key("id").text(experiment.id);
  write_plans(out.key("plans"), experiment.plans);
  out.close();
  return out.finish();
}

Experiment decode_experiment(std::string_view text, const std::string& source) {
  Document document = Document::parse(text, source);
  check_schema(document, "experiment");
  return {document.at("id").text(), read_plans(document.at("plans"))};
}

}  // namespace microstep
