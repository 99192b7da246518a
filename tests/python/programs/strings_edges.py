import tensorflow as tf


def show(name,f):
    try:
        r=f()
        if hasattr(r,"to_list"): print(name,r.to_list())
        else: print(name,r.numpy().tolist(), r.dtype.name, r.shape)
    except Exception as e: print(name,"raises",type(e).__name__)
for t in ["1","-2"," 3 ","+4","","  ","1e3","1.5","inf","-Infinity","nan","NaN","1e50","1e-50","0x10","1_0","12abc",".5","5.","1e","1d","-0","9223372036854775808","2147483648","\t7\n","1e400","1.17549435e-38","infinit","+","-","+-1","16777217.0000001","0.1e1 ","1.5f", "1 2"]:
    for d in (tf.float32,tf.float64,tf.int32,tf.int64):
        show(f"num {t!r} {d.name}",lambda: tf.strings.to_number(t,d))
S=["a b  c"," x ","","\t\n","a,b,,c",",",",,","abc","a\0b c","\u00e4\u00f6 \u00a0x","\u3000y z"]
for sep in (None,"",",",",,","b"):
    for m in (-1,0,1,2):
        show(f"split {sep!r} {m}",lambda: tf.strings.split(S,sep,m))
        show(f"split1 {sep!r} {m}",lambda: tf.strings.split("a,b c,,",sep,m))
show("split2d",lambda: tf.strings.split([["a b","c"],["","d e f"]]))
for f in ("lower","upper","strip","length","bytes_split"):
    show(f,lambda: getattr(tf.strings,f)(S))
show("len8",lambda: tf.strings.length([b"\xff\xc3",b"\x80",b"\xc3\x84z"],"UTF8_CHAR"))
show("usplit",lambda: tf.strings.unicode_split(S,"UTF-8")); show("udec",lambda: tf.strings.unicode_decode(S,"UTF-8"))
show("usplit bad",lambda: tf.strings.unicode_split([b"a\xffb",b"\xc3",b"\xe4\xb8"],"UTF-8"))
for p,l in ((0,2),(1,10),(-2,1),(3,1),(0,0),(-3,5)):
    show(f"substr {p} {l}",lambda: tf.strings.substr(["abc","xyzw"],p,l))
show("substr v",lambda: tf.strings.substr(["abc","xyzw"],[1,2],[1,2]))
show("substr out",lambda: tf.strings.substr(["abc",""],1,2)); show("substr b",lambda: tf.strings.substr("hello",[0,1],[1,2]))
show("substr 2d",lambda: tf.strings.substr([["hello"],["world"]],[0,1],[1,2]))
show("substr neglen",lambda: tf.strings.substr("abc",0,-1))
for v in ([1,-2],[True,False]): show("as",lambda: tf.strings.as_string(v))
show("as u8",lambda: tf.strings.as_string(tf.constant([200,3],tf.uint8))); show("as i64",lambda: tf.strings.as_string(tf.constant([-2**63],tf.int64)))
show("join",lambda: tf.strings.join([["a","b"],"x",["c","d"]],"-")); show("join0",lambda: tf.strings.join(["a","b"])); show("joinbad",lambda: tf.strings.join([["a","b"],["c"]]))
show("join1",lambda: tf.strings.join([["a","b"]],"-")); show("joinnone",lambda: tf.strings.join([["a"],[["b"]]]))
for k in ("fast","strong"):
    show("h"+k,lambda: tf.strings.to_hash_bucket_fast(S,10) if k=="fast" else tf.strings.to_hash_bucket_strong(S,10,[1,-2]))
show("h",lambda: tf.strings.to_hash_bucket(S,10)); show("h0",lambda: tf.strings.to_hash_bucket_fast(S,0))
L=tf.keras.layers
for kw in ({},{"num_oov_indices":3},{"mask_token":"b"},{"num_oov_indices":2,"mask_token":""},{"num_oov_indices":0}):
    show(f"SL {kw}",lambda: L.StringLookup(vocabulary=["a","c","\u00e4"],**kw)(tf.constant([["a","zz"],["\u00e4",""]])))
    show(f"SL in {kw}",lambda: L.StringLookup(vocabulary=["a","c"],**kw)(tf.constant(["a","c"])))
    show(f"SLinv {kw}",lambda: L.StringLookup(vocabulary=["a","c","\u00e4"],invert=True,**kw)(tf.constant([[0,1],[2,99]])))
