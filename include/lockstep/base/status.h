#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace lockstep {

/// The canonical codes, with TensorFlow's numbers.
enum class Code : uint8_t {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

/// "InvalidArgument", "Aborted", ...
std::string_view CodeName(Code code);

/// Success, or a code with a text of the form `[where] broken rule; got values (place)`.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message);

  static Status Ok() { return {}; }
  bool ok() const { return code_ == Code::kOk; }
  Code code() const { return code_; }
  const std::string& message() const { return message_; }
  /// "InvalidArgument: [matmul] ..."
  std::string ToString() const;
  /// Throws `Error` unless ok.
  void OrThrow() const;

  bool operator==(const Status&) const = default;

 private:
  Code code_ = Code::kOk;
  std::string message_;
};

/// A place in source text. It is std::source_location in small, which clang 14 does not have.
class Place {
 public:
  /// Where this is called; as a default argument, where the function is called.
  static constexpr Place Current(const char* file = __builtin_FILE(), int line = __builtin_LINE(),
                                 const char* function = __builtin_FUNCTION()) {
    return Place(file, line, function);
  }

  const char* file_name() const { return file_; }
  int line() const { return line_; }
  const char* function_name() const { return function_; }

 private:
  constexpr Place(const char* file, int line, const char* function)
      : file_(file), line_(line), function_(function) {}

  const char* file_;
  int line_;
  const char* function_;
};

/// What the surface that people write models with throws: a code, a text and where it was raised.
class Error : public std::exception {
 public:
  explicit Error(Status status, Place place = Place::Current());
  Error(Code code, std::string message, Place place = Place::Current());

  const Status& status() const { return status_; }
  Code code() const { return status_.code(); }
  const Place& place() const { return place_; }
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  Status status_;
  Place place_;
  std::string what_;
};

/// A value or the status that explains why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT: implicit by design
  Result(Status status) : status_(std::move(status)) {
    if (status_.ok()) status_ = Status(Code::kInternal, "[result] an ok status carries no value");
  }

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  const T& value() const& { return OrThrow(); }
  T&& value() && {
    OrThrow();
    return std::move(*value_);
  }
  const T& operator*() const& { return *value_; }
  T& operator*() & { return *value_; }
  const T* operator->() const { return &*value_; }
  T* operator->() { return &*value_; }
  /// The value; throws `Error` when there is none.
  const T& OrThrow() const {
    status_.OrThrow();
    return *value_;
  }

 private:
  Status status_;
  std::optional<T> value_;
};

}  // namespace lockstep

#define LOCKSTEP_RETURN_IF_ERROR(expression)                                      \
  do {                                                                            \
    if (::lockstep::Status status_ = (expression); !status_.ok()) return status_; \
  } while (false)

#define LOCKSTEP_CONCAT_INNER(a, b) a##b
#define LOCKSTEP_CONCAT(a, b) LOCKSTEP_CONCAT_INNER(a, b)
/// LOCKSTEP_ASSIGN_OR_RETURN(auto x, MakeX()); returns the status from this function on failure.
#define LOCKSTEP_ASSIGN_OR_RETURN(declaration, expression) \
  auto LOCKSTEP_CONCAT(result_, __LINE__) = (expression);  \
  if (!LOCKSTEP_CONCAT(result_, __LINE__).ok())            \
    return LOCKSTEP_CONCAT(result_, __LINE__).status();    \
  declaration = std::move(*LOCKSTEP_CONCAT(result_, __LINE__))
