"""Where version 2 has what version 1 has at the top."""

_MOVED = {
    "matrix_inverse": ("linalg", "inv"), "matrix_determinant": ("linalg", "det"),
    "matrix_solve": ("linalg", "solve"), "cholesky": ("linalg", "cholesky"), "trace": ("linalg", "trace"),
    "diag": ("linalg", "tensor_diag"), "diag_part": ("linalg", "tensor_diag_part"),
    "matrix_transpose": ("linalg", "matrix_transpose"), "log": ("math", "log"), "log1p": ("math", "log1p"),
    "is_nan": ("math", "is_nan"), "is_inf": ("math", "is_inf"), "is_finite": ("math", "is_finite"),
    "floordiv": ("math", "floordiv"), "mod": ("math", "mod"), "erf": ("math", "erf"),
    "segment_sum": ("math", "segment_sum"), "unsorted_segment_sum": ("math", "unsorted_segment_sum"),
    "cumprod": ("math", "cumprod"), "lgamma": ("math", "lgamma"), "rsqrt": ("math", "rsqrt"),
    "confusion_matrix": ("math", "confusion_matrix"), "reciprocal": ("math", "reciprocal"),
    "check_numerics": ("debugging", "check_numerics"), "assert_equal": ("debugging", "assert_equal"),
    "assert_less": ("debugging", "assert_less"), "assert_greater": ("debugging", "assert_greater"),
    "string_to_number": ("strings", "to_number"), "string_join": ("strings", "join"),
    "read_file": ("io", "read_file"), "write_file": ("io", "write_file"), "decode_raw": ("io", "decode_raw"),
    "parse_example": ("io", "parse_example"), "parse_single_example": ("io", "parse_single_example"),
    "FixedLenFeature": ("io", "FixedLenFeature"), "VarLenFeature": ("io", "VarLenFeature"),
    "FIFOQueue": ("queue", "FIFOQueue"), "RandomShuffleQueue": ("queue", "RandomShuffleQueue"),
    "PaddingFIFOQueue": ("queue", "PaddingFIFOQueue"), "PriorityQueue": ("queue", "PriorityQueue"),
    "random_shuffle": ("random", "shuffle"), "gfile": ("io", "gfile")}
