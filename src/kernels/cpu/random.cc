// Random tensors: every row makes its own part of the stream.

#include <algorithm>

#include "kernels/cpu/for_dtype.h"
#include "random/generator.h"
#include "random/keras_seeds.h"
#include "random/normal.h"
#include "random/shuffle.h"
#include "random/uniform.h"

namespace lockstep::kernels {
namespace {

// How the elements of a seed become a stream; the op's shape rule has seen to its size.
class SeedReader {
 public:
  explicit SeedReader(const ops::TensorType& seed)
      : wide_(seed.dtype == DType::kInt64), state_(seed.shape[0] == 3) {}

  int64_t Word(const void* seed, int i) const {
    return wide_ ? static_cast<const int64_t*>(seed)[i] : static_cast<const int32_t*>(seed)[i];
  }
  random::Stream Read(const void* seed) const {
    if (state_)
      return random::GeneratorState{{Word(seed, 0), Word(seed, 1), Word(seed, 2)}}.stream();
    return random::StatelessStream(Word(seed, 0), Word(seed, 1));
  }
  random::Stream ReadKeras(const void* seed) const {
    return state_ ? Read(seed) : random::KerasStream({Word(seed, 0), Word(seed, 1)});
  }

 private:
  bool wide_;
  bool state_;
};

// Rows of axis 0 and the elements of each; "row_offset" says how many rows of the whole tensor lie
// before this one's first.
struct RowLayout {
  RowLayout(const KernelSpec& spec, const Shape& shape)
      : rows(shape.rank() > 0 ? shape[0] : 1),
        row_size(shape.rank() > 0 ? shape.product(1, shape.rank()) : 1),
        offset(spec.attributes.GetOr<int64_t>("row_offset", 0)) {}
  uint64_t First(int64_t row) const {
    return (static_cast<uint64_t>(offset) + static_cast<uint64_t>(row)) *
           static_cast<uint64_t>(row_size);
  }

  int64_t rows, row_size, offset;
};

// `Fill(attributes)` is a function object that fills elements from a place of a stream on.
template <typename T, typename Fill>
class RandomTensor : public Kernel {
 public:
  RandomTensor(const KernelSpec& spec, double cost)
      : seed_(spec.inputs[0]),
        layout_(spec, spec.outputs[0].shape),
        fill_(spec.attributes),
        cost_(cost) {}
  int64_t rows() const override { return layout_.rows; }
  double cost_per_row() const override { return cost_ * layout_.row_size; }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    if (end <= begin || layout_.row_size == 0) return;
    T* out = memory.out<T>(0) + begin * layout_.row_size;
    fill_(seed_.Read(memory.inputs[0]), layout_.First(begin),
          std::span<T>(out, (end - begin) * layout_.row_size));
  }

