# Bytes that are no characters, control characters, encodings; file names with a scheme, and ends of lines.
import os
import tensorflow as tf


def show(name, call):
    try:
        made = call()
    except Exception as error:
        print(name, type(error).__name__)
        return
    for one in made if isinstance(made, tuple) else [made]:
        print(name, one.to_list() if isinstance(one, tf.RaggedTensor) else str(one.numpy()).splitlines(), one.dtype.name, one.shape)


bad = b"a\xffb\xe2\x82c\x01"
for how in ({}, {"errors": "ignore"}, {"replacement_char": 65}, {"errors": "strict"}):
    told = " ".join(map(str, how.values()))
    show(f"decode {told}", lambda: tf.strings.unicode_decode(bad, "UTF-8", **how))
    show(f"split {told}", lambda: tf.strings.unicode_split(bad, "UTF-8", **how))
    show(f"decode places {told}", lambda: tf.strings.unicode_decode_with_offsets([bad, "h\u00e9"], "UTF-8", **how))
    show(f"split places {told}", lambda: tf.strings.unicode_split_with_offsets(bad, "UTF-8", **how))
    show(f"transcode {told}", lambda: tf.strings.unicode_transcode([bad, b""], "UTF-8", "UTF-16-BE", **how))
    show(f"encode {told}", lambda: tf.strings.unicode_encode([[104, -5, 0xD800], [1, 2, 3]], "UTF-8", **how))
for how in ({}, {"errors": "ignore"}):
    show(f"control {how}", lambda: tf.strings.unicode_decode(bad, "UTF-8", replace_control_characters=True, **how))
    show(f"control transcoded {how}", lambda: tf.strings.unicode_transcode(
        "a\x00b", "UTF-8", "UTF-8", replace_control_characters=True, **how))
show("wide", lambda: tf.strings.unicode_split("\x00h\x00i", "UTF-16-BE"))
show("wide numbers", lambda: tf.strings.unicode_decode(["\x00h\x00i", "\x00j"], "UTF-16-BE"))
show("wide encode", lambda: tf.strings.unicode_encode(tf.ragged.constant([[104, 233], []]), "UTF-16-BE"))
show("several rows", lambda: tf.strings.unicode_decode([["ab", "c"], ["", "d\u00e9"]], "UTF-8"))
show("words", lambda: tf.strings.split([["a b", "c"], ["", "d"]]))
show("no encoding", lambda: tf.strings.unicode_decode("a", "NOT-ONE"))
show("traced", lambda: tf.function(lambda x: tf.strings.unicode_decode(x, "UTF-8", errors="ignore"))(tf.constant([bad, b"z"])))
show("traced places", lambda: tf.function(lambda x: tf.strings.unicode_split_with_offsets(x, "UTF-8"))(tf.constant(bad)))

here = os.getcwd()
scheme = "file://" + here
with tf.io.gfile.GFile(f"{scheme}/lines.txt", "w") as file:
    file.write("a\r\nb\n")
    file.write("c")
print(os.listdir("."), tf.io.gfile.exists(f"{scheme}/lines.txt"), tf.io.gfile.listdir(scheme), tf.io.gfile.isdir(scheme))
print(repr(tf.io.gfile.GFile("lines.txt").read()), tf.io.gfile.GFile("lines.txt").readlines())
print(list(tf.io.gfile.GFile("lines.txt", "rb")), repr(tf.io.gfile.GFile(f"{scheme}/lines.txt").readline()))
tf.io.gfile.copy("lines.txt", f"{scheme}/more.txt")
tf.io.gfile.rename(f"{scheme}/more.txt", f"{scheme}/most.txt")
print([one.replace(here, "") for one in tf.io.gfile.glob(f"{scheme}/*.txt")], tf.io.gfile.stat(f"{scheme}/most.txt").length)
print(tf.io.gfile.join("file:///a", "b"), [one[0].replace(here, "") for one in tf.io.gfile.walk(scheme)])
tf.io.gfile.remove(f"{scheme}/most.txt")
print(sorted(os.listdir(".")))
