#pragma once
// The float32 floor: how far apart two runs of one model on the same rows may be, by batch size and by float path.
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "microstep/data/spec.hpp"
#include "microstep/port/process.hpp"
#include "microstep/scalar/dtype.hpp"

namespace microstep {

/// Set beforehand: how far apart results may be. Both are looked at where both are set.
struct FloorBudget {
  std::optional<double> absolute;
  /// Of the largest magnitude in the row.
  std::optional<double> relative;
};

struct FloorRequest {
  Spec model;
  std::vector<std::int64_t> batches = {1, 2, 8, 15, 16, 32};
  Dtype dtype = Dtype::float32;
  std::uint64_t seed = 1;
  /// Switches by hand: a name that the port declares, or a variable of its environment. None: those that are of the
  /// model's kernels, one after the other.
  std::vector<std::pair<std::string, std::string>> switches = {};
  /// Takes more than one switch, all at once.
  bool combine = false;
  FloorBudget budget = {};
  /// The command of the port; is_own: it is ourselves, whose switches are those of room kernels.
  std::vector<std::string> port;
  bool is_own = true;
  ProcessOptions options = {};
  /// Progress: requests done, and how many there will be.
  std::function<void(std::size_t, std::size_t)> done = {};
};

/// How far results lie from others of the same rows. The numbers: absolute and relative (of the largest magnitude in
/// the row), each the largest; ulp: at the element of the largest absolute one. The application's result: of how many
/// rows the class (the largest output) is another.
struct Distance {
  double absolute = 0;
  double relative = 0;
  double ulp = 0;
  std::int64_t rows = 0;
  std::int64_t equal_rows = 0;
  std::int64_t class_changes = 0;
  /// Between the two largest outputs of the closest row; none where a row has one output.
  std::optional<double> margin;

  bool same_bits() const { return rows == equal_rows; }
};

/// rule: the first of the known bounds in which all lie: `any order`, `winograd2`, `winograd4`, `tf32 inputs`,
/// `winograd2 of tf32 inputs`, ..., the same of `bfloat16 inputs`; empty: none of them. share: the largest part of it
/// that is taken.
struct BoundShare {
  std::string rule;
  double share = 0;
};

struct FloorLine {
  /// `16` (a batch), `conv2d=direct`, `whole model`, `layer 1: conv2d(...)`.
  std::string what;
  std::map<std::string, std::string> kernels;
  Distance between;
  Distance to_exact;
  BoundShare bound;
  /// Why there is nothing else; empty where there is.
  std::string trouble;
};

/// One setting: row 0 at each batch size against the first of them. groups: per batch size the number of its group;
/// equal numbers: equal bits.
struct ByBatch {
  std::string setting;
  std::vector<FloorLine> lines;
  std::vector<std::size_t> groups;
};

/// One setting: rows alone against the same rows batched.
struct RowByRow {
  std::string setting;
  std::vector<FloorLine> lines;
};

struct Floor {
  Spec model;
  Dtype dtype = Dtype::float32;
  std::uint64_t seed = 1;
  FloorBudget budget;
  std::string port;
  std::map<std::string, std::string> runtime;
  std::vector<std::int64_t> batches;
  /// As it is, and behind it with the switch that was asked for.
  std::vector<ByBatch> by_batch;
  /// The same batch, one switch at a time, against none; each in a fresh process.
  std::vector<FloorLine> by_switch;
  std::vector<RowByRow> row_by_row;
  /// The `what` of lines beyond the budget.
  std::vector<std::string> beyond_budget;
};

/// Throws floor.batch (none, below 1), floor.too-large, floor.budget (negative, NaN or infinite), floor.two-switches
/// (without combine), floor.unknown-switch, kernel.*, port.* where the port never becomes usable, port.no-forward where
/// it does not claim the request, model or dtype, port.forward-failed where it gives no outputs.
Floor floor(const FloorRequest& request);

}  // namespace microstep
