#include "accumulation.hpp"

#include <algorithm>

namespace microstep {
namespace {

Spec identity() { return {"scale", {{"factor", Value(1)}}, {}}; }

// Its window, skip rule and what it does at the end; flush_by_k is a fault of its own.
Spec accumulator_over(const Spec& accumulator, const Spec& inner, const std::string& reduce) {
  Spec spec{"multi_steps", {{"k", accumulator.args.at("k")}, {"reduce", reduce}}, {inner}};
  if (accumulator.op != "multi_steps") return checked(spec);
  for (const char* name : {"skip", "max_norm", "partial"}) spec.args[name] = accumulator.args.at(name);
  if (spec.text("partial") == "flush_by_k") spec.args["partial"] = Value("flush");
  return checked(spec);
}

void collect(const Spec& spec, std::vector<const Spec*>& found) {
  if (op_rule(spec.op).accumulates) found.push_back(&spec);
  for (const Spec& inner : spec.of) collect(inner, found);
}

void walk(const Spec& spec, std::vector<Outside> outside, Nest& nest) {
  if (!holds_accumulator(spec)) return;
  if (op_rule(spec.op).accumulates) {
    nest.levels.push_back({spec, std::move(outside)});
    for (const Spec& inner : spec.of) walk(inner, {}, nest);
    return;
  }
  const Spec* holder = nullptr;
  for (const Spec& link : spec.of) {
    if (!holds_accumulator(link))
      outside.push_back({link, !holder});
    else if (holder)
      nest.side_by_side = true;
    else
      holder = &link;
  }
  if (holder) walk(*holder, std::move(outside), nest);
}

// Builds skeletons; counts the accumulators that it has passed.
struct Skeleton {
  const std::vector<std::string>& reduce;
  const Spec& inner;
  std::size_t passed = 0;

  Spec of(const Spec& spec) {
    if (spec.op == "masked") return {spec.op, spec.args, {of(spec.of[0])}};
    if (op_rule(spec.op).accumulates) {
      const std::string& own = reduce[passed++];
      const bool last = passed == reduce.size();
      const bool deeper = !spec.of.empty() && holds_accumulator(spec.of[0]);
      return accumulator_over(spec, deeper ? of(spec.of[0]) : last ? inner : identity(), own);
    }
    std::vector<Spec> links;
    for (const Spec& link : links_of(spec))
      if (holds_accumulator(link)) links.push_back(of(link));
    return chained(std::move(links));
  }
};

}  // namespace

bool holds_accumulator(const Spec& spec) {
  return op_rule(spec.op).accumulates || std::ranges::any_of(spec.of, holds_accumulator);
}

std::string reduction_of(const Spec& accumulator) {
  return accumulator.op == "multi_steps" ? accumulator.text("reduce") : "sum";
}

Spec chained(std::vector<Spec> links) {
  if (links.empty()) return identity();
  if (links.size() == 1) return links[0];
  return Spec{"chain", {}, std::move(links)};
}

Spec flattened(const Spec& spec) {
  Spec flat{spec.op, spec.args, {}};
  for (const Spec& inner : spec.of) {
    Spec link = flattened(inner);
    if (spec.op == "chain" && link.op == "chain")
      flat.of.insert(flat.of.end(), link.of.begin(), link.of.end());
    else
      flat.of.push_back(std::move(link));
  }
  return flat;
}

std::vector<Spec> links_of(const Spec& spec) { return spec.op == "chain" ? spec.of : std::vector<Spec>{spec}; }

Spec accumulated_over(const Spec& inner, const Window& window) {
  Spec spec{"multi_steps", {{"k", window.k}, {"reduce", window.reduce}}, {inner}};
  if (window.skips_as)
    for (const char* name : {"skip", "max_norm"}) spec.args[name] = window.skips_as->args.at(name);
  if (window.flush) spec.args["partial"] = Value("flush");
  return checked(spec);
}

Nest nest_of(const Spec& spec) {
  Nest nest;
  walk(spec, {}, nest);
  if (nest.side_by_side) nest.levels.resize(1);
  return nest;
}

Spec nested_over(const Nest& nest, const Spec& inner, const std::vector<std::string>& reduce,
                 const std::optional<Kept>& kept) {
  Spec body = inner;
  for (std::size_t i = nest.levels.size(); i-- > 0;) {
    body = accumulator_over(nest.levels[i].accumulator, body, reduce[i]);
    if (!kept || kept->level != i) continue;
    body = kept->outside.before ? chained({kept->outside.link, body}) : chained({body, kept->outside.link});
  }
  return body;
}

std::vector<const Spec*> accumulators_of(const Spec& spec) {
  std::vector<const Spec*> found;
  collect(spec, found);
  return found;
}

Spec without_masks(Spec spec) {
  while (spec.op == "masked" && holds_accumulator(spec)) spec = Spec(spec.of[0]);
  for (Spec& inner : spec.of) inner = without_masks(inner);
  return spec;
}

bool has_state(const Spec& spec) {
  if (spec.op == "chain" || spec.op == "masked") return std::ranges::any_of(spec.of, has_state);
  if (spec.op == "sgd") return spec.number("momentum") != 0 || spec.is_list("lr");
  return spec.op != "scale" && !spec.op.starts_with("clip") && spec.op != "add_decayed_weights";
}

Spec skeleton_of(const Spec& spec, const std::vector<std::string>& reduce, const Spec& inner) {
  return Skeleton{reduce, inner}.of(spec);
}

}  // namespace microstep
