#include <charconv>
#include <utility>

#include "data/file_source.h"
#include "data/packing.h"
#include "lockstep/data/files.h"

namespace lockstep {

namespace {

using data::ByteReader;
using data::Refuse;

struct Field {
  std::string text;
  bool quoted = false;
};

// Splits a file into records of fields.
class CsvReader {
 public:
  CsvReader(ByteReader bytes, const CsvOptions& options)
      : bytes_(std::move(bytes)), options_(options), piece_(size_t{1} << 16) {
    std::vector<Field> header;
    if (options.header) (void)Next(header);
  }

  // False at the end. Throws for what is no record, behind which the next call goes on.
  bool Next(std::vector<Field>& record) {
    record.clear();
    int c = Get();
    if (c < 0) return false;
    ++number_;
    while (true) {
      Field field;
      if (c == '"' && options_.quotes) {
        c = Quoted(field);
      } else {
        c = Plain(field, c);
      }
      record.push_back(std::move(field));
      if (c != static_cast<uint8_t>(options_.delimiter)) break;
      c = Get();
      if (c < 0 || c == '\n') {  // an empty last field
        record.push_back({});
        break;
      }
    }
    return true;
  }

  std::string place() const { return "record " + std::to_string(number_) + " of " + bytes_.name(); }

 private:
  int Get() {
    if (place_ == filled_) {
      auto got = bytes_.Read(piece_);
      got.status().OrThrow();
      filled_ = *got;
      place_ = 0;
      if (filled_ == 0) return -1;
    }
    return piece_[place_++];
  }
  bool EndsField(int c) const {
    return c < 0 || c == '\n' || c == static_cast<uint8_t>(options_.delimiter);
  }
  // Both give the character that ends the field.
  int Plain(Field& field, int c) {
    for (; !EndsField(c); c = Get()) {
      if (c == '"' && options_.quotes) Broken("a quote only around a whole field", c);
      if (c != '\r') field.text += static_cast<char>(c);
    }
    return c;
  }
  int Quoted(Field& field) {
    field.quoted = true;
    while (true) {
      int c = Get();
      if (c < 0) Broken("a second quote behind the first", c);
      if (c != '"') {
        field.text += static_cast<char>(c);
        continue;
      }
      c = Get();
      if (c == '\r') c = Get();
      if (c != '"') {
        if (!EndsField(c)) Broken("a delimiter behind a quoted field", c);
        return c;
      }
      field.text += '"';
    }
  }
  [[noreturn]] void Broken(const std::string& rule, int c) {
    while (c >= 0 && c != '\n') c = Get();
    Refuse("csv", "a record must have " + rule, "another (" + place() + ")",
           "correct the line, or read it with quotes = false");
  }

