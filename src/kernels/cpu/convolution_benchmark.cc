// Convolutions of the example models, one thread, against oneDNN (where it is there).
#include "kernels/cpu/convolution.h"

#include "kernels/cpu/benchmark_rounds.h"

#ifdef LOCKSTEP_WITH_DNNL
#include <dnnl.hpp>
extern "C" void omp_set_num_threads(int);
#endif

namespace lockstep::kernels {
namespace {

struct Problem {
  explicit Problem(const ConvolutionShape& shape)
      : s(shape),
        input(RandomFloats(s.images * s.input_height * s.input_width * s.input_channels, 1)),
        filter(RandomFloats(
            s.filter_height * s.filter_width * (s.input_channels / s.groups) * s.output_channels,
            2)),
        gradient(RandomFloats(s.images * s.output_height * s.output_width * s.output_channels, 3)),
        output(gradient.size()),
        input_gradient(input.size()),
        filter_gradient(filter.size()) {
    p.shape = s;
    p.input = input.data();
    p.filter = filter.data();
    p.output_gradient = gradient.data();
  }

  ConvolutionShape s;
  Floats input, filter, gradient, output, input_gradient, filter_gradient;
  ConvolutionArguments<float> p;
};

// A few of the outputs, by the definition (for problems without padding, one group).
void CheckForward(const Problem& problem) {
  const ConvolutionShape& s = problem.s;
  if (s.groups > 1 ||
      s.output_height * s.stride_height > s.input_height - s.filter_height + s.stride_height) {
    return;  // padding
  }
  for (int64_t i = 0; i < 20; ++i) {
    const int64_t image = i % s.images, oh = i * 7 % s.output_height, ow = i * 5 % s.output_width;
    const int64_t o = i * 11 % s.output_channels;
    float sum = 0;
    for (int64_t h = 0; h < s.filter_height; ++h) {
      for (int64_t w = 0; w < s.filter_width; ++w) {
        for (int64_t c = 0; c < s.input_channels; ++c) {
          const int64_t ih = oh * s.stride_height + h, iw = ow * s.stride_width + w;
          sum = __builtin_fmaf(
              problem
                  .input[((image * s.input_height + ih) * s.input_width + iw) * s.input_channels +
                         c],
              problem.filter[((h * s.filter_width + w) * s.input_channels + c) * s.output_channels +
                             o],
              sum);
        }
      }
    }
    Require(sum == problem.output[((image * s.output_height + oh) * s.output_width + ow) *
                                      s.output_channels +
                                  o],
            "convolution");
  }
}

#ifdef LOCKSTEP_WITH_DNNL
using dnnl::memory;

// oneDNN's three primitives, in the layouts it likes best.
struct Other {
  explicit Other(const ConvolutionShape& s) : engine(dnnl::engine::kind::cpu, 0), stream(engine) {
    const memory::dims source = {s.images, s.input_channels, s.input_height, s.input_width};
    memory::dims weights = {s.output_channels, s.input_channels, s.filter_height, s.filter_width};
    if (s.groups > 1) {
      weights = {s.groups, s.output_channels / s.groups, s.input_channels / s.groups,
                 s.filter_height, s.filter_width};
    }
    const memory::dims target = {s.images, s.output_channels, s.output_height, s.output_width};
    const memory::dims strides = {s.stride_height, s.stride_width};
    const memory::dims before = {s.padding_top, s.padding_left};
    const memory::dims after = {
        (s.output_height - 1) * s.stride_height + s.filter_height - s.input_height - s.padding_top,
        (s.output_width - 1) * s.stride_width + s.filter_width - s.input_width - s.padding_left};
    const auto any = [](const memory::dims& dims) {
      return memory::desc(dims, memory::data_type::f32, memory::format_tag::any);
    };
    const auto algorithm = dnnl::algorithm::convolution_direct;
    const dnnl::convolution_forward::primitive_desc forward_plan(
        {dnnl::prop_kind::forward_training, algorithm, any(source), any(weights), any(target),
         strides, before, after},
        engine);
    const dnnl::convolution_backward_data::primitive_desc data_plan(
        {algorithm, any(source), any(weights), any(target), strides, before, after}, engine,
        forward_plan);
    const dnnl::convolution_backward_weights::primitive_desc filter_plan(
        {algorithm, any(source), any(weights), any(target), strides, before, after}, engine,
        forward_plan);
    forward = dnnl::convolution_forward(forward_plan);
    data = dnnl::convolution_backward_data(data_plan);
    filter = dnnl::convolution_backward_weights(filter_plan);
    forward_arguments = {{DNNL_ARG_SRC, Make(forward_plan.src_desc())},
                         {DNNL_ARG_WEIGHTS, Make(forward_plan.weights_desc())},
                         {DNNL_ARG_DST, Make(forward_plan.dst_desc())}};
    data_arguments = {{DNNL_ARG_DIFF_SRC, Make(data_plan.diff_src_desc())},
                      {DNNL_ARG_WEIGHTS, Make(data_plan.weights_desc())},
                      {DNNL_ARG_DIFF_DST, Make(data_plan.diff_dst_desc())}};
    filter_arguments = {{DNNL_ARG_SRC, Make(filter_plan.src_desc())},
                        {DNNL_ARG_DIFF_WEIGHTS, Make(filter_plan.diff_weights_desc())},
                        {DNNL_ARG_DIFF_DST, Make(filter_plan.diff_dst_desc())}};
  }

