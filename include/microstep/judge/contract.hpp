#pragma once
// What ought to be true of traces: a pure function of evidence.
#include <span>
#include <string_view>
#include <vector>

#include "microstep/judge/evidence.hpp"
#include "microstep/judge/verdict.hpp"

namespace microstep {

/// Evidence with its columns looked up once; inner to the room.
class Reading;

struct Contract {
  std::string_view id;
  std::string_view statement;
  std::string_view source;
  /// Roles without which it is not applicable: an observed run, or for reference, permuted and clean what was decided
  /// against them.
  std::vector<Role> needs;
  Verdict (*examine)(const Reading&);

  Verdict judge(const Evidence& evidence) const;
};

/// The catalogue, in the order in which verdicts are printed.
std::span<const Contract> contracts();
/// Throws contract.unknown with the nearest id.
const Contract& contract(std::string_view id);
/// One verdict a contract, in the catalogue's order; all contracts for an empty list of ids.
std::vector<Verdict> judge_all(const Evidence& evidence, std::span<const std::string_view> ids = {});

/// What the first number of the accumulated run outside of its ball tells of its cause; empty where none is.
std::vector<std::string> causes_of_unfaithful(const Evidence& evidence);

}  // namespace microstep
