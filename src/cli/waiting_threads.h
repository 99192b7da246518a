#pragma once

namespace lockstep::cli {

/// Whether no thread of a process can go on unless another one lets it: each waits, without a
/// limit, for a lock, a condition, or the end of another. False where the system does not say.
bool AllThreadsWait(int process);

}  // namespace lockstep::cli
