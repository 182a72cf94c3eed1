#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "microstep/report/compare.hpp"
#include "microstep/report/value.hpp"
#include "microstep/report/verdicts.hpp"

namespace microstep {
namespace {

std::string heading(const Comparison& c) {
  return fmt::format(
      "accumulated  {}  ({} microsteps, {} loss)\nreference    {}  ({} batches, {} loss)\nproblem      {}, {} params, "
      "seed {}\n\n",
      to_string(c.accumulated.spec), c.accumulated.batches.size(), to_string(c.accumulated.loss),
      to_string(c.reference.spec), c.reference.batches.size(), to_string(c.reference.loss),
      to_string(c.accumulated.problem), to_string(narrowest_dtype(c.accumulated.params.layout())), c.accumulated.seed);
}

std::string verdict_line(const Comparison& c) {
  switch (c.semantics.verdict) {
    case Sameness::same:
      if (!c.semantics.unpaired.empty())
        return fmt::format("SAME over {} windows in params, and in the state that both have.\n", c.semantics.windows);
      return fmt::format("SAME: over {} windows params and optimizer state are the large batch's computation.\n",
                         c.semantics.windows);
    case Sameness::different:
      return "DIFFERENT: this is semantic, not rounding: the exact results differ.\n";
    default:
      return fmt::format("UNDECIDABLE: {}\n", c.semantics.reason);
  }
}

std::string side(const Difference& d, const Ball& ball) {
  return d.is_count ? fmt::format("{}", static_cast<std::int64_t>(ball.value)) : shown_with_bits(d.dtype, ball);
}

std::pair<std::string, std::string> sides(const Difference& d) {
  if (d.is_count) return {side(d, d.accumulated), side(d, d.reference)};
  return shown_apart(d.dtype, d.accumulated, d.reference);
}

std::string divergence(const Difference& d) {
  std::string distance = d.is_count ? "" : fmt::format(", {} ULP of {} apart", rough(ulps(d)), to_string(d.dtype));
  auto [accumulated, reference] = std::pair(side(d, d.accumulated), side(d, d.reference));
  if (accumulated == reference) std::tie(accumulated, reference) = sides(d);
  return fmt::format("first difference: window {}, microstep {}, {}{}{}\n  accumulated {}\n  large batch {}\n",
                     d.window, d.microstep, d.path, d.is_count ? "" : index_text(d.shape, d.index), distance,
                     accumulated, reference);
}

std::string also_differs(const Semantics& semantics) {
  if (semantics.differences.size() < 2) return "";
  std::vector<std::string> lines;
  for (std::size_t i = 1; i < semantics.differences.size(); ++i) {
    const Difference& d = semantics.differences[i];
    const auto [accumulated, reference] = sides(d);
    lines.push_back(fmt::format("  {}{}: {} where the large batch has {}", d.path,
                                d.is_count ? "" : index_text(d.shape, d.index), accumulated, reference));
  }
  return fmt::format("also in this window:\n{}\n", fmt::join(lines, "\n"));
}

// By how much the accumulators that take means divide together; 0 where a length follows a schedule.
double divisor(const Spec& spec) {
  double product = 1;
  if (spec.op == "multi_steps" && spec.text("reduce") != "sum") {
    const double* k = std::get_if<double>(&spec.args.at("k").data);
    product = k ? *k : 0;
  }
  for (const Spec& inner : spec.of) product *= divisor(inner);
  return product;
}

std::size_t longest_window(const Comparison& c) {
  std::size_t longest = 0;
  for (const auto& window : c.windows) longest = std::max(longest, window.size());
  return longest;
}

std::string words_of(const Comparison& c, const std::string& cause) {
  if (cause == "sum-mean" && c.reference.loss == Loss::sum)
    return "the mean of the window's gradients is used where the large batch has their sum";
  const double divides = divisor(c.accumulated.spec);
  const std::size_t due = longest_window(c);
  if (cause == "sum-mean" && divides > static_cast<double>(due))
    return fmt::format(
        "means are taken one behind another, which divide by {} in all, where the large batch divides by {}", divides,
        due);
  return cause_in_words(cause);
}

std::string causes(const Comparison& c) {
  if (c.causes.empty()) return "";
  std::string text = "causes:\n";
  for (const std::string& cause : c.causes)
    text += fmt::format("  {}: {}{}\n", cause, words_of(c, cause), cause_detail(c, cause));
  return text;
}

std::string contracts(const Comparison& c) {
  std::string text;
  for (const Verdict& v : c.contracts)
    if (v.outcome == Outcome::broken) text += fmt::format("  {}: {}\n", v.contract, v.evidence);
  return text.empty() ? "" : "contracts broken:\n" + text;
}

std::string floats(const Comparison& c) {
  std::string text;
  for (const LargestDifference& d : c.shown) {
    if (d.window == 0) continue;
    text += fmt::format("  {}: window {}, {}: {} against {}, {} ULP\n", d.path, d.window, index_text(d.shape, d.index),
                        shown(d.dtype, exactly(d.accumulated)), shown(d.dtype, exactly(d.reference)), rough(d.ulps));
  }
  if (text.empty()) return text;
  return fmt::format(
      "the float run itself (information, not the verdict), largest difference:\n{}its own rounding: {}\n", text,
      rounding_in_words(c.rounding));
}

}  // namespace

std::string text_report(const Comparison& c) {
  std::string text = heading(c) + verdict_line(c) + warning_lines(c.warnings);
  if (!c.semantics.differences.empty() && c.semantics.verdict == Sameness::different)
    text += divergence(c.semantics.differences.front()) + also_differs(c.semantics);
  text += causes(c);
  if (c.equivalent)
    text += fmt::format("equivalent (verified over {} windows): {}\n", c.windows.size(), to_string(*c.equivalent));
  text += contracts(c);
  for (const std::string& node : c.semantics.unpaired) text += fmt::format("not compared, no counterpart: {}\n", node);
  for (const std::string& rest : c.left_over) text += fmt::format("not compared, no counterpart: {}\n", rest);
  return text + floats(c);
}

}  // namespace microstep
