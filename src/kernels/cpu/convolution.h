#pragma once

#include <cstdint>
#include <span>

/// Two-dimensional convolutions of images in NHWC with filters in HWIO, without an unfolded copy of
/// the input. The rule of bits is that of product.h: every element is one chain of fused
/// multiply-adds from +0. A tap that falls into the padding is absent from the chain, never
/// multiplied as zero, so that an infinite weight does not meet a zero of the padding.
///
/// Groups: output channel o belongs to group o / (output_channels / groups) and sees that group's
/// input channels alone. A depthwise convolution with multiplier m is groups = input_channels with
/// output channels input_channels * m; TensorFlow's depthwise filter [h, w, c, m] lies in memory as
/// HWIO's.
///
/// Threads: as in product.h, callers split rows. Errors: none; pointers must hold the shape.
namespace lockstep::kernels {

struct ConvolutionShape {
  int64_t images = 0;
  int64_t input_height = 0;
  int64_t input_width = 0;
  int64_t input_channels = 0;
  int64_t filter_height = 0;
  int64_t filter_width = 0;
  int64_t output_height = 0;
  int64_t output_width = 0;
  int64_t output_channels = 0;
  int64_t groups = 1;  ///< divides both channels
  int64_t stride_height = 1;
  int64_t stride_width = 1;
  int64_t dilation_height = 1;
  int64_t dilation_width = 1;
  int64_t padding_top = 0;  ///< what the bottom and the right need follows from the output's shape
  int64_t padding_left = 0;
};

/// What the three functions read and write; each says which pointers it uses.
template <typename T>
struct ConvolutionArguments {
  ConvolutionShape shape;
  const T* input = nullptr;   ///< [images, input_height, input_width, input_channels]
  const T* filter = nullptr;  ///< [height, width, input_channels / groups, output_channels]
  const T* output_gradient = nullptr;  ///< [images, output_height, output_width, output_channels]
  T* result = nullptr;
  const T* bias = nullptr;           ///< forward: [output_channels] added after the chain, or null
  bool relu = false;                 ///< forward: then x < 0 becomes +0
  std::span<const int64_t> offsets;  ///< filter gradient: the leaves' table of image numbers
};

/// result[images, output_height, output_width, output_channels]: input * filter (+ bias) (then
/// relu), for the rows [begin, end) of images * output_height. Chain: filter row, filter column,
/// input channel.
template <typename T>
void ConvolutionForward(const ConvolutionArguments<T>& arguments, int64_t begin, int64_t end);

/// result[images, input_height, input_width, input_channels], the gradient of the input from filter
/// and output_gradient, for the rows [begin, end) of images * input_height. Chain: filter row,
/// filter column, output channel. An element that no output sees is +0.
template <typename T>
void ConvolutionDataGradient(const ConvolutionArguments<T>& arguments, int64_t begin, int64_t end);

/// result[height, width, input_channels / groups, output_channels], the gradient of the filter from
/// input and output_gradient, for the rows [begin, end) of height * width * input_channels /
/// groups. Chain inside a leaf of images: image, output row, output column; the leaves by the tree
/// of product.h.
template <typename T>
void ConvolutionFilterGradient(const ConvolutionArguments<T>& arguments, int64_t begin,
                               int64_t end);

extern template void ConvolutionForward(const ConvolutionArguments<float>&, int64_t, int64_t);
extern template void ConvolutionForward(const ConvolutionArguments<double>&, int64_t, int64_t);
extern template void ConvolutionDataGradient(const ConvolutionArguments<float>&, int64_t, int64_t);
extern template void ConvolutionDataGradient(const ConvolutionArguments<double>&, int64_t, int64_t);
extern template void ConvolutionFilterGradient(const ConvolutionArguments<float>&, int64_t,
                                               int64_t);
extern template void ConvolutionFilterGradient(const ConvolutionArguments<double>&, int64_t,
                                               int64_t);

}  // namespace lockstep::kernels
