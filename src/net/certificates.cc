#include "net/certificates.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "base/file.h"
#include "net/openssl_handles.h"

namespace lockstep::net {
namespace {

using Extension = std::unique_ptr<X509_EXTENSION, Freer<X509_EXTENSION_free>>;
using Store = std::unique_ptr<X509_STORE, Freer<X509_STORE_free>>;
using Verification = std::unique_ptr<X509_STORE_CTX, Freer<X509_STORE_CTX_free>>;

// Its certificates stay their owner's.
struct FreeStack {
  void operator()(STACK_OF(X509) * stack) const { sk_X509_free(stack); }
};
using Stack = std::unique_ptr<STACK_OF(X509), FreeStack>;

struct Signed {
  Key key;
  Certificate certificate;
};

std::string TextOf(BIO* memory) {
  char* data = nullptr;
  const auto size = BIO_get_mem_data(memory, &data);
  return std::string(data, static_cast<size_t>(size));
}

std::string PemOf(X509* certificate) {
  const Memory memory(BIO_new(BIO_s_mem()));
  return PEM_write_bio_X509(memory.get(), certificate) == 1 ? TextOf(memory.get()) : "";
}

std::string PemOf(EVP_PKEY* key) {
  const Memory memory(BIO_new(BIO_s_mem()));
  const bool written =
      PEM_write_bio_PKCS8PrivateKey(memory.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1;
  return written ? TextOf(memory.get()) : "";
}

bool Extend(X509* certificate, X509* issuer, int name, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, name, value.c_str()));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool IsAddress(const std::string& host) {
  return host.find_first_not_of("0123456789.") == std::string::npos ||
         host.find(':') != std::string::npos;
}

// Neither may smuggle another extension into the list of names.
bool IsPlainHost(const std::string& host) {
  return !host.empty() && host.size() <= 253 &&
         host.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
             ".-:*_") == std::string::npos;
}

std::string AlternativeNames(const std::vector<std::string>& hosts) {
  std::string names = std::string("DNS:") + kJobName + ",DNS:localhost,IP:127.0.0.1,IP:::1";
  for (const std::string& host : hosts) names += (IsAddress(host) ? ",IP:" : ",DNS:") + host;
  return names;
}

// A key on the curve P-256 and a certificate without extensions, not signed yet.
bool Begin(const std::string& name, int days, Signed* made) {
  made->key.reset(EVP_EC_gen("P-256"));
  made->certificate.reset(X509_new());
  X509* certificate = made->certificate.get();
  if (made->key == nullptr || certificate == nullptr) return false;
  std::array<unsigned char, 8> serial;
  if (RAND_bytes(serial.data(), serial.size()) != 1) return false;
  uint64_t number = 0;
  std::memcpy(&number, serial.data(), sizeof(number));
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), number >> 1);
  X509_set_version(certificate, X509_VERSION_3);
  // Clocks of machines stand apart: valid from an hour ago on.
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 86400L * days);
  X509_set_pubkey(certificate, made->key.get());
  X509_NAME* subject = X509_get_subject_name(certificate);
  return X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1,
                                    0) == 1;
}

bool Sign(X509* certificate, X509* issuer, EVP_PKEY* issuer_key) {
  return X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1 &&
         X509_sign(certificate, issuer_key, EVP_sha256()) > 0;
}

