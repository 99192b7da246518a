#pragma once

#include <sstream>
#include <string>

/// Checks of our own invariants: a failed one prints both values and the place, then aborts.
/// Anything that a caller or the world can cause is a `Status` or an `Error` instead.

namespace lockstep::base {

[[noreturn]] void CheckFailed(const char* file, int line, const std::string& text);

template <typename A, typename B>
std::string DescribeCheck(const char* text, const A& a, const B& b) {
  std::ostringstream out;
  out << text << "; got " << a << " and " << b;
  return out.str();
}

}  // namespace lockstep::base

#define LOCKSTEP_CHECK(condition)                                                    \
  do {                                                                               \
    if (!(condition)) ::lockstep::base::CheckFailed(__FILE__, __LINE__, #condition); \
  } while (false)

#define LOCKSTEP_CHECK_OP(a, op, b)                                              \
  do {                                                                           \
    const auto& check_a = (a);                                                   \
    const auto& check_b = (b);                                                   \
    if (!(check_a op check_b))                                                   \
      ::lockstep::base::CheckFailed(                                             \
          __FILE__, __LINE__,                                                    \
          ::lockstep::base::DescribeCheck(#a " " #op " " #b, check_a, check_b)); \
  } while (false)
#define LOCKSTEP_CHECK_EQ(a, b) LOCKSTEP_CHECK_OP(a, ==, b)
#define LOCKSTEP_CHECK_NE(a, b) LOCKSTEP_CHECK_OP(a, !=, b)
#define LOCKSTEP_CHECK_LE(a, b) LOCKSTEP_CHECK_OP(a, <=, b)
#define LOCKSTEP_CHECK_LT(a, b) LOCKSTEP_CHECK_OP(a, <, b)
#define LOCKSTEP_CHECK_GE(a, b) LOCKSTEP_CHECK_OP(a, >=, b)