 private:
  SeedReader seed_;
  RowLayout layout_;
  Fill fill_;
  double cost_;
};

template <typename T>
struct TwoReals {
  explicit TwoReals(const ops::Attributes& attributes)
      : a(static_cast<T>(attributes.Get<double>("a"))),
        b(static_cast<T>(attributes.Get<double>("b"))) {}
  T a, b;
};

template <typename T>
struct Uniform : TwoReals<T> {
  using TwoReals<T>::TwoReals;
  void operator()(const random::Stream& stream, uint64_t first, std::span<T> out) const {
    random::FillUniform(stream, first, out, this->a, this->b);
  }
};

template <typename T>
struct Normal : TwoReals<T> {
  using TwoReals<T>::TwoReals;
  void operator()(const random::Stream& stream, uint64_t first, std::span<T> out) const {
    random::FillNormal(stream, first, out, this->a, this->b);
  }
};

template <typename T>
struct TruncatedNormal : TwoReals<T> {
  using TwoReals<T>::TwoReals;
  void operator()(const random::Stream& stream, uint64_t first, std::span<T> out) const {
    random::FillTruncatedNormal(stream, first, out, this->a, this->b);
  }
};

template <typename T>
struct UniformHalf {
  explicit UniformHalf(const ops::Attributes&) {}
  void operator()(const random::Stream& stream, uint64_t first, std::span<T> out) const {
    static_assert(sizeof(T) == sizeof(uint16_t));
    const std::span<uint16_t> bits(reinterpret_cast<uint16_t*>(out.data()), out.size());
    if constexpr (std::is_same_v<T, float16>) {
      random::FillUniformFloat16(stream, first, bits);
    } else {
      random::FillUniformBfloat16(stream, first, bits);
    }
  }
};

template <typename T>
struct UniformInt {
  explicit UniformInt(const ops::Attributes& attributes)
      : low(static_cast<T>(attributes.Get<int64_t>("low"))),
        high(static_cast<T>(attributes.Get<int64_t>("high"))) {}
  void operator()(const random::Stream& stream, uint64_t first, std::span<T> out) const {
    random::FillUniformInteger(stream, first, out, low, high);
  }
  T low, high;
};

template <typename T>
struct FullInt {
  explicit FullInt(const ops::Attributes&) {}
  void operator()(const random::Stream& stream, uint64_t first, std::span<T> out) const {
    random::FillFullRange(stream, first, out);
  }
};

template <template <typename> class Fill, typename List>
std::unique_ptr<Kernel> Make(const KernelSpec& spec, double cost) {
  return ForDType(List(), spec.outputs[0].dtype, [&]<typename T>(std::type_identity<T>) {
    return std::make_unique<RandomTensor<T, Fill<T>>>(spec, cost);
  });
}

std::unique_ptr<Kernel> MakeUniform(const KernelSpec& spec) {
  if (auto kernel = Make<Uniform, RealTypes>(spec, 10)) return kernel;
  return Make<UniformHalf, Types<float16, bfloat16>>(spec, 10);
}
std::unique_ptr<Kernel> MakeUniformInt(const KernelSpec& spec) {
  return Make<UniformInt, IndexTypes>(spec, 20);
}
std::unique_ptr<Kernel> MakeFullInt(const KernelSpec& spec) {
  return Make<FullInt, IndexTypes>(spec, 10);
}
std::unique_ptr<Kernel> MakeNormal(const KernelSpec& spec) {
  return Make<Normal, RealTypes>(spec, 60);
}
std::unique_ptr<Kernel> MakeTruncated(const KernelSpec& spec) {
  return Make<TruncatedNormal, RealTypes>(spec, 90);
}

const RegisterKernel kUniform("StatelessRandomUniform", MakeUniform);
const RegisterKernel kUniformInt("StatelessRandomUniformInt", MakeUniformInt);
const RegisterKernel kFullInt("StatelessRandomUniformFullInt", MakeFullInt);
const RegisterKernel kNormal("StatelessRandomNormal", MakeNormal);
const RegisterKernel kTruncated("StatelessTruncatedNormal", MakeTruncated);

// The uniform numbers decide in float32, or in float64 for float64, as Keras's do.
template <typename T>
class Dropout : public Kernel {
 public:
  explicit Dropout(const KernelSpec& spec)
      : seed_(spec.inputs[1]),
        layout_(spec, spec.outputs[0].shape),
        rate_(static_cast<T>(spec.attributes.Get<double>("rate"))),
        scale_(rate_ < T(1) ? static_cast<T>(1 / (1 - spec.attributes.Get<double>("rate")))
                            : T(0)) {}
  int64_t rows() const override { return layout_.rows; }
  uint32_t aligned_inputs() const override { return 1; }
  double cost_per_row() const override { return 12.0 * layout_.row_size; }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    constexpr int64_t kPiece = 512;
    const random::Stream stream = seed_.ReadKeras(memory.inputs[1]);
    T uniform[kPiece];
    const int64_t last = end * layout_.row_size;
    for (int64_t place = begin * layout_.row_size; place < last; place += kPiece) {
      const int64_t count = std::min(kPiece, last - place);
      random::FillUniform(stream, layout_.First(0) + place, std::span<T>(uniform, count));
      const T* x = memory.in<T>(0) + place;
      T* y = memory.out<T>(0) + place;
      for (int64_t i = 0; i < count; ++i) y[i] = uniform[i] >= rate_ ? x[i] * scale_ : T(0);
    }
  }

 private:
  SeedReader seed_;
  RowLayout layout_;
  T rate_;
  T scale_;
};

