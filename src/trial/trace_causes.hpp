#pragma once
// Why a trace is not what its spec declares: other specs under which every step of it is faithful, else what its first
// wrong number and the broken contracts tell.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "microstep/data/trace.hpp"
#include "microstep/judge/evidence.hpp"
#include "microstep/judge/faithful.hpp"
#include "microstep/trial/judge_trace.hpp"

namespace microstep {

struct TraceCauses {
  std::vector<std::string> causes;
  /// What the trace shows is that spec's.
  std::optional<Spec> explained_by;
  ShownState explained_state = ShownState::kept;
  /// What is left of closed windows explains all that is shown.
  bool never_cleared = false;
};

/// Never without a cause; only for a trace that is unfaithful or of which a contract is broken.
TraceCauses causes_of_trace(const Evidence& evidence, const Trace& trace, const Faithfulness& faithful,
                            std::span<const Verdict> contracts);

}  // namespace microstep
