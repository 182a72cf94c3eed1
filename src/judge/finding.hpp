#pragma once
// Comparing cells of traces, and verdicts made of what was found.
#include "microstep/judge/verdict.hpp"
#include "reading.hpp"

namespace microstep {

/// One number that contradicts a contract.
struct Finding {
  /// The run whose columns `where` counts.
  Role role = Role::accumulated;
  std::int64_t row = 0;
  /// A column, or a count path where is_count.
  std::size_t where = 0;
  bool is_count = false;
  std::int64_t index = 0;
  Ball observed{};
  Ball expected{};
};

/// NaN equals NaN; -0 equals +0.
inline bool equal(Wide a, Wide b) { return wide::same(a, b); }

/// A zero or absent leaf reads as zeros.
Ball number_at(const Envelope& rows, std::int64_t row, std::size_t column, std::int64_t index);
bool reads_as_zero(const Envelope& rows, std::int64_t row, std::size_t column);

Finding off_count(std::int64_t row, std::size_t count, std::int64_t seen, std::int64_t due);

/// The first element of a column that is not zero.
std::optional<Finding> first_nonzero(const Envelope& rows, std::int64_t row, std::size_t column);
/// The first element whose centre is another number than in the other row; columns of the same size. None where one of
/// the rows lacks the column: what stood there is not known.
std::optional<Finding> first_change(const Envelope& rows, std::int64_t row, std::size_t column, const Envelope& other,
                                    std::int64_t other_row, std::size_t other_column);

/// Looks through observed numbers for one that cannot be the expected one.
class BallCheck {
 public:
  explicit BallCheck(const Reading& reading) : reading_(reading) {}
  /// The first number of the column outside of its one-step ball.
  std::optional<Finding> first_outside(std::int64_t row, std::size_t column);
  /// The first such number, or count that differs, of a node's own state.
  std::optional<Finding> first_outside(std::int64_t row, const Node& node);
  /// A ball so wide that it could show nothing was met; where. One that was carried on is if it is as wide as its leaf:
  /// twice the number, or none, would lie in it too.
  const std::optional<Finding>& blind() const { return blind_; }
  bool compared() const { return compared_; }

 private:
  const Reading& reading_;
  std::optional<Finding> blind_;
  bool compared_ = false;
};

/// Nothing came out that could be compared.
inline constexpr const char* no_window = "no window closes";

Verdict holds(std::string_view evidence);
Verdict not_applicable(std::string evidence);
Verdict undecidable(std::string evidence);
/// what: a clause such as "the update of a held microstep is not zero"; the sentence with place and numbers is made
/// here.
Verdict broken(const Reading& reading, const Finding& finding, std::string_view what, std::vector<std::string> causes);
/// From a decision over balls; it speaks for no trace but the spec's.
Verdict broken(const Reading& reading, const Difference& difference, std::string_view what,
               std::vector<std::string> causes);
/// What the spec does to a contract, where the trace is another's.
Verdict decided_of_another(std::string_view does, const Evidence& evidence);
/// Undecidable where the check was blind, not applicable where it compared nothing, else holds.
Verdict verdict_of(const BallCheck& check, const Reading& reading, std::string_view evidence);

/// What was observed and what was due as the shortest decimals of the place's dtype; with more digits where those are
/// equal and the numbers are not.
std::pair<std::string, std::string> number_texts(const Place& place);

/// The count tells where a schedule is read and nothing else.
bool counts_schedule(const Node& node, std::string_view path);

/// Of a node's own state: which counts are looked at beside its numbers.
enum class Counts { all, none, not_of_schedules };

/// The first count or number of a node that is not what it was a row earlier.
std::optional<Finding> first_move(const Reading& reading, const Node& node, std::int64_t row,
                                  Counts counts = Counts::all);

/// The first move of a node that is in an accumulator, or beside one, in a microstep that holds back.
std::optional<Finding> first_awake(const Reading& reading, Counts counts = Counts::all);

/// Of a count or a column.
const std::string& path_of(const Reading& reading, const Finding& finding);

}  // namespace microstep
