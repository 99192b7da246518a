#pragma once

#include "data/byte_reader.h"
#include "lockstep/data/record.h"

namespace lockstep::data {

inline Packing PackingOf(Compression compression) {
  switch (compression) {
    case Compression::kGzip:
      return Packing::kGzip;
    case Compression::kZlib:
      return Packing::kZlib;
    default:
      return Packing::kNone;
  }
}

}  // namespace lockstep::data
