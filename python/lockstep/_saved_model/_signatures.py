"""The inputs and outputs of TensorFlow's ops: names, and the attributes that hold their dtypes and numbers.

A line is INPUTS > OUTPUTS = OPS. An input is NAME:TYPE, where TYPE is an attribute, `=dtype` for one dtype, `NUMBER*TYPE` for as many
as the attribute NUMBER says, or `LIST[]` for a list of dtypes."""

import functools

_TABLE = """
x:T > y:T = Abs Acos Acosh Asin Asinh Atan Atanh Ceil Cos Cosh Digamma Erf Erfc Erfinv Exp Expm1 Floor Inv Invert InvertPermutation
    Lgamma Log Log1p Neg OnesLike Reciprocal Rint Round Rsqrt Sigmoid Sign Sin Sinh Sqrt Square Tan Tanh ZerosLike
x:T,y:T > z:T = Add AddV2 BitwiseAnd BitwiseOr BitwiseXor Div DivNoNan FloorDiv FloorMod LeftShift Maximum Minimum Mod Mul MulNoNan
    Pow RealDiv RightShift SquaredDifference Sub TruncateDiv TruncateMod Xdivy Xlogy
input:T > output:T = AvgPool3D DepthToSpace EnsureShape Identity MatrixInverse MaxPool MaxPool3D PreventGradient Snapshot
    SpaceToDepth Squeeze StopGradient
features:T > activations:T = Elu LeakyRelu Relu Relu6 Selu Softplus Softsign
resource:=resource,indices:Tindices,updates:dtype > = ResourceScatterAdd ResourceScatterDiv ResourceScatterMax ResourceScatterMin
    ResourceScatterMul ResourceScatterSub ResourceScatterUpdate
x:T,y:T > z:=bool = Equal Greater GreaterEqual Less LessEqual NotEqual
gradients:T,features:T > backprops:T = LeakyReluGrad Relu6Grad ReluGrad SoftplusGrad SoftsignGrad
input:T,reduction_indices:Tidx > output:T = Max Mean Min Prod Sum
data:T,segment_ids:Tindices,num_segments:Tnumsegments > output:T = UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd
    UnsortedSegmentSum
input:=string > output:=string = StaticRegexReplace StringLower StringStrip StringUpper
input:T,filter:T > output:T = Conv2D Conv3D DepthwiseConv2dNative
input:T[] > output:T[] = IdentityN StatelessWhile While
resource:=resource,value:dtype > = AssignAddVariableOp AssignSubVariableOp AssignVariableOp
shape:T > output:dtype = RandomStandardNormal RandomUniform TruncatedNormal
x:T > y:=bool = IsFinite IsInf IsNan
> output:dtype = Const Placeholder
args:Tin[] > output:Tout[] = PartitionedCall StatefulPartitionedCall
cond:Tcond,input:Tin[] > output:Tout[] = If StatelessIf
condition:=bool,t:T,e:T > output:T = Select SelectV2
diagonal:T > output:T = Diag MatrixDiag
gradients:T,outputs:T > backprops:T = EluGrad SeluGrad
input:=bool,reduction_indices:Tidx > output:=bool = All Any
input:=string > output:=int64 = StringToHashBucketFast StringToHashBucketStrong
input:T > output:=int32 = Bucketize Rank
input:T > output:out_type = Shape Size
input:T,dimension:Tidx > output:output_type = ArgMax ArgMin
input:T,filter_sizes:=int32,out_backprop:T > output:T = Conv2DBackpropFilter DepthwiseConv2dNativeBackpropFilter
input:T,paddings:Tpaddings > output:T = MirrorPad Pad
input_sizes:=int32,filter:T,out_backprop:T > output:T = Conv2DBackpropInput DepthwiseConv2dNativeBackpropInput
params:Tparams,indices:Tindices > output:Tparams = Gather GatherNd
shape:Tshape,key:=uint64,counter:=uint64,alg:=int32 > output:dtype = StatelessRandomNormalV2 StatelessRandomUniformV2
tensor:T,indices:Tindices,updates:T > output:T = TensorScatterAdd TensorScatterUpdate
value:T > output:T = AvgPool RandomShuffle
x:=bool,y:=bool > z:=bool = LogicalAnd LogicalOr
x:T,axis:Tidx > out:T = Cumprod Cumsum
x:T,y:T > output:T = BatchMatMul BatchMatMulV2
y:T,dy:T > z:T = SigmoidGrad TanhGrad
> = NoOp
> resource:=resource = VarHandleOp
> table_handle:=resource = HashTableV2
a:T,b:T > product:T = MatMul
a:T,b:T,args:num_args*T > product:T = _FusedMatMul
a:T,x:T > z:T = Polygamma
bytes:=string > output:out_type = DecodeRaw
concat_dim:=int32,values:N*T > output:T = Concat
condition:=bool,data:T[] > = Assert
data:T,segment_ids:Tindices > output:T = SegmentSum
diagonal:T,k:=int32,num_rows:=int32,num_cols:=int32,padding_value:T > output:T = MatrixDiagV3
dims:index_type,value:T > output:T = Fill
element_shape:shape_type,max_num_elements:=int32 > handle:=variant = EmptyTensorList
element_shape:shape_type,num_elements:=int32 > handle:=variant = TensorListReserve
features:T,labels:T > loss:T,backprop:T = SoftmaxCrossEntropyWithLogits
features:T,labels:Tlabels > loss:T,backprop:T = SparseSoftmaxCrossEntropyWithLogits
images:T,size:=int32 > resized_images:=float32 = ResizeBilinear
images:T,size:=int32 > resized_images:T = ResizeNearestNeighbor
indices:TI,depth:=int32,on_value:T,off_value:T > output:T = OneHot
indices:Tindices,updates:T,shape:Tindices > output:T = ScatterNd
input:=resource > output:out_type = VariableShape
input:=string > = PrintV2
input:=string > output:=bool = StaticRegexFullMatch
input:=string > output:=int32 = StringLength
input:=string,pattern:=string > output:=bool = RegexFullMatch
input:=string,pattern:=string,rewrite:=string > output:=string = RegexReplace
input:=string,pos:T,len:T > output:=string = Substr
input:=string,sep:=string > indices:=int64,values:=string,shape:=int64 = StringSplitV2
input:N*T > output:N*out_type = ShapeN
input:T > index:=int64 = Where
input:T > output:=string = AsString
input:T > values:T,indices:=int32 = TopK
input:T,begin:Index,end:Index,strides:Index > output:T = StridedSlice
input:T,begin:Index,size:Index > output:T = Slice
input:T,diagonal:T,k:=int32 > output:T = MatrixSetDiagV3
input:T,dim:Tdim > output:T = ExpandDims
input:T,k:=int32,padding_value:T > diagonal:T = MatrixDiagPartV3
input:T,k:Tk > values:T,indices:index_type = TopKV2
input:T,ksize:=int32,strides:=int32 > output:T = MaxPoolV2
input:T,multiples:Tmultiples > output:T = Tile
input:T,num_lower:Tindex,num_upper:Tindex > band:T = MatrixBandPart
input:T,paddings:Tpaddings,constant_values:T > output:T = PadV2
input:T,seq_lengths:Tlen > output:T = ReverseSequence
input:T,shape:Tidx > output:T = BroadcastTo
input:T,shift:Tshift,axis:Taxis > output:T = Roll
input:dtype > output:dtype = PlaceholderWithDefault
input_handle:=variant > element_shape:shape_type = TensorListElementShape
input_handle:=variant > length:=int32 = TensorListLength
input_handle:=variant,element_shape:=int32 > tensor:element_dtype = TensorListStack
input_handle:=variant,index:=int32,element_shape:Tshape > item:element_dtype = TensorListGetItem
input_handle:=variant,index:=int32,item:element_dtype > output_handle:=variant = TensorListSetItem
input_handle:=variant,size:=int32 > output_handle:=variant = TensorListResize
input_handle:=variant,tensor:element_dtype > output_handle:=variant = TensorListPushBack
inputs:N*=string > output:=string = StringJoin
inputs:N*T > output:T = Einsum
inputs:N*T > sum:T = AddN
logits:T > logsoftmax:T = LogSoftmax
logits:T > softmax:T = Softmax
logits:T,num_samples:=int32 > output:output_dtype = Multinomial
orig_input:T,orig_output:T,grad:T > output:T = MaxPoolGrad
orig_input_shape:=int32,grad:T > output:T = AvgPoolGrad
out_backprop:T > output:T = BiasAddGrad
params:Tparams,indices:Tindices,axis:Taxis > output:Tparams = GatherV2
predictions:=float32,targets:T,k:T > precision:=bool = InTopKV2
prefix:=string,tensor_names:=string,shape_and_slices:=string > tensors:dtypes[] = RestoreV2
prefix:=string,tensor_names:=string,shape_and_slices:=string,tensors:dtypes[] > = SaveV2
resource:=resource > is_initialized:=bool = VarIsInitializedOp
resource:=resource > value:dtype = ReadVariableOp
resource:=resource,indices:Tindices > output:dtype = ResourceGather
s0:T,s1:T > r0:T = BroadcastArgs
s0:T,s1:T > r0:T,r1:T = BroadcastGradientArgs
seed:Tseed > key:=uint64,counter:=uint64 = StatelessRandomGetKeyCounter
shape:=int32 > output:dtype = Empty
shape:T,minval:Tout,maxval:Tout > output:Tout = RandomUniformInt
shape:T,seed:Tseed > output:dtype = StatelessRandomUniform
split_dim:=int32,value:T > output:num_split*T = Split
start:T,stop:T,num:Tidx > output:T = LinSpace
start:Tidx,limit:Tidx,delta:Tidx > output:Tidx = Range
string_tensor:=string > output:=int64 = StringToHashBucket
string_tensor:=string > output:out_type = StringToNumber
t:T > output:T = L2Loss
t:T,clip_value_min:T,clip_value_max:T > output:T = ClipByValue
table_handle:=resource > size:=int64 = LookupTableSizeV2
table_handle:=resource,keys:Tin,default_value:Tout > values:Tout = LookupTableFindV2
table_handle:=resource,keys:Tin,values:Tout > = LookupTableImportV2
tensor:T > output:T = CheckNumerics
tensor:T,axis:Tidx > output:T = ReverseV2
tensor:T,dims:=bool > output:T = Reverse
tensor:T,shape:Tshape > output:T = Reshape
tensor:element_dtype,element_shape:shape_type > output_handle:=variant = TensorListFromTensor
value:T > output:num*T = Unpack
value:T,bias:T > output:T = BiasAdd
value:T,size_splits:Tlen,split_dim:=int32 > output:num_split*T = SplitV
values:N*T > output:T = Pack
values:N*T,axis:Tidx > output:T = ConcatV2
x1:T,x2:T > output:T = NextAfter
x:=bool > y:=bool = LogicalNot
x:SrcT > y:DstT = Cast
x:T > y:T,idx:out_idx = Unique
x:T,perm:Tperm > y:T = Transpose
x:T,scale:T,offset:T,mean:T,variance:T > y:T,batch_mean:T,batch_variance:T,reserve_space_1:T,reserve_space_2:T = FusedBatchNorm
x:T,scale:U,offset:U,mean:U,variance:U > y:T,batch_mean:U,batch_variance:U,reserve_space_1:U,reserve_space_2:U = FusedBatchNormV2
x:T,scale:U,offset:U,mean:U,variance:U > y:T,batch_mean:U,batch_variance:U,reserve_space_1:U,reserve_space_2:U,reserve_space_3:U =
    FusedBatchNormV3
x:Ta,y:Tb > output:Tout = BatchMatMulV3
y:T,x:T > z:T = Atan2
"""


class Argument:
    """An input or output of an op."""

    def __init__(self, text):
        self.name, _, kind = text.partition(":")
        self.number, _, rest = kind.rpartition("*")
        self.fixed = rest[1:] if rest.startswith("=") else ""
        self.many = rest.removesuffix("[]") if rest.endswith("[]") else ""
        self.type = "" if self.fixed or self.many else rest


class Signature:
    """The inputs and outputs of an op."""

    def __init__(self, inputs, outputs):
        self.inputs, self.outputs = ([Argument(one) for one in side.split(",") if one] for side in (inputs, outputs))


@functools.cache
def _all():
    made = {}
    for line in _TABLE.strip().replace("\n    ", " ").split("\n"):
        sides, _, ops = line.rpartition("= ")
        inputs, outputs = sides.split(">")
        signature = Signature(inputs.strip(), outputs.strip())
        made.update(dict.fromkeys(ops.split(), signature))
    return made


def signature_of(op):
    """The Signature of an op of TensorFlow; None for one that is not in the table."""
    return _all().get(op)
