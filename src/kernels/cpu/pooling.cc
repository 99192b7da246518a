// MaxPool, AvgPool and their gradients, image by image; channels side by side in vectors.

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>
#include <vector>

#include "kernels/cpu/widened.h"
#include "ops/window.h"

namespace lockstep::kernels {
namespace {

// What lies where in a pool's images.
struct PoolGeometry {
  PoolGeometry(const KernelSpec& spec, const Shape& images, const Shape& pooled)
      : window(ops::Window::Of(
            spec.attributes, images, spec.attributes.Get<std::vector<int64_t>>("ksize")[0],
            spec.attributes.Get<std::vector<int64_t>>("ksize")[1], spec.op.name)),
        images(images[0]),
        channels(images[3]),
        image_size(images.product(1, 4)),
        pooled_size(pooled.product(1, 4)) {}

  // The pixels of a window that lie inside the image, along one axis.
  struct Span {
    int64_t begin, end;
  };
  static Span Inside(const ops::WindowAxis& axis, int64_t position) {
    const int64_t first = position * axis.stride - axis.before;
    return {std::max<int64_t>(0, first),
            first > axis.input - axis.window ? axis.input : first + axis.window};
  }
  // Calls body(pooled offset, rows, columns) for every window of one image.
  template <typename Body>
  void ForEachWindow(const Body& body) const {
    int64_t pooled = 0;
    for (int64_t i = 0; i < window.height.output; ++i) {
      const Span rows = Inside(window.height, i);
      for (int64_t j = 0; j < window.width.output; ++j, pooled += channels) {
        body(pooled, rows, Inside(window.width, j));
      }
    }
  }
  // Calls body(image offset) for every pixel of a window, row by row.
  template <typename Body>
  void ForEachCell(Span rows, Span columns, const Body& body) const {
    for (int64_t h = rows.begin; h < rows.end; ++h) {
      for (int64_t w = columns.begin; w < columns.end; ++w) {
        body((h * window.width.input + w) * channels);
      }
    }
  }

  // Windows of two by two pixels, side by side, that cover the image: the usual ones.
  bool QuartersImage() const {
    const auto halves = [](const ops::WindowAxis& axis) {
      return axis.window == 2 && axis.stride == 2 && axis.before == 0 &&
             axis.input == 2 * axis.output;
    };
    return halves(window.height) && halves(window.width);
  }
  // Calls body(pooled offset, image offset of the window's first pixel) for every such window.
  template <typename Body>
  void ForEachQuarter(const Body& body) const {
    const int64_t row = window.width.input * channels;
    for (int64_t i = 0; i < window.height.output; ++i) {
      for (int64_t j = 0; j < window.width.output; ++j) {
        body((i * window.width.output + j) * channels, 2 * (i * row + j * channels));
      }
    }
  }

  ops::Window window;
  int64_t images, channels, image_size, pooled_size;
};

class PoolKernel : public Kernel {
 public:
  PoolKernel(const KernelSpec& spec, const Shape& images, const Shape& pooled, uint32_t aligned)
      : geometry_(spec, images, pooled), aligned_(aligned) {}
  int64_t rows() const override { return geometry_.images; }
  uint32_t aligned_inputs() const override { return aligned_; }
  double cost_per_row() const override {
    return static_cast<double>(geometry_.pooled_size) *
           static_cast<double>(geometry_.window.height.window) *
           static_cast<double>(geometry_.window.width.window);
  }

