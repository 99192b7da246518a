#include "checkpoint/saved_names.h"

#include <algorithm>

namespace lockstep::checkpoint {

std::string Unnumbered(const std::string& name) {
  std::string plain;
  for (size_t i = 0; i < name.size();) {
    const size_t end = std::min(name.find_first_not_of("0123456789", i + 1), name.size());
    const bool is_number = name[i] == '_' && end > i + 1 &&
                           (end == name.size() || name[end] == '/' || name[end] == '_');
    if (!is_number) plain += name[i];
    i = is_number ? end : i + 1;
  }
  return plain;
}

std::string Describe(const std::string& name, DType dtype, const Shape& shape) {
  return name + " of " + std::string(DTypeName(dtype)) + shape.ToString();
}

}  // namespace lockstep::checkpoint
