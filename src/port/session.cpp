#include "microstep/port/session.hpp"

#include <fmt/format.h>

#include "microstep/data/error.hpp"

namespace microstep {
namespace {

constexpr int most_failures_in_a_row = 3;

std::string with_stderr(const PortTrouble& trouble) {
  return trouble.detail.empty() ? trouble.message
                                : trouble.message + "\n  the port's stderr ends with:\n" + trouble.detail;
}

[[noreturn]] void unusable(const PortTrouble& trouble, const std::vector<std::string>& argv) {
  throw Error(trouble.id, with_stderr(trouble), argv.empty() ? "" : argv[0]);
}

bool is_supported(const PortFacts& facts, const Plan& plan, std::string& reason) {
  auto lacks = [&](const auto& list, const auto& item) {
    return std::find(list.begin(), list.end(), item) == list.end();
  };
  for (const auto* layout : {&plan.params.layout(), plan.gradient_layout.get()})
    for (const Leaf& leaf : layout->leaves())
      if (lacks(facts.dtypes, leaf.dtype)) reason = fmt::format("the port does not claim {}", to_string(leaf.dtype));
  if (lacks(facts.problems, plan.problem.op))
    reason = fmt::format("the port does not claim the problem {}", plan.problem.op);
  return reason.empty();
}

}  // namespace

PortSession::PortSession(std::vector<std::string> argv, ProcessOptions options)
    : argv_(std::move(argv)), options_(std::move(options)), process_(argv_, options_) {
  start();
}

void PortSession::start() {
  auto received = process_.ask(encode_start_request(++seq_));
  if (auto* trouble = std::get_if<PortTrouble>(&received)) unusable(*trouble, argv_);
  try {
    const Document answer = parse_answer(std::get<std::string>(received));
    if (seq_of(answer) != seq_)
      unusable({"port.seq-mismatch", fmt::format("seq {} came where {} was due", seq_of(answer), seq_), ""}, argv_);
    facts_ = read_port_facts(answer);
  } catch (const Error& error) {
    if (error.id().starts_with("port.")) throw;
    unusable({"port.bad-handshake", error.what(), process_.stderr_tail()}, argv_);
  }
  if (facts_.version != protocol_version)
    unusable({"port.version-mismatch", fmt::format("port {}, tool {}", facts_.version, protocol_version), ""}, argv_);
  needs_restart_ = false;
}

Answer PortSession::run(const Plan& plan) {
  if (failures_in_a_row_ >= most_failures_in_a_row)
    return Errored{"port.not-run", fmt::format("the port failed {} times in a row", most_failures_in_a_row)};
  if (std::string reason; !is_supported(facts_, plan, reason)) return Skipped{reason};
  try {
    if (needs_restart_) {
      process_ = Process(argv_, options_);
      start();
    }
    Answer answer = ask(plan);
    if (!std::holds_alternative<Errored>(answer)) failures_in_a_row_ = 0;
    return answer;
  } catch (const Error& error) {
    return failed(error.id(), error.what());
  }
}

Answer PortSession::ask(const Plan& plan) {
  if (process_.line_waiting()) return failed("port.unsolicited-line", "the port wrote a line that nobody asked for");
  auto received = process_.ask(encode_run_request(++seq_, plan));
  if (auto* trouble = std::get_if<PortTrouble>(&received)) return failed(trouble->id, with_stderr(*trouble));
  const Document answer = parse_answer(std::get<std::string>(received));
  if (seq_of(answer) != seq_)
    return failed("port.seq-mismatch", fmt::format("seq {} came where {} was due", seq_of(answer), seq_));
  return read_answer(answer, plan);
}

Answer PortSession::failed(const std::string& id, const std::string& message) {
  ++failures_in_a_row_;
  needs_restart_ = true;
  process_.stop();
  return Errored{id, message};
}

Producer PortSession::producer() {
  return [this](const Plan& plan) { return run(plan); };
}

}  // namespace microstep
