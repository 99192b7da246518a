#include "kernels/cpu/convolution.h"

#include "kernels/cpu/convolution_apart.h"
#include "kernels/cpu/convolution_points.h"
#include "kernels/cpu/convolution_sparse.h"
#include "kernels/cpu/product_pack.h"

namespace lockstep::kernels {
namespace {

// What forward and data gradient have in common: room for the filter in panels.
template <typename T>
T* PlanPanels(PointProduct<T>& product, const ConvolutionShape& shape) {
  const int64_t taps = shape.filter_height * shape.filter_width;
  product.filter_width = shape.filter_width;
  product.panel = ChosenTileFunctions<T>().Panel(product.columns);
  product.panel_step = taps * product.depth * product.panel;
  const int64_t panels = (product.columns + product.panel - 1) / product.panel;
  T* packed = ThreadScratch<T>(ScratchUse::kPackedColumns, panels * product.panel_step);
  product.packed = packed;
  return packed;
}

}  // namespace

template <typename T>
void ConvolutionForward(const ConvolutionArguments<T>& arguments, int64_t begin, int64_t end) {
  const ConvolutionShape& shape = arguments.shape;
  if (begin >= end || shape.output_width == 0 || shape.output_channels == 0) return;
  if (IsDepthwise(shape)) return DepthwiseForward(arguments, begin, end);
  PointProduct<T> product;
  product.source = arguments.input;
  product.source_height = shape.input_height;
  product.source_width = shape.input_width;
  product.source_channels = shape.input_channels;
  product.depth = shape.input_channels / shape.groups;
  product.result = arguments.result;
  product.result_height = shape.output_height;
  product.result_width = shape.output_width;
  product.result_channels = shape.output_channels;
  product.columns = shape.output_channels / shape.groups;
  product.relu = arguments.relu;
  T* packed = PlanPanels(product, shape);
  const std::vector<TapClass> rows = TapAxis::Height(shape).OutputClasses();
  const std::vector<TapClass> columns = TapAxis::Width(shape).OutputClasses();
  for (int64_t group = 0; group < shape.groups; ++group) {
    product.source_channel = group * product.depth;
    product.result_channel = group * product.columns;
    product.bias = arguments.bias == nullptr ? nullptr : arguments.bias + product.result_channel;
    PackColumns(arguments.filter + product.result_channel, shape.output_channels, false,
                shape.filter_height * shape.filter_width * product.depth, product.columns,
                product.panel, packed);
    product.Run(rows, columns, begin, end);
  }
}

namespace {

template <typename T>
void DenseDataGradient(const ConvolutionArguments<T>& arguments, int64_t begin, int64_t end) {
  const ConvolutionShape& shape = arguments.shape;
  PointProduct<T> product;
  product.source = arguments.output_gradient;
  product.source_height = shape.output_height;
  product.source_width = shape.output_width;
  product.source_channels = shape.output_channels;
  product.depth = shape.output_channels / shape.groups;
  product.result = arguments.result;
  product.result_height = shape.input_height;
  product.result_width = shape.input_width;
  product.result_channels = shape.input_channels;
  product.columns = shape.input_channels / shape.groups;
  T* packed = PlanPanels(product, shape);
  const std::vector<TapClass> rows = TapAxis::Height(shape).InputClasses();
  const std::vector<TapClass> columns = TapAxis::Width(shape).InputClasses();
  for (int64_t group = 0; group < shape.groups; ++group) {
    product.source_channel = group * product.depth;
    product.result_channel = group * product.columns;
    for (int64_t tap = 0; tap < shape.filter_height * shape.filter_width; ++tap) {
      const T* filter = arguments.filter + tap * product.columns * shape.output_channels;
      for (int64_t n = 0; n < product.columns; n += product.panel) {
        PackColumns(
            filter + n * shape.output_channels + product.source_channel, shape.output_channels,
            true, product.depth, std::min(product.panel, product.columns - n), product.panel,
            packed + n / product.panel * product.panel_step + tap * product.depth * product.panel);
      }
    }
    product.Run(rows, columns, begin, end);
  }
}

}  // namespace

template <typename T>
void ConvolutionDataGradient(const ConvolutionArguments<T>& arguments, int64_t begin, int64_t end) {
  const ConvolutionShape& shape = arguments.shape;
  if (begin >= end || shape.input_width == 0 || shape.input_channels == 0) return;
  if (IsDepthwise(shape)) return DepthwiseDataGradient(arguments, begin, end);
  SparseDataGradient<T> sparse(arguments);
  int64_t dense = begin;  // the rows [dense, row) are yet to be computed
  for (int64_t row = begin; LeavesOutZeros(shape) && row < end;) {
    const int64_t image = row / shape.input_height;
    const int64_t next = std::min(end, (image + 1) * shape.input_height);
    const NonzeroMap<T> map(arguments, image);
    if (map.is_sparse()) {
      if (dense < row) DenseDataGradient(arguments, dense, row);
      sparse.Run(map, row, next);
      dense = next;
    }
    row = next;
  }
  if (dense < end) DenseDataGradient(arguments, dense, end);
}

template void ConvolutionForward(const ConvolutionArguments<float>&, int64_t, int64_t);
template void ConvolutionForward(const ConvolutionArguments<double>&, int64_t, int64_t);
template void ConvolutionDataGradient(const ConvolutionArguments<float>&, int64_t, int64_t);
template void ConvolutionDataGradient(const ConvolutionArguments<double>&, int64_t, int64_t);

}  // namespace lockstep::kernels