bool MakeAuthority(int days, Signed* authority) {
  if (!Begin("Lockstep job authority", days, authority)) return false;
  X509* self = authority->certificate.get();
  return Extend(self, self, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
         Extend(self, self, NID_key_usage, "critical,keyCertSign,cRLSign") &&
         Extend(self, self, NID_subject_key_identifier, "hash") &&
         Sign(self, self, authority->key.get());
}

bool MakeSigned(const Signed& authority, const std::string& usage, const std::string& names,
                int days, Signed* made) {
  if (!Begin(kJobName, days, made)) return false;
  X509* certificate = made->certificate.get();
  X509* issuer = authority.certificate.get();
  return Extend(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
         Extend(certificate, issuer, NID_key_usage, "critical,digitalSignature") &&
         Extend(certificate, issuer, NID_ext_key_usage, usage) &&
         Extend(certificate, issuer, NID_authority_key_identifier, "keyid") &&
         Extend(certificate, issuer, NID_subject_alt_name, names) &&
         Sign(certificate, issuer, authority.key.get());
}

std::string RandomToken() {
  std::array<unsigned char, 16> bytes;
  if (RAND_bytes(bytes.data(), bytes.size()) != 1) return "";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

Status FileFault(const std::string& path, const std::string& rule) {
  const Code code = errno == ENOENT   ? Code::kNotFound
                    : errno == EEXIST ? Code::kAlreadyExists
                    : errno == EACCES ? Code::kPermissionDenied
                                      : Code::kUnavailable;
  return Status(code, "[cert] " + rule + "; got " + std::strerror(errno) + " (" + path + ")" +
                          (code == Code::kNotFound ? "; make it with `lockstep cert --out DIR`"
                           : code == Code::kAlreadyExists ? "; remove it, or name another directory"
                                                          : "; name another directory (--out)"));
}

Status WriteNew(const std::string& path, const std::string& text, bool is_secret) {
  const int file =
      open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, is_secret ? 0600 : 0644);
  if (file < 0) return FileFault(path, "the file must not exist and be writable");
  const ssize_t written = write(file, text.data(), text.size());
  const Status status = written == static_cast<ssize_t>(text.size())
                            ? Status::Ok()
                            : FileFault(path, "the file must be written whole");
  close(file);
  if (!status.ok()) unlink(path.c_str());
  return status;
}

struct Part {
  const char* name;
  std::string Credentials::*text;
  bool is_secret;
};
constexpr Part kParts[] = {{"ca.pem", &Credentials::authority, false},
                           {"server.pem", &Credentials::server_certificate, false},
                           {"server.key", &Credentials::server_key, true},
                           {"client.pem", &Credentials::client_certificate, false},
                           {"client.key", &Credentials::client_key, true},
                           {"token", &Credentials::token, true}};

Result<std::string> ReadPart(const std::string& path, bool is_secret) {
  struct stat state;
  if (stat(path.c_str(), &state) != 0) return FileFault(path, "the file must exist");
  if (is_secret && (state.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return Status(Code::kPermissionDenied,
                  "[cert] only its owner may read a key; got a file that "
                  "others can read (" +
                      path + "); chmod 600 it");
  return base::ReadWholeFile(base::LocalFiles(), path);
}

std::vector<Certificate> CertificatesOf(const std::string& pem) {
  const Memory memory(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  std::vector<Certificate> all;
  while (X509* one = PEM_read_bio_X509(memory.get(), nullptr, nullptr, nullptr))
    all.emplace_back(one);
  ERR_clear_error();
  return all;
}

// Why others would not believe a task that shows this certificate; empty if they would.
std::string FaultOf(const std::string& pem, const std::string& key_pem,
                    const std::string& authority) {
  const std::vector<Certificate> chain = CertificatesOf(pem), trusted = CertificatesOf(authority);
  const Memory memory(BIO_new_mem_buf(key_pem.data(), static_cast<int>(key_pem.size())));
  const Key key(PEM_read_bio_PrivateKey(memory.get(), nullptr, nullptr, nullptr));
  if (chain.empty() || trusted.empty() || key == nullptr) return "what is no PEM";
  X509* const own = chain.front().get();
  if (X509_check_private_key(own, key.get()) != 1) {
    ERR_clear_error();
    return "the key of another certificate";
  }
  const Store store(X509_STORE_new());
  for (const Certificate& each : trusted) X509_STORE_add_cert(store.get(), each.get());
  const Stack between(sk_X509_new_null());
  for (const Certificate& each : chain) sk_X509_push(between.get(), each.get());
  const Verification verification(X509_STORE_CTX_new());
  if (X509_STORE_CTX_init(verification.get(), store.get(), own, between.get()) == 1 &&
      X509_verify_cert(verification.get()) == 1) {
    return "";
  }
  ERR_clear_error();
  return X509_verify_cert_error_string(X509_STORE_CTX_get_error(verification.get()));
}

// Tasks with keys that do not belong together would wait for each other without an end.
Status CheckWhole(const Credentials& credentials, const std::string& directory) {
  const auto refuse = [&](const std::string& rule, const std::string& got) {
    return Status(Code::kInvalidArgument, "[cert] " + rule + "; got " + got + " (" + directory +
                                              "); take all files of one `lockstep cert --out DIR`");
  };
  if (credentials.token.empty()) return refuse("token must hold the job's secret", "an empty file");
  const std::string& authority = credentials.authority;
  const std::string server =
      FaultOf(credentials.server_certificate, credentials.server_key, authority);
  if (!server.empty())
    return refuse("server.pem must be signed by ca.pem, and of server.key", server);
  const std::string client =
      FaultOf(credentials.client_certificate, credentials.client_key, authority);
  if (!client.empty())
    return refuse("client.pem must be signed by ca.pem, and of client.key", client);
  return Status::Ok();
}

}  // namespace

Result<Credentials> MakeCredentials(const CertificateOptions& options) {
  for (const std::string& host : options.hosts) {
    if (!IsPlainHost(host))
      return Status(Code::kInvalidArgument,
                    "[cert] a host must be a name or an address; got '" + host + "' (--hosts)");
  }
  if (options.days < 1 || options.days > 36500)
    return Status(Code::kInvalidArgument, "[cert] days must be 1 to 36500; got " +
                                              std::to_string(options.days) + " (--days)");
  const std::string names = AlternativeNames(options.hosts);
  Signed authority, server, client;
  if (!MakeAuthority(options.days, &authority) ||
      !MakeSigned(authority, "serverAuth", names, options.days, &server) ||
      !MakeSigned(authority, "clientAuth", names, options.days, &client))
    return Status(Code::kInvalidArgument,
                  "[cert] hosts must be fit for a certificate; got " + names + " (--hosts)");
  Credentials made{
      PemOf(authority.certificate.get()), PemOf(server.certificate.get()), PemOf(server.key.get()),
      PemOf(client.certificate.get()),    PemOf(client.key.get()),         RandomToken()};
  for (const Part& part : kParts) {
    if ((made.*part.text).empty())
      return Status(Code::kInternal, std::string("[cert] openssl made no ") + part.name);
  }
  return made;
}

Status WriteCredentials(const Credentials& credentials, const std::string& directory) {
  LOCKSTEP_RETURN_IF_ERROR(base::LocalFiles().CreateDirectories(directory));
  for (const Part& part : kParts) {
    const Status written =
        WriteNew(directory + "/" + part.name, credentials.*part.text, part.is_secret);
    if (written.ok()) continue;
    // A half of the keys would be in the way of another attempt.
    for (const Part* made = kParts; made != &part; ++made)
      unlink((directory + "/" + made->name).c_str());
    return written;
  }
  return Status::Ok();
}

Result<Credentials> ReadCredentials(const std::string& directory) {
  Credentials credentials;
  for (const Part& part : kParts) {
    LOCKSTEP_ASSIGN_OR_RETURN(credentials.*part.text,
                              ReadPart(directory + "/" + part.name, part.is_secret));
  }
  LOCKSTEP_RETURN_IF_ERROR(CheckWhole(credentials, directory));
  return credentials;
}

}  // namespace lockstep::net
