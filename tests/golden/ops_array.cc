#include <sstream>
#include <stdexcept>

#include "gradients.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/clip.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/structure.h"

namespace golden {
namespace {

using lockstep::DType;
using lockstep::Tensor;

// An op on the inputs `names`, with its parameters read from the case.
Handler On(std::vector<std::string> names,
           std::function<Tensor(const Case&, const std::vector<Tensor>&)> function) {
  return [names, function](const Case& golden, Produced& produced) {
    ForwardAndBackward(golden, produced, names,
                       [&](const std::vector<Tensor>& inputs) { return function(golden, inputs); });
  };
}

// All inputs but dy, in the order of their names.
void OnAll(const Case& golden, Produced& produced, const Forward& forward) {
  std::vector<std::string> names;
  for (const auto& [name, value] : golden.inputs().items()) {
    if (name != "dy") names.push_back(name);
  }
  ForwardAndBackward(golden, produced, names, forward);
}

void Concat(const Case& golden, Produced& produced) {
  OnAll(golden, produced, [&](const std::vector<Tensor>& inputs) {
    return lockstep::Concat(inputs, golden.Param("axis", 0));
  });
}

void Stack(const Case& golden, Produced& produced) {
  OnAll(golden, produced, [&](const std::vector<Tensor>& inputs) {
    return lockstep::Stack(inputs, golden.Param("axis", 0));
  });
}

struct Slices {
  std::vector<int64_t> begin, end, strides;
  lockstep::StridedSliceMasks masks;

