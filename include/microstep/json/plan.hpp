#pragma once
// Plans and experiments as JSON (docs/protocol.md). Encoding the same plan gives the same bytes; every bit of every
// number survives.
#include <string>

#include "microstep/data/plan.hpp"
#include "microstep/data/state.hpp"
#include "microstep/json/document.hpp"
#include "microstep/json/writer.hpp"

namespace microstep {

void write_plan(JsonWriter& out, const Plan& plan);
/// Throws json.* where the text is no plan (an unknown key is refused), spec.* and plan.* where the plan is wrong;
/// every place is a JSON pointer.
Plan read_plan(const Document& document);
/// One line a leaf and a given gradient.
std::string encode_plan(const Plan& plan);
Plan decode_plan(std::string_view text, const std::string& source = {});

/// {"schema":"microstep/experiment/1","id":..,"plans":{role: plan}}
std::string encode_experiment(const Experiment& experiment);
Experiment decode_experiment(std::string_view text, const std::string& source = {});
void write_plans(JsonWriter& out, const std::map<Role, Plan>& plans);
std::map<Role, Plan> read_plans(const Document& object);

/// A state through bytes, for an interruption: dtypes, shapes, zero and absent leaves are kept.
std::string encode_state(const State<double>& state);
State<double> decode_state(std::string_view text);

/// "undeclared", "leaf", "float32", "float64".
std::string_view to_string(HyperPrecision precision);
HyperPrecision read_hyper_precision(const Document& name);

/// Refuses any schema but `microstep/NAME/1`: json.newer-schema, json.wrong-schema.
void check_schema(const Document& document, std::string_view name);

}  // namespace microstep