for kw in ({},{"num_oov_indices":3},{"mask_token":0},{"num_oov_indices":2,"mask_token":-1}):
    show(f"IL {kw}",lambda: L.IntegerLookup(vocabulary=[12,36,5],**kw)(tf.constant([[12,7],[-4,0]])))
    show(f"ILinv {kw}",lambda: L.IntegerLookup(vocabulary=[12,36,5],invert=True,**kw)(tf.constant([[0,1],[2,99]])))
for m in ("one_hot","multi_hot","count"):
    show(f"SL {m}",lambda: L.StringLookup(vocabulary=["a","c"],output_mode=m)(tf.constant([["a"],["q"]])))
for kw in ({},{"mask_value":"a"},{"salt":7},{"salt":[1,2],"mask_value":""}):
    show(f"Hash {kw}",lambda: L.Hashing(10,**kw)(tf.constant([["a","b"],["","ccc"]])))
show("Hash int",lambda: L.Hashing(10)(tf.constant([1,-5,10**12],dtype=tf.int64)))
show("Hash int mask",lambda: L.Hashing(10,mask_value=1)(tf.constant([1,-5,10**12],dtype=tf.int64)))
for kw in ({},{"output_sequence_length":3},{"standardize":None},{"standardize":"lower"},{"standardize":"strip_punctuation"},{"split":"character"},{"ngrams":2},{"output_mode":"multi_hot"},{"output_mode":"count"}):
    show(f"TV {kw}",lambda: L.TextVectorization(vocabulary=["foo","bar","it's","a","foo bar"],**kw)(tf.constant(["Foo, bar! it's \u00c4 a-b","","bar foo\tfoo"])))
    show(f"TV2 {kw}",lambda: L.TextVectorization(vocabulary=["foo","bar"],**kw)(tf.constant([["Foo"],["bar foo"]])))
init=tf.lookup.KeyValueTensorInitializer(["a","b"],tf.constant([7,8],tf.int64))
show("table",lambda: tf.lookup.StaticHashTable(init,-1).lookup(tf.constant([["a","z"],["b",""]])))
show("table s",lambda: tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(tf.constant([3,4],tf.int64),["x","y"]),"?").lookup(tf.constant([4,5],tf.int64)))
show("table f",lambda: tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(tf.constant([3,4],tf.int32),[.5,.25]),-1.).lookup(tf.constant([4,5],tf.int32)))
show("table bad",lambda: tf.lookup.StaticHashTable(init,-1).lookup(tf.constant([1,2])))
show("voc",lambda: tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(["a","b"],tf.constant([0,1],tf.int64)),3).lookup(tf.constant(["a","zz","b","q"])))
show("voc i",lambda: tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(tf.constant([10,20],tf.int64),tf.constant([0,1],tf.int64)),3).lookup(tf.constant([10,5,20,-7],tf.int64)))
lookup=L.StringLookup(vocabulary=["a","b"]); hashing=L.Hashing(7)
table=tf.lookup.StaticHashTable(init,-1)
def in_graph(text):
    words=tf.strings.split(tf.strings.lower(text))
    return lookup(words),table.lookup(words),hashing(words),tf.strings.length(words),tf.strings.join([words,words],"+"),words[::-1]
for row in tf.data.Dataset.from_tensor_slices(["A b c","","q B"]).map(in_graph,num_parallel_calls=2): print([one.numpy().tolist() for one in row])
@tf.function
def both(texts): return tf.strings.to_hash_bucket_fast(texts,100),tf.strings.to_number(tf.strings.substr(texts,1,2)),tf.strings.strip(tf.reshape(texts,[2,1]))
for one in both(tf.constant([" 12","x 5"])): print(one.numpy().tolist())
BAD=[b"a\xffb",b"\xc3",b"\xe4\xb8",b"\xc0\x80",b"\xed\xa0\x80",b"\xf4\x90\x80\x80",b"\xe0\x80",b"\xf0\x9f\x98\x80",b"\xe2\x82\xac",b"\xf0\x9f\x98"]
show("udec bad",lambda: tf.strings.unicode_decode(BAD,"UTF-8")); show("usplit bad2",lambda: tf.strings.unicode_split(BAD,"UTF-8"))
show("udec one",lambda: tf.strings.unicode_decode("z\u00e4","UTF-8")); show("usplit none",lambda: tf.strings.unicode_split("","UTF-8"))
