"""Unpacks tar and zip archives, as `keras.utils.get_file` does after a download.

No member leaves the folder: absolute names, `..`, links that lead outside and devices are skipped with a warning. An archive
that unpacks to far more than its size is refused while it is unpacked, so a small file cannot fill the disk."""

import bz2
import gzip
import lzma
import os
import shutil
import tarfile
import warnings
import zipfile

from .._damage import reading, refuse

_FREE_BYTES = 1 << 30  # any archive may unpack to so many bytes
_MOST_PER_BYTE = 200   # and to so many more for each byte of its own
_MEMBER_BYTES = 1024   # a member counts as at least so many, because files and folders cost space too
_MOST_AT_ONCE = 64 << 20  # longest header that is read at once
_STARTS = ((b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ\x00", lzma.open))


class _Bounded:
    """A file of which no call reads more than `_MOST_AT_ONCE` bytes: headers of tar files declare their own length."""

    def __init__(self, file, path):
        self._file, self._path = file, path
        self.seek, self.tell = file.seek, file.tell

    def read(self, size=-1):
        if size is None or not 0 <= size <= _MOST_AT_ONCE:
            refuse(self._path, f"a header of the archive declares {size} bytes")
        return self._file.read(size)


class _Folder:
    """The folder that an archive is unpacked to."""

    def __init__(self, path, archive):
        self.path, self._archive, self._bytes = os.path.realpath(path), archive, 0
        self._most = _FREE_BYTES + _MOST_PER_BYTE * os.path.getsize(archive)

    def _is_inside(self, path):
        return path == self.path or path.startswith(os.path.join(self.path, ""))

    def place_of(self, name):
        """Where a member belongs; None, with a warning, where that is not inside of the folder."""
        folder = os.path.realpath(os.path.join(self.path, os.path.dirname(name.rstrip("/"))))
        last = os.path.basename(name.rstrip("/"))
        if last in ("", "."):
            folder, last = os.path.dirname(folder), os.path.basename(folder)
        place = os.path.join(folder, last)
        if os.path.isabs(name) or last == ".." or not self._is_inside(place) or not (place == self.path or self._is_inside(folder)):
            return self.skip(name)
        return place

    @staticmethod
    def skip(name):
        warnings.warn(f"Skipping invalid path during archive extraction: '{name}'.", stacklevel=2)

    def count(self, size):
        """Counts bytes that are written. Raises: DamagedFileError past the limit."""
        self._bytes += size
        if self._bytes > self._most:
            refuse(self._archive, f"it unpacks to more than {self._most} bytes")

    def make_folder(self, place):
        self.count(_MEMBER_BYTES)
        if os.path.islink(place) and not os.path.isdir(place):
            os.unlink(place)
        os.makedirs(place, exist_ok=True)

    def _clear(self, place):
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if os.path.lexists(place) and not (os.path.isdir(place) and not os.path.islink(place)):
            os.unlink(place)

    def write(self, place, source, executable=False):
        """Copies an open file of the archive to a place."""
        self.count(_MEMBER_BYTES)
        self._clear(place)
        with open(place, "wb") as out:
            while block := source.read(1 << 18):
                self.count(len(block))
                out.write(block)
        if executable:
            os.chmod(place, 0o755)

    def link(self, name, place, target):
        """A symbolic link, if it leads to a place inside of the folder."""
        leads_to = os.path.realpath(os.path.join(os.path.dirname(place), target))
        if os.path.isabs(target) or not self._is_inside(leads_to):
            return self.skip(name)
        self.count(_MEMBER_BYTES)
        self._clear(place)
        # Without `..` behind a name, which a later link could give another meaning.
        os.symlink(os.path.relpath(leads_to, os.path.dirname(place)), place)

    def copy(self, name, place, target):
        """A hard link, as a copy of the file that was unpacked before."""
        source = self.place_of(target)
        if source is None or os.path.islink(source) or not os.path.isfile(source) or source == place:
            return self.skip(name)
        with open(source, "rb") as file:
            self.write(place, file)


def _unpack_tar(archive, folder):
    for member in archive:
        place = folder.place_of(member.name)
        if place is None:
            continue
        if member.isdir():
            folder.make_folder(place)
        elif member.isfile():
            folder.write(place, archive.extractfile(member), bool(member.mode & 0o100))
        elif member.issym():
            folder.link(member.name, place, member.linkname)
        elif member.islnk():
            folder.copy(member.name, place, member.linkname)
        else:
            folder.skip(member.name)


def _try_tar(path, folder):
    """Whether it is a tar file, plain or packed by gzip, bzip2 or xz; it is unpacked then."""
    with open(path, "rb") as file:
        start = file.read(8)
    opener = next((one for begin, one in _STARTS if start.startswith(begin)), open)
    with opener(path, "rb") as file:
        try:
            archive = tarfile.open(fileobj=_Bounded(file, path), mode="r:")
        except (tarfile.ReadError, EOFError, OSError, lzma.LZMAError):
            return False
        with archive:
            _unpack_tar(archive, folder)
    return True


def _try_zip(path, folder):
    """Whether it is a zip file; it is unpacked then."""
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            place = folder.place_of(member.filename)
            if place is None:
                continue
            if member.is_dir():
                folder.make_folder(place)
            else:
                with archive.open(member) as source:
                    folder.write(place, source)
    return True


def extract_archive(file_path, path=".", archive_format="auto"):
    """Whether a file is an archive of one of the formats, which is unpacked to the folder `path` then.

    archive_format: "tar", "zip", a list of these, "auto" for both, None for none. Raises: NotImplementedError for another,
    DamagedFileError for archives that are damaged or unpack to far more than their size; a folder made for it is removed."""
    formats = {"auto": ["tar", "zip"], None: []}.get(archive_format if not isinstance(archive_format, list) else "", archive_format)
    formats = [formats] if isinstance(formats, str) else list(formats or [])
    for one in formats:
        if one not in ("tar", "zip"):
            raise NotImplementedError(one)
    file_path, path = os.fspath(file_path), os.fspath(path)
    existed = os.path.exists(path)
    folder = _Folder(path, file_path)
    try:
        with reading(file_path, (tarfile.HeaderError,)):
            return any((_try_tar if one == "tar" else _try_zip)(file_path, folder) for one in formats)
    except BaseException:
        if not existed:
            shutil.rmtree(path, ignore_errors=True)
        raise
