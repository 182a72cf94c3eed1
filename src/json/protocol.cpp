#include "microstep/json/protocol.hpp"

#include <algorithm>

#include "forward.hpp"
#include "leaf.hpp"
#include "microstep/json/plan.hpp"
#include "microstep/json/trace.hpp"
#include "texts.hpp"

namespace microstep {
namespace {

using Kind = Document::Kind;

JsonWriter message(std::int64_t seq) {
  JsonWriter out(JsonWriter::Form::line);
  out.open_object().key("seq").integer(seq);
  return out;
}

JsonWriter request(std::int64_t seq, std::string_view name) {
  JsonWriter out = message(seq);
  out.key("request").text(name);
  return out;
}

std::string finished(JsonWriter& out) { return out.close().finish(); }

void write_texts(JsonWriter& out, const std::vector<std::string>& texts) {
  out.open_array();
  for (const std::string& text : texts) out.text(text);
  out.close();
}

std::vector<Dtype> read_dtypes(const Document& list) {
  std::vector<Dtype> dtypes;
  for (std::size_t i = 0; i < list.expect(Kind::list).size(); ++i) dtypes.push_back(read_dtype(list.element(i)));
  return dtypes;
}

struct AnswerWriter {
  JsonWriter& out;
  void operator()(const Trace& trace) const { write_trace(out.key("trace"), trace); }
  void operator()(const Outputs& outputs) const { write_outputs(out, outputs); }
  void operator()(const Skipped& skipped) const {
    out.key("skipped").open_object().key("reason").text(skipped.reason).close();
  }
  void operator()(const Errored& errored) const {
    out.key("errored").open_object();
    if (!errored.id.empty()) out.key("id").text(errored.id);
    out.key("message").text(errored.message).close();
  }
};

Errored read_errored(const Document& errored) {
  std::optional<Document> id = errored.expect(Kind::object).find("id");
  return {id ? id->text() : "port.error", errored.at("message").text()};
}

// The answer's result, or why there is none.
template <class A, class Read>
A one_of(const Document& answer, std::string_view result, const Read& read) {
  auto found = answer.expect(Kind::object).find(result), skipped = answer.find("skipped"),
       errored = answer.find("errored");
  if (found.has_value() + skipped.has_value() + errored.has_value() != 1)
    answer.refuse("json.wrong-answer", "an answer is one of " + std::string(result) + ", skipped, errored",
                  "answer with exactly one of them");
  if (skipped) return Skipped{skipped->at("reason").text()};
  if (errored) return read_errored(*errored);
  return read(*found);
}

}  // namespace

std::string encode_start_request(std::int64_t seq) {
  JsonWriter out = request(seq, "start");
  out.key("version").integer(protocol_version);
  return finished(out);
}

std::string encode_run_request(std::int64_t seq, const Plan& plan) {
  JsonWriter out = request(seq, "run");
  write_plan(out.key("plan"), plan);
  return finished(out);
}

std::string encode_forward_request(std::int64_t seq, const Forward& forward) {
  JsonWriter out = request(seq, "forward");
  write_forward(out, forward);
  return finished(out);
}

std::string encode_stop_request(std::int64_t seq) {
  JsonWriter out = request(seq, "stop");
  return finished(out);
}

Document parse_answer(std::string_view line) { return Document::parse(line, "answer"); }

Document parse_request(std::string_view line) { return Document::parse(line, "request"); }

std::int64_t seq_of(const Document& answer) { return answer.at("seq").integer(); }

PortFacts read_port_facts(const Document& answer) {
  PortFacts facts;
  facts.version = answer.at("version").integer();
  facts.name = answer.at("name").text();
  if (auto runtime = answer.find("runtime")) facts.runtime = read_text_map(*runtime);
  facts.specs = read_texts(answer.at("specs"));
  facts.dtypes = read_dtypes(answer.at("dtypes"));
  if (auto problems = answer.find("problems")) facts.problems = read_texts(*problems);
  if (auto precision = answer.find("hyper_precision")) facts.hyper_precision = read_hyper_precision(*precision);
  if (auto flushes = answer.find("flushes_subnormals")) facts.flushes_subnormals = flushes->truth();
  if (auto divides = answer.find("true_division")) facts.true_division = divides->truth();
  if (auto runs = answer.find("running_mean")) facts.running_mean = runs->truth();
  if (auto models = answer.find("models")) facts.models = read_texts(*models);
  if (auto switches = answer.find("switches")) facts.switches = read_text_map(*switches);
  return facts;
}

Answer read_answer(const Document& answer, const Plan& plan) {
  return one_of<Answer>(answer, "trace", [&](const Document& trace) { return read_trace(trace, &plan); });
}

ForwardAnswer read_forward_answer(const Document& answer, const Forward& forward, const Shape& due) {
  return one_of<ForwardAnswer>(answer, "outputs",
                               [&](const Document&) { return read_outputs(answer, forward.inputs.dtype, due); });
}

std::size_t unknown_keys(const Document& answer) {
  static constexpr std::string_view known[] = {
      "seq",           "trace",        "skipped", "errored",  "version",         "name",
      "runtime",       "specs",        "dtypes",  "problems", "hyper_precision", "flushes_subnormals",
      "true_division", "running_mean", "models",  "switches", "outputs",         "kernels"};
  std::size_t unknown = 0;
  for (std::size_t i = 0; i < answer.expect(Kind::object).size(); ++i)
    unknown += std::ranges::find(known, std::string_view(answer.key(i))) == std::end(known) ? 1 : 0;
  return unknown;
}

Request read_request(const Document& line) {
  Request request;
  request.seq = seq_of(line);
  Document name = line.at("request");
  if (name.text() == "start") {
    request.version = line.at("version").integer();
  } else if (name.text() == "run") {
    request.kind = Request::Kind::run;
    request.plan = read_plan(line.at("plan"));
  } else if (name.text() == "forward") {
    request.kind = Request::Kind::forward;
    request.forward = read_forward(line);
  } else if (name.text() == "stop") {
    request.kind = Request::Kind::stop;
  } else {
    name.refuse("json.unknown-request", "the request \"" + name.text() + "\" is unknown",
                "known are start, run, forward, stop");
  }
  return request;
}

std::string encode_start_answer(std::int64_t seq, const PortFacts& facts) {
  JsonWriter out = message(seq);
  out.key("version").integer(facts.version).key("name").text(facts.name).key("runtime").open_object();
  for (const auto& [name, version] : facts.runtime) out.key(name).text(version);
  write_texts(out.close().key("specs"), facts.specs);
  std::vector<std::string> dtypes;
  for (Dtype dtype : facts.dtypes) dtypes.emplace_back(to_string(dtype));
  write_texts(out.key("dtypes"), dtypes);
  write_texts(out.key("problems"), facts.problems);
  out.key("hyper_precision").text(to_string(facts.hyper_precision));
  out.key("flushes_subnormals").truth(facts.flushes_subnormals).key("true_division").truth(facts.true_division);
  out.key("running_mean").truth(facts.running_mean);
  if (!facts.models.empty()) write_texts(out.key("models"), facts.models);
  if (!facts.switches.empty()) write_texts(out.key("switches"), facts.switches);
  return finished(out);
}

std::string encode_answer(std::int64_t seq, const Answer& answer) {
  JsonWriter out = message(seq);
  std::visit(AnswerWriter{out}, answer);
  return finished(out);
}

std::string encode_forward_answer(std::int64_t seq, const ForwardAnswer& answer) {
  JsonWriter out = message(seq);
  std::visit(AnswerWriter{out}, answer);
  return finished(out);
}

std::string encode_stop_answer(std::int64_t seq) {
  JsonWriter out = message(seq);
  return finished(out);
}

}  // namespace microstep
