#include "kernels/cpu/convolution.h"

#include "kernels/cpu/product_reference.h"

namespace lockstep::kernels {
namespace {

struct Case {
  int64_t images, height, width, channels, filter_height, filter_width, outputs;
  int64_t groups = 1, stride = 1, dilation = 1;
  bool same = false;
  int64_t sparse = 0;  // of so many images the first has few gradients other than zero
};

// SAME and VALID as TensorFlow has them: the padding's odd pixel goes to the bottom and the right.
ConvolutionShape Shape(const Case& c) {
  ConvolutionShape s;
  s.images = c.images;
  s.input_height = c.height;
  s.input_width = c.width;
  s.input_channels = c.channels;
  s.filter_height = c.filter_height;
  s.filter_width = c.filter_width;
  s.output_channels = c.outputs;
  s.groups = c.groups;
  s.stride_height = s.stride_width = c.stride;
  s.dilation_height = s.dilation_width = c.dilation;
  const auto plan = [&](int64_t input, int64_t filter, int64_t& output, int64_t& padding) {
    const int64_t reach = (filter - 1) * c.dilation + 1;
    output = c.same ? (input + c.stride - 1) / c.stride : (input - reach) / c.stride + 1;
    padding = c.same ? std::max<int64_t>(0, (output - 1) * c.stride + reach - input) / 2 : 0;
  };
  plan(c.height, c.filter_height, s.output_height, s.padding_top);
  plan(c.width, c.filter_width, s.output_width, s.padding_left);
  return s;
}

// Naive loops over the definition.
template <typename T>
struct Reference {
  explicit Reference(const ConvolutionShape& shape)
      : s(shape),
        input(RandomValues<T>(s.images * s.input_height * s.input_width * s.input_channels, 1)),
        filter(RandomValues<T>(FilterSize(), 2)),
        gradient(
            RandomValues<T>(s.images * s.output_height * s.output_width * s.output_channels, 3)),
        bias(RandomValues<T>(s.output_channels, 4)) {}

  int64_t FilterSize() const {
    return s.filter_height * s.filter_width * (s.input_channels / s.groups) * s.output_channels;
  }
  // Where output row (column) `o` reads for `tap`, or -1.
  static int64_t Source(int64_t o, int64_t tap, int64_t stride, int64_t dilation, int64_t padding,
                        int64_t input) {
    const int64_t source = o * stride - padding + tap * dilation;
    return source < 0 || source >= input ? -1 : source;
  }
  int64_t Row(int64_t o, int64_t tap) const {
    return Source(o, tap, s.stride_height, s.dilation_height, s.padding_top, s.input_height);
  }
  int64_t Column(int64_t o, int64_t tap) const {
    return Source(o, tap, s.stride_width, s.dilation_width, s.padding_left, s.input_width);
  }
  T Input(int64_t image, int64_t h, int64_t w, int64_t c) const {
    return input[static_cast<size_t>(
        ((image * s.input_height + h) * s.input_width + w) * s.input_channels + c)];
  }
  T Gradient(int64_t image, int64_t h, int64_t w, int64_t c) const {
    return gradient[static_cast<size_t>(
        ((image * s.output_height + h) * s.output_width + w) * s.output_channels + c)];
  }
  T Filter(int64_t h, int64_t w, int64_t i, int64_t o) const {
    return filter[static_cast<size_t>(
        ((h * s.filter_width + w) * (s.input_channels / s.groups) + i) * s.output_channels + o)];
  }

  // Leaves one gradient in five, at irregular places, of one image in `images`.
  void ThinOut(int64_t images) {
    const int64_t size = s.output_height * s.output_width * s.output_channels;
    for (size_t i = 0; i < gradient.size(); ++i) {
      const auto place = static_cast<int64_t>(i);
      if (place / size % images == 0 && place * 7919 % 1009 % 5 != 0) gradient[i] = T{0};
    }
  }

