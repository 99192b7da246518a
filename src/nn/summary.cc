// Model::Summary, as Keras prints it.

#include <algorithm>
#include <cstdio>

#include "lockstep/nn/model.h"

namespace lockstep {

namespace {

constexpr size_t kWidths[] = {31, 22, 13};  // of the columns, without their margins

std::string Repeated(const char* text, size_t times) {
  std::string result;
  for (size_t i = 0; i < times; ++i) result += text;
  return result;
}

// "┏━━━┳━━━┓\n"
std::string Rule(const char* left, const char* line, const char* cross, const char* right) {
  std::string rule = left;
  for (size_t column = 0; column < 3; ++column) {
    rule += Repeated(line, kWidths[column] + 2) + (column < 2 ? cross : right);
  }
  return rule + "\n";
}

// Characters, not bytes; names are ASCII but for the mark of an abridged one.
std::string Cell(std::string text, size_t width, bool right) {
  if (text.size() > width) return text.substr(0, width - 1) + "…";
  const std::string blanks(width - text.size(), ' ');
  return right ? blanks + text : text + blanks;
}

std::string Row(const char* edge, const std::string& a, const std::string& b,
                const std::string& c) {
  return std::string(edge) + " " + Cell(a, kWidths[0], false) + " " + edge + " " +
         Cell(b, kWidths[1], false) + " " + edge + " " + Cell(c, kWidths[2], true) + " " + edge +
         "\n";
}

// 1234567 as "1,234,567".
std::string WithCommas(int64_t number) {
  std::string digits = std::to_string(number);
  for (int64_t place = static_cast<int64_t>(digits.size()) - 3; place > 0; place -= 3) {
    digits.insert(static_cast<size_t>(place), ",");
  }
  return digits;
}

// Without the size of the batch: "(None, 28, 28, 1)".
std::string ShapeText(const Layer& layer) {
  if (!layer.output_shape().has_value()) return "?";
  const Shape& shape = *layer.output_shape();
  std::string text = "(None";
  for (int i = 1; i < shape.rank(); ++i) text += ", " + std::to_string(shape[i]);
  return text + (shape.rank() <= 1 ? ",)" : ")");
}

std::string MemoryText(int64_t bytes) {
  static const char* const kUnits[] = {"B", "KB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  for (; value >= 1024 && unit < 4; ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.2f %s", value, kUnits[unit]);
  return text;
}

struct Size {
  int64_t elements = 0;
  int64_t bytes = 0;

  void Add(const Variable& variable) {
    const int64_t count = variable.shape().num_elements();
    elements += count;
    bytes += count * static_cast<int64_t>(DTypeSize(variable.dtype()));
  }
};

std::string Total(const char* what, const Size& size) {
  return std::string(" ") + what + " params: " + WithCommas(size.elements) + " (" +
         MemoryText(size.bytes) + ")\n";
}

}  // namespace

std::string Model::Summary() const {
  std::string text = "Model: \"" + name_ + "\"\n" + Rule("┏", "━", "┳", "┓") +
                     Row("┃", "Layer (type)", "Output Shape", "Param #") + Rule("┡", "━", "╇", "┩");
  Size all, trained;
  for (size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = *layers_[i];
    Size own;
    for (const Weight& weight : layer.weights()) {
      own.Add(weight.variable);
      all.Add(weight.variable);
    }
    for (const Weight& weight : layer.trainable_weights()) trained.Add(weight.variable);
    if (i > 0) text += Rule("├", "─", "┼", "┤");
    text += Row("│", layer.name() + " (" + layer.class_name() + ")", ShapeText(layer),
                layer.built() ? WithCommas(own.elements) : "0 (unbuilt)");
  }
  text += Rule("└", "─", "┴", "┘") + Total("Total", all) + Total("Trainable", trained);
  return text +
         Total("Non-trainable", {all.elements - trained.elements, all.bytes - trained.bytes});
}

}  // namespace lockstep
