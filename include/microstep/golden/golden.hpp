#pragma once
// A kept experiment: plans, the traces that a library made of them, and what is expected of both. Schema
// microstep/golden/1; numbers survive bit for bit and the same golden gives the same bytes.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "microstep/data/plan.hpp"
#include "microstep/data/semantics.hpp"
#include "microstep/data/trace.hpp"
#include "microstep/judge/verdict.hpp"

namespace microstep {

/// Who recorded it and on what.
struct Provenance {
  std::string library;
  /// Library or program → version.
  std::map<std::string, std::string> runtime;
  std::vector<Dtype> dtypes;
  HyperPrecision hyper_precision = HyperPrecision::undeclared;
  bool flushes_subnormals = false;
  /// Architecture, such as x86_64.
  std::string machine;
};

/// behaviours: what the library does that the definition does not say, by name.
struct Expected {
  Sameness plans = Sameness::same;
  std::map<std::string, Outcome> contracts;
  std::vector<std::string> behaviours;
};

struct Golden {
  /// Also the file's name without `.json`: a-z, 0-9, '.', '_', '-'.
  std::string id;
  std::string why;
  std::string source;
  std::vector<std::string> flags;
  Provenance provenance;
  std::map<Role, Plan> plans;
  std::map<Role, Trace> traces;
  Expected expected;
};

/// Throws golden.bad-id.
std::string encode_golden(const Golden& golden);
/// Throws json.*, spec.*, plan.*, contract.unknown, golden.newer-schema, golden.bad-id, golden.no-plan (a trace whose
/// role has no plan).
Golden decode_golden(std::string_view text, const std::string& source);

std::string file_name_of(const std::string& golden_id);

}  // namespace microstep
