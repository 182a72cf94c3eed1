// Which other specs a claim is held against: each the claim with one known fault.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "accumulation.hpp"
#include "hypothesis.hpp"
#include "microstep/data/error.hpp"
#include "microstep/trial/judge_trace.hpp"

namespace microstep {
namespace {

using Changes = std::function<std::vector<Hypothesis>(const Spec&)>;

// The spec with one of its nodes changed, from outside.
std::vector<Hypothesis> changed(const Spec& spec, const Changes& changes) {
  std::vector<Hypothesis> all = changes(spec);
  for (std::size_t i = 0; i < spec.of.size(); ++i)
    for (Hypothesis& inner : changed(spec.of[i], changes)) {
      Spec outer = spec;
      outer.of[i] = std::move(inner.spec);
      all.push_back({std::move(inner.causes), std::move(outer), inner.same_state, std::move(inner.kind)});
    }
  return all;
}

// Every node that can be changed in that way is.
Spec everywhere(Spec spec, const Changes& changes, const std::string& kind) {
  for (Spec& inner : spec.of) inner = everywhere(std::move(inner), changes, kind);
  const std::vector<Hypothesis> own = changes(spec);
  auto found = std::ranges::find(own, kind, &Hypothesis::kind);
  return found == own.end() ? spec : found->spec;
}

// One node changed, or all of them that can be in the same way.
std::vector<Hypothesis> alone_or_together(const Spec& spec, const Changes& changes) {
  std::vector<Hypothesis> all = changed(spec, changes);
  const std::size_t alone = all.size();
  for (std::size_t i = 0; i < alone; ++i) {
    const auto alike = std::ranges::count(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(alone), all[i].kind,
                                          &Hypothesis::kind);
    const auto first = std::ranges::find(all, all[i].kind, &Hypothesis::kind);
    if (alike < 2 || first != all.begin() + static_cast<std::ptrdiff_t>(i)) continue;
    all.push_back({all[i].causes, everywhere(spec, changes, all[i].kind), all[i].same_state, all[i].kind});
  }
  return all;
}

// skip=large alone brings max_norm along.
Spec with(Spec spec, const std::string& argument, Value value) {
  if (argument == "skip") spec.args.erase("max_norm");
  spec.args[argument] = std::move(value);
  return spec;
}

// Deeper than specs may be, a window longer than any, a decay beyond all numbers: no loop is declared so.
std::vector<Hypothesis> sound(const std::vector<Hypothesis>& all) {
  std::vector<Hypothesis> kept;
  for (const Hypothesis& hypothesis : all) {
    try {
      kept.push_back({hypothesis.causes, checked(hypothesis.spec), hypothesis.same_state, hypothesis.kind});
    } catch (const Error&) {
    }
  }
  return kept;
}

void add_choices(const Spec& spec, const std::string& argument, const std::vector<const char*>& choices,
                 const std::string& cause, std::vector<Hypothesis>& all) {
  for (const char* choice : choices)
    if (spec.text(argument) != choice)
      all.push_back({{cause}, with(spec, argument, choice), true, argument + "=" + choice});
}

// Other lengths of the window: next to the declared one, in proportion to it, or short ones.
void add_lengths(const Spec& spec, std::vector<Hypothesis>& all) {
  const double* k = std::get_if<double>(&spec.args.at("k").data);
  if (!k) return;
  std::vector<std::pair<std::string, double>> lengths = {{"shorter", *k - 1}, {"longer", *k + 1}};
  for (double times : {2.0, 3.0, 4.0, 1 / 2.0, 1 / 3.0, 1 / 4.0})
    lengths.emplace_back(fmt::format("times {}", times), *k * times);
  for (double length : {1, 2, 3, 4, 5, 6, 7, 8}) lengths.emplace_back(fmt::format("k={}", length), length);
  std::vector<double> tried = {*k};
  for (const auto& [kind, other] : lengths) {
    if (other < 1 || other != std::floor(other) || std::ranges::find(tried, other) != tried.end()) continue;
    all.push_back({{"boundary"}, with(spec, "k", other), true, kind});
    tried.push_back(other);
  }
}

// What decays in it decays so many times as much.
Spec decaying(Spec spec, double times) {
  if (auto decay = spec.args.find("weight_decay"); decay != spec.args.end())
    decay->second = Value(spec.number("weight_decay") * times);
  for (Spec& inner : spec.of)
    if (!op_rule(inner.op).accumulates) inner = decaying(std::move(inner), times);
  return spec;
}

// Once for each microbatch, at the end of the window.
void add_decays(const Spec& spec, std::vector<Hypothesis>& all) {
  const double* k = std::get_if<double>(&spec.args.at("k").data);
  if (!k || *k < 2) return;
  Spec other = decaying(spec, *k);
  if (other != spec) all.push_back({{"decay-form"}, std::move(other), true, "decays"});
}

std::vector<Hypothesis> other_policies(const Spec& spec) {
  std::vector<Hypothesis> all;
  if (spec.op == "multi_steps") {
    for (const Spec& other : other_reductions(Spec{spec.op, spec.args, {}})) {
      const bool sums = spec.text("reduce") == "sum" || other.text("reduce") == "sum";
      all.push_back({{sums ? "sum-mean" : "token-weight"},
                     Spec{other.op, other.args, spec.of},
                     true,
                     "reduce=" + other.text("reduce")});
    }
    add_choices(spec, "partial", {"hold", "flush", "flush_by_k", "drop"}, "partial-window", all);
    add_choices(spec, "skip", {"never", "not_finite", "window_not_finite"}, "nonfinite-skip", all);
    add_choices(spec, "clear", {"select", "multiply"}, "nonfinite-skip", all);
    add_choices(spec, "acc_dtype", {"same", "float32"}, "dtype", all);
    add_decays(spec, all);
  }
  if (holds_accumulator(spec) && spec.args.contains("k")) add_lengths(spec, all);
  return all;
}

// The mean in place of apply_every's sum; decay that enters the moments in place of adamw's.
std::vector<Hypothesis> other_forms(const Spec& spec) {
  std::vector<Hypothesis> all;
  if (spec.op == "apply_every")
    all.push_back(
        {{"sum-mean"}, Spec{"multi_steps", {{"k", spec.args.at("k")}}, {Spec{"chain", {}, {}}}}, false, "mean"});
  if (spec.op == "adamw") {
    Spec adam{"adam", spec.args, {}};
    for (const char* own : {"weight_decay", "mask"}) adam.args.erase(own);
    const Spec decay{
        "add_decayed_weights", {{"weight_decay", spec.args.at("weight_decay")}, {"mask", spec.args.at("mask")}}, {}};
    all.push_back({{"decay-form"}, Spec{"chain", {}, {decay, adam}}, false, "coupled"});
  }
  return all;
}

}  // namespace

std::vector<Hypothesis> hypotheses(const Spec& spec) {
  std::vector<Hypothesis> all = alone_or_together(spec, other_policies);
  for (const Changes& changes : {Changes(awake), Changes(other_forms)})
    for (Hypothesis& hypothesis : alone_or_together(spec, changes)) all.push_back(std::move(hypothesis));
  return sound(all);
}

std::vector<Spec> other_specs(const Spec& claimed) {
  std::vector<Spec> specs;
  for (Hypothesis& hypothesis : hypotheses(claimed)) specs.push_back(std::move(hypothesis.spec));
  return specs;
}

}  // namespace microstep
