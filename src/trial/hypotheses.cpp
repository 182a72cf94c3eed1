// Which other specs a claim is held against: each the claim with one known fault.
#include <algorithm>
#include <functional>

#include "accumulation.hpp"
#include "hypothesis.hpp"
#include "microstep/trial/check.hpp"
#include "repair.hpp"

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
      all.push_back({std::move(inner.causes), std::move(outer), inner.same_state});
    }
  return all;
}

Spec with(Spec spec, const std::string& argument, Value value) {
  spec.args[argument] = std::move(value);
  return spec;
}

void add_choices(const Spec& spec, const std::string& argument, const std::vector<const char*>& choices,
                 const std::string& cause, std::vector<Hypothesis>& all) {
  for (const char* choice : choices)
    if (spec.text(argument) != choice) all.push_back({{cause}, with(spec, argument, choice), true});
}

// Other lengths of the window, next to the declared one.
void add_lengths(const Spec& spec, std::vector<Hypothesis>& all) {
  const double* k = std::get_if<double>(&spec.args.at("k").data);
  if (!k) return;
  for (double other : {*k - 1, *k + 1})
    if (other >= 1) all.push_back({{"boundary"}, with(spec, "k", other), true});
}

std::vector<Hypothesis> other_policies(const Spec& spec) {
  std::vector<Hypothesis> all;
  if (spec.op == "multi_steps") {
    for (const Spec& other : other_reductions(Spec{spec.op, spec.args, {}})) {
      const bool sums = spec.text("reduce") == "sum" || other.text("reduce") == "sum";
      all.push_back({{sums ? "sum-mean" : "token-weight"}, Spec{other.op, other.args, spec.of}, true});
    }
    add_choices(spec, "partial", {"hold", "flush", "flush_by_k", "drop"}, "partial-window", all);
    add_choices(spec, "skip", {"never", "not_finite", "window_not_finite"}, "nonfinite-skip", all);
    add_choices(spec, "clear", {"select", "multiply"}, "nonfinite-skip", all);
    add_choices(spec, "acc_dtype", {"same", "float32"}, "dtype", all);
  }
  if (holds_accumulator(spec) && spec.args.contains("k")) add_lengths(spec, all);
  return all;
}

bool keeps_state(const Spec& spec) {
  for (const char* op : {"adam", "trace", "ema", "scale_by_adam", "scale_by_schedule"})
    if (spec.op.starts_with(op)) return true;
  if (spec.op == "sgd" && (spec.number("momentum") != 0 || spec.is_list("lr"))) return true;
  return std::ranges::any_of(spec.of, keeps_state);
}

// The accumulator of that policy over the identity, beside links that run in every microstep.
Hypothesis beside(const Spec& multi_steps, const Spec& inner, const Spec& link, bool before, std::string cause) {
  const Spec accumulator{"multi_steps", multi_steps.args, {inner}};
  std::vector<Spec> links = before ? std::vector{link, accumulator} : std::vector{accumulator, link};
  return {{std::move(cause)}, Spec{"chain", {}, std::move(links)}, false};
}

// One link of the inner runs in every microstep.
void add_links(const Spec& spec, std::vector<Hypothesis>& all) {
  const std::vector<Spec> links = links_of(spec.of[0]);
  if (links.size() < 2) return;
  const std::vector<Spec> rest(links.begin() + 1, links.end()), most(links.begin(), links.end() - 1);
  all.push_back(beside(spec, chained(rest), links.front(), true, cause_of_link(links.front())));
  all.push_back(beside(spec, chained(most), links.back(), false, cause_of_link(links.back())));
}

// A link of the inner runs in every microstep, or all of it.
std::vector<Hypothesis> awake(const Spec& spec) {
  std::vector<Hypothesis> all;
  if (spec.op != "multi_steps") return all;
  add_links(spec, all);
  if (!keeps_state(spec.of[0])) return all;
  const Spec identity{"chain", {}, {}};
  const Spec otherwise = with(spec, "reduce", spec.text("reduce") == "sum" ? "mean" : "sum");
  all.push_back(beside(spec, identity, spec.of[0], true, "micro-state"));
  all.push_back(beside(otherwise, identity, spec.of[0], true, "micro-state"));
  all.back().causes.emplace_back("sum-mean");
  all.push_back(beside(spec, identity, spec.of[0], false, "micro-state"));
  return all;
}

// The mean in place of apply_every's sum; decay that enters the moments in place of adamw's.
std::vector<Hypothesis> other_forms(const Spec& spec) {
  std::vector<Hypothesis> all;
  if (spec.op == "apply_every")
    all.push_back(
        {{"sum-mean"}, checked(Spec{"multi_steps", {{"k", spec.args.at("k")}}, {Spec{"chain", {}, {}}}}), false});
  if (spec.op == "adamw") {
    Spec adam{"adam", spec.args, {}};
    for (const char* own : {"weight_decay", "mask"}) adam.args.erase(own);
    const Spec decay{
        "add_decayed_weights", {{"weight_decay", spec.args.at("weight_decay")}, {"mask", spec.args.at("mask")}}, {}};
    all.push_back({{"decay-form"}, Spec{"chain", {}, {decay, adam}}, false});
  }
  return all;
}

}  // namespace

std::vector<Hypothesis> hypotheses(const Spec& spec) {
  std::vector<Hypothesis> all = changed(spec, other_policies);
  for (const Changes& changes : {Changes(awake), Changes(other_forms)})
    for (Hypothesis& hypothesis : changed(spec, changes)) all.push_back(std::move(hypothesis));
  return all;
}

}  // namespace microstep
