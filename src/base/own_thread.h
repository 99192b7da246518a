#pragma once

#include <functional>
#include <thread>

namespace lockstep::base {

/// Starts a thread of the library; the only way that the library starts one. An exception that
/// leaves `body` ends the process with its text (`EndTask`), because nothing could receive it.
/// Errors: ResourceExhausted where the system starts no more threads.
std::thread StartThread(std::function<void()> body);

}  // namespace lockstep::base
