#include "microstep/kernels/switches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "microstep/data/error.hpp"
#include "microstep/data/spec.hpp"

namespace microstep {
namespace {

template <class Path, std::size_t n>
std::optional<Path> path_from_name(std::string_view name, const Path (&paths)[n]) {
  const auto* found = std::ranges::find_if(paths, [&](Path path) { return to_string(path) == name; });
  return found == std::end(paths) ? std::nullopt : std::optional(*found);
}

constexpr MatmulPath matmul_paths[] = {MatmulPath::loops, MatmulPath::eigen};
constexpr MatmulInputs matmul_inputs[] = {MatmulInputs::same, MatmulInputs::tf32, MatmulInputs::bfloat16};
constexpr TanhPath tanh_paths[] = {TanhPath::scalar, TanhPath::eigen};
constexpr ConvPath conv_paths[] = {ConvPath::direct, ConvPath::im2col, ConvPath::winograd2, ConvPath::winograd4,
                                   ConvPath::automatic};

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

template <class T, class U>
bool take(T& place, const std::optional<U>& value) {
  if (value) place = *value;
  return value.has_value();
}

bool take_one_row(KernelPolicy& policy, std::string_view value) {
  if (value == "same") {
    policy.one_row.reset();
    return true;
  }
  return take(policy.one_row, reduction_from_name(value));
}

// How a switch is written into a policy (false: not one of its values) and read from it.
struct Entry {
  Switch described;
  bool (*set)(KernelPolicy&, std::string_view);
  std::string (*get)(const KernelPolicy&);
};

constexpr std::string_view orders =
    "sequential, reversed, pairwise, blocked(N), lanes(N), split_k(N), kahan; each with +fma";

const Entry entries[] = {
    {{"reduction", orders, "the order of sums and of dots in loops"},
     [](KernelPolicy& p, std::string_view v) { return take(p.reduction, reduction_from_name(v)); },
     [](const KernelPolicy& p) { return to_string(p.reduction); }},
    {{"matmul", "loops, eigen", "the product of matrices"},
     [](KernelPolicy& p, std::string_view v) { return take(p.matmul, path_from_name(v, matmul_paths)); },
     [](const KernelPolicy& p) { return std::string(to_string(p.matmul)); }},
    {{"matmul_inputs", "same, tf32, bfloat16", "what the inputs of a product of matrices are rounded to"},
     [](KernelPolicy& p, std::string_view v) { return take(p.inputs, path_from_name(v, matmul_inputs)); },
     [](const KernelPolicy& p) { return std::string(to_string(p.inputs)); }},
    {{"one_row", "same, or an order", "the order of a product whose left side has one row"},
     take_one_row,
     [](const KernelPolicy& p) { return p.one_row ? to_string(*p.one_row) : std::string("same"); }},
    {{"tanh", "scalar, eigen", "tanh element by element, or vectorised"},
     [](KernelPolicy& p, std::string_view v) { return take(p.tanh, path_from_name(v, tanh_paths)); },
     [](const KernelPolicy& p) { return std::string(to_string(p.tanh)); }},
    {{"conv2d", "direct, im2col, winograd2, winograd4, auto", "the convolution; auto chooses by batch and input size"},
     [](KernelPolicy& p, std::string_view v) { return take(p.conv, path_from_name(v, conv_paths)); },
     [](const KernelPolicy& p) { return std::string(to_string(p.conv)); }},
    {{"auto_batch", "images, 0 for never", "from how many images on auto takes auto_large"},
     [](KernelPolicy& p, std::string_view v) { return take(p.automatic.batch, whole_number(v)); },
     [](const KernelPolicy& p) { return fmt::format("{}", p.automatic.batch); }},
    {{"auto_elements", "input elements, 0 for never", "from how many input elements, batch included, on"},
     [](KernelPolicy& p, std::string_view v) { return take(p.automatic.elements, whole_number(v)); },
     [](const KernelPolicy& p) { return fmt::format("{}", p.automatic.elements); }},
    {{"auto_large", "direct, im2col, winograd2, winograd4", "what auto takes from there on; im2col before"},
     [](KernelPolicy& p, std::string_view v) {
       return v != "auto" && take(p.automatic.large, path_from_name(v, conv_paths));
     },
     [](const KernelPolicy& p) { return std::string(to_string(p.automatic.large)); }},
};

const Entry& entry_of(std::string_view name) {
  const auto* found = std::ranges::find_if(entries, [&](const Entry& e) { return e.described.name == name; });
  if (found != std::end(entries)) return *found;
  std::vector<std::string_view> known;
  for (const Entry& entry : entries) known.push_back(entry.described.name);
  const std::string near = nearest_name(name, known);
  throw Error(
      "kernel.unknown-switch", fmt::format("there is no switch '{}'", name), std::string(name),
      near.empty() ? fmt::format("switches are {}", fmt::join(known, ", ")) : fmt::format("did you mean '{}'?", near));
}

}  // namespace

const std::vector<Switch>& all_switches() {
  static const std::vector<Switch> described = [] {
    std::vector<Switch> all;
    for (const Entry& entry : entries) all.push_back(entry.described);
    return all;
  }();
  return described;
}

void set_switch(KernelPolicy& policy, std::string_view name, std::string_view value) {
  const Entry& entry = entry_of(name);
  if (entry.set(policy, value)) return;
  throw Error("kernel.switch-value", fmt::format("'{}' is no value of the switch '{}'", value, name), std::string(name),
              fmt::format("take one of: {}", entry.described.values));
}

std::string switch_value(const KernelPolicy& policy, std::string_view name) { return entry_of(name).get(policy); }

KernelPolicy policy_of(const std::map<std::string, std::string>& switches) {
  KernelPolicy policy;
  for (const auto& [name, value] : switches) set_switch(policy, name, value);
  return policy;
}

std::optional<Reduction> reduction_from_name(std::string_view name) {
  constexpr std::string_view suffix = "+fma";
  const bool fused = name.ends_with(suffix);
  if (fused) name.remove_suffix(suffix.size());
  for (Reduction plain : {Reduction::sequential, Reduction::reversed, Reduction::pairwise, Reduction::kahan})
    if (to_string(plain) == name) return fused ? plain.with_fma() : plain;
  for (Order order : {Order::blocked, Order::lanes, Order::split_k}) {
    const std::string head = to_string(Reduction{order, 0, false}) + "(";
    if (!name.starts_with(head) || !name.ends_with(")")) continue;
    const auto size = whole_number(name.substr(head.size(), name.size() - head.size() - 1));
    const std::int64_t most = order == Order::lanes ? Reduction::most_lanes : 1 << 30;
    if (size && *size >= 1 && *size <= most) return Reduction{order, static_cast<std::int32_t>(*size), fused};
  }
  return std::nullopt;
}

}  // namespace microstep
