#pragma once
// A dumped trace as judge reads it.
#include <optional>
#include <string>

#include "microstep/json/trace.hpp"
#include "microstep/trial/judge_trace.hpp"

namespace microstep {

/// Throws json.*, trace.empty.
DumpedTrace read_dump(const std::string& text, const std::string& source);
/// is_given: the spec does not come from the file, whose fault it then is not.
TraceJudgement judge_dump(DumpedTrace& dumped, const std::string& source, const Spec& spec, bool is_given,
                          bool with_causes = true);
/// The given one, else that of the file. Throws trace.no-spec.
Spec spec_of(const DumpedTrace& dumped, const std::optional<Spec>& given, const std::string& source);

/// What does not allow two traces to be paired; see judge_against.
void refuse_broken_form(const DumpedTrace& dumped, const std::string& source);
void refuse_other_leaves(const DumpedTrace& accumulated, const DumpedTrace& large_batch, const std::string& source);
void refuse_other_windows(std::size_t windows, std::int64_t steps, const std::string& source);

}  // namespace microstep
