#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/description.h"
#include "cluster/mistake.h"
#include "lockstep/base/status.h"

namespace lockstep::cluster {

/// What one source says. It names a cluster exactly if there are no mistakes.
struct Resolution {
  std::optional<Description> description;
  std::vector<Mistake> mistakes;
  std::vector<Mistake> doubts;  // legal, but probably not meant
  std::string corrected;        // to paste instead; shell lines or a manifest's
};

/// A way in which a process may be told of its cluster. A new one is a file, a function in
/// resolvers.h and its place in `Resolvers()`.
/// Threads: any; resolvers have no state.
class Resolver {
 public:
  virtual ~Resolver() = default;
  /// "TF_CONFIG", "Slurm", ...
  virtual const char* name() const = 0;
  /// The variables that it may read; a name that ends with '*' stands for all that begin so.
  virtual std::vector<std::string> variables() const = 0;
  /// Whether this source has anything to say.
  virtual bool Finds(const Environment& environment) const = 0;
  virtual Resolution Resolve(const Environment& environment) const = 0;
  /// Variables of this source that are there, but too few for it to be found; nothing if there are
  /// none.
  virtual std::optional<Mistake> Hint(const Environment&) const { return {}; }
};

/// All resolvers in the order of precedence: what was said for this program alone goes before what
/// a launcher says, and an inner launcher before an outer one.
const std::vector<std::unique_ptr<Resolver>>& Resolvers();

/// What all sources say.
struct Survey {
  struct Source {
    const Resolver* resolver;
    Resolution resolution;
  };
  std::vector<Source> found;            // in the order of precedence; the first one counts
  std::vector<Mistake> contradictions;  // of later sources with the first
  // Where nobody describes a cluster: one process alone, and which sources may have been meant.
  Resolution alone;
  std::vector<Mistake> hints;
};
Survey SurveyCluster(const Environment& environment);

/// The description of the first source that says anything; one process alone where none does.
/// Errors: InvalidArgument with all mistakes and the corrected form. A source that contradicts, a
/// doubt, or a hint is a warning in the log.
Result<Description> ResolveCluster(const Environment& environment);

/// That nobody says where the tasks meet, who would wait for each other in vain.
Mistake NoMeetingPlace(const Description& description);
/// LOCKSTEP_COORDINATOR as it may be set instead.
std::string CorrectedMeetingPlace(const Description& description);

/// The value of a variable; nothing if it is absent or empty.
std::optional<std::string> Lookup(const Environment& environment, const std::string& name);

}  // namespace lockstep::cluster
