// Einsum, made of transpositions, reshapes, sums and products of matrices; so its gradient is
// theirs.

#include <algorithm>
#include <map>

#include "lockstep/ops/array.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/structure.h"

namespace lockstep {
namespace {

// A label is a letter, or for an axis of an ellipsis kEllipsis minus its place from the end.
using Labels = std::vector<int>;
constexpr int kEllipsis = -1;

struct Operand {
  Tensor value;
  Labels labels;
};

[[noreturn]] void Throw(const std::string& equation, const std::string& rule) {
  throw Error(Code::kInvalidArgument, "[einsum] " + rule + "; got \"" + equation + "\"");
}

bool Contains(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

// The labels of one term, whose ellipsis stands for `ellipsis_axes` axes.
Labels ParseTerm(const std::string& term, int ellipsis_axes, const std::string& equation) {
  Labels labels;
  for (size_t i = 0; i < term.size(); ++i) {
    const char c = term[i];
    if (std::isalpha(static_cast<unsigned char>(c))) {
      labels.push_back(c);
    } else if (term.compare(i, 3, "...") == 0) {
      for (int axis = ellipsis_axes; axis > 0; --axis) labels.push_back(kEllipsis - axis);
      i += 2;
    } else {
      Throw(equation, "terms are made of letters and at most one ellipsis");
    }
  }
  return labels;
}

struct Equation {
  std::vector<Operand> operands;
  Labels output;
};

std::vector<std::string> SplitTerms(const std::string& text) {
  std::vector<std::string> terms(1);
  for (const char c : text) {
    if (c == ',') {
      terms.emplace_back();
    } else {
      terms.back() += c;
    }
  }
  return terms;
}

// Without "->": the ellipsis, then the labels that occur once, in alphabetical order.
Labels ImplicitOutput(const std::vector<Operand>& operands) {
  std::map<int, int> counts;
  Labels output;
  for (const Operand& operand : operands) {
    for (const int label : operand.labels) ++counts[label];
  }
  for (const auto& [label, count] : counts) {
    if (label < 0 || count == 1) output.push_back(label);
  }
  return output;
}

Equation Parse(std::string text, const std::vector<Tensor>& inputs) {
  const std::string equation = text;
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const size_t arrow = text.find("->");
  const std::vector<std::string> terms = SplitTerms(text.substr(0, arrow));
  if (terms.size() != inputs.size()) {
    Throw(equation,
          "there must be a term for each of the " + std::to_string(inputs.size()) + " operands");
  }
  Equation result;
  int most_axes = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    const bool ellipsis = terms[i].find("...") != std::string::npos;
    const int named = static_cast<int>(terms[i].size()) - (ellipsis ? 3 : 0);
    const int axes = ellipsis ? inputs[i].rank() - named : 0;
    result.operands.push_back({inputs[i], ParseTerm(terms[i], std::max(0, axes), equation)});
    most_axes = std::max(most_axes, axes);
    if (static_cast<int>(result.operands[i].labels.size()) != inputs[i].rank()) {
      Throw(equation, "operand " + std::to_string(i) + " of shape " + inputs[i].shape().ToString() +
                          " must have a label for each axis");
    }
  }
  result.output = arrow == std::string::npos
                      ? ImplicitOutput(result.operands)
                      : ParseTerm(text.substr(arrow + 2), most_axes, equation);
  std::map<int, int64_t> sizes;
  for (const Operand& operand : result.operands) {
    for (size_t axis = 0; axis < operand.labels.size(); ++axis) {
      const int64_t size = operand.value.shape()[static_cast<int>(axis)];
      int64_t& known = sizes.try_emplace(operand.labels[axis], size).first->second;
      if (known < 0 || (operand.labels[axis] < 0 && known == 1)) known = size;
      const bool broadcast = operand.labels[axis] < 0 && size == 1;
      if (size >= 0 && known != size && !broadcast) {
        Throw(equation, "a label must have one size, not " + std::to_string(known) + " and " +
                            std::to_string(size));
      }
    }
  }
  for (const int label : result.output) {
    if (!sizes.contains(label) ||
        std::count(result.output.begin(), result.output.end(), label) > 1) {
      Throw(equation, "the result's labels must occur in an operand, and once in the result");
    }
  }
  return result;
}

// `operand` with its axes in the order `wanted`, a permutation of its labels.
Operand Arranged(const Operand& operand, const Labels& wanted) {
  if (operand.labels == wanted) return operand;
  std::vector<int64_t> perm;
  for (const int label : wanted) {
    perm.push_back(std::find(operand.labels.begin(), operand.labels.end(), label) -
                   operand.labels.begin());
  }
  return {Transpose(operand.value, perm), wanted};
}

// The diagonal of every label that `operand` has twice.
Operand Diagonal(Operand operand) {
  for (size_t i = 0; i < operand.labels.size(); ++i) {
    const auto second = std::find(operand.labels.begin() + static_cast<int64_t>(i) + 1,
                                  operand.labels.end(), operand.labels[i]);
    if (second == operand.labels.end()) continue;
    const int64_t j = second - operand.labels.begin();
    std::vector<int64_t> perm = {static_cast<int64_t>(i), j};
    Labels rest = {operand.labels[i]};
    const int64_t size = operand.value.shape()[static_cast<int>(i)];
    if (size < 0) {
      throw Error(Code::kInvalidArgument,
                  "[einsum] a repeated label needs a size that is known while tracing; got " +
                      operand.value.shape().ToString());
    }
    std::vector<int64_t> sizes = {size * size};
    for (int64_t axis = 0; axis < operand.value.rank(); ++axis) {
      if (axis == static_cast<int64_t>(i) || axis == j) continue;
      perm.push_back(axis);
      rest.push_back(operand.labels[static_cast<size_t>(axis)]);
      sizes.push_back(operand.value.shape()[static_cast<int>(axis)]);
    }
    std::vector<int64_t> places;
    for (int64_t p = 0; p < size; ++p) places.push_back(p * (size + 1));
    const Tensor flat = Reshape(Transpose(operand.value, perm), sizes);
    return Diagonal({Gather(flat, Constant<int64_t>(places)), rest});
  }
  return operand;
}

// `operand` summed over the labels that `keep` does not contain.
Operand SummedBut(const Operand& operand, const Labels& keep) {
  std::vector<int64_t> axes;
  Labels rest;
  for (size_t axis = 0; axis < operand.labels.size(); ++axis) {
    if (Contains(keep, operand.labels[axis])) {
      rest.push_back(operand.labels[axis]);
    } else {
      axes.push_back(static_cast<int64_t>(axis));
    }
  }
  return axes.empty() ? operand : Operand{ReduceSum(operand.value, axes), rest};
}

Labels Joined(std::initializer_list<Labels> parts) {
  Labels all;
  for (const Labels& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::vector<int64_t> SizesOf(const Operand& operand, const Labels& labels) {
  std::vector<int64_t> sizes;
  for (const int label : labels) {
    const auto axis = std::find(operand.labels.begin(), operand.labels.end(), label);
    sizes.push_back(operand.value.shape()[static_cast<int>(axis - operand.labels.begin())]);
  }
  return sizes;
}

int64_t ProductOf(const std::vector<int64_t>& sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes) product = product < 0 || size < 0 ? -1 : product * size;
  return product;
}

// `operand` as matrices of axes `first` and `second`, after the axes `batch`. `transposed` tells
// that they lie the other way round, when that saves moving them.
Tensor AsMatrices(const Operand& operand, const Labels& batch, const Labels& first,
                  const Labels& second, bool& transposed) {
  transposed = operand.labels == Joined({batch, second, first}) &&
               operand.labels != Joined({batch, first, second});
  const Labels& outer = transposed ? second : first;
  const Labels& inner = transposed ? first : second;
  const Operand arranged = Arranged(operand, Joined({batch, outer, inner}));
  if (first.size() == 1 && second.size() == 1) return arranged.value;
  std::vector<int64_t> sizes = SizesOf(operand, batch);
  sizes.push_back(ProductOf(SizesOf(operand, outer)));
  sizes.push_back(ProductOf(SizesOf(operand, inner)));
  return Reshape(arranged.value, sizes);
}

// The product of two operands, summed over the labels that `keep` does not contain.
Operand Contract(const Operand& a, const Operand& b, const Labels& keep) {
  const Operand left = SummedBut(a, Joined({keep, b.labels}));
  const Operand right = SummedBut(b, Joined({keep, a.labels}));
  Labels batch, summed, left_only, right_only;
  for (const int label : left.labels) {
    const bool shared = Contains(right.labels, label);
    (!shared ? left_only : Contains(keep, label) ? batch : summed).push_back(label);
  }
  for (const int label : right.labels) {
    if (!Contains(left.labels, label)) right_only.push_back(label);
  }
  bool transpose_a = false, transpose_b = false;
  const Tensor x = AsMatrices(left, batch, left_only, summed, transpose_a);
  const Tensor y = AsMatrices(right, batch, summed, right_only, transpose_b);
  Tensor product = MatMul(x, y, transpose_a, transpose_b);
  if (left_only.size() != 1 || right_only.size() != 1) {
    std::vector<int64_t> sizes(product.shape().sizes().begin(), product.shape().sizes().end() - 2);
    const std::vector<int64_t> rows = SizesOf(left, left_only),
                               columns = SizesOf(right, right_only);
    sizes.insert(sizes.end(), rows.begin(), rows.end());
    sizes.insert(sizes.end(), columns.begin(), columns.end());
    product = Reshape(product, sizes);
  }
  return {product, Joined({batch, left_only, right_only})};
}

}  // namespace

Tensor Einsum(const std::string& equation, const std::vector<Tensor>& inputs) {
  Equation parsed = Parse(equation, inputs);
  std::vector<Operand>& operands = parsed.operands;
  for (Operand& operand : operands) operand = Diagonal(operand);
  Operand result = operands[0];
  for (size_t i = 1; i < operands.size(); ++i) {
    Labels keep = parsed.output;
    for (size_t later = i + 1; later < operands.size(); ++later) {
      keep = Joined({keep, operands[later].labels});
    }
    result = Contract(result, operands[i], keep);
  }
  return Arranged(SummedBut(result, parsed.output), parsed.output).value;
}

}  // namespace lockstep
