#include "cli/saves_claim.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "base/file.h"
#include "lockstep/base/status.h"

namespace lockstep::cli {

SavesClaim::SavesClaim(const std::string& directory) {
  if (!base::LocalFiles().CreateDirectories(directory).ok()) return;
  file_ = base::OwnedFile(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!file_ || ::flock(file_.fd(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  throw Error(Code::kFailedPrecondition,
              "[save] one training at a time may write to a directory of saves; got another that "
              "does (" +
                  directory + "); wait for its end, or name another --checkpoint");
}

}  // namespace lockstep::cli