std::unique_ptr<Kernel> MakeDropout(const KernelSpec& spec) {
  return ForDType(RealTypes(), spec.outputs[0].dtype, [&]<typename T>(std::type_identity<T>) {
    return std::make_unique<Dropout<T>>(spec);
  });
}
const RegisterKernel kDropout("StatelessDropout", MakeDropout);

// Normals in the shape of input 0.
template <typename T>
class NormalLike : public Kernel {
 public:
  explicit NormalLike(const KernelSpec& spec)
      : seed_(spec.inputs[1]), layout_(spec, spec.outputs[0].shape), fill_(spec.attributes) {}
  int64_t rows() const override { return layout_.rows; }
  uint32_t aligned_inputs() const override { return 1; }
  double cost_per_row() const override { return 60.0 * layout_.row_size; }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    if (end <= begin || layout_.row_size == 0) return;
    fill_(seed_.ReadKeras(memory.inputs[1]), layout_.First(begin),
          std::span<T>(memory.out<T>(0) + begin * layout_.row_size,
                       (end - begin) * layout_.row_size));
  }

 private:
  SeedReader seed_;
  RowLayout layout_;
  Normal<T> fill_;
};

std::unique_ptr<Kernel> MakeNormalLike(const KernelSpec& spec) {
  return ForDType(RealTypes(), spec.outputs[0].dtype, [&]<typename T>(std::type_identity<T>) {
    return std::make_unique<NormalLike<T>>(spec);
  });
}
const RegisterKernel kNormalLike("StatelessNormalLike", MakeNormalLike);

class Permutation : public Kernel {
 public:
  explicit Permutation(const KernelSpec& spec)
      : seed_(spec.inputs[0]), size_(spec.outputs[0].shape[0]) {}
  double cost_per_row() const override { return 20.0 * size_; }
  void Run(const KernelMemory& memory, int64_t, int64_t) const override {
    const auto order = random::ShufflePermutation(seed_.Read(memory.inputs[0]), size_);
    std::copy(order.begin(), order.end(), memory.out<int64_t>(0));
  }

 private:
  SeedReader seed_;
  int64_t size_;
};

std::unique_ptr<Kernel> MakePermutation(const KernelSpec& spec) {
  return std::make_unique<Permutation>(spec);
}
const RegisterKernel kPermutation("RandomPermutation", MakePermutation);

class ReadAndSkip : public Kernel {
 public:
  void Run(const KernelMemory& memory, int64_t, int64_t) const override {
    const auto blocks = static_cast<uint64_t>(memory.in<int64_t>(1)[0]);
    int64_t* state = memory.resource<int64_t>(0);
    std::copy_n(state, 3, memory.out<int64_t>(0));
    const uint64_t low = static_cast<uint64_t>(state[0]) + blocks;
    if (low < blocks) state[1] = static_cast<int64_t>(static_cast<uint64_t>(state[1]) + 1);
    state[0] = static_cast<int64_t>(low);
  }
};

std::unique_ptr<Kernel> MakeReadAndSkip(const KernelSpec&) {
  return std::make_unique<ReadAndSkip>();
}
const RegisterKernel kReadAndSkip("RngReadAndSkip", MakeReadAndSkip);

// The counter stays, and the key is drawn from the shared one at the replica's place.
class ReplicaState : public Kernel {
 public:
  void Run(const KernelMemory& memory, int64_t, int64_t) const override {
    const int64_t* shared = memory.in<int64_t>(0);
    const auto replica = static_cast<uint32_t>(memory.in<int32_t>(1)[0]);
    const auto key =
        random::GeneratorState{{shared[0], shared[1], shared[2]}}.ReplicaStream(replica).key;
    int64_t* own = memory.out<int64_t>(0);
    own[0] = shared[0];
    own[1] = shared[1];
    own[2] = static_cast<int64_t>(uint64_t{key[1]} << 32 | key[0]);
  }
};

std::unique_ptr<Kernel> MakeReplicaState(const KernelSpec&) {
  return std::make_unique<ReplicaState>();
}
const RegisterKernel kReplicaState("RngReplicaState", MakeReplicaState);

}  // namespace
}  // namespace lockstep::kernels
