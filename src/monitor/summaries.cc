// Scalars, histograms, images and texts.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "lockstep/monitor/summary.h"
#include "monitor/png.h"
#include "monitor/summary_proto.h"

namespace lockstep::summary {

namespace {

// Rows (left edge, right edge, count).
std::vector<double> Buckets(const std::vector<double>& values, int buckets) {
  std::vector<double> rows(static_cast<size_t>(buckets) * 3, 0);
  if (values.empty() || buckets == 0) return rows;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double low = *least, high = *most, range = high - low;
  if (range == 0) {
    for (int i = 0; i < buckets; ++i) rows[3 * i] = rows[3 * i + 1] = high;
    rows.back() = static_cast<double>(values.size());
    return rows;
  }
  const double width = range / buckets;
  for (const double value : values) {
    const double index = std::floor((value - low) / width);
    rows[3 * static_cast<size_t>(std::min<double>(index, buckets - 1)) + 2] += 1;
  }
  for (int i = 0; i < buckets; ++i) {
    rows[3 * i] = i == 0 ? low : low + width * i;
    rows[3 * i + 1] = i == buckets - 1 ? high : low + width * (i + 1);
  }
  return rows;
}

std::vector<uint8_t> Pixels(const std::string& tag, const Tensor& images) {
  if (images.dtype() == DType::kUInt8) return images.ToVector<uint8_t>();
  if (!IsFloating(images.dtype()))
    monitor::Refuse("image", tag, "images are uint8, or floats from 0 to 1", images, "cast them");
  std::vector<uint8_t> pixels;
  for (const double value : monitor::AsDoubles("image", tag, images)) {
    const double scaled = static_cast<float>(value) * 255.5f;
    pixels.push_back(scaled > 0 ? static_cast<uint8_t>(std::min(scaled, 255.0)) : 0);
  }
  return pixels;
}

}  // namespace

std::string Scalar(const std::string& tag, const Tensor& value, const std::string& description) {
  if (!value.defined() || value.is_symbolic() || value.num_elements() != 1)
    monitor::Refuse("scalar", tag, "one number is needed", value, "reduce it first");
  const double number = monitor::AsDoubles("scalar", tag, value)[0];
  return monitor::SummaryProto(tag, lockstep::Scalar(static_cast<float>(number)), {"scalars", ""},
                               description);
}

std::string Histogram(const std::string& tag, const Tensor& values, int buckets,
                      const std::string& description) {
  std::vector<double> numbers = monitor::AsDoubles("histogram", tag, values);
  std::erase_if(numbers, [](double number) { return !std::isfinite(number); });
  buckets = std::max(buckets, 0);
  const Tensor rows = Tensor::FromVector(Buckets(numbers, buckets), Shape{buckets, 3});
  return monitor::SummaryProto(tag, rows, {"histograms", ""}, description);
}

std::string Image(const std::string& tag, const Tensor& images, int max_outputs,
                  const std::string& description) {
  const bool fits = images.defined() && !images.is_symbolic() && images.rank() == 4 &&
                    images.shape()[3] >= 1 && images.shape()[3] <= 4 && images.shape()[1] > 0 &&
                    images.shape()[2] > 0;
  if (!fits)
    monitor::Refuse("image", tag, "images are [k, height, width, 1 to 4 channels]", images,
                    "reshape them");
  const auto height = static_cast<uint32_t>(images.shape()[1]);
  const auto width = static_cast<uint32_t>(images.shape()[2]);
  const std::vector<uint8_t> pixels = Pixels(tag, images);
  const int64_t count = std::min<int64_t>(std::max(max_outputs, 0), images.shape()[0]);
  const auto size = static_cast<size_t>(images.shape().product(1, 4));
  std::vector<std::string> parts{std::to_string(width), std::to_string(height)};
  for (int64_t i = 0; i < count; ++i)
    parts.push_back(monitor::EncodePng(std::span(pixels).subspan(i * size, size), height, width,
                                       static_cast<int>(images.shape()[3])));
  const auto strings = static_cast<int64_t>(parts.size());
  return monitor::SummaryProto(tag, Tensor::FromStrings(parts, Shape{strings}), {"images", ""},
                               description);
}

std::string Text(const std::string& tag, const Tensor& text, const std::string& description) {
  if (!text.defined() || text.is_symbolic() || text.dtype() != DType::kString)
    monitor::Refuse("text", tag, "a tensor of strings is needed", text, "use Tensor::FromStrings");
  return monitor::SummaryProto(tag, text, {"text", ""}, description);
}

}  // namespace lockstep::summary
