#include "parts.hpp"

#include <algorithm>

namespace microstep {
namespace {

using Entries = std::vector<Value>;

std::vector<Spec> masked_each(const Spec& masked, const std::vector<Spec>& links) {
  std::vector<Spec> each;
  for (const Spec& link : links) each.push_back({masked.op, masked.args, {link}});
  return each;
}

// A descent: minus the learning rate, or minus each of its schedule.
Spec step_of(const Value& lr) {
  if (const double* number = std::get_if<double>(&lr.data)) return {"scale", {{"factor", Value(0 - *number)}}, {}};
  Entries schedule;
  for (const Value& entry : std::get<Entries>(lr.data)) {
    const auto& pair = std::get<Entries>(entry.data);
    schedule.emplace_back(Entries{pair[0], Value(0 - std::get<double>(pair[1].data))});
  }
  return {"scale_by_schedule", {{"schedule", Value(schedule)}}, {}};
}

Spec with_arguments_of(const Spec& spec, const char* op, std::initializer_list<const char*> names) {
  Spec part{op, {}, {}};
  for (const char* name : names) part.args[name] = spec.args.at(name);
  return part;
}

Value with_steps(const Entries& schedule, const std::function<double(double)>& changed) {
  Entries result;
  for (const Value& entry : schedule) {
    const auto& pair = std::get<Entries>(entry.data);
    const double from = std::max(changed(std::get<double>(pair[0].data)), 0.0);
    if (from == 0) result.clear();
    result.emplace_back(Entries{Value(from), pair[1]});
  }
  return Value(result);
}

}  // namespace

std::vector<Spec> links_within(const Spec& spec) {
  if (spec.op == "masked") return masked_each(spec, links_within(spec.of[0]));
  if (spec.op != "chain") return {spec};
  std::vector<Spec> links;
  for (const Spec& link : spec.of)
    for (Spec& inner : links_within(link)) links.push_back(std::move(inner));
  return links;
}

std::vector<Spec> parts_of(const Spec& link) {
  if (link.op == "masked") return masked_each(link, parts_of(link.of[0]));
  std::vector<Spec> parts;
  if (link.op == "sgd" && link.number("momentum") != 0)
    parts.push_back(with_arguments_of(link, "trace", {"momentum", "nesterov"}));
  if (link.op.starts_with("adam"))
    parts.push_back(with_arguments_of(link, "scale_by_adam", {"b1", "b2", "eps", "eps_root"}));
  if (link.op == "adamw") parts.push_back(with_arguments_of(link, "add_decayed_weights", {"weight_decay", "mask"}));
  if (link.op != "sgd" && parts.empty()) return {link};
  parts.push_back(step_of(link.args.at("lr")));
  return parts;
}

std::vector<Spec> with_steps(std::vector<Spec> links, const std::function<double(double)>& changed) {
  for (Spec& link : links) {
    for (const char* name : {"lr", "schedule"})
      if (auto found = link.args.find(name); found != link.args.end())
        if (const auto* schedule = std::get_if<Entries>(&found->second.data))
          found->second = with_steps(*schedule, changed);
    link.of = with_steps(std::move(link.of), changed);
  }
  return links;
}

}  // namespace microstep
