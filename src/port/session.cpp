#include "microstep/port/session.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "microstep/data/error.hpp"

namespace microstep {
namespace {

constexpr int most_failures_in_a_row = 3;
constexpr std::string_view due_handshake =
    R"(due is {"seq":N,"version":1,"name":TEXT,"specs":[TEXT..],"dtypes":["float32"..]}, see docs/protocol.md)";

// Of an exit the message tells the last words already.
std::string with_stderr(const PortTrouble& trouble) {
  if (trouble.detail.empty() || trouble.message.find("stderr") != std::string::npos) return trouble.message;
  return trouble.message + "\n  the port's stderr ends with:\n" + trouble.detail;
}

// An Errored names its id on its own.
Errored told(const Error& error) {
  return {error.id(),
          fmt::format("{}\n  at {}\n  next: {}", error.message(), error.place(),
                      error.next().empty() ? "mend the port, and repeat this alone with --filter" : error.next())};
}

std::string request_of(std::int64_t seq, const Plan& plan) {
  return fmt::format("request {}, {} microsteps of {}", seq, plan.batches.size(), to_string(plan.spec));
}

[[noreturn]] void unusable(const PortTrouble& trouble, const std::vector<std::string>& argv,
                           std::string_view next = {}) {
  throw Error(trouble.id, with_stderr(trouble), argv.empty() ? "behind --" : argv[0],
              next.empty() ? trouble.next : std::string(next));
}

// One place, the answer's behind the port's, and one next step: all that is due.
[[noreturn]] void bad_handshake(const Error& error, const std::string& port, const std::string& last_words) {
  std::string why = error.id() + ": " + error.message();
  if (!error.next().empty()) why += " (" + error.next() + ")";
  throw Error("port.bad-handshake", with_stderr({"", why, last_words}), port + ", " + error.place(),
              std::string(due_handshake));
}

void check_version(std::int64_t version, const std::vector<std::string>& argv) {
  if (version == protocol_version) return;
  unusable({"port.version-mismatch", fmt::format("port {}, tool {}", version, protocol_version), ""}, argv,
           "bring the older of the two up to date");
}

std::string mismatch(std::int64_t got, std::int64_t due) {
  return fmt::format("seq {} came where {} was due", got, due);
}
constexpr std::string_view echo = "echo the seq of the request, once a request";

bool lacks(const auto& list, const auto& item) { return std::ranges::find(list, item) == list.end(); }

// The first op of the spec that the port does not claim, empty if there is none.
std::string unclaimed_op(const PortFacts& facts, const Spec& spec) {
  if (lacks(facts.specs, spec.op)) return spec.op;
  for (const Spec& inner : spec.of)
    if (std::string op = unclaimed_op(facts, inner); !op.empty()) return op;
  return {};
}

// Why the port cannot do the plan by its own word, empty if it can.
std::string unsupported(const PortFacts& facts, const Plan& plan) {
  if (lacks(facts.problems, plan.problem.op))
    return fmt::format("the port does not claim the problem {}", plan.problem.op);
  for (const auto* layout : {&plan.params.layout(), plan.gradient_layout.get()})
    for (const Leaf& leaf : layout->leaves())
      if (lacks(facts.dtypes, leaf.dtype)) return fmt::format("the port does not claim {}", to_string(leaf.dtype));
  const std::string op = unclaimed_op(facts, plan.spec);
  return op.empty() ? "" : fmt::format("the port does not claim {}", op);
}

std::string unsupported(const PortFacts& facts, const Forward& forward) {
  if (facts.models.empty()) return "the port does not claim forward";
  if (lacks(facts.models, forward.model.op))
    return fmt::format("the port does not claim the model {}", forward.model.op);
  if (lacks(facts.dtypes, forward.inputs.dtype))
    return fmt::format("the port does not claim {}", to_string(forward.inputs.dtype));
  return "";
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
    check_version(answer.at("version").integer(), argv_);
    if (seq_of(answer) != seq_) unusable({"port.seq-mismatch", mismatch(seq_of(answer), seq_), ""}, argv_, echo);
    facts_ = read_port_facts(answer);
    ignored_keys_ += unknown_keys(answer);
  } catch (const Error& error) {
    if (error.id().starts_with("port.")) throw;
    bad_handshake(error, argv_[0], process_.stderr_tail());
  }
  for (const std::string& warning : process_.warnings())
    if (lacks(warnings_, warning)) warnings_.push_back(warning);
  needs_restart_ = false;
}

template <class A, class Ask>
A PortSession::guarded(const Ask& ask) {
  if (failures_in_a_row_ >= most_failures_in_a_row)
    return Errored{"port.not-run",
                   fmt::format("the port failed {} times in a row\n  at {}\n  next: mend the first of them",
                               failures_in_a_row_, argv_[0])};
  try {
    if (needs_restart_) {
      process_ = Process(argv_, options_);
      start();
    }
    A answer = ask();
    failures_in_a_row_ = 0;
    return answer;
  } catch (const Error& error) {
    ++failures_in_a_row_;
    needs_restart_ = true;
    process_.stop();
    return told(error);
  }
}

// A line before the request cannot be about it, whatever its seq.
Document PortSession::ask(const std::string& request, const std::string& what) {
  if (process_.line_waiting())
    throw Error("port.unsolicited-line", "the port wrote a line that nobody asked for", what,
                "write one answer a request");
  auto received = process_.ask(request);
  if (auto* trouble = std::get_if<PortTrouble>(&received))
    throw Error(trouble->id, with_stderr(*trouble), what, trouble->next);
  const Document answer = parse_answer(std::get<std::string>(received));
  if (seq_of(answer) != seq_) throw Error("port.seq-mismatch", mismatch(seq_of(answer), seq_), what, std::string(echo));
  ignored_keys_ += unknown_keys(answer);
  return answer;
}

Answer PortSession::asked(const Plan& plan) {
  ++seq_;
  const std::string what = request_of(seq_, plan);
  Answer read = read_answer(ask(encode_run_request(seq_, plan), what), plan);
  const auto* trace = std::get_if<Trace>(&read);
  const std::size_t due = plan.batches.size();
  if (trace && trace->microsteps() != static_cast<std::int64_t>(due))
    throw Error("port.wrong-length",
                fmt::format("{} steps came where the plan has {} microsteps", trace->microsteps(), due), what,
                "write one entry a microstep");
  return read;
}

Answer PortSession::run(const Plan& plan) {
  if (std::string reason = unsupported(facts_, plan); !reason.empty()) return Skipped{reason};
  return guarded<Answer>([&] { return asked(plan); });
}

ForwardAnswer PortSession::forward(const Forward& forward, const Shape& due) {
  if (std::string reason = unsupported(facts_, forward); !reason.empty()) return Skipped{reason};
  return guarded<ForwardAnswer>([&] {
    ++seq_;
    const std::string what = fmt::format("request {}, forward of {}", seq_, to_string(forward.model));
    return read_forward_answer(ask(encode_forward_request(seq_, forward), what), forward, due);
  });
}

Producer PortSession::producer() {
  return [this](const Plan& plan) { return run(plan); };
}

PortExit PortSession::stop() {
  const bool in_order = !needs_restart_ && !process_.trouble();
  if (in_order) static_cast<void>(process_.send_line(encode_stop_request(++seq_)));
  PortExit exit = process_.stop();
  needs_restart_ = true;
  if (!in_order) return exit;
  if (exit.forced)
    warnings_.push_back("the port ignored stop and the end of its stdin; it was ended by force");
  else if (exit.code != 0 || !exit.signal.empty())
    warnings_.push_back(fmt::format("the port ended with {} at the stop", to_string(exit)));
  return exit;
}

}  // namespace microstep
