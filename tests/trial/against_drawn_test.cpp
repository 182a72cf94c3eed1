// Runs of drawn optimizers against their large batches: what is decided to be the same computation is never semantic.
#include <fmt/format.h>

#include <map>

#include "microstep/bound/semantics.hpp"
#include "microstep/draw/specs.hpp"
#include "trial/paired_run.hpp"

namespace microstep {
namespace {

// Masks are drawn for other leaves.
SpecLimits limits() {
  SpecLimits limits;
  limits.accumulators = Accumulators::outermost;
  limits.least_k = 2;
  limits.choices = {{"skip", {"never"}}, {"partial", {"hold"}}, {"reduce", {"mean", "sum"}}};
  limits.ops = {"sgd", "adam", "trace", "scale", "scale_by_adam", "ema", "clip", "chain"};
  return limits;
}

TEST(AgainstDrawn, WhatIsOneComputationIsNeverSemantic) {
  std::map<Answered, int> answers;
  for (std::uint64_t which = 0; which < 150; ++which) {
    const Spec spec = draw_spec(Stream("against", 1), which, limits());
    PlanOptions options{.windows = 3, .examples = 1};
    options.loss = spec.text("reduce") == "sum" ? Loss::sum : Loss::mean;
    const PairedRun runs(to_string(spec), options);
    if (decide({runs.plan, runs.large, windows(runs.plan)}).verdict != Sameness::same) continue;
    const Against found = runs.judged();
    EXPECT_NE(found.answer, Answered::semantic) << to_string(spec) << " " << words_of(found);
    ++answers[found.answer];
  }
  EXPECT_GT(answers[Answered::same] + answers[Answered::explained], answers[Answered::undecidable]);
  EXPECT_GT(answers[Answered::same] + answers[Answered::explained], 75);
}

}  // namespace
}  // namespace microstep
