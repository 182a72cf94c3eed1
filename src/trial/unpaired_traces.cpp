// Two traces that no window of one and step of the other can be made pairs of.
#include <fmt/format.h>

#include <algorithm>

#include "dumped.hpp"

namespace microstep {
namespace {

std::string id_of(Deviation::Kind kind) {
  constexpr const char* ids[] = {"trace.keys", "trace.shape", "trace.dtype"};
  return ids[static_cast<int>(kind)];
}

std::string step_in(const std::string& source, std::int64_t microstep) {
  return microstep == 0 ? source + "#/initial" : fmt::format("{}#/steps/{}", source, microstep - 1);
}

// A counter that goes on by more than one has passed what is not there.
void refuse_skipped_step(const Trace& trace, const std::string& source) {
  for (std::int64_t row = 1; row < trace.rows(); ++row)
    for (std::size_t i = 0; i < trace.schema().count_paths().size(); ++i) {
      if (!trace.shows_count(row - 1, i) || !trace.shows_count(row, i)) continue;
      const std::int64_t before = trace.count(row - 1, i), after = trace.count(row, i);
      if (after - before > 1)
        throw Error("trace.skipped-step",
                    fmt::format("{} goes from {} to {}: a step is missing between them",
                                trace.schema().count_paths()[i], before, after),
                    step_in(source, row), "record every microstep");
    }
}

std::vector<Leaf> leaves_of(const Trace& trace) {
  std::vector<Leaf> leaves;
  constexpr std::string_view params = "params/";
  for (std::size_t i = 0; i < trace.schema().columns().size(); ++i) {
    const Column& column = trace.schema().columns()[i];
    if (column.path.starts_with(params) && trace.presence(0, i) != Presence::absent)
      leaves.push_back({column.path.substr(params.size()), column.shape, column.dtype});
  }
  return leaves;
}

std::string text_of(const Leaf& leaf) {
  return fmt::format("'{}' of {}, {}", leaf.name, to_string(leaf.shape), to_string(leaf.dtype));
}

}  // namespace

void refuse_broken_form(const DumpedTrace& dumped, const std::string& source) {
  if (!dumped.trace.deviations.empty()) {
    const Deviation& first = dumped.trace.deviations.front();
    throw Error(id_of(first.kind), fmt::format("{}: {}", first.path, first.message), step_in(source, first.microstep),
                "record the same leaves, shapes and dtypes in every step");
  }
  const Trace& trace = dumped.trace;
  for (std::int64_t row = 1; row < trace.rows(); ++row)
    for (std::size_t i = 0; i < trace.schema().columns().size(); ++i)
      if (is_missing(trace, row, i) && !trace.schema().columns()[i].path.starts_with("updates/"))
        throw Error("trace.keys", trace.schema().columns()[i].path + " is missing", step_in(source, row),
                    "record the same leaves in every step");
  refuse_skipped_step(trace, source);
}

void refuse_other_leaves(const DumpedTrace& accumulated, const DumpedTrace& large_batch, const std::string& source) {
  const std::vector<Leaf> own = leaves_of(accumulated.trace), others = leaves_of(large_batch.trace);
  auto throw_for = [&](const std::string& what) {
    throw Error("trace.other-leaves", what, source + "#/initial/params", "record both runs of the same model");
  };
  for (const Leaf& leaf : own) {
    const auto other = std::ranges::find(others, leaf.name, &Leaf::name);
    if (other == others.end()) throw_for(fmt::format("the accumulated run has '{}', this one has not", leaf.name));
    if (other->shape != leaf.shape || other->dtype != leaf.dtype)
      throw_for(fmt::format("{} where the accumulated run has {}", text_of(*other), text_of(leaf)));
  }
  for (const Leaf& leaf : others)
    if (std::ranges::find(own, leaf.name, &Leaf::name) == own.end())
      throw_for(fmt::format("'{}' is not in the accumulated run", leaf.name));
}

void refuse_other_windows(std::size_t windows, std::int64_t steps, const std::string& source) {
  if (static_cast<std::int64_t>(windows) == steps) return;
  throw Error("trace.windows",
              fmt::format("the accumulated run closes {} windows where this one has {} steps", windows, steps),
              source + "#/steps", "record one step of the large batch for each window");
}

}  // namespace microstep
