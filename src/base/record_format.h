#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// One record of a TFRecord file: the length of its data in 8 bytes, the masked CRC-32C of these,
/// the data, their masked CRC-32C. Numbers are little-endian. Data and event files have this form.

namespace lockstep::base {

inline constexpr size_t kRecordHeaderBytes = 12;
inline constexpr size_t kRecordFooterBytes = 4;

/// What stands before the data, and behind them.
std::string RecordHeader(uint64_t length);
std::string RecordFooter(std::string_view data);

/// The length that a header gives; false where its checksum is another.
bool ParseRecordHeader(std::string_view header, uint64_t& length);
bool RecordFooterFits(std::string_view footer, std::string_view data);

}  // namespace lockstep::base
