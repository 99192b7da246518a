#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/base/status.h"
#include "net/payload.h"

namespace lockstep::net {

/// What a call carries: a text, and bulk beside it, which nobody copies into the text.
struct Parcel {
  std::string text;
  std::vector<Payload> bodies;
};

/// On every way a parcel is a head and its bulk. Head: the number of bodies (4 bytes), the size of
/// each (8), the text. Bulk: the bodies, each at a multiple of 64 bytes, the gaps zero.
std::string HeadOf(const Parcel& parcel);
size_t BulkBytes(const Parcel& parcel);
/// `to` has `BulkBytes`.
void WriteBulk(const Parcel& parcel, std::byte* to);
/// The parcel of a head and its bulk, where its bodies stay. Errors: DataLoss for what is none.
Result<Parcel> ReadParcel(std::string_view head, const Payload& bulk);

/// Both in one: the head's size (8 bytes), the head, zeros up to a multiple of 64, the bulk.
/// `BeginOf` is all before the bulk.
std::string BeginOf(const Parcel& parcel);
std::string Pack(const Parcel& parcel);
/// Errors: DataLoss for what is no parcel.
Result<Parcel> Unpack(const Payload& bytes);

}  // namespace lockstep::net
