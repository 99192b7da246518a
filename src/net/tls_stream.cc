#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "net/certificates.h"
#include "net/openssl_handles.h"
#include "net/stream.h"

namespace lockstep::net {
namespace {

using Context = std::unique_ptr<SSL_CTX, Freer<SSL_CTX_free>>;
using Session = std::unique_ptr<SSL, Freer<SSL_free>>;

std::string LastError() {
  const unsigned long error = ERR_get_error();
  ERR_clear_error();
  const char* text = error == 0 ? nullptr : ERR_reason_error_string(error);
  return text == nullptr ? "a broken connection" : text;
}

Memory Open(const std::string& pem) {
  return Memory(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

Certificate ReadCertificate(const std::string& pem) {
  return Certificate(PEM_read_bio_X509(Open(pem).get(), nullptr, nullptr, nullptr));
}

Status Fault(const char* part) {
  return Status(Code::kInvalidArgument, std::string("[tls] the credentials must hold ") + part +
                                            "; got " + LastError() +
                                            "; make new ones with `lockstep cert`");
}

Result<Context> MakeContext(const Credentials& credentials, bool is_server) {
  Context context(SSL_CTX_new(TLS_method()));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  const Certificate authority = ReadCertificate(credentials.authority);
  if (authority == nullptr ||
      X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), authority.get()) != 1)
    return Fault("the authority's certificate");
  const Certificate own =
      ReadCertificate(is_server ? credentials.server_certificate : credentials.client_certificate);
  if (own == nullptr || SSL_CTX_use_certificate(context.get(), own.get()) != 1)
    return Fault(is_server ? "a server's certificate" : "a client's certificate");
  const std::string& pem = is_server ? credentials.server_key : credentials.client_key;
  const Key key(PEM_read_bio_PrivateKey(Open(pem).get(), nullptr, nullptr, nullptr));
  if (key == nullptr || SSL_CTX_use_PrivateKey(context.get(), key.get()) != 1)
    return Fault(is_server ? "the server certificate's key" : "the client certificate's key");
  X509_VERIFY_PARAM_set1_host(SSL_CTX_get0_param(context.get()), kJobName, 0);
  return context;
}

class TlsStream final : public Stream {
 public:
  TlsStream(FileDescriptor socket, SSL_CTX* context, bool is_server)
      : socket_(std::move(socket)), session_(SSL_new(context)) {
    SSL_set_fd(session_.get(), socket_.get());
    is_server ? SSL_set_accept_state(session_.get()) : SSL_set_connect_state(session_.get());
  }

  int file() const override { return socket_.get(); }
  Flow Handshake() override { return Outcome(SSL_do_handshake(session_.get())); }
  Flow Read(std::span<std::byte> room, size_t* got) override {
    *got = 0;
    return Outcome(SSL_read_ex(session_.get(), room.data(), room.size(), got));
  }
  Flow Write(std::span<const std::byte> bytes, size_t* put) override {
    *put = 0;
    return Outcome(SSL_write_ex(session_.get(), bytes.data(), bytes.size(), put));
  }
  std::string fault() const override { return fault_; }

 private:
  Flow Outcome(int result) {
    if (result == 1) return Flow::kMoved;
    const int error = errno;
    switch (SSL_get_error(session_.get(), result)) {
      case SSL_ERROR_WANT_READ:
        return Flow::kAwaitsRead;
      case SSL_ERROR_WANT_WRITE:
        return Flow::kAwaitsWrite;
      case SSL_ERROR_ZERO_RETURN:
        return Flow::kEnded;
      case SSL_ERROR_SYSCALL:
        fault_ = error != 0 ? std::strerror(error) : "a connection cut short";
        break;
      default:
        fault_ = LastError();
        if (const long verified = SSL_get_verify_result(session_.get()); verified != X509_V_OK)
          fault_ += std::string(" (") + X509_verify_cert_error_string(verified) + ")";
    }
    ERR_clear_error();
    return Flow::kBroken;
  }

  FileDescriptor socket_;
  Session session_;
  std::string fault_;
};

}  // namespace

struct TlsState {
  Context server, client;
};

Tls::Tls(std::unique_ptr<TlsState> state) : state_(std::move(state)) {}
Tls::~Tls() = default;

Result<std::unique_ptr<Tls>> Tls::Create(const Credentials& credentials) {
  auto server = MakeContext(credentials, true);
  if (!server.ok()) return server.status();
  auto client = MakeContext(credentials, false);
  if (!client.ok()) return client.status();
  // The library writes to sockets without a flag against this signal.
  if (std::signal(SIGPIPE, SIG_IGN) != SIG_DFL) std::signal(SIGPIPE, SIG_IGN);
  auto state = std::make_unique<TlsState>(TlsState{std::move(*server), std::move(*client)});
  return std::unique_ptr<Tls>(new Tls(std::move(state)));
}

std::unique_ptr<Stream> Tls::MakeStream(FileDescriptor socket, bool is_server) const {
  SSL_CTX* context = (is_server ? state_->server : state_->client).get();
  return std::make_unique<TlsStream>(std::move(socket), context, is_server);
}

}  // namespace lockstep::net