  ByteReader bytes_;
  CsvOptions options_;
  std::vector<uint8_t> piece_;
  size_t place_ = 0, filled_ = 0;
  int64_t number_ = 0;
};

template <typename T>
Tensor Number(const std::string& text, const std::string& place) {
  size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  if (begin == std::string::npos) begin = end = 0;
  if (text[begin] == '+') ++begin;
  T value{};
  const char* last = text.data() + std::min(end + 1, text.size());
  const auto parsed = std::from_chars(text.data() + begin, last, value);
  if (parsed.ec != std::errc() || parsed.ptr != last)
    Refuse("csv", "a field must be a " + std::string(DTypeName(kDTypeOf<T>)),
           text + " (" + place + ")", "correct it, or take the column for another dtype");
  return Scalar<T>(value);
}

Tensor Value(const Field& field, const CsvColumn& column, const CsvOptions& options,
             const std::string& place) {
  const bool empty = (field.text.empty() && !field.quoted) || field.text == options.na_value;
  if (empty && column.default_value.defined()) return column.default_value;
  if (empty && (column.dtype != DType::kString || !field.quoted))
    Refuse("csv", "a field without a default must not be empty", "an empty one (" + place + ")",
           "give the column a default");
  switch (column.dtype) {
    case DType::kFloat32:
      return Number<float>(field.text, place);
    case DType::kFloat64:
      return Number<double>(field.text, place);
    case DType::kInt32:
      return Number<int32_t>(field.text, place);
    case DType::kInt64:
      return Number<int64_t>(field.text, place);
    default:
      return Tensor::FromStrings({field.text}, Shape{});
  }
}

Element Values(const std::vector<Field>& record, const std::vector<CsvColumn>& columns,
               const CsvOptions& options, const std::string& place) {
  const auto& selected = options.select_columns;
  const size_t needed = selected.empty() ? columns.size() : selected.back() + 1;
  if (selected.empty() ? record.size() != needed : record.size() < needed) {
    Refuse("csv", "a record has a field a column, " + std::to_string(needed),
           std::to_string(record.size()) + " (" + place + ")", "correct the line or the columns");
  }
  Element element;
  for (size_t i = 0; i < columns.size(); ++i) {
    const size_t number = selected.empty() ? i : selected[i];
    element.push_back(Value(record[number], columns[i], options,
                            "field " + std::to_string(number) + " of " + place));
  }
  return element;
}

// Defaults become scalars of their columns' dtypes.
std::vector<CsvColumn> Checked(std::vector<CsvColumn> columns, const CsvOptions& options) {
  bool fits = !columns.empty() &&
              (options.select_columns.empty() || options.select_columns.size() == columns.size());
  for (size_t i = 0; i < options.select_columns.size(); ++i)
    fits = fits && options.select_columns[i] >= 0 &&
           (i == 0 || options.select_columns[i] > options.select_columns[i - 1]);
  if (!fits)
    Refuse("csv", "there must be columns, and as many ascending numbers where some are selected",
           std::to_string(columns.size()) + " and " + std::to_string(options.select_columns.size()),
           "name a column for each number");
  for (CsvColumn& column : columns) {
    Tensor& fallback = column.default_value;
    const bool known = column.dtype == DType::kFloat32 || column.dtype == DType::kFloat64 ||
                       column.dtype == DType::kInt32 || column.dtype == DType::kInt64 ||
                       column.dtype == DType::kString;
    if (known && fallback.defined() && fallback.is_weak() && column.dtype != DType::kString) {
      const double number = fallback.dtype() == DType::kFloat64
                                ? fallback.scalar<double>()
                                : static_cast<double>(fallback.scalar<int64_t>());
      fallback = column.dtype == DType::kFloat32   ? Scalar(static_cast<float>(number))
                 : column.dtype == DType::kFloat64 ? Scalar(number)
                 : column.dtype == DType::kInt32   ? Scalar(static_cast<int32_t>(number))
                                                   : Scalar(static_cast<int64_t>(number));
    }
    if (!known ||
        (fallback.defined() && (fallback.dtype() != column.dtype || fallback.rank() != 0)))
      Refuse("csv", "a column is of float32, float64, int32, int64 or string, its default a scalar",
             std::string(DTypeName(column.dtype)), "cast behind the dataset");
  }
  return columns;
}

}  // namespace

Dataset CsvDataset(const std::vector<std::string>& files, const std::vector<CsvColumn>& columns,
                   const CsvOptions& options) {
  if (files.empty()) Refuse("csv", "there must be a file", "none", "name one or several");
  const std::vector<CsvColumn> checked = Checked(columns, options);
  std::vector<TensorSpec> spec;
  for (const CsvColumn& column : checked) spec.push_back({column.dtype, Shape{}});
  const auto open = [checked, options](const std::string& path) {
    auto bytes = ByteReader::Open(path, data::PackingOf(options.compression));
    bytes.status().OrThrow();
    const auto reader = std::make_shared<CsvReader>(std::move(bytes).value(), options);
    return [reader, checked, options]() -> std::optional<Element> {
      std::vector<Field> record;
      if (!reader->Next(record)) return std::nullopt;
      return Values(record, checked, options, reader->place());
    };
  };
  return Dataset(std::make_shared<data::FileSourceNode>("csv", files, spec, open));
}

}  // namespace lockstep
