"""Losses of several outputs: None for some, nested ones, names."""
import tensorflow as tf, numpy as np
from tensorflow import keras
def show(h): return {k:[round(float(v),4) for v in vs] for k,vs in sorted(h.items())}
D=lambda n=1,**k: keras.layers.Dense(n, kernel_initializer="ones", **k)
x=np.arange(8,dtype="float32").reshape(4,2)/8; y=np.ones((4,1),"float32")
def t(name, f):
    try: print(name, f())
    except Exception as e: print(name, type(e).__name__)
def model(outs):
    i=keras.Input((2,)); a=D(name="a")(i); b=D(name="b",use_bias=False)(i); c=D(name="c")(i)
    return keras.Model(i, outs(a,b,c))
S=lambda: keras.optimizers.SGD(0.05)
def go(outs, yy, sw=None, **k):
    m=model(outs); m.compile(S(), **k)
    h=m.fit(x,yy,sample_weight=sw,batch_size=2,epochs=1,shuffle=False,verbose=0); r=m.evaluate(x,yy,sample_weight=sw,verbose=0,return_dict=True)
    return show(h.history), {k:round(float(v),4) for k,v in sorted(r.items())}
L=lambda a,b,c:[a,b]
t("list none", lambda: go(L,[y,y],loss=["mse",None]))
t("list none y none", lambda: go(L,[y,None],loss=["mse",None]))
t("list one y", lambda: go(L,[y],loss=["mse",None]))
t("list none first", lambda: go(L,[y,y],loss=[None,"mae"]))
t("list", lambda: go(L,[y,2*y],loss=["mse","mae"],loss_weights=[1.,0.5],metrics=[["mae"],["mse"]]))
t("single", lambda: go(L,[y,2*y],loss="mse"))
t("single list", lambda: go(L,[y,2*y],loss=["mse"]))
Dd=lambda a,b,c:{"u":a,"v":b}
t("dict", lambda: go(Dd,{"u":y,"v":2*y},loss={"u":"mse","v":"mae"},loss_weights={"u":1.,"v":2.},metrics={"u":"mae","v":["mse"]}))
t("dict none", lambda: go(Dd,{"u":y,"v":2*y},loss={"u":"mse","v":None}))
t("dict part", lambda: go(Dd,{"u":y,"v":2*y},loss={"u":"mse"}))
t("dict part y", lambda: go(Dd,{"u":y},loss={"u":"mse"}))
t("dict y only one", lambda: go(Dd,{"u":y},loss={"u":"mse","v":None}))
t("dict str", lambda: go(Dd,{"u":y,"v":2*y},loss="mse"))
t("dict list loss", lambda: go(Dd,{"u":y,"v":2*y},loss=["mse","mae"]))
t("names", lambda: go(L,[y,y],loss={"a":"mse","b":"mae"},metrics={"a":["mae"]}))
t("names y", lambda: go(L,{"a":y,"b":y},loss={"a":"mse","b":"mae"}))
N=lambda a,b,c:[a,[b,c]]
t("nested", lambda: go(N,[y,[y,2*y]],loss=["mse",["mae","mse"]]))
t("nested none", lambda: go(N,[y,[y,2*y]],loss=["mse",[None,"mse"]]))
t("nested str", lambda: go(N,[y,[y,2*y]],loss="mse"))
ND=lambda a,b,c:{"p":a,"q":{"r":b,"s":c}}
t("nested dict", lambda: go(ND,{"p":y,"q":{"r":y,"s":2*y}},loss={"p":"mse","q":{"r":"mae","s":"mse"}}))
t("nested dict list", lambda: go(lambda a,b,c:{"p":a,"q":[b,c]},{"p":y,"q":[y,2*y]},loss={"p":"mse","q":["mae","mse"]}))
t("all none", lambda: go(L,[y,y],loss=[None,None]))
t("none", lambda: go(L,[y,y],loss=None))
t("sw", lambda: go(L,[y,2*y],sw=[np.array([1.,0,0,1]),np.array([1.,1,0,1])],loss=["mse","mae"],weighted_metrics=[["mae"],["mse"]]))
t("sw one", lambda: go(L,[y,2*y],sw=np.array([1.,0,0,1]),loss=["mse","mae"]))
t("sw dict", lambda: go(Dd,{"u":y,"v":2*y},sw={"u":np.array([1.,0,0,1]),"v":np.array([1.,1,0,1])},loss={"u":"mse","v":"mae"}))
class Sub(keras.Model):
    def __init__(self): super().__init__(); self.a=D(); self.b=D()
    def call(self,x): return {"u":self.a(x),"v":self.b(x)}
def gs(yy,**k):
    m=Sub(); m.compile(S(),**k); h=m.fit(x,yy,batch_size=2,shuffle=False,verbose=0); return show(h.history)
t("sub", lambda: gs({"u":y,"v":y},loss={"u":"mse","v":"mae"},metrics={"u":["mae"]}))
t("sub none", lambda: gs({"u":y,"v":y},loss={"u":"mse","v":None},metrics={"u":["mae"],"v":["mse"]}))
t("sub str", lambda: gs({"u":y,"v":y},loss="mse",weighted_metrics={"v":["mse"]}))