  std::vector<T> Forward() const {
    const int64_t depth = s.input_channels / s.groups;
    std::vector<T> result;
    for (int64_t image = 0; image < s.images; ++image)
      for (int64_t oh = 0; oh < s.output_height; ++oh)
        for (int64_t ow = 0; ow < s.output_width; ++ow)
          for (int64_t o = 0; o < s.output_channels; ++o) {
            const int64_t first = o / (s.output_channels / s.groups) * depth;
            T sum = 0;
            for (int64_t h = 0; h < s.filter_height; ++h)
              for (int64_t w = 0; w < s.filter_width; ++w)
                for (int64_t i = 0; i < depth; ++i)
                  if (Row(oh, h) >= 0 && Column(ow, w) >= 0)
                    sum = std::fma(Input(image, Row(oh, h), Column(ow, w), first + i),
                                   Filter(h, w, i, o), sum);
            sum += bias[static_cast<size_t>(o)];
            result.push_back(sum < 0 ? T{0} : sum);
          }
    return result;
  }

  std::vector<T> DataGradient() const {
    const int64_t depth = s.input_channels / s.groups;
    const int64_t outputs = s.output_channels / s.groups;
    std::vector<T> result;
    for (int64_t image = 0; image < s.images; ++image)
      for (int64_t ih = 0; ih < s.input_height; ++ih)
        for (int64_t iw = 0; iw < s.input_width; ++iw)
          for (int64_t i = 0; i < s.input_channels; ++i) {
            T sum = 0;
            for (int64_t h = 0; h < s.filter_height; ++h)
              for (int64_t w = 0; w < s.filter_width; ++w)
                for (int64_t oh = 0; oh < s.output_height; ++oh)
                  for (int64_t ow = 0; ow < s.output_width; ++ow)
                    if (Row(oh, h) == ih && Column(ow, w) == iw)
                      for (int64_t k = 0; k < outputs; ++k) {
                        const int64_t o = i / depth * outputs + k;
                        sum = std::fma(Gradient(image, oh, ow, o), Filter(h, w, i % depth, o), sum);
                      }
            result.push_back(sum);
          }
    return result;
  }

  std::vector<T> FilterGradient(std::span<const int64_t> offsets) const {
    const int64_t depth = s.input_channels / s.groups;
    std::vector<T> result;
    for (int64_t h = 0; h < s.filter_height; ++h)
      for (int64_t w = 0; w < s.filter_width; ++w)
        for (int64_t i = 0; i < depth; ++i)
          for (int64_t o = 0; o < s.output_channels; ++o) {
            const int64_t channel = o / (s.output_channels / s.groups) * depth + i;
            result.push_back(ReferenceLeaves<T>(offsets, [&](T sum, int64_t image) {
              for (int64_t oh = 0; oh < s.output_height; ++oh)
                for (int64_t ow = 0; ow < s.output_width; ++ow)
                  if (Row(oh, h) >= 0 && Column(ow, w) >= 0)
                    sum = std::fma(Input(image, Row(oh, h), Column(ow, w), channel),
                                   Gradient(image, oh, ow, o), sum);
              return sum;
            }));
          }
    return result;
  }