 protected:
  PoolGeometry geometry_;
  uint32_t aligned_;
};

#define LOCKSTEP_VECTORISED __attribute__((optimize("O3")))

template <typename T>
LOCKSTEP_VECTORISED void TakeLarger(const T* __restrict x, int64_t channels, T* __restrict best) {
  for (int64_t c = 0; c < channels; ++c) best[c] = x[c] > best[c] || x[c] != x[c] ? x[c] : best[c];
}

template <typename T>
T Larger(T best, T x) {
  return x > best || x != x ? x : best;
}

// The same for the four pixels of a window; `down` leads to its second row.
template <typename T>
LOCKSTEP_VECTORISED void TakeLargestOfFour(const T* __restrict x, int64_t down, int64_t channels,
                                           T* __restrict best) {
  for (int64_t c = 0; c < channels; ++c) {
    T largest = Larger(-std::numeric_limits<T>::infinity(), x[c]);
    largest = Larger(largest, x[channels + c]);
    largest = Larger(largest, x[down + c]);
    best[c] = Larger(largest, x[down + channels + c]);
  }
}

template <typename T>
LOCKSTEP_VECTORISED void AddScaled(const T* __restrict x, T divisor, int64_t channels,
                                   T* __restrict sum) {
  for (int64_t c = 0; c < channels; ++c) sum[c] += x[c] / divisor;
}

template <typename T>
LOCKSTEP_VECTORISED void AddTo(const T* __restrict x, int64_t channels, T* __restrict sum) {
  for (int64_t c = 0; c < channels; ++c) sum[c] += x[c];
}

template <typename T>
LOCKSTEP_VECTORISED void DivideBy(T divisor, int64_t channels, T* __restrict x) {
  for (int64_t c = 0; c < channels; ++c) x[c] /= divisor;
}

template <typename T>
class MaxPoolKernel : public PoolKernel {
 public:
  explicit MaxPoolKernel(const KernelSpec& spec)
      : PoolKernel(spec, spec.inputs[0].shape, spec.outputs[0].shape, 0b1) {}

  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    const PoolGeometry& g = geometry_;
    for (int64_t image = begin; image < end; ++image) {
      const T* x = memory.in<T>(0) + image * g.image_size;
      T* y = memory.out<T>(0) + image * g.pooled_size;
      if (g.QuartersImage()) {
        g.ForEachQuarter([&](int64_t pooled, int64_t first) {
          TakeLargestOfFour(x + first, g.window.width.input * g.channels, g.channels, y + pooled);
        });
        continue;
      }
      g.ForEachWindow([&](int64_t pooled, auto rows, auto columns) {
        T* best = y + pooled;
        std::fill_n(best, g.channels, -std::numeric_limits<T>::infinity());
        g.ForEachCell(rows, columns, [&](int64_t cell) { TakeLarger(x + cell, g.channels, best); });
      });
    }
  }
};

template <typename T>
class AvgPoolKernel : public PoolKernel {
 public:
  explicit AvgPoolKernel(const KernelSpec& spec)
      : PoolKernel(spec, spec.inputs[0].shape, spec.outputs[0].shape, 0b1) {}

  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    const PoolGeometry& g = geometry_;
    for (int64_t image = begin; image < end; ++image) {
      const T* x = memory.in<T>(0) + image * g.image_size;
      T* y = memory.out<T>(0) + image * g.pooled_size;
      g.ForEachWindow([&](int64_t pooled, auto rows, auto columns) {
        T* sum = y + pooled;
        std::fill_n(sum, g.channels, T{0});
        int64_t cells = 0;
        g.ForEachCell(rows, columns, [&](int64_t cell) {
          AddTo(x + cell, g.channels, sum);
          ++cells;
        });
        DivideBy(static_cast<T>(cells), g.channels, sum);
      });
    }
  }
};

template <typename T>
class AvgPoolGradKernel : public PoolKernel {
 public:
  explicit AvgPoolGradKernel(const KernelSpec& spec)
      : PoolKernel(spec, spec.outputs[0].shape, spec.inputs[1].shape, 0b10) {}

  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    const PoolGeometry& g = geometry_;
    for (int64_t image = begin; image < end; ++image) {
      const T* gradient = memory.in<T>(1) + image * g.pooled_size;
      T* dx = memory.out<T>(0) + image * g.image_size;
      std::fill_n(dx, g.image_size, T{0});
      g.ForEachWindow([&](int64_t pooled, auto rows, auto columns) {
        const auto cells = (rows.end - rows.begin) * (columns.end - columns.begin);
        g.ForEachCell(rows, columns, [&](int64_t cell) {
          AddScaled(gradient + pooled, static_cast<T>(cells), g.channels, dx + cell);
        });
      });
    }
  }
};

// For the windows' channels, whether the first largest element has been passed.
int32_t* Passed(int64_t channels) {
  thread_local std::vector<int32_t> passed;
  if (static_cast<int64_t>(passed.size()) < channels) passed.resize(channels);
  std::fill_n(passed.begin(), channels, 0);
  return passed.data();
}

template <typename T>
LOCKSTEP_VECTORISED void GiveToFirst(const T* __restrict x, const T* __restrict best,
                                     const T* __restrict gradient, int64_t channels,
                                     int32_t* __restrict passed, T* __restrict dx) {
  for (int64_t c = 0; c < channels; ++c) {
    const int32_t hit = ((x[c] == best[c]) | (x[c] != x[c])) & ~passed[c];
    const T value = gradient[c];
    dx[c] += hit & 1 ? value : T{0};
    passed[c] |= hit;
  }
}

