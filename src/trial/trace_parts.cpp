#include "trace_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include "microstep/data/error.hpp"

namespace microstep {
namespace {

// So many numbers over all rows are judged at once: their balls fill some 25 MB. For each column of a row, which costs
// by itself, there are some numbers.
constexpr std::int64_t numbers_of_a_part = std::int64_t{1} << 18;
constexpr std::int64_t numbers_of_a_cell = 16;
// Beside the recorded number: two balls of 32 bytes, the gradients of the plan, both runs of the decision, and copies;
// measured 125.
constexpr double bytes_of_a_number = 130;

bool moves_each_number_by_itself(const Spec& spec) {
  if (spec.op == "clip_by_global_norm") return false;
  if (spec.op == "multi_steps" && (spec.text("skip") != "never" || spec.text("reduce") == "weighted")) return false;
  return std::ranges::all_of(spec.of, moves_each_number_by_itself);
}

int badness(Outcome outcome) {
  switch (outcome) {
    case Outcome::broken:
      return 3;
    case Outcome::undecidable:
      return 2;
    case Outcome::holds:
      return 1;
    default:
      return 0;
  }
}

bool comes_first(const std::optional<Place>& a, const std::optional<Place>& b) {
  return a && (!b || a->microstep < b->microstep);
}

void add(Faithfulness& whole, Faithfulness&& part) {
  if (badness(part.outcome) > badness(whole.outcome)) {
    whole.outcome = part.outcome;
    whole.reason = std::move(part.reason);
  }
  if (comes_first(part.first, whole.first)) whole.first = std::move(part.first);
  if (whole.missing.empty()) whole.missing = std::move(part.missing);
  whole.outside += part.outside - part.counts_outside;
  whole.judged += part.judged - part.counts_judged;
  whole.exact += part.exact - part.counts_judged;
  whole.infinite += part.infinite;
  if (part.max_ratio > whole.max_ratio) {
    whole.max_ratio = part.max_ratio;
    whole.max_place = std::move(part.max_place);
  }
  if (part.largest_share <= whole.largest_share) return;
  whole.largest_share = part.largest_share;
  whole.largest_path = std::move(part.largest_path);
}

void add(Verdict& whole, Verdict&& part) {
  const int better = badness(whole.outcome) - badness(part.outcome);
  if (better < 0 || (better == 0 && comes_first(part.place, whole.place))) whole = std::move(part);
}

void add(TraceJudgement& whole, TraceJudgement&& part) {
  whole.rounding = both(whole.rounding, part.rounding);
  add(whole.faithful, std::move(part.faithful));
  for (std::size_t i = 0; i < whole.contracts.size(); ++i) add(whole.contracts[i], std::move(part.contracts[i]));
  if (badness(part.outcome) > badness(whole.outcome)) whole.outcome = part.outcome;
}

void for_each_part(std::int64_t count, const std::function<void(std::int64_t)>& act) {
  std::atomic<std::int64_t> next = 0;
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(count));
  auto work = [&] {
    for (std::int64_t i = next++; i < count; i = next++) {
      try {
        act(i);
      } catch (...) {
        errors[static_cast<std::size_t>(i)] = std::current_exception();
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) others.emplace_back(work);
    work();
  }
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

// The part with the first number outside; where all are inside, the first that is broken.
std::size_t telling_part(const std::vector<TraceJudgement>& parts) {
  std::size_t telling = parts.size();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].outcome != Outcome::broken) continue;
    if (telling == parts.size() || comes_first(parts[i].faithful.first, parts[telling].faithful.first)) telling = i;
  }
  return telling;
}

}  // namespace

std::int64_t parts_for(const TraceSize& size, const Spec& spec) {
  const std::int64_t most = std::max(numbers_of_a_part, numbers_of_a_cell * size.rows * size.columns);
  const std::int64_t parts = (size.rows * size.width + most - 1) / most;
  return parts < 4 || !moves_each_number_by_itself(spec) ? 1 : parts;
}

void refuse_beyond(double available, const TraceSize& size, const std::string& source) {
  const double bytes = bytes_of_a_number * static_cast<double>(size.rows) * static_cast<double>(size.width);
  if (bytes <= available) return;
  const auto mebibytes = [](double number) { return static_cast<std::int64_t>(number / 0x1p20); };
  throw Error("trace.too-large",
              fmt::format("judging {} rows of {} numbers needs about {} MiB and {} MiB are available", size.rows,
                          size.width, mebibytes(bytes) + 1, mebibytes(available)),
              source, "record fewer steps, or some of the leaves only");
}

TraceJudgement judge_in_parts(std::int64_t count, const JudgePart& judge) {
  std::vector<TraceJudgement> parts(static_cast<std::size_t>(count));
  for_each_part(count, [&](std::int64_t i) {
    TraceJudgement& part = parts[static_cast<std::size_t>(i)] = judge({i, count}, false);
    if (i > 0) part.plan = {};
  });
  const auto telling = static_cast<std::int64_t>(telling_part(parts));
  TraceJudgement whole = std::move(parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i) add(whole, std::move(parts[i]));
  if (whole.outcome != Outcome::broken) return whole;
  TraceJudgement told = judge({telling, count}, true);
  whole.causes = std::move(told.causes);
  whole.explained_by = std::move(told.explained_by);
  whole.explained_state = told.explained_state;
  whole.never_cleared = told.never_cleared;
  whole.causes_seen_in = fmt::format("part {} of {} of the numbers", telling + 1, count);
  return whole;
}

}  // namespace microstep