  memory Make(const memory::desc& desc) {
    memory made(desc, engine);
    float* values = static_cast<float*>(made.get_data_handle());
    std::fill(values, values + desc.get_size() / sizeof(float), 0.5f);
    return made;
  }
  void Run(dnnl::primitive& primitive, const std::unordered_map<int, memory>& arguments) {
    primitive.execute(stream, arguments);
    stream.wait();
  }

  dnnl::engine engine;
  dnnl::stream stream;
  dnnl::primitive forward, data, filter;
  std::unordered_map<int, memory> forward_arguments, data_arguments, filter_arguments;
};
#endif

// `one_in`: of so many elements of the output's gradient one is not zero.
void Compare(const std::string& title, const ConvolutionShape& s, uint32_t one_in = 1) {
  Problem problem(s);
  std::mt19937 engine(4);
  for (float& value : problem.gradient) value = engine() % one_in == 0 ? value : 0;
  ConvolutionArguments<float> forward = problem.p, data = problem.p;
  forward.result = problem.output.data();
  data.result = problem.input_gradient.data();
  const auto run_forward = [&] { ConvolutionForward(forward, 0, s.images * s.output_height); };
  const auto run_data = [&] { ConvolutionDataGradient(data, 0, s.images * s.input_height); };
  std::vector<std::vector<int64_t>> tables(2);
  for (int64_t leaf = 0; leaf <= 1; ++leaf) tables[0].push_back(s.images * leaf);
  for (int64_t leaf = 0; leaf <= 8; ++leaf) tables[1].push_back(s.images * leaf / 8);
  const int64_t filter_rows = s.filter_height * s.filter_width * s.input_channels / s.groups;
  const auto run_filter = [&](int table) {
    ConvolutionArguments<float> filter = problem.p;
    filter.offsets = tables[table];
    filter.result = problem.filter_gradient.data();
    ConvolutionFilterGradient(filter, 0, filter_rows);
  };
  run_forward();
  CheckForward(problem);
  std::vector<Competitor> competitors = {{"forward", run_forward}};
  std::vector<Competitor> data_competitors = {{"data gradient", run_data}};
  std::vector<Competitor> filter_competitors = {
      {"filter gradient, 1 leaf", [&] { run_filter(0); }},
      {"filter gradient, 8 leaves", [&] { run_filter(1); }}};
#ifdef LOCKSTEP_WITH_DNNL
  Other other(s);
  competitors.push_back({"oneDNN", [&] { other.Run(other.forward, other.forward_arguments); }});
  data_competitors.push_back({"oneDNN", [&] { other.Run(other.data, other.data_arguments); }});
  filter_competitors.push_back(
      {"oneDNN, 1 leaf", [&] { other.Run(other.filter, other.filter_arguments); }});
#endif
  const double flops = 2.0 * static_cast<double>(s.images * s.output_height * s.output_width *
                                                 s.output_channels * filter_rows);
  RunRounds(title, flops, competitors);
  RunRounds(title, flops, data_competitors);
  RunRounds(title, flops, filter_competitors);
}

ConvolutionShape Square(int64_t images, int64_t size, int64_t channels, int64_t filter,
                        int64_t outputs, bool same, int64_t stride = 1, int64_t groups = 1) {
  ConvolutionShape s;
  s.images = images;
  s.input_height = s.input_width = size;
  s.input_channels = channels;
  s.filter_height = s.filter_width = filter;
  s.output_channels = outputs;
  s.groups = groups;
  s.stride_height = s.stride_width = stride;
  const int64_t output = same ? (size + stride - 1) / stride : (size - filter) / stride + 1;
  s.output_height = s.output_width = output;
  if (same) s.padding_top = s.padding_left = ((output - 1) * stride + filter - size) / 2;
  return s;
}

void RunAll() {
  PrintMachine();
  Compare("64 x 28x28x1, 3x3x32, valid", Square(64, 28, 1, 3, 32, false));
  Compare("64 x 26x26x32, 3x3x64, valid", Square(64, 26, 32, 3, 64, false));
  Compare("the same, 9 of 10 gradients zero", Square(64, 26, 32, 3, 64, false), 10);
  Compare("16 x 32x32x3, 3x3x32, same", Square(16, 32, 3, 3, 32, true));
  Compare("16 x 16x16x64, 3x3x128, same, stride 2", Square(16, 16, 64, 3, 128, true, 2));
  Compare("16 x 14x14x128, 1x1x256", Square(16, 14, 128, 1, 256, false));
  Compare("16 x 28x28x64, 3x3, each channel apart", Square(16, 28, 64, 3, 64, true, 1, 64));
}

}  // namespace
}  // namespace lockstep::kernels

int main() {
#ifdef LOCKSTEP_WITH_DNNL
  omp_set_num_threads(1);
#endif
  lockstep::kernels::RunAll();
}