  ConvolutionShape s;
  std::vector<T> input, filter, gradient, bias;
};

// Runs `function` over [0, rows) in parts, on every target, against the reference.
template <typename T, typename Function>
void ExpectParts(const std::vector<T>& reference, int64_t rows, ConvolutionArguments<T> arguments,
                 const Function& function) {
  OnEveryTarget([&] {
    for (const int64_t parts : {1, 3}) {
      std::vector<T> result(reference.size(), T{77});
      arguments.result = result.data();
      for (int64_t part = 0; part < parts; ++part) {
        function(arguments, rows * part / parts, rows * (part + 1) / parts);
      }
      ExpectSameBits<T>(result, reference);
    }
  });
}

template <typename T>
void Check(const Case& test) {
  SCOPED_TRACE(testing::Message() << test.images << "x" << test.height << "x" << test.width << "x"
                                  << test.channels << " by " << test.filter_height << "x"
                                  << test.filter_width << "x" << test.outputs << " groups "
                                  << test.groups << " stride " << test.stride << " dilation "
                                  << test.dilation << (test.same ? " same" : " valid"));
  Reference<T> reference(Shape(test));
  if (test.sparse > 0) reference.ThinOut(test.sparse);
  const ConvolutionShape& s = reference.s;
  ConvolutionArguments<T> p;
  p.shape = s;
  p.input = reference.input.data();
  p.filter = reference.filter.data();
  p.output_gradient = reference.gradient.data();
  p.bias = reference.bias.data();
  p.relu = true;
  {
    SCOPED_TRACE("forward");
    ExpectParts<T>(reference.Forward(), s.images * s.output_height, p, ConvolutionForward<T>);
  }
  {
    SCOPED_TRACE("data gradient");
    ExpectParts<T>(reference.DataGradient(), s.images * s.input_height, p,
                   ConvolutionDataGradient<T>);
  }
  SCOPED_TRACE("filter gradient");
  for (const std::vector<int64_t>& offsets : LeafTables(s.images)) {
    p.offsets = offsets;
    ExpectParts<T>(reference.FilterGradient(offsets),
                   s.filter_height * s.filter_width * s.input_channels / s.groups, p,
                   ConvolutionFilterGradient<T>);
  }
}

TEST(Convolution, IsTheChainOverTaps) {
  for (const bool same : {false, true}) {
    Check<float>({3, 7, 6, 3, 3, 3, 10, 1, 1, 1, same});
    Check<float>({2, 9, 11, 5, 3, 2, 33, 1, 2, 1, same});
    Check<float>({1, 11, 10, 2, 3, 3, 17, 1, 1, 2, same});
    Check<float>({2, 8, 9, 4, 1, 1, 40, 1, 1, 1, same});
    Check<float>({2, 7, 7, 3, 1, 1, 5, 1, 3, 1, same});  // pixels that no output sees
    Check<float>({1, 5, 4, 1, 5, 4, 3, 1, 1, 1, same});
  }
}

TEST(Convolution, OfManyChannelsUsesWholeTiles) {
  Check<float>({2, 5, 6, 20, 3, 3, 70, 1, 1, 1, true});
  Check<float>({2, 6, 5, 34, 2, 2, 16, 1, 1, 1, false});
}

TEST(Convolution, OfGroupsSeesItsOwnChannels) {
  for (const bool same : {false, true}) {
    Check<float>({2, 6, 5, 6, 3, 3, 8, 2, 1, 1, same});
    Check<float>({2, 6, 7, 6, 3, 3, 18, 3, 2, 1, same});
  }
}

TEST(Convolution, OfEachChannelApart) {
  for (const bool same : {false, true}) {
    Check<float>({2, 6, 5, 19, 3, 3, 19, 19, 1, 1, same});
    Check<float>({2, 7, 6, 35, 3, 2, 35, 35, 2, 1, same});
    Check<float>({2, 6, 6, 5, 2, 2, 10, 5, 1, 2, same});
    Check<float>({3, 5, 6, 13, 3, 3, 39, 13, 1, 1, same});
  }
}

TEST(Convolution, OfDoubles) {
  Check<double>({2, 6, 5, 3, 3, 3, 10, 1, 1, 1, true});
  Check<double>({2, 6, 5, 4, 3, 3, 4, 4, 1, 1, true});
}

TEST(Convolution, WithFewGradientsIsTheSameChain) {
  for (const bool same : {false, true}) {
    for (const int64_t sparse : {1, 2}) {
      Check<float>({3, 7, 6, 16, 3, 3, 70, 1, 1, 1, same, sparse});
      Check<float>({3, 9, 8, 18, 3, 3, 20, 1, 2, 1, same, sparse});
      Check<double>({2, 6, 5, 17, 2, 3, 9, 1, 1, 1, same, sparse});
    }
    Check<float>({2, 9, 6, 20, 4, 3, 130, 1, 1, 1, same, 1});
    Check<float>({1, 4, 5, 400, 2, 1, 8, 1, 1, 1, same, 1});
  }
}

TEST(Convolution, WithFewGradientsByBandsOfRowsIsTheSameChain) {
  Check<float>({2, 13, 20, 32, 3, 3, 5, 1, 1, 1, false, 1});
  Check<float>({3, 15, 14, 16, 3, 3, 66, 1, 2, 1, false, 2});
  Check<float>({2, 9, 30, 24, 3, 2, 4, 1, 1, 1, false, 1});
  Check<float>({1, 3, 110, 16, 2, 4, 3, 1, 1, 1, false, 1});
  Check<double>({2, 12, 11, 16, 3, 3, 9, 1, 1, 1, false, 1});
}

TEST(Convolution, WithoutAnyGradientHasGradientsOfZero) {
  ConvolutionArguments<float> p;
  p.shape = Shape({2, 6, 6, 32, 3, 3, 8});
  const std::vector<float> input(2 * 6 * 6 * 32, std::numeric_limits<float>::infinity());
  const std::vector<float> gradient(2 * 4 * 4 * 8, -0.0f);
  const std::vector<int64_t> offsets = {0, 1, 2};
  std::vector<float> result(3 * 3 * 32 * 8, 77);
  p.input = input.data();
  p.output_gradient = gradient.data();
  p.result = result.data();
  p.offsets = offsets;
  ConvolutionFilterGradient(p, 0, 3 * 3 * 32);
  EXPECT_EQ(result, std::vector<float>(result.size(), 0));
}

TEST(Convolution, WithFewGradientsKeepsANan) {
  ConvolutionArguments<float> p;
  p.shape = Shape({1, 6, 6, 32, 3, 3, 8});
  const std::vector<float> input(6 * 6 * 32, 1), filter(3 * 3 * 32 * 8, 1);
  std::vector<float> gradient(4 * 4 * 8, 0);
  gradient[3] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<int64_t> offsets = {0, 1};
  std::vector<float> result(3 * 3 * 32 * 8, 77);
  p.input = input.data();
  p.filter = filter.data();
  p.output_gradient = gradient.data();
  p.result = result.data();
  p.offsets = offsets;
  OnEveryTarget([&] {
    ConvolutionFilterGradient(p, 0, 3 * 3 * 32);
    for (size_t i = 0; i < result.size(); ++i) EXPECT_EQ(std::isnan(result[i]), i % 8 == 3);
    std::vector<float> back(input.size());
    p.result = back.data();
    ConvolutionDataGradient(p, 0, 6);
    p.result = result.data();
    EXPECT_TRUE(std::isnan(back[0]));
    EXPECT_EQ(back.back(), 0);
  });
}

TEST(Convolution, OfNothing) {
  Check<float>({0, 4, 4, 2, 3, 3, 3});
  Check<float>({2, 3, 3, 2, 3, 3, 0});
  Check<float>({2, 3, 3, 0, 3, 3, 2});
}

TEST(Convolution, AbsentTapsAreNotMultiplied) {
  // An infinite weight at the filter's first row, which falls into the padding of the first output.
  ConvolutionArguments<float> p;
  const Case test = {1, 2, 1, 1, 3, 1, 1, 1, 1, 1, true};
  p.shape = Shape(test);
  const std::vector<float> input = {0, 0};
  const std::vector<float> filter = {std::numeric_limits<float>::infinity(), 1, 1};
  std::vector<float> result(2);
  p.input = input.data();
  p.filter = filter.data();
  p.result = result.data();
  ConvolutionForward(p, 0, 2);
  EXPECT_EQ(result[0], 0);
  EXPECT_TRUE(std::isnan(result[1]));
}

}  // namespace
}  // namespace lockstep::kernels
