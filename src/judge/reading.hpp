#pragma once
// The evidence of the accumulated run as contracts read it: the spec's nodes with their columns, and what each
// microstep is to each node, computed from the plan alone.
#include <algorithm>
#include <array>

#include "microstep/judge/evidence.hpp"

namespace microstep {

/// What an accumulator's counters are after one microstep, and whether it gave its window on.
struct Beat {
  bool emits = false;
  /// It holds nothing: a window has ended, was dropped, or none has begun.
  bool empty = true;
  /// The first gradient of a window went in.
  bool opens = false;
  std::int64_t mini_step = 0;
  std::int64_t gradient_step = 0;
  /// The newest microstep, from 0, of what it took in.
  std::size_t newest = 0;
};

/// One node of the spec's tree; columns and counts are those of its own state, not of what lies in it.
struct Node {
  const Spec* spec = nullptr;
  std::string path;
  /// The nearest multi_steps around it, or none.
  std::optional<std::size_t> governor;
  std::vector<std::size_t> columns;
  std::vector<std::size_t> counts;
  /// Accumulators only; one a row of the trace.
  std::vector<Beat> beats;
  /// The gradients of the trace come in as they are: no link and no accumulator stands before it.
  bool is_fed_by_gradients = false;
  /// What it gives is the update: no link and no accumulator stands behind it.
  bool gives_updates = false;

  bool is_multi_steps() const { return spec->op == "multi_steps"; }
  bool may_skip() const { return is_multi_steps() && spec->text("skip") != "never"; }
  bool accumulates() const { return is_multi_steps() || spec->op == "apply_every"; }
};

class Reading {
 public:
  /// The evidence must outlive it.
  explicit Reading(const Evidence& evidence);

  const Evidence& evidence() const { return *evidence_; }
  const Plan& plan() const { return *plan_; }
  const Envelope& rows() const { return *rows_; }
  /// One-step balls of the accumulated run, row by row beside rows(); null where there are none.
  const Envelope* expected() const { return expected_; }
  /// The column of expected() for one of rows(); none where the spec has no such path.
  std::optional<std::size_t> expected_column(std::size_t column) const { return expected_columns_[column]; }
  std::optional<std::size_t> expected_count(std::size_t count) const { return expected_counts_[count]; }
  /// What the accumulated run should show, null where unknown.
  const Schema* declared() const { return declared_; }
  /// A path of the spec's state that the trace does not show; only known where the declared schema is.
  const std::string* hidden() const { return hidden_ ? &*hidden_ : nullptr; }
  /// Some of the balls follow from earlier ones, not from what was recorded a step before.
  bool carries() const {
    return hidden_ || std::ranges::any_of(gaps_, [](const auto& gap) { return !gap.empty(); });
  }
  /// The first cell that a row lacks, in words; empty for none.
  std::string missing() const;
  /// What is hidden or, where nothing is, first missing, in words.
  std::string why_carried() const;
  /// The first cell of that section ("params/", "updates/", "state/", "counts") that a row lacks, in words; empty for
  /// none.
  const std::string& gap(std::string_view section) const;

  const std::vector<Node>& nodes() const { return nodes_; }
  bool has_accumulator() const { return has_accumulator_; }
  bool always_one() const { return always_one_; }
  /// An update is due after the microstep of that row.
  bool emits(std::int64_t row) const { return emits_[static_cast<std::size_t>(row)]; }
  /// A window ends with the microstep of that row and gives its update: no accumulator holds anything any more.
  bool closes(std::int64_t row) const;
  /// The node's update runs in the microstep of that row.
  bool awake(const Node& node, std::int64_t row) const;
  bool is_skipped(std::int64_t row) const;
  /// The accumulator that leaves the microstep out; null where none can.
  const Node* skipper(std::int64_t row) const;
  /// The window (from 1) that the row lies in, 0 for none; its length; its first row.
  std::int64_t window_of(std::int64_t row) const;
  std::int64_t window_length(std::int64_t row) const;
  std::int64_t first_row_of_window(std::int64_t row) const;

  const std::vector<std::size_t>& params() const { return params_; }
  const std::vector<std::size_t>& gradients() const { return gradients_; }
  const std::vector<std::size_t>& updates() const { return updates_; }
  /// False for a leaf that a mask keeps away from every accumulator.
  bool is_governed(std::size_t leaf) const { return governed_[leaf]; }

 private:
  /// What holds of a node by where it stands in the spec.
  struct Standing {
    std::optional<std::size_t> governor;
    bool masked = false, fed_by_gradients = true, gives_updates = true;
  };
  void collect(const Spec& spec, const std::string& path, Standing standing);
  void assign_columns();
  void find_expected();
  void find_governed();
  Node* owner_of(std::string_view path);

  const Evidence* evidence_;
  const Plan* plan_;
  const Envelope* rows_;
  const Envelope* expected_ = nullptr;
  const Schema* declared_ = nullptr;
  std::optional<std::string> hidden_;
  std::array<std::string, 4> gaps_;
  std::vector<Node> nodes_;
  std::vector<bool> emits_, governed_;
  std::vector<std::size_t> masked_accumulators_;
  std::vector<std::size_t> params_, gradients_, updates_;
  std::vector<std::optional<std::size_t>> expected_columns_, expected_counts_;
  bool has_accumulator_ = false, always_one_ = true;
};

/// The schema that a role should show: declared, else that of expected, else null.
const Schema* declared_schema(const Evidence& evidence, Role role);

/// Fills the beats of all accumulators for that many rows; per row whether an update is due.
std::vector<bool> follow_beats(const Plan& plan, const Evidence& evidence, std::int64_t rows, std::vector<Node>& nodes);
/// The place among all nodes of what leaves microstep t out, where it is left out; none where nothing has a rule.
std::optional<std::size_t> skipper_of(const Evidence& evidence, std::size_t t, const std::vector<Node>& nodes);

}  // namespace microstep
