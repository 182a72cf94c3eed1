#include "golden_id.hpp"
#include "microstep/data/error.hpp"
#include "microstep/golden/file.hpp"
#include "microstep/golden/golden.hpp"
#include "microstep/json/plan.hpp"
#include "microstep/json/trace.hpp"
#include "microstep/judge/contract.hpp"

namespace microstep {
namespace {

using Kind = Document::Kind;

constexpr std::string_view golden_keys[] = {"schema",     "id",       "why",   "source", "flags",
                                            "provenance", "expected", "plans", "traces"};

std::vector<std::string> read_texts(const Document& list) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < list.expect(Kind::list).size(); ++i) texts.push_back(list.element(i).text());
  return texts;
}

Dtype read_dtype_name(const Document& name) {
  if (std::optional<Dtype> dtype = dtype_from_name(name.text())) return *dtype;
  name.refuse("json.unknown-dtype", "the dtype \"" + name.text() + "\" is unknown",
              "float64, float32, bfloat16 or float16");
}

Provenance read_provenance(const Document& document) {
  Provenance provenance;
  provenance.library = document.at("library").text();
  Document runtime = document.at("runtime"), dtypes = document.at("dtypes");
  for (std::size_t i = 0; i < runtime.expect(Kind::object).size(); ++i)
    provenance.runtime.emplace(runtime.key(i), runtime.element(i).text());
  for (std::size_t i = 0; i < dtypes.expect(Kind::list).size(); ++i)
    provenance.dtypes.push_back(read_dtype_name(dtypes.element(i)));
  provenance.hyper_precision = read_hyper_precision(document.at("hyper_precision"));
  provenance.flushes_subnormals = document.at("flushes_subnormals").truth();
  provenance.machine = document.at("machine").text();
  return provenance;
}

Sameness read_sameness(const Document& name) {
  for (Sameness each : {Sameness::same, Sameness::different, Sameness::undecidable})
    if (name.text() == to_string(each)) return each;
  name.refuse("json.wrong-value", "\"" + name.text() + "\" is no verdict on plans", "same, different or undecidable");
}

void check_contract(const Document& verdict, const std::string& id) {
  try {
    contract(id);
  } catch (const Error& error) {
    throw Error(error.id(), error.message(), verdict.place(), error.next());
  }
}

Expected read_expected(const Document& document) {
  Expected expected;
  expected.plans = read_sameness(document.at("plans"));
  Document contracts = document.at("contracts");
  for (std::size_t i = 0; i < contracts.expect(Kind::object).size(); ++i) {
    Document verdict = contracts.element(i);
    check_contract(verdict, contracts.key(i));
    std::optional<Outcome> outcome = outcome_from_name(verdict.text());
    if (!outcome)
      verdict.refuse("json.wrong-value", "\"" + verdict.text() + "\" is no verdict of a contract",
                     "holds, broken, not_applicable or undecidable");
    expected.contracts.emplace(contracts.key(i), *outcome);
  }
  expected.behaviours = read_texts(document.at("behaviours"));
  return expected;
}

std::map<Role, Trace> read_traces(const Document& document, const std::map<Role, Plan>& plans) {
  std::map<Role, Trace> traces;
  for (std::size_t i = 0; i < document.expect(Kind::object).size(); ++i) {
    Document one = document.element(i);
    std::optional<Role> role = role_from_name(document.key(i));
    if (!role || !plans.contains(*role))
      one.refuse("golden.no-plan", "there is no plan for the trace of \"" + document.key(i) + "\"",
                 "restore the file, or record it again");
    check_schema(one, "trace");
    traces.emplace(*role, read_trace(one, &plans.at(*role)));
  }
  return traces;
}

void check_golden_schema(const Document& document) {
  try {
    check_schema(document, "golden");
  } catch (const Error& error) {
    if (error.id() != "json.newer-schema") throw;
    throw Error("golden.newer-schema", error.message(), error.place(), error.next());
  }
}

Golden read_golden(const Document& document) {
  check_golden_schema(document);
  document.expect_only(golden_keys);
  Golden golden;
  golden.id = document.at("id").text();
  check_golden_id(golden.id, document.at("id").place());
  golden.why = document.at("why").text();
  golden.source = document.at("source").text();
  golden.flags = read_texts(document.at("flags"));
  golden.provenance = read_provenance(document.at("provenance"));
  golden.expected = read_expected(document.at("expected"));
  golden.plans = read_plans(document.at("plans"));
  golden.traces = read_traces(document.at("traces"), golden.plans);
  return golden;
}

}  // namespace

Golden decode_golden(std::string_view text, const std::string& source) {
  return in_file(source, [&] { return read_golden(Document::parse(text, source)); });
}

}  // namespace microstep
