"""`keras.utils.get_file`: the cache, hashes, a server on this machine, and archives that try to leave their folder."""
import contextlib
import hashlib
import http.server
import io
import os
import pathlib
import tarfile
import tempfile
import threading
import unittest
import warnings
import zipfile
from unittest import mock

import lockstep as tf

get_file = tf.keras.utils.get_file


class GetFile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cache = self.folder / "cache"
        self.cache.mkdir()
        self.printed = io.StringIO()
        stdout = contextlib.redirect_stdout(self.printed)
        stdout.__enter__()
        self.addCleanup(stdout.__exit__, None, None, None)

    def made(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def got(self, *args, **kwargs):
        return get_file(*args, cache_dir=str(self.cache), **kwargs)


class Cache(GetFile):
    def test_keeps_a_file_until_it_is_asked_for_again(self):
        source = self.made("a.txt", b"first")
        path = self.got("a.txt", source.as_uri())
        self.assertEqual(path, str(self.cache / "datasets" / "a.txt"))
        source.write_bytes(b"second")
        self.assertEqual(pathlib.Path(self.got("a.txt", source.as_uri())).read_bytes(), b"first")
        self.assertEqual(pathlib.Path(self.got("a.txt", source.as_uri(), force_download=True)).read_bytes(), b"second")
        self.assertEqual(os.listdir(self.cache / "datasets"), ["a.txt"])
        self.assertIn(f"Downloading data from {source.as_uri()}", self.printed.getvalue())

    def test_takes_a_path_and_the_name_of_the_origin(self):
        source = self.made("b.bin", bytes(range(256)) * 1000)
        path = self.got(origin=str(source), cache_subdir="other")
        self.assertEqual(path, str(self.cache / "other" / "b.bin"))
        self.assertEqual(pathlib.Path(path).read_bytes(), source.read_bytes())

    def test_checks_hashes(self):
        source = self.made("c.txt", b"content")
        sha, md5 = hashlib.sha256(b"content").hexdigest(), hashlib.md5(b"content").hexdigest()
        for given in (dict(file_hash=sha), dict(file_hash=md5), dict(md5_hash=md5), dict(file_hash=sha, hash_algorithm="sha256")):
            self.got("c.txt", source.as_uri(), force_download=True, **given)
        with self.assertRaisesRegex(ValueError, "Incomplete or corrupted file"):
            self.got("d.txt", source.as_uri(), file_hash="0" * 64)
        with self.assertRaisesRegex(ValueError, "hash_algorithm"):
            self.got("c.txt", source.as_uri(), file_hash=sha, hash_algorithm="sha1")
        pathlib.Path(self.cache, "datasets", "c.txt").write_bytes(b"damaged")
        self.assertEqual(pathlib.Path(self.got("c.txt", source.as_uri(), file_hash=sha)).read_bytes(), b"content")
        self.assertIn("we will re-download the data", self.printed.getvalue())

    def test_refuses_names_that_are_paths(self):
        for name in ("a/b", "..", "/etc/x"):
            with self.assertRaisesRegex(ValueError, "Paths are no longer accepted"):
                self.got(name, "file:///nothing")
        with self.assertRaisesRegex(ValueError, "Can't parse the file name"):
            self.got(origin="http://127.0.0.1/..")
        with self.assertRaisesRegex(ValueError, "origin"):
            self.got("a")

    def test_home_is_keras_home(self):
        source = self.made("e.txt", b"e")
        home = self.folder / "home"
        with mock.patch.dict(os.environ, KERAS_HOME=str(home)):
            self.assertEqual(get_file("e.txt", source.as_uri()), str(home / "datasets" / "e.txt"))


class Server(GetFile):
    def setUp(self):
        super().setUp()
        test = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                test.asked.append(self.path)
                if self.path == "/missing":
                    return self.send_error(404)
                body = b"z" * 200000
                self.send_response(200)
                if self.path != "/open":
                    self.send_header("Content-Length", str(len(body) + (10 if self.path == "/short" else 0)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):
                pass
        self.asked = []
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(lambda: (server.shutdown(), thread.join(), server.server_close()))
        self.address = f"http://127.0.0.1:{server.server_address[1]}"

    def test_downloads_once(self):
        for name in ("whole", "open"):
            for _ in range(2):
                path = self.got(origin=f"{self.address}/{name}")
            self.assertEqual(pathlib.Path(path).stat().st_size, 200000)
        self.assertEqual(self.asked, ["/whole", "/open"])

    def test_failures_leave_nothing(self):
        for name, text in (("missing", "URL fetch failure on .*404"), ("short", "retrieval incomplete")):
            with self.assertRaisesRegex(Exception, text):
                self.got(origin=f"{self.address}/{name}")
        with self.assertRaisesRegex(Exception, "URL fetch failure"):
            self.got(origin="file:///nothing/is/here")
        self.assertEqual(os.listdir(self.cache / "datasets"), [])


class Archives(GetFile):
    def tar(self, name, members, mode="w:gz"):
        path = self.folder / name
        with tarfile.open(path, mode) as archive:
            for member, content in members:
                info = tarfile.TarInfo(member)
                if isinstance(content, bytes):
                    info.size = len(content)
                    archive.addfile(info, io.BytesIO(content))
                else:
                    info.type, info.linkname = content
                    archive.addfile(info)
        return path

    def files(self, folder):
        return sorted(str(one.relative_to(folder)) for one in pathlib.Path(folder).rglob("*"))

    def test_unpacks_each_format(self):
        members = [("d", (tarfile.DIRTYPE, "")), ("d/a.txt", b"a"), ("b.txt", b"b")]
        for name, mode in (("x.tar", "w"), ("x.tar.gz", "w:gz"), ("x.tar.bz2", "w:bz2"), ("x.tar.xz", "w:xz")):
            path = self.tar(name, members, mode)
            folder = self.got(name, path.as_uri(), extract=True, force_download=True)
            self.assertEqual(folder, str(self.cache / "datasets" / "x_extracted"))
            self.assertEqual(self.files(folder), ["b.txt", "d", "d/a.txt"])
        path = self.folder / "z.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("d/a.txt", "a")
        self.assertEqual(self.got("z", path.as_uri(), extract=True), str(self.cache / "datasets" / "z"))
        self.assertEqual(self.got(origin=path.as_uri(), extract=True), str(self.cache / "datasets" / "z.zip"))
        self.assertEqual(self.files(self.cache / "datasets" / "z.zip"), ["d", "d/a.txt"])
        self.assertEqual(self.got("t", self.tar("t.tgz", members).as_uri(), untar=True), str(self.cache / "datasets" / "t"))

    def test_other_files_are_left_as_they_are(self):
        path = self.made("plain.txt", b"no archive at all")
        for archive_format in ("auto", "zip", ["tar"], None):
            with self.assertWarnsRegex(UserWarning, "Could not extract archive"):
                self.got("plain", path.as_uri(), extract=True, archive_format=archive_format)
        with self.assertRaises(NotImplementedError):
            self.got("plain", path.as_uri(), extract=True, archive_format="rar")

    def test_members_do_not_leave_the_folder(self):
        outside = self.cache / "datasets" / "outside.txt"
        symlink, hard = tarfile.SYMTYPE, tarfile.LNKTYPE
        attacks = {
            "parent": [("../outside.txt", b"bad")],
            "absolute": [(str(outside), b"bad")],
            "deep": [("a/../../outside.txt", b"bad")],
            "link": [("l", (symlink, "..")), ("l/outside.txt", b"bad")],
            "absolute_link": [("l", (symlink, str(outside.parent))), ("l/outside.txt", b"bad")],
            "link_file": [("l", (symlink, "../outside.txt")), ("l", b"bad")],
            "links": [("a", (symlink, "b/../..")), ("b", (symlink, ".")), ("a/outside.txt", b"bad")],
            "later_link": [("a", (symlink, "b/../c")), ("b", (symlink, ".")), ("c", (symlink, "..")), ("a/outside.txt", b"bad")],
            "hard": [("h", (hard, "../secret.txt"))],
            "hard_of_link": [("l", (symlink, "../secret.txt")), ("h", (hard, "l"))],
            "device": [("null", (tarfile.CHRTYPE, ""))],
            "fifo": [("pipe", (tarfile.FIFOTYPE, ""))],
        }
        for name, members in attacks.items():
            with self.subTest(name):
                path = self.tar(name + ".tar", [*members, ("good.txt", b"good")], "w")
                (self.cache / "datasets").mkdir(exist_ok=True)
                (self.cache / "datasets" / "secret.txt").write_text("secret")
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    folder = self.got(name, path.as_uri(), extract=True)
                self.assertFalse(outside.exists())
                self.assertEqual(pathlib.Path(folder, "good.txt").read_text(), "good")
                for one in pathlib.Path(folder).rglob("*"):
                    self.assertTrue(one.resolve().is_relative_to(folder), one)
                    self.assertNotEqual(one.read_text() if one.is_file() else "", "secret")

    def test_links_inside_are_kept(self):
        path = self.tar("l.tar", [("d/a.txt", b"a"), ("d/s", (tarfile.SYMTYPE, "a.txt")), ("h", (tarfile.LNKTYPE, "d/a.txt"))], "w")
        folder = pathlib.Path(self.got("l", path.as_uri(), extract=True))
        self.assertEqual([(folder / one).read_text() for one in ("d/s", "h")], ["a", "a"])

    def test_zip_members_do_not_leave_the_folder(self):
        path = self.folder / "z.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name in ("../outside.txt", "/outside.txt", "a/../../outside.txt", "good.txt"):
                archive.writestr(name, "x")
        with self.assertWarnsRegex(UserWarning, "Skipping invalid path"):
            folder = self.got("z", path.as_uri(), extract=True)
        self.assertEqual(self.files(folder), ["good.txt"])

    def test_bombs_are_refused_and_removed(self):
        from lockstep.keras import _archives
        with mock.patch.multiple(_archives, _FREE_BYTES=1 << 20, _MOST_PER_BYTE=20):
            many = self.tar("many.tar.gz", [(f"{i}", b"") for i in range(4000)])
            large = self.tar("large.tar.gz", [("zeros", bytes(32 << 20))])
            packed = self.folder / "packed.zip"
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("zeros", bytes(32 << 20))
            for path in (many, large, packed):
                with self.assertRaisesRegex(tf.errors.DataLossError, "unpacks to more than"):
                    self.got("bomb", path.as_uri(), extract=True, force_download=True)
                self.assertFalse((self.cache / "datasets" / "bomb").exists())

    def test_damaged_archives_are_one_class_of_error(self):
        path = self.tar("d.tar.gz", [("a", os.urandom(100000))])
        path.write_bytes(path.read_bytes()[:50000])
        with self.assertRaisesRegex(tf.errors.DataLossError, "d_archive is damaged or refused"):
            self.got("d", path.as_uri(), extract=True)
        self.assertEqual(os.listdir(self.cache / "datasets"), ["d_archive"])


if __name__ == "__main__":
    unittest.main()
