#include "kernels/cpu/convolution_apart.h"

#include "kernels/cpu/convolution_points.h"

namespace lockstep::kernels {
namespace {

// Runs `product` over the rows [begin, end), image after image: where prepare(image) gives memory
// it is that image's source in the layout wanted, else the source is used as it is.
template <typename T, typename Prepare>
void RunImages(PointProduct<T> product, const std::vector<TapClass>& rows,
               const std::vector<TapClass>& columns, int64_t begin, int64_t end,
               const Prepare& prepare) {
  const int64_t height = product.result_height;
  const int64_t image_size = product.source_height * product.source_width * product.source_channels;
  for (int64_t image = begin / height; image * height < end; ++image) {
    product.source = prepare(image) - image * image_size;
    product.Run(rows, columns, std::max(begin, image * height),
                std::min(end, (image + 1) * height));
  }
}

}  // namespace

template <typename T>
void DepthwiseForward(const ConvolutionArguments<T>& arguments, int64_t begin, int64_t end) {
  const ConvolutionShape& shape = arguments.shape;
  const int64_t multiplier = shape.output_channels / shape.input_channels;
  PointProduct<T> product;
  product.apart = true;
  product.source = arguments.input;
  product.source_height = shape.input_height;
  product.source_width = shape.input_width;
  product.source_channels = shape.output_channels;  // after RepeatChannels
  product.depth = 1;
  product.result = arguments.result;
  product.result_height = shape.output_height;
  product.result_width = shape.output_width;
  product.result_channels = product.columns = shape.output_channels;
  product.packed = arguments.filter;
  product.panel = ChosenTileFunctions<T>().PanelApart(product.columns);
  product.filter_width = shape.filter_width;
  product.bias = arguments.bias;
  product.relu = arguments.relu;
  const std::vector<TapClass> rows = TapAxis::Height(shape).OutputClasses();
  const std::vector<TapClass> columns = TapAxis::Width(shape).OutputClasses();
  if (multiplier == 1) return product.Run(rows, columns, begin, end);
  const int64_t pixels = shape.input_height * shape.input_width;
  T* repeated = ThreadScratch<T>(ScratchUse::kPackedRows, pixels * shape.output_channels);
  RunImages(product, rows, columns, begin, end, [&](int64_t image) {
    RepeatChannels(arguments.input + image * pixels * shape.input_channels, pixels,
                   shape.input_channels, multiplier, repeated);
    return repeated;
  });
}

template <typename T>
void DepthwiseDataGradient(const ConvolutionArguments<T>& arguments, int64_t begin, int64_t end) {
  const ConvolutionShape& shape = arguments.shape;
  const int64_t multiplier = shape.output_channels / shape.input_channels;
  PointProduct<T> product;
  product.apart = true;
  product.source = arguments.output_gradient;
  product.source_height = shape.output_height;
  product.source_width = shape.output_width;
  product.source_channels = shape.output_channels;
  product.depth = multiplier;
  product.result = arguments.result;
  product.result_height = shape.input_height;
  product.result_width = shape.input_width;
  product.result_channels = product.columns = shape.input_channels;
  product.packed = arguments.filter;
  product.panel = ChosenTileFunctions<T>().PanelApart(product.columns);
  product.filter_width = shape.filter_width;
  const std::vector<TapClass> rows = TapAxis::Height(shape).InputClasses();
  const std::vector<TapClass> columns = TapAxis::Width(shape).InputClasses();
  if (multiplier == 1) return product.Run(rows, columns, begin, end);
  const int64_t taps = shape.filter_height * shape.filter_width;
  const int64_t pixels = shape.output_height * shape.output_width;
  T* filter = ThreadScratch<T>(ScratchUse::kPackedColumns, taps * shape.output_channels);
  T* planes = ThreadScratch<T>(ScratchUse::kPackedRows, pixels * shape.output_channels);
  PlanesOfOutputs(arguments.filter, taps, shape.input_channels, multiplier, filter);
  product.packed = filter;
  RunImages(product, rows, columns, begin, end, [&](int64_t image) {
    PlanesOfOutputs(arguments.output_gradient + image * pixels * shape.output_channels, pixels,
                    shape.input_channels, multiplier, planes);
    return planes;
  });
}

template void DepthwiseForward(const ConvolutionArguments<float>&, int64_t, int64_t);
template void DepthwiseForward(const ConvolutionArguments<double>&, int64_t, int64_t);
template void DepthwiseDataGradient(const ConvolutionArguments<float>&, int64_t, int64_t);
template void DepthwiseDataGradient(const ConvolutionArguments<double>&, int64_t, int64_t);

}  // namespace lockstep::kernels
