#include "kernels/kernel.h"

#include <algorithm>

#include "kernels/string_places.h"

namespace lockstep::kernels {

namespace {

template <typename T>
void Insert(std::vector<std::pair<std::string, T>>& table, std::string_view op, T value) {
  auto place =
      std::lower_bound(table.begin(), table.end(), op,
                       [](const auto& entry, std::string_view name) { return entry.first < name; });
  table.insert(place, {std::string(op), value});
}

template <typename T>
T Lookup(const std::vector<std::pair<std::string, T>>& table, std::string_view op) {
  auto place =
      std::lower_bound(table.begin(), table.end(), op,
                       [](const auto& entry, std::string_view name) { return entry.first < name; });
  return place != table.end() && place->first == op ? place->second : nullptr;
}

// For a result without elements: a shape such as [2^40, 0] has many rows all the same, and walking
// them would take minutes.
class NoRows : public Kernel {
 public:
  int64_t rows() const override { return 0; }
  void Run(const KernelMemory&, int64_t, int64_t) const override {}
};

bool WritesNothing(const KernelSpec& spec) {
  if (spec.op.stateful() || spec.outputs.empty()) return false;
  return std::all_of(spec.outputs.begin(), spec.outputs.end(), [](const ops::TensorType& output) {
    return output.shape.num_elements() == 0;
  });
}

// Long axes of arrays with elements are memory that is there: only others are unexpected, and a
// kernel that is made for one may prepare something for each place.
bool HasLongAxis(const KernelSpec& spec) {
  constexpr int64_t kLong = int64_t{1} << 20;
  const auto has_one = [](const ops::TensorType& type) {
    return std::ranges::any_of(type.shape.sizes(), [](int64_t size) { return size > kLong; });
  };
  return std::ranges::any_of(spec.inputs, has_one) || std::ranges::any_of(spec.outputs, has_one);
}

}  // namespace

const LeafTable& LeavesOf(const ops::Attributes& attributes) {
  static const LeafTable kNone;
  return attributes.Find("leaves") == nullptr ? kNone : attributes.Get<LeafTable>("leaves");
}

KernelRegistry& KernelRegistry::Cpu() {
  static KernelRegistry registry;
  return registry;
}

void KernelRegistry::Register(std::string_view op, KernelFactory factory) {
  Insert(factories_, op, factory);
}

void KernelRegistry::RegisterValueFunction(std::string_view op, ValueFunction function) {
  Insert(functions_, op, function);
}

ValueFunction KernelRegistry::FindValueFunction(std::string_view op) const {
  return Lookup(functions_, op);
}

bool KernelRegistry::Has(std::string_view op) const { return Lookup(factories_, op) != nullptr; }

std::unique_ptr<Kernel> KernelRegistry::Make(const KernelSpec& spec) const {
  if (KernelFactory factory = Lookup(factories_, spec.op.name); factory != nullptr) {
    if (HasLongAxis(spec) && WritesNothing(spec)) return std::make_unique<NoRows>();
    auto kernel = factory(spec);
    if (kernel == nullptr) kernel = MakeOnStrings(spec, factory);
    if (kernel != nullptr)
      return WritesNothing(spec) ? std::make_unique<NoRows>() : std::move(kernel);
  }
  std::string types;
  bool has_strings = false;
  for (const auto& input : spec.inputs) {
    types += (types.empty() ? "" : ", ") + input.ToString();
    has_strings |= input.dtype == DType::kString;
  }
  // Strings are a wrong argument of an op on numbers, as in TensorFlow.
  const Code code = has_strings ? Code::kInvalidArgument : Code::kUnimplemented;
  throw Error(code, "[" + spec.op.name + "] no kernel for these inputs; got " + types +
                        "; cast to a dtype that the op's documentation lists");
}

}  // namespace lockstep::kernels
