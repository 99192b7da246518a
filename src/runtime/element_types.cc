#include "runtime/element_types.h"

namespace lockstep::runtime {

std::vector<ops::TensorType> ElementTypes(const ops::Attributes& attributes) {
  const auto& dtypes = attributes.Get<std::vector<int64_t>>("dtypes");
  const auto& sizes = attributes.Get<std::vector<int64_t>>("shapes");
  const auto refuse = [&](const std::string& what) {
    throw Error(Code::kInvalidArgument, "[queue] components have a dtype and a shape each; got " +
                                            what + " for " + std::to_string(dtypes.size()) +
                                            " components");
  };
  std::vector<ops::TensorType> types;
  size_t next = 0;
  for (int64_t dtype : dtypes) {
    const int64_t rank = next < sizes.size() ? sizes[next++] : -2;
    if (rank == -1) {
      types.push_back({static_cast<DType>(dtype), Shape::Unranked(), static_cast<DType>(dtype)});
      continue;
    }
    if (rank < 0 || rank > Shape::kMaxRank || next + rank > sizes.size()) {
      refuse(std::to_string(sizes.size()) + " numbers of shapes");
    }
    Shape shape;
    for (int64_t i = 0; i < rank; ++i) shape.Append(sizes[next++]);
    const auto number = static_cast<DType>(dtype);
    if (number == DType::kInvalid || number == DType::kResource || DTypeName(number).empty()) {
      refuse("dtype number " + std::to_string(dtype));
    }
    types.push_back({number, shape, number});
  }
  return types;
}

void SetElementTypes(const std::vector<ops::TensorType>& types, ops::Attributes* attributes) {
  std::vector<int64_t> dtypes, sizes;
  for (const ops::TensorType& type : types) {
    dtypes.push_back(static_cast<int64_t>(type.dtype));
    sizes.push_back(type.shape.ranked() ? type.shape.rank() : -1);
    if (!type.shape.ranked()) continue;
    for (int64_t size : type.shape.sizes()) sizes.push_back(size);
  }
  attributes->Set("dtypes", std::move(dtypes));
  attributes->Set("shapes", std::move(sizes));
}

}  // namespace lockstep::runtime
