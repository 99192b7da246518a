"""Hashes of bytes, with TensorFlow's bits: FarmHash's Fingerprint64, SipHash 2-4, and MurmurHash64A."""

_ALL = (1 << 64) - 1
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F


def _at(data, place, size=8):
    return int.from_bytes(data[place:place + size], "little")


def _rotate(value, bits):
    value &= _ALL
    return ((value >> bits) | (value << (64 - bits))) & _ALL


def _mix(value):
    value &= _ALL
    return value ^ (value >> 47)


def _join(u, v, factor):
    a = _mix(((u ^ v) & _ALL) * factor)
    b = _mix(((v & _ALL) ^ a) * factor)
    return b * factor & _ALL


def _short(data):
    size = len(data)
    factor = (_K2 + size * 2) & _ALL
    if size >= 8:
        a, b = _at(data, 0) + _K2, _at(data, size - 8)
        return _join(_rotate(b, 37) * factor + a & _ALL, (_rotate(a, 25) + b) * factor & _ALL, factor)
    if size >= 4:
        return _join(size + (_at(data, 0, 4) << 3), _at(data, size - 4, 4), factor)
    if size:
        y, z = data[0] + (data[size >> 1] << 8), size + (data[-1] << 2)
        return _mix((y * _K2 ^ z * _K0) & _ALL) * _K2 & _ALL
    return _K2


def _ends(data):
    """The four numbers of which lengths from 17 on are made, and the factor."""
    size = len(data)
    factor = (_K2 + size * 2) & _ALL
    return _at(data, 8), _at(data, size - 8) * factor & _ALL, _at(data, size - 16) * _K2 & _ALL, factor


def _middle(data):
    b, c, d, factor = _ends(data)
    if len(data) <= 32:
        a = _at(data, 0) * _K1 & _ALL
        return _join(_rotate(a + b, 43) + _rotate(c, 30) + d & _ALL, a + _rotate(b + _K2, 18) + c & _ALL, factor)
    size = len(data)
    a = _at(data, 0) * _K2 & _ALL
    y = _rotate(a + b, 43) + _rotate(c, 30) + d & _ALL
    z = _join(y, a + _rotate(b + _K2, 18) + c & _ALL, factor)
    e, f = _at(data, 16) * factor & _ALL, _at(data, 24)
    g, h = (y + _at(data, size - 32)) * factor & _ALL, (z + _at(data, size - 24)) * factor & _ALL
    return _join(_rotate(e + f, 43) + _rotate(g, 30) + h & _ALL, e + _rotate(f + a, 18) + g & _ALL, factor)


def _weak(data, place, a, b):
    w, x, y, z = (_at(data, place + 8 * i) for i in range(4))
    a = a + w & _ALL
    b = _rotate(b + a + z, 21)
    c = a
    a = a + x + y & _ALL
    return a + z & _ALL, b + _rotate(a, 44) + c & _ALL


def _round(data, at, state, factor, last):
    """One block of 64 bytes."""
    x, y, z, v, w = state
    nine = 9 if last else 1
    x = _rotate(x + y + v[0] + _at(data, at + 8), 37) * factor & _ALL
    y = _rotate(y + v[1] + _at(data, at + 48), 42) * factor & _ALL
    x ^= w[1] * nine & _ALL
    y = y + v[0] * nine + _at(data, at + 40) & _ALL
    z = _rotate(z + w[0], 33) * factor & _ALL
    v = _weak(data, at, v[1] * factor & _ALL, x + w[0] & _ALL)
    w = _weak(data, at + 32, z + w[1] & _ALL, y + _at(data, at + 16) & _ALL)
    return z, y, x, v, w


def fingerprint64(data):
    """FarmHash's Fingerprint64. Source: Google FarmHash, farmhashna::Hash64."""
    size = len(data)
    if size <= 16:
        return _short(data)
    if size <= 64:
        return _middle(data)
    y = 81 * _K1 + 113 & _ALL
    state = (81 * _K2 + _at(data, 0) & _ALL, y, _mix(y * _K2 + 113) * _K2 & _ALL, (0, 0), (0, 0))
    for at in range(0, (size - 1) // 64 * 64, 64):
        state = _round(data, at, state, _K1, False)
    x, y, z, v, w = state
    factor = _K1 + ((z & 0xFF) << 1)
    first = w[0] + ((size - 1) & 63) & _ALL
    v = (v[0] + first & _ALL, v[1])
    w = (first + v[0] & _ALL, w[1])
    x, y, z, v, w = _round(data, size - 64, (x, y, z, v, w), factor, True)
    return _join(_join(v[0], w[0], factor) + _mix(y) * _K0 + z & _ALL, _join(v[1], w[1], factor) + x & _ALL, factor)


def sip_hash(data, key):
    """SipHash 2-4 with a key of two numbers of 64 bits. Source: Aumasson and Bernstein, 2012."""
    k0, k1 = key[0] & _ALL, key[1] & _ALL
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]

    def rounds(count):
        for _ in range(count):
            v[0] = v[0] + v[1] & _ALL
            v[2] = v[2] + v[3] & _ALL
            v[1], v[3] = _rotate(v[1], 51) ^ v[0], _rotate(v[3], 48) ^ v[2]
            v[0] = _rotate(v[0], 32)
            v[2] = v[2] + v[1] & _ALL
            v[0] = v[0] + v[3] & _ALL
            v[1], v[3] = _rotate(v[1], 47) ^ v[2], _rotate(v[3], 43) ^ v[0]
            v[2] = _rotate(v[2], 32)
    padded = data + bytes(-(len(data) + 1) % 8) + bytes([len(data) & 0xFF])
    for at in range(0, len(padded), 8):
        word = _at(padded, at)
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def murmur64(data, seed=0xDECAFCAFFE):
    """MurmurHash64A, the hash of `tf.strings.to_hash_bucket`. Source: Austin Appleby."""
    factor = 0xC6A4A7935BD1E995
    made = seed ^ (len(data) * factor & _ALL)
    whole = len(data) // 8 * 8
    for at in range(0, whole, 8):
        word = _mix(_at(data, at) * factor) * factor & _ALL
        made = (made ^ word) * factor & _ALL
    if whole < len(data):
        made = (made ^ int.from_bytes(data[whole:], "little")) * factor & _ALL
    return _mix(_mix(made) * factor)
