#include "lockstep/base/status.h"

#include <array>

namespace lockstep {

std::string_view CodeName(Code code) {
  static constexpr std::array<std::string_view, 17> kNames = {
      "Ok",       "Cancelled",      "Unknown",          "InvalidArgument",   "DeadlineExceeded",
      "NotFound", "AlreadyExists",  "PermissionDenied", "ResourceExhausted", "FailedPrecondition",
      "Aborted",  "OutOfRange",     "Unimplemented",    "Internal",          "Unavailable",
      "DataLoss", "Unauthenticated"};
  const auto index = static_cast<size_t>(code);
  return index < kNames.size() ? kNames[index] : "Unknown";
}

Status::Status(Code code, std::string message) : code_(code), message_(std::move(message)) {}

std::string Status::ToString() const {
  if (ok()) return "Ok";
  return std::string(CodeName(code_)) + ": " + message_;
}

void Status::OrThrow() const {
  if (!ok()) throw Error(*this);
}

Error::Error(Status status, Place place)
    : status_(std::move(status)), place_(place), what_(status_.ToString()) {}

Error::Error(Code code, std::string message, Place place)
    : Error(Status(code, std::move(message)), place) {}

}  // namespace lockstep
