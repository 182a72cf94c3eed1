#pragma once
// The messages between the tool and a port (docs/protocol.md): both sides, each message one line without its newline.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "microstep/data/trace.hpp"
#include "microstep/data/plan.hpp"
#include "microstep/json/document.hpp"

namespace microstep {

inline constexpr int protocol_version = 1;

/// What a port says of itself in its answer to `start`.
struct PortFacts {
  std::int64_t version = protocol_version;
  std::string name;
  std::map<std::string, std::string> runtime;
  std::vector<std::string> specs;
  std::vector<Dtype> dtypes;
  std::vector<std::string> problems = {"replay"};
  HyperPrecision hyper_precision = HyperPrecision::undeclared;
  bool flushes_subnormals = false;
  bool true_division = false;
  bool running_mean = false;
  /// Models that it can `forward`; none: it knows no such request.
  std::vector<std::string> models = {};
  /// Names of the switches that `forward` takes, and their values as they are written.
  std::map<std::string, std::string> switches = {};
};

std::string encode_start_request(std::int64_t seq);
std::string encode_run_request(std::int64_t seq, const Plan& plan);
std::string encode_forward_request(std::int64_t seq, const Forward& forward);
std::string encode_stop_request(std::int64_t seq);

/// A line that a port wrote. Throws json.*; unknown keys are ignored.
Document parse_answer(std::string_view line);
Document parse_request(std::string_view line);
std::int64_t seq_of(const Document& answer);
/// Throws json.missing-key, json.unknown-dtype and the like with the place in the answer.
PortFacts read_port_facts(const Document& answer);
/// trace, skipped or errored. Throws json.wrong-answer unless it is exactly one of them.
Answer read_answer(const Document& answer, const Plan& plan);
/// outputs, skipped or errored. Throws json.wrong-answer unless it is exactly one of them, json.shape-mismatch and
/// json.dtype-mismatch where the outputs are not those of the model at this batch.
ForwardAnswer read_forward_answer(const Document& answer, const Forward& forward, const Shape& due);
/// How many keys of the answer mean nothing to us.
std::size_t unknown_keys(const Document& answer);

/// The other side, for a port of our own.
struct Request {
  enum class Kind { start, run, forward, stop };
  Kind kind = Kind::start;
  std::int64_t seq = 0;
  std::int64_t version = protocol_version;
  std::optional<Plan> plan = {};
  std::optional<Forward> forward = {};
};
/// Throws json.unknown-request besides what read_plan throws.
Request read_request(const Document& line);
std::string encode_start_answer(std::int64_t seq, const PortFacts& facts);
std::string encode_answer(std::int64_t seq, const Answer& answer);
std::string encode_forward_answer(std::int64_t seq, const ForwardAnswer& answer);
std::string encode_stop_answer(std::int64_t seq);

}  // namespace microstep
