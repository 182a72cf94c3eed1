#include "microstep/trial/serve.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "microstep/json/protocol.hpp"
#include "microstep/kernels/switches.hpp"
#include "microstep/train/forward.hpp"
#include "microstep/trial/evidence.hpp"

namespace microstep {
namespace {

PortFacts own_facts() {
  PortFacts facts;
  facts.name = "microstep";
  facts.runtime.emplace("eigen", eigen_version());
  for (const OpRule& rule : op_table()) {
    if (rule.kind == OpKind::transformation) facts.specs.emplace_back(rule.name);
    if (rule.kind == OpKind::problem) facts.problems.emplace_back(rule.name);
    if (rule.kind == OpKind::model || rule.has_model) facts.models.emplace_back(rule.name);
  }
  for (const Switch& known : all_switches()) facts.switches.emplace(known.name, known.values);
  std::ranges::sort(facts.problems);
  facts.problems.erase(std::unique(facts.problems.begin(), facts.problems.end()), facts.problems.end());
  facts.dtypes.assign(all_dtypes().begin(), all_dtypes().end());
  facts.hyper_precision = HyperPrecision::float64;
  facts.true_division = true;
  facts.running_mean = true;
  return facts;
}

void check_version(const Document& document, const Request& request) {
  if (request.kind != Request::Kind::start || request.version == protocol_version) return;
  document.at("version").refuse("port.version-mismatch",
                                fmt::format("port {}, tool {}", protocol_version, request.version),
                                fmt::format("speak version {}, see docs/protocol.md", protocol_version));
}

std::string answer_to(const Request& request) {
  switch (request.kind) {
    case Request::Kind::start:
      return encode_start_answer(request.seq, own_facts());
    case Request::Kind::run:
      return encode_answer(request.seq, own_run(*request.plan));
    case Request::Kind::forward:
      return encode_forward_answer(request.seq, forward(*request.forward));
    default:
      return encode_stop_answer(request.seq);
  }
}

}  // namespace

Served serve_line(const std::string& line) {
  std::int64_t seq = 0;
  try {
    const Document document = parse_request(line);
    seq = seq_of(document);
    const Request request = read_request(document);
    check_version(document, request);
    return {answer_to(request), request.kind == Request::Kind::stop};
  } catch (const Error& error) {
    const std::size_t behind_id = error.id().size() + 2;
    return {encode_answer(seq, Errored{error.id(), std::string(error.what()).substr(behind_id)}), false};
  }
}

}  // namespace microstep
