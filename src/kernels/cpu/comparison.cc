// Comparisons, logic, and the choice between two tensors.

#include "kernels/cpu/broadcast_walk.h"
#include "kernels/cpu/elementwise.h"

namespace lockstep::kernels {
namespace {

#define LOCKSTEP_COMPARISON(Name, sign)     \
  struct Name {                             \
    template <typename T>                   \
    LOCKSTEP_ELEMENT bool Apply(T a, T b) { \
      return a sign b;                      \
    }                                       \
  };
LOCKSTEP_COMPARISON(Equal, ==)
LOCKSTEP_COMPARISON(NotEqual, !=)
LOCKSTEP_COMPARISON(Less, <)
LOCKSTEP_COMPARISON(LessEqual, <=)
LOCKSTEP_COMPARISON(Greater, >)
LOCKSTEP_COMPARISON(GreaterEqual, >=)
#undef LOCKSTEP_COMPARISON

struct And {
  LOCKSTEP_ELEMENT bool Apply(bool a, bool b) { return a & b; }
};
struct Or {
  LOCKSTEP_ELEMENT bool Apply(bool a, bool b) { return a | b; }
};
struct Not {
  LOCKSTEP_ELEMENT bool Apply(bool x) { return !x; }
};

struct IsNan {
  template <typename T>
  LOCKSTEP_ELEMENT bool Apply(T x) {
    return x != x;
  }
};
// Infinities are what subtracting from itself makes a NaN of a number.
struct IsFinite {
  template <typename T>
  LOCKSTEP_ELEMENT bool Apply(T x) {
    return x - x == T(0);
  }
};
struct IsInf {
  template <typename T>
  LOCKSTEP_ELEMENT bool Apply(T x) {
    return (x == x) & (x - x != T(0));
  }
};

const RegisterKernel kEqual("Equal", MakeBinary<Equal, kAllTypes>);
const RegisterKernel kNotEqual("NotEqual", MakeBinary<NotEqual, kAllTypes>);
const RegisterKernel kLess("Less", MakeBinary<Less, kNumberTypes>);
const RegisterKernel kLessEqual("LessEqual", MakeBinary<LessEqual, kNumberTypes>);
const RegisterKernel kGreater("Greater", MakeBinary<Greater, kNumberTypes>);
const RegisterKernel kGreaterEqual("GreaterEqual", MakeBinary<GreaterEqual, kNumberTypes>);
const RegisterKernel kAnd("LogicalAnd", MakeBinary<And, kBoolType>);
const RegisterKernel kOr("LogicalOr", MakeBinary<Or, kBoolType>);
const RegisterKernel kNot("LogicalNot", MakeUnary<Not, kBoolType>);
const RegisterKernel kIsNan("IsNan", MakeUnary<IsNan, kRealTypes>);
const RegisterKernel kIsFinite("IsFinite", MakeUnary<IsFinite, kRealTypes>);
const RegisterKernel kIsInf("IsInf", MakeUnary<IsInf, kRealTypes>);

template <typename T>
LOCKSTEP_VECTOR_LOOPS void SelectRun(const bool* condition, const T* yes, const T* no, T* out,
                                     int64_t count, StayingOperands staying) {
  if (count == 1 || staying == 0) {
    for (int64_t i = 0; i < count; ++i) {
      const T a = yes[i], b = no[i];
      out[i] = condition[i] ? a : b;
    }
  } else if (staying & 1) {
    const T* chosen = *condition ? yes : no;
    const int64_t step = staying & (*condition ? 2 : 4) ? 0 : 1;
    for (int64_t i = 0; i < count; ++i) out[i] = chosen[i * step];
  } else {
    const int64_t yes_step = staying & 2 ? 0 : 1;
    const int64_t no_step = staying & 4 ? 0 : 1;
    for (int64_t i = 0; i < count; ++i) {
      const T a = yes[i * yes_step], b = no[i * no_step];
      out[i] = condition[i] ? a : b;
    }
  }
}

// Moves elements of type T, whatever they mean.
template <typename T>
class Select : public Kernel {
 public:
  explicit Select(const KernelSpec& spec)
      : walk_(spec.outputs[0].shape, std::vector<Shape>{spec.inputs[0].shape, spec.inputs[1].shape,
                                                        spec.inputs[2].shape}) {}
  int64_t rows() const override { return walk_.rows(); }
  int64_t row_grain() const override { return walk_.elements_per_row() == 1 ? 64 / sizeof(T) : 1; }
  uint32_t aligned_inputs() const override { return walk_.aligned_inputs(); }
  double cost_per_row() const override { return walk_.elements_per_row(); }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    StayingOperands staying = 0;
    for (int i = 0; i < 3; ++i) staying |= walk_.stays(i) ? 1u << i : 0;
    walk_.ForEachRun(begin, end, [&](int64_t to, const auto& from, int64_t count) {
      SelectRun(memory.in<bool>(0) + from[0], memory.in<T>(1) + from[1], memory.in<T>(2) + from[2],
                memory.out<T>(0) + to, count, staying);
    });
  }

 private:
  const BroadcastWalk walk_;
};

std::unique_ptr<Kernel> MakeSelect(const KernelSpec& spec) {
  if (spec.inputs[0].dtype != DType::kBool) return nullptr;
  if (spec.outputs[0].dtype == DType::kString) return nullptr;
  switch (DTypeSize(spec.outputs[0].dtype)) {
    case 1:
      return std::make_unique<Select<uint8_t>>(spec);
    case 2:
      return std::make_unique<Select<uint16_t>>(spec);
    case 4:
      return std::make_unique<Select<uint32_t>>(spec);
    case 8:
      return std::make_unique<Select<uint64_t>>(spec);
    default:
      return nullptr;
  }
}

const RegisterKernel kSelect("SelectV2", MakeSelect);

}  // namespace
}  // namespace lockstep::kernels
