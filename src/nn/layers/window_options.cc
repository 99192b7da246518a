#include "nn/layers/window_options.h"

namespace lockstep::nn {

Padding PaddingOf(const std::string& name, const char* where) {
  if (name == "valid") return Padding::kValid;
  if (name == "same") return Padding::kSame;
  throw Error(
      Code::kInvalidArgument,
      "[" + std::string(where) + "] padding must be \"valid\" or \"same\"; got \"" + name + "\"");
}

void RequirePositive(int64_t number, const char* what, const char* where) {
  if (number > 0) return;
  throw Error(Code::kInvalidArgument, "[" + std::string(where) + "] " + what +
                                          " must be positive; got " + std::to_string(number));
}

void RequirePositive(Size2D size, const char* what, const char* where) {
  RequirePositive(size.height, what, where);
  RequirePositive(size.width, what, where);
}

int64_t WindowsAlong(int64_t size, int64_t window, int64_t stride, int64_t dilation,
                     Padding padding) {
  if (padding == Padding::kSame) return (size + stride - 1) / stride;
  const int64_t reach = (window - 1) * dilation + 1;
  return size < reach ? 0 : (size - reach) / stride + 1;
}

}  // namespace lockstep::nn
