#include "golden_id.hpp"
#include "microstep/data/error.hpp"
#include "microstep/golden/golden.hpp"
#include "microstep/json/plan.hpp"
#include "microstep/json/trace.hpp"

namespace microstep {
namespace {

using Form = JsonWriter::Form;

void write_texts(JsonWriter& out, const std::vector<std::string>& texts) {
  out.open_array(Form::line);
  for (const std::string& text : texts) out.text(text);
  out.close();
}

void write_provenance(JsonWriter& out, const Provenance& provenance) {
  out.open_object().key("library").text(provenance.library).key("runtime").open_object(Form::line);
  for (const auto& [name, version] : provenance.runtime) out.key(name).text(version);
  out.close();
  std::vector<std::string> dtypes;
  for (Dtype dtype : provenance.dtypes) dtypes.emplace_back(to_string(dtype));
  write_texts(out.key("dtypes"), dtypes);
  out.key("hyper_precision").text(to_string(provenance.hyper_precision));
  out.key("flushes_subnormals").truth(provenance.flushes_subnormals);
  out.key("machine").text(provenance.machine).close();
}

void write_expected(JsonWriter& out, const Expected& expected) {
  out.open_object().key("plans").text(to_string(expected.plans)).key("contracts").open_object();
  for (const auto& [id, outcome] : expected.contracts) out.key(id).text(to_string(outcome));
  out.close();
  write_texts(out.key("behaviours"), expected.behaviours);
  out.close();
}

}  // namespace

void check_golden_id(const std::string& id, const std::string& place) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789._-";
  if (id.empty() || id.starts_with('.') || id.size() > 200 || id.find_first_not_of(allowed) != std::string::npos)
    throw Error("golden.bad-id", "\"" + id.substr(0, 80) + "\" cannot name a file", place,
                "1 to 200 of a-z, 0-9, '.', '_', '-', not beginning with '.'");
}

std::string file_name_of(const std::string& golden_id) { return golden_id + ".json"; }

std::string encode_golden(const Golden& golden) {
  check_golden_id(golden.id, {});
  JsonWriter out;
  out.open_object().key("schema").text("microstep/golden/1").key("id").text(golden.id);
  out.key("why").text(golden.why).key("source").text(golden.source);
  write_texts(out.key("flags"), golden.flags);
  write_provenance(out.key("provenance"), golden.provenance);
  write_expected(out.key("expected"), golden.expected);
  write_plans(out.key("plans"), golden.plans);
  out.key("traces").open_object();
  for (const auto& [role, trace] : golden.traces) write_trace(out.key(to_string(role)), trace);
  out.close().close();
  return out.finish();
}

}  // namespace microstep
