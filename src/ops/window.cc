#include "ops/window.h"

#include <algorithm>

#include "tensor/sizes.h"

namespace lockstep::ops {
namespace {

using tensor::ProductOfSizes;
using tensor::SumOfSizes;

[[noreturn]] void Throw(const std::string& where, const std::string& rule, const std::string& got) {
  throw Error(Code::kInvalidArgument, "[" + where + "] " + rule + "; got " + got);
}

int64_t SizeOf(const Attributes& attributes, const char* name, int axis, const std::string& where) {
  const AttributeValue* value = attributes.Find(name);
  if (value == nullptr) return 1;
  const auto& sizes = std::get<std::vector<int64_t>>(*value);
  if (sizes.size() != 2 || std::min(sizes[0], sizes[1]) < 1) {
    Throw(where, std::string(name) + " must be two positive sizes", tensor::ListText(sizes));
  }
  return sizes[static_cast<size_t>(axis)];
}

// TensorFlow's rule: SAME gives ceil(input / stride) windows, the odd cell of padding after.
void Place(WindowAxis& axis, const std::string& padding, int64_t before, int64_t after,
           const std::string& where) {
  axis.before = before;
  if (axis.input < 0 || axis.window < 0) {
    axis.output = Shape::kUnknown;
    return;
  }
  const int64_t reach =
      SumOfSizes({ProductOfSizes({axis.window - 1, axis.dilation}, where), 1}, where);
  if (padding == "SAME") {
    axis.output = axis.input == 0 ? 0 : (axis.input - 1) / axis.stride + 1;
    const int64_t covered =
        axis.output == 0 ? 0 : SumOfSizes({(axis.output - 1) * axis.stride, reach}, where);
    axis.before = std::max<int64_t>(covered - axis.input, 0) / 2;
    return;
  }
  const int64_t padded = SumOfSizes({axis.input, before, after}, where);
  if (padded < reach) {
    Throw(where, "the window must fit into the padded input",
          "a window that reaches over " + std::to_string(reach) + " cells of " +
              std::to_string(padded));
  }
  axis.output = (padded - reach) / axis.stride + 1;
}

}  // namespace

Window Window::Of(const Attributes& attributes, const Shape& input, int64_t window_height,
                  int64_t window_width, const std::string& where) {
  const std::string padding = attributes.GetOr<std::string>("padding", "VALID");
  std::vector<int64_t> cells = {0, 0, 0, 0};
  if (padding == "EXPLICIT") {
    cells = attributes.Get<std::vector<int64_t>>("explicit_paddings");
    if (cells.size() != 4 || *std::min_element(cells.begin(), cells.end()) < 0) {
      Throw(where, "explicit_paddings must be four sizes, none negative",
            std::to_string(cells.size()) + " sizes");
    }
  } else if (padding != "SAME" && padding != "VALID") {
    Throw(where, "padding must be VALID, SAME or EXPLICIT", padding);
  }
  if (window_height == 0 || window_width == 0) {
    Throw(where, "a window must have cells",
          std::to_string(window_height) + " x " + std::to_string(window_width));
  }
  Window result;
  for (int i = 0; i < 2; ++i) {
    WindowAxis& axis = i == 0 ? result.height : result.width;
    axis.input = input[1 + i];
    axis.window = i == 0 ? window_height : window_width;
    axis.stride = SizeOf(attributes, "strides", i, where);
    axis.dilation = SizeOf(attributes, "dilations", i, where);
    Place(axis, padding, cells[static_cast<size_t>(2 * i)], cells[static_cast<size_t>(2 * i + 1)],
          where);
  }
  return result;
}

}  // namespace lockstep::ops