// The same where a pixel has one window: the gradient is set, and the first pixel finds none
// passed.
// As bits, since GCC makes no vectors of a choice between floats that a sum follows; the sum makes
// -0 to +0, as one over windows does.
template <bool kFirst, typename T>
LOCKSTEP_VECTORISED void SetOfFirst(const T* __restrict x, const T* __restrict best,
                                    const T* __restrict gradient, int64_t channels,
                                    int32_t* __restrict passed, T* __restrict dx) {
  using Bits = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
  for (int64_t c = 0; c < channels; ++c) {
    int32_t hit = (x[c] == best[c]) | (x[c] != x[c]);
    if (!kFirst) hit &= ~passed[c];
    passed[c] = kFirst ? hit : passed[c] | hit;
    const Bits mask = -static_cast<Bits>(hit & 1);
    dx[c] = std::bit_cast<T>(std::bit_cast<Bits>(gradient[c]) & mask) + T{0};
  }
}

template <typename T>
LOCKSTEP_VECTORISED void TakeFromFirst(const T* __restrict x, const T* __restrict best,
                                       const T* __restrict gradient, int64_t channels,
                                       int32_t* __restrict passed, T* __restrict result) {
  for (int64_t c = 0; c < channels; ++c) {
    const int32_t hit = ((x[c] == best[c]) | (x[c] != x[c])) & ~passed[c];
    const T value = gradient[c];
    result[c] = hit & 1 ? value : result[c];
    passed[c] |= hit;
  }
}

// Inputs: images, their pool, the pool's gradient.
template <typename T>
class MaxPoolGradKernel : public PoolKernel {
 public:
  explicit MaxPoolGradKernel(const KernelSpec& spec)
      : PoolKernel(spec, spec.inputs[0].shape, spec.inputs[1].shape, 0b111) {}

  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    const PoolGeometry& g = geometry_;
    for (int64_t image = begin; image < end; ++image) {
      const T* x = memory.in<T>(0) + image * g.image_size;
      const T* y = memory.in<T>(1) + image * g.pooled_size;
      const T* gradient = memory.in<T>(2) + image * g.pooled_size;
      T* dx = memory.out<T>(0) + image * g.image_size;
      if (g.QuartersImage()) {
        const int64_t down = g.window.width.input * g.channels;
        int32_t* passed = Passed(g.channels);
        g.ForEachQuarter([&](int64_t pooled, int64_t first) {
          SetOfFirst<true>(x + first, y + pooled, gradient + pooled, g.channels, passed,
                           dx + first);
          for (const int64_t place : {g.channels, down, down + g.channels}) {
            SetOfFirst<false>(x + first + place, y + pooled, gradient + pooled, g.channels, passed,
                              dx + first + place);
          }
        });
        continue;
      }
      std::fill_n(dx, g.image_size, T{0});
      g.ForEachWindow([&](int64_t pooled, auto rows, auto columns) {
        int32_t* passed = Passed(g.channels);
        g.ForEachCell(rows, columns, [&](int64_t cell) {
          GiveToFirst(x + cell, y + pooled, gradient + pooled, g.channels, passed, dx + cell);
        });
      });
    }
  }
};

// Inputs: images, their pool, a gradient of the images' shape.
template <typename T>
class MaxPoolGradGradKernel : public PoolKernel {
 public:
  explicit MaxPoolGradGradKernel(const KernelSpec& spec)
      : PoolKernel(spec, spec.inputs[0].shape, spec.inputs[1].shape, 0b111) {}

  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    const PoolGeometry& g = geometry_;
    for (int64_t image = begin; image < end; ++image) {
      const T* x = memory.in<T>(0) + image * g.image_size;
      const T* y = memory.in<T>(1) + image * g.pooled_size;
      const T* gradient = memory.in<T>(2) + image * g.image_size;
      T* result = memory.out<T>(0) + image * g.pooled_size;
      std::fill_n(result, g.pooled_size, T{0});
      g.ForEachWindow([&](int64_t pooled, auto rows, auto columns) {
        int32_t* passed = Passed(g.channels);
        g.ForEachCell(rows, columns, [&](int64_t cell) {
          TakeFromFirst(x + cell, y + pooled, gradient + cell, g.channels, passed, result + pooled);
        });
      });
    }
  }
};

const RegisterKernel kMaxPool("MaxPool", MakeForFloats<MaxPoolKernel>);
const RegisterKernel kMaxPoolGrad("MaxPoolGrad", MakeForFloats<MaxPoolGradKernel>);
const RegisterKernel kMaxPoolGradGrad("MaxPoolGradGrad", MakeForFloats<MaxPoolGradGradKernel>);
const RegisterKernel kAvgPool("AvgPool", MakeForFloats<AvgPoolKernel>);
const RegisterKernel kAvgPoolGrad("AvgPoolGrad", MakeForFloats<AvgPoolGradKernel>);

}  // namespace
}  // namespace lockstep::kernels
