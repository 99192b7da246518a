// Model::Summary, as Keras prints it.

#include <algorithm>

#include "base/printf.h"
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

std::string Cell(const std::string& text, size_t width, bool right) {
  const std::string blanks(width - std::min(width, text.size()), ' ');
  return right ? blanks + text : text + blanks;
}

// The words of `text` on lines of at most `width`; longer words are cut.
std::vector<std::string> Wrapped(const std::string& text, size_t width) {
  std::vector<std::string> lines{""};
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find(' ', begin), text.size());
    std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.push_back("");
    for (; word.size() > width; word.erase(0, width)) {
      lines.back() = word.substr(0, width);
      lines.push_back("");
    }
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

std::string Row(const char* edge, const std::string& a, const std::string& b,
                const std::string& c) {
  const std::vector<std::string> columns[] = {Wrapped(a, kWidths[0]), Wrapped(b, kWidths[1]),
                                              Wrapped(c, kWidths[2])};
  std::string text;
  for (size_t line = 0; line < std::max({columns[0].size(), columns[1].size(), columns[2].size()});
       ++line) {
    text += edge;
    for (size_t i = 0; i < 3; ++i) {
      const std::string part = line < columns[i].size() ? columns[i][line] : std::string();
      text += " ";
      text += Cell(part, kWidths[i], i == 2);
      text += " ";
      text += edge;
    }
    text += "\n";
  }
  return text;
}

// 1234567 as "1,234,567".
std::string WithCommas(int64_t number) {
  std::string digits = std::to_string(number);
  for (int64_t place = static_cast<int64_t>(digits.size()) - 3; place > 0; place -= 3) {
    digits.insert(static_cast<size_t>(place), 1, ',');
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
  return base::Printf("%.2f %s", value, kUnits[unit]);
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