  void Add(const std::string& entry);
};

// One entry of Python's notation: "::-1", "1:", "3", "...", "newaxis".
void Slices::Add(const std::string& entry) {
  const int64_t bit = int64_t{1} << begin.size();
  int64_t values[3] = {0, 0, 1};
  if (entry == "...") {
    masks.ellipsis |= bit;
  } else if (entry == "newaxis" || entry == "None" || entry == "tf.newaxis") {
    masks.new_axis |= bit;
  } else if (entry.find(':') == std::string::npos) {
    masks.shrink_axis |= bit;
    values[0] = std::stoll(entry);
    values[1] = values[0] + 1;
  } else {
    std::vector<std::string> parts(1);
    for (const char c : entry) {
      if (c == ':') {
        parts.emplace_back();
      } else {
        parts.back().push_back(c);
      }
    }
    parts.resize(3);
    for (int i = 0; i < 3; ++i) {
      if (!parts[i].empty()) values[i] = std::stoll(parts[i]);
    }
    if (parts[0].empty()) masks.begin |= bit;
    if (parts[1].empty()) masks.end |= bit;
  }
  begin.push_back(values[0]);
  end.push_back(values[1]);
  strides.push_back(values[2]);
}

Tensor StridedSlice(const Case& golden, const std::vector<Tensor>& inputs) {
  std::string text;
  for (const char c : golden.Get<std::string>("slices")) {
    if (c != '[' && c != ']' && c != ' ') text += c;
  }
  Slices slices;
  std::istringstream entries(text);
  for (std::string entry; std::getline(entries, entry, ',');) slices.Add(entry);
  return lockstep::StridedSlice(inputs[0], slices.begin, slices.end, slices.strides, slices.masks);
}

Tensor Pad(const Case& golden, const std::vector<Tensor>& inputs) {
  std::vector<lockstep::AxisPadding> paddings;
  for (const Json& pair : golden.Value("paddings"))
    paddings.push_back({pair[0].get<int64_t>(), pair[1].get<int64_t>()});
  const auto mode = golden.Param<std::string>("mode", "CONSTANT");
  const Json value = golden.HasParam("constant_values") ? golden.Value("constant_values") : Json(0);
  return lockstep::Pad(inputs[0], paddings,
                       mode == "REFLECT"     ? lockstep::PadMode::kReflect
                       : mode == "SYMMETRIC" ? lockstep::PadMode::kSymmetric
                                             : lockstep::PadMode::kConstant,
                       value.is_boolean() ? value.get<bool>() : value.get<double>());
}

Tensor Gather(const Case& golden, const std::vector<Tensor>& inputs) {
  return lockstep::Gather(
      inputs[0], inputs[1],
      {.axis = golden.Param("axis", 0), .batch_dims = golden.Param("batch_dims", 0)});
}

Tensor Where(const Case&, const std::vector<Tensor>& inputs) {
  return lockstep::Where(lockstep::Cast(inputs[0], DType::kBool), inputs[1], inputs[2]);
}

Tensor Ids(const Case& golden) {
  return lockstep::Constant<int64_t>(golden.Integers("segment_ids"));
}

void ClipByGlobalNorm(const Case& golden, Produced& produced) {
  std::vector<Tensor> inputs;
  std::vector<std::string> names;
  for (const auto& [name, value] : golden.inputs().items()) {
    inputs.push_back(golden.Input(name));
    names.push_back(name);
  }
  const auto [clipped, norm] = lockstep::ClipByGlobalNorm(inputs, golden.Get<double>("clip_norm"));
  for (size_t i = 0; i < names.size(); ++i) produced["c" + names[i]] = clipped[i];
  produced["norm"] = norm;
}

lockstep::SortDirection DirectionOf(const Case& golden) {
  return golden.Param<std::string>("direction", "ASCENDING") == "DESCENDING"
             ? lockstep::SortDirection::kDescending
             : lockstep::SortDirection::kAscending;
}

lockstep::TopKResult TopK(const Case& golden, const Tensor& x) {
  if (!golden.Param("sorted", true))
    throw Skip{"with sorted false the order is none that TensorFlow promises"};
  return lockstep::TopK(x, golden.Param<int64_t>("k", 1));
}

// A number, or a bool as 0 or 1.
double NumberOrBool(const Case& golden, const std::string& name, double fallback) {
  if (!golden.HasParam(name)) return fallback;
  const Json& value = golden.Value(name);
  return value.is_boolean() ? value.get<bool>() : value.get<double>();
}

// In the dtype of what is expected, which follows from the values or a parameter.
Tensor OneHot(const Case& golden, const std::vector<Tensor>& inputs) {
  golden.Knows("dtype");
  const Tensor y = lockstep::OneHot(inputs[0], golden.Get<int64_t>("depth"),
                                    {.on_value = NumberOrBool(golden, "on_value", 1),
                                     .off_value = NumberOrBool(golden, "off_value", 0),
                                     .axis = golden.Param("axis", -1)});
  return lockstep::Cast(y, DTypeOf(golden.OutputDType("y")));
}

void TopKTies(const Case& golden, Produced& produced) {
  const Tensor x = golden.Input("x");
  const auto [values, indices] = TopK(golden, x);
  produced["values"] = values;
  produced["indices"] = indices;
  produced["argmax"] = lockstep::ArgMax(x, -1);
  produced["argmin"] = lockstep::ArgMin(x, -1);
  produced["argsort"] = lockstep::ArgSort(x, golden.Param("axis", -1), DirectionOf(golden));
}

void IntegerDivision(const Case& golden, Produced& produced) {
  const Tensor a = golden.Input("a");
  const Tensor b = golden.Input("b");
  produced["floordiv"] = lockstep::FloorDiv(a, b);
  produced["floormod"] = lockstep::FloorMod(a, b);
  produced["truncatediv"] = lockstep::TruncateDiv(a, b);
  produced["truncatemod"] = lockstep::TruncateMod(a, b);
}

void NotBuilt(const Case& golden, Produced&) {
  throw Skip{"Lockstep has no op for " + golden.name()};
}

void CastTo(const Case& golden, Produced& produced) {
  const std::string dtype = golden.OutputDType("y");
  ForwardAndBackward(golden, produced, {"x"}, [&](const std::vector<Tensor>& inputs) {
    return lockstep::Cast(inputs[0], DTypeOf(dtype));
  });
}

using Inputs = const std::vector<Tensor>&;

const RegisterGroup kArray(
    "ops_array",
    {
        {"concat", Concat},
        {"stack", Stack},
        {"strided_slice", On({"x"}, StridedSlice)},
        {"pad", On({"x"}, Pad)},
        {"transpose", On({"x"},
                         [](const Case& c, Inputs in) {
                           return lockstep::Transpose(in[0], c.HasParam("perm")
                                                                 ? c.Integers("perm")
                                                                 : std::vector<int64_t>{});
                         })},
        {"tile",
         On({"x"}, [](const Case& c,
                      Inputs in) { return lockstep::Tile(in[0], c.Integers("multiples")); })},
        {"reshape",
         On({"x"}, [](const Case& c,
                      Inputs in) { return lockstep::Reshape(in[0], c.Integers("shape")); })},
        {"squeeze", On({"x"},
                       [](const Case& c, Inputs in) {
                         return lockstep::Squeeze(in[0], c.HasParam("axis")
                                                             ? c.Integers("axis")
                                                             : std::vector<int64_t>{});
                       })},
        {"expand_dims",
         On({"x"}, [](const Case& c,
                      Inputs in) { return lockstep::ExpandDims(in[0], c.Integers("axis")); })},
        {"broadcast_to", On({"x"},
                            [](const Case& c, Inputs in) {
                              return lockstep::BroadcastTo(in[0],
                                                           lockstep::Shape(c.Integers("shape")));
                            })},
        {"slice", On({"x"},
                     [](const Case& c, Inputs in) {
                       return lockstep::Slice(in[0], c.Integers("begin"), c.Integers("size"));
                     })},
        {"scatter_nd", On({"i", "u"},
                          [](const Case& c, Inputs in) {
                            return lockstep::ScatterNd(in[0], in[1], c.Integers("shape"));
                          })},
        {"sort", On({"x"},
                    [](const Case& c, Inputs in) {
                      return lockstep::Sort(in[0], c.Param("axis", -1), DirectionOf(c));
                    })},
        {"argsort", On({"x"},
                       [](const Case& c, Inputs in) {
                         c.Param("stable", false);
                         return lockstep::ArgSort(in[0], c.Param("axis", -1), DirectionOf(c));
                       })},
        {"roll", NotBuilt},
        {"repeat", NotBuilt},
        {"segment_mean", NotBuilt},
        {"reverse",
         On({"x"},
            [](const Case& c, Inputs in) { return lockstep::Reverse(in[0], c.Integers("axis")); })},
        {"gather", On({"p", "i"}, Gather)},
        {"gather_axis0", On({"p", "i"}, Gather)},
        {"gather_axis1", On({"p", "i"}, Gather)},
        {"gather_nd",
         On({"p", "i"}, [](const Case&, Inputs in) { return lockstep::GatherNd(in[0], in[1]); })},
        {"where", On({"c", "a", "b"}, Where)},
        {"clip_by_value",
         On({"x"},
            [](const Case& c, Inputs in) {
              if (lockstep::IsInteger(in[0].dtype())) {
                return lockstep::ClipByValue(in[0], c.Get<int64_t>("lo"), c.Get<int64_t>("hi"));
              }
              return lockstep::ClipByValue(in[0], c.Get<double>("lo"), c.Get<double>("hi"));
            })},
        {"clip_by_norm", On({"x"},
                            [](const Case& c, Inputs in) {
                              return lockstep::ClipByNorm(in[0], c.Get<double>("clip_norm"),
                                                          c.HasParam("axes")
                                                              ? lockstep::Axes(c.Integers("axes"))
                                                              : lockstep::Axes());
                            })},
        {"clip_by_global_norm", ClipByGlobalNorm},
        {"segment_sum",
         On({"x"}, [](const Case& c, Inputs in) { return lockstep::SegmentSum(in[0], Ids(c)); })},
        {"unsorted_segment_sum", On({"x"},
                                    [](const Case& c, Inputs in) {
                                      return lockstep::UnsortedSegmentSum(
                                          in[0], Ids(c), c.Get<int64_t>("num_segments"));
                                    })},
        {"top_k_values", On({"x"}, [](const Case& c, Inputs in) { return TopK(c, in[0]).values; })},
        {"top_k_ties_indices", TopKTies},
        {"one_hot", On({"i"}, OneHot)},
        {"int_division_and_mod", IntegerDivision},
        {"round_half_even",
         On({"x"}, [](const Case&, Inputs in) { return lockstep::Round(in[0]); })},
        {"cast", CastTo},
    });

}  // namespace
}  // namespace golden
