#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/fields.h"
#include "lockstep/base/status.h"
#include "ops/known_site.h"
#include "runtime/access_log.h"
#include "runtime/actor.h"

/// Races between processes: a request says who asks for it and where, and the server, which knows
/// who has read and written its variables, says what the run has lost.

namespace lockstep::remote {

/// Who asks for a run.
struct Asker {
  uint64_t process = 0;  // 0: nobody wants to know
  int32_t number = 0;    // of its thread
  uint64_t epoch = 0;
  bool refuses = false;  // an assignment that loses an update is not to take place
  std::string name;      // "thread 2 of process 4711 on alpha"
  std::string file;      // without folders
  uint32_t line = 0;
  struct Knows {
    uint64_t process = 0;
    int32_t number = 0;
    uint64_t certain = 0;
    uint64_t hinted = 0;
  };
  std::vector<Knows> knows;  // what has happened before

  bool follows() const { return process != 0; }
  /// The calling thread at its line, or at `site`; nobody while races are ignored.
  static Asker Current(const ops::SourceSite& site = ops::CurrentSite());
  static Asker Of(runtime::Actor& actor, const ops::SourceSite& site);
};
void Put(const Asker& asker, cluster::FieldWriter* writer);
Asker TakeAsker(cluster::FieldReader* reader);

void Put(const std::vector<runtime::RaceFinding>& findings, cluster::FieldWriter* writer);
std::vector<runtime::RaceFinding> TakeFindings(cluster::FieldReader* reader);
/// Tells this process of what a server has found; what it throws, if anything.
Status TellFindings(const std::vector<runtime::RaceFinding>& findings);

/// Functions that somebody has scheduled act for themselves, as one after the other.
std::shared_ptr<runtime::Actor> MakeActorOfFunctions();

/// While it lives, the calling thread of a server acts for `asker`, and what it finds is added to
/// `findings`; where the asker refuses it, it is thrown, too (FailedPrecondition). Nothing is
/// followed for who does not want to know.
class AskerScope {
 public:
  AskerScope(const Asker& asker, std::vector<runtime::RaceFinding>* findings);
  ~AskerScope();
  AskerScope(const AskerScope&) = delete;
  AskerScope& operator=(const AskerScope&) = delete;

 private:
  static void Collect(const runtime::RaceFinding& finding);
  const bool follows_;
  const bool refuses_;
  std::vector<runtime::RaceFinding>* const findings_;
  std::shared_ptr<runtime::Actor> actor_;
  std::optional<runtime::RaceHookScope> hook_;
  std::optional<runtime::ActorScope> acts_;
  std::optional<ops::KnownSite> site_;
  AskerScope* const outer_;
};

}  // namespace lockstep::remote
