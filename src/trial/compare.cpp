#include "microstep/trial/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "masks.hpp"
#include "memory.hpp"
#include "microstep/bound/semantics.hpp"
#include "microstep/judge/contract.hpp"
#include "microstep/train/run.hpp"
#include "microstep/trial/evidence.hpp"
#include "repair.hpp"

namespace microstep {
namespace {

bool accumulates(const Spec& spec) { return op_rule(spec.op).accumulates || std::ranges::any_of(spec.of, accumulates); }

// A NaN on one side is as far away as can be.
double gap(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  return std::isnan(a - b) ? std::numeric_limits<double>::infinity() : std::fabs(a - b);
}

// The largest difference of one param leaf at the ends of the windows.
LargestDifference largest(const Trace& own, const Trace& other, std::size_t column, const Windows& windows) {
  const Column& c = own.schema().columns()[column];
  LargestDifference found{c.path, 0, c.shape, c.dtype, 0, 0, 0, 0};
  double widest = -1;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    auto a = own.numbers(windows[w].back() + 1, column);
    auto b = other.numbers(static_cast<std::int64_t>(w) + 1, column);
    for (std::size_t j = 0; j < a.size(); ++j) {
      double g = gap(a[j], b[j]);
      if (g <= widest) continue;
      widest = g;
      found.window = static_cast<std::int64_t>(w) + 1;
      found.index = static_cast<std::int64_t>(j);
      found.accumulated = a[j];
      found.reference = b[j];
      found.ulps = ulp_distance(c.dtype, a[j], b[j]);
    }
  }
  return found;
}

Rounding rounding_of_floats(const Trace& own, const Evidence& evidence, Sameness plans) {
  const auto expected = evidence.expected.find(Role::accumulated);
  Rounding rounding{RoundingKind::undecidable, std::nullopt, {}};
  if (expected != evidence.expected.end()) rounding = rounding_in(faithfulness(own, expected->second, false));
  if (plans == Sameness::different) rounding.verdict = RoundingKind::semantic;
  if (plans == Sameness::undecidable) rounding.verdict = RoundingKind::undecidable;
  return rounding;
}

void add_floats(const Evidence& evidence, Comparison& result) {
  const Trace own = run(result.accumulated), other = run(result.reference);
  for (std::size_t c = 0; c < result.accumulated.params.leaf_count(); ++c)
    result.shown.push_back(largest(own, other, c, result.windows));
  result.rounding = rounding_of_floats(own, evidence, result.semantics.verdict);
}

// Each run as it begins, the search for causes, the floats at the end.
class Progress {
 public:
  Progress(const std::function<void(std::size_t, std::size_t)>& done, std::size_t all) : done_(done), all_(all) {}
  void next() {
    if (done_) done_(std::min(begun_++, all_ - 1), all_);
  }
  void end() {
    if (done_) done_(all_, all_);
  }

