#include "net/rpc.h"

#include <memory>
#include <utility>

namespace lockstep::net {

namespace {

Result<Parcel> UnpackText(std::string text) {
  const auto owner = std::make_shared<const std::string>(std::move(text));
  return Unpack(Payload(owner, std::as_bytes(std::span(*owner))));
}

}  // namespace

void Rpc::CallParcel(const std::string& address, const std::string& method, Parcel request,
                     base::Duration timeout, ParcelAnswer done) {
  Call(address, method, Pack(request), timeout,
       [done = std::move(done)](Result<std::string> answer) {
         done(answer.ok() ? UnpackText(std::move(*answer)) : answer.status());
       });
}

void Rpc::ServeParcels(const std::string& method, ParcelHandler handler) {
  if (handler == nullptr) {
    Serve(method, nullptr);
    return;
  }
  Serve(method, [handler = std::move(handler)](std::string request, const Answer& answer) {
    Result<Parcel> parcel = UnpackText(std::move(request));
    if (!parcel.ok()) {
      answer(parcel.status());
      return;
    }
    handler(std::move(*parcel), [answer](const Result<Parcel>& result) {
      answer(result.ok() ? Result<std::string>(Pack(*result)) : result.status());
    });
  });
}

}  // namespace lockstep::net
