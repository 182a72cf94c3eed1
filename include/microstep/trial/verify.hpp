#pragma once
// Are the goldens of a folder still as expected: by our engine's judgement of the kept traces, or of a port's new ones?
#include <functional>
#include <string>
#include <vector>

#include "microstep/golden/folder.hpp"
#include "microstep/trial/check.hpp"

namespace microstep {

struct VerifiedFolder {
  std::string path;
  std::vector<CheckedExperiment> experiments;
  std::vector<Error> faults;
  std::vector<std::string> orphans;
  std::vector<std::string> pending;
  /// Ids whose new traces were written beside as .new.
  std::vector<std::string> proposed;
};

/// port: nullptr to judge the kept traces. writes: differing new traces go to .new files. filter: only ids that hold
/// it. done: called after each experiment with how many are done and how many there are.
VerifiedFolder verify(const std::string& path, const Producer* port, bool writes, const std::string& filter,
                      const std::function<void(std::size_t, std::size_t)>& done);

/// One golden; traces of the role as given. Contracts must have exactly the outcomes that the golden expects.
CheckedExperiment verify_golden(const Golden& golden, const TraceOfRole& traces);

/// What the kept traces of a golden are worth; one without a trace of a plan has a problem.
CheckedExperiment verify_kept(const Golden& golden);

struct Accepted {
  std::vector<std::string> ids;
  /// What record would not write: its own traces are not as it expects.
  std::vector<CheckedExperiment> refused;
};
/// Of the waiting files those of these ids, all for none. Throws as GoldenWriter::accept does.
Accepted accept(const std::string& path, const std::vector<std::string>& ids);

/// The traces that the golden keeps.
TraceOfRole kept_traces(const Golden& golden);

}  // namespace microstep