 private:
  const std::function<void(std::size_t, std::size_t)>& done_;
  std::size_t all_, begun_ = 0;
};

// In the same arithmetic, so that equal computations are equal bit for bit (a weighted sum of float32 gradients has a
// float64 weight and runs emulated, its reference on the hardware).
bool run_alike(const Plan& accumulated, const Plan& reference) {
  auto alike = [&](Dtype dtype) { return is_uniform(accumulated, dtype) == is_uniform(reference, dtype); };
  return alike(Dtype::float32) && alike(Dtype::float64);
}

void check(const CompareRequest& request) {
  if (!request.against && !accumulates(request.spec))
    throw Error("spec.no-accumulator", "nothing in this spec accumulates, so it is its own large batch",
                to_string(request.spec), "wrap it, as in multi_steps(" + to_string(request.spec) + ", k=4)");
  if (request.against && accumulates(*request.against))
    throw Error("spec.accumulates", "the reference runs on large batches, so its spec has no accumulator",
                to_string(*request.against), "give it without: " + to_string(without_accumulators(*request.against)));
  refuse_beyond(request.memory.value_or(available_memory()), request);
}

bool equal(std::span<const Ball> a, std::span<const Ball> b) {
  return std::ranges::equal(a, b, [](const Ball& x, const Ball& y) { return x.value == y.value; });
}

// Is a number of these columns ever another than at the start?
bool moves(const Envelope& rows, std::string_view section) {
  const auto& columns = rows.schema().columns();
  for (std::size_t c = 0; c < columns.size(); ++c)
    for (std::int64_t row = 1; columns[c].path.starts_with(section) && row < rows.rows(); ++row)
      if (rows.presence(row, c) != Presence::absent && !equal(rows.numbers(row, c), rows.numbers(0, c))) return true;
  return false;
}

std::vector<std::string> warnings_of(const CompareRequest& request, const Layout& layout) {
  std::vector<std::string> warnings = unmatched_globs(request.spec, layout);
  if (request.against)
    for (std::string& line : unmatched_globs(*request.against, layout))
      if (std::ranges::find(warnings, line) == warnings.end()) warnings.push_back(std::move(line));
  return warnings;
}

// Microsteps that no window takes and no rule skips stand at the end: held, or dropped.
std::vector<std::string> left_over(const Plan& plan, const Windows& windows, const std::vector<bool>& skipped) {
  std::vector<std::size_t> left;
  for (std::size_t t = windows.empty() ? 0 : static_cast<std::size_t>(windows.back().back()) + 1;
       t < plan.batches.size(); ++t)
    if (skipped.empty() || !skipped[t]) left.push_back(t + 1);
  if (left.empty()) return {};
  if (left.size() == 1) return {fmt::format("microstep {}, which fills no window", left[0])};
  return {fmt::format("microsteps {} to {}, which fill no window", left.front(), left.back())};
}

// Without a window nothing is compared, and any two runs are the same in which nothing moves.
void note_emptiness(const Evidence& evidence, Comparison& result) {
  if (result.windows.empty()) {
    result.semantics.verdict = Sameness::undecidable;
    result.semantics.reason =
        result.left_over.empty() ? "no window closes: every microbatch is skipped" : "no window closes";
  }
  const Envelope &own = evidence.observed.at(Role::accumulated), &other = evidence.observed.at(Role::reference);
  if (result.semantics.verdict != Sameness::same || moves(own, "params/") || moves(other, "params/")) return;
  result.warnings.push_back(moves(other, "state/")
                                ? "no update moved any param: of them nothing was compared but where they start"
                                : "no update moved any param: nothing was compared but zeros");
}

}  // namespace

Comparison compare(const CompareRequest& request) {
  check(request);
  Comparison result;
  result.accumulated = make_plan(request.spec, request.problem, request.options);
  result.warnings = warnings_of(request, result.accumulated.params.layout());
  const std::vector<bool> skipped = skipped_microsteps(result.accumulated);
  result.windows = windows(result.accumulated, skipped);
  result.left_over = left_over(result.accumulated, result.windows, skipped);
  Experiment experiment = experiment_of("compare", result.accumulated);
  Plan& reference = experiment.plans[Role::reference];
  if (request.against) reference.spec = *request.against;
  result.reference = reference;
  Gathering gathering;
  gathering.bitwise = run_alike(result.accumulated, result.reference);
  Progress progress(request.done, experiment.plans.size() + 2);
  const Evidence evidence = gather(
      experiment,
      [&](const Plan& plan) {
        progress.next();
        return own_run(plan);
      },
      gathering);
  progress.next();
  result.semantics = *evidence.against_reference;
  result.contracts = judge_all(evidence);
  note_emptiness(evidence, result);
  if (result.semantics.verdict == Sameness::different) {
    Repair found = causes_against(result.accumulated, result.reference, result.windows, result.semantics);
    result.equivalent = std::move(found.equivalent);
    result.causes = std::move(found.causes);
  }
  progress.next();
  add_floats(evidence, result);
  progress.end();
  return result;
}

}  // namespace microstep
