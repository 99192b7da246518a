import numpy as np
import tensorflow as tf

ops = tf.keras.ops
image = ops.image
photo = ((np.arange(120).reshape(2, 4, 5, 3) * 37 % 113) / 113).astype("float32")
bytes_ = (photo[0] * 255).astype("uint8")
signal = np.sin(np.arange(20) * 0.7).astype("float32") + np.linspace(0, 1, 20, dtype="float32")
matrix = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.5], [0.5, -0.5, 2.0]], "float32")


def shown(value):
    if isinstance(value, (tuple, list)):
        return [shown(one) for one in value]
    value = np.asarray(value)
    return value.dtype.name, value.shape, (np.round(value.astype("float64").ravel(), 3) + 0.0).tolist()[:20]


print(shown(image.rgb_to_grayscale(photo)), shown(image.rgb_to_grayscale(bytes_)), shown(image.rgb_to_hsv(photo)), shown(image.hsv_to_rgb(photo)))
print(shown(image.pad_images(bytes_[:1, :2], 1, 1, 0, 0)), image.pad_images(photo, top_padding=1, left_padding=1, target_height=6, target_width=7).shape)
print(shown(image.crop_images(bytes_, 1, 1, 1, 2)), image.crop_images(photo, bottom_cropping=1, right_cropping=1, target_height=2, target_width=3).shape)
for method in ("nearest", "bilinear", "lanczos3"):
    print(method, shown(image.resize(photo[0], (3, 2), interpolation=method)), shown(image.resize(photo, (2, 3), interpolation=method, antialias=True)))
print(shown(image.resize(bytes_, (3, 2))), shown(image.resize(photo, (2, 4), crop_to_aspect_ratio=True)), shown(image.resize(photo, (6, 4), pad_to_aspect_ratio=True, fill_value=2.0)))
print(shown(image.extract_patches(photo, 2)), image.extract_patches(photo[0], (2, 3), strides=1, padding="same").shape)
print(shown(image.extract_patches_3d(photo[None, ..., :1], 2)), image.extract_patches_3d(photo[None], (2, 2, 3), strides=1, padding="same").shape)
print(shown(image.sobel_edges(photo)), shown(image.gaussian_blur(photo)), shown(image.ssim(photo, photo * 0.9, filter_size=3)))
transform = np.array([[1.2, 0.1, -0.5, 0.1, 0.9, 0.3, 0.0, 0.01], [1, 0, 1, 0, 1, -1, 0, 0]], "float32")
for mode in ("constant", "nearest", "wrap", "reflect"):
    print(mode, shown(image.affine_transform(photo, transform, fill_mode=mode, fill_value=0.5)), shown(image.affine_transform(photo, transform[0], "nearest", mode)))
    print(shown([image.map_coordinates(matrix, [[0.5, 1.2, -0.3, 3.0], [0.0, 1.7, 2.6, 2.0]], order, mode, 9.0) for order in (0, 1)]))
corners = np.array([[0, 0], [4, 0], [0, 3], [4, 3]], "float32")
print(shown(image.perspective_transform(photo, np.stack([corners] * 2), np.stack([corners * 0.9 + 0.2] * 2))))
for method in ("linear", "cubic", "lanczos3"):
    print(shown(image.scale_and_translate(photo[0], (3, 4, 3), np.float32([0.5, 2.0]), np.float32([0.0, 1.0]), (0, 1), method)))

pair = (signal[:12].reshape(2, 6), signal[8:20].reshape(2, 6))
print(shown(ops.fft(pair)), shown(ops.fft2(pair)), shown(ops.ifft2(pair)))
print(shown(ops.rfft(signal)), shown(ops.rfft(signal, fft_length=7)), shown(ops.irfft(pair)), shown(ops.irfft(pair, fft_length=9)))
long = (np.cos(np.arange(130) * 0.3).astype("float32"), np.zeros(130, "float32"))
print(shown([one[20:26] for one in ops.fft(long)]), shown(ops.extract_sequences(signal, 8, 5)))
for window in ("hann", "hamming", None):
    spectrum = ops.stft(signal, 8, 4, 8, window=window)
    print(window, shown(spectrum), shown(ops.istft(spectrum, 8, 4, 8, window=window)), shown(ops.stft(signal, 5, 3, 8, window=window, center=False)))

print(shown(ops.cholesky(matrix, upper=True)), shown(ops.cholesky_inverse(np.linalg.cholesky(matrix).astype("float32"))), shown(ops.eigh(matrix)[0]))
print(shown(ops.lu_factor(matrix[::-1])), shown(ops.lstsq(matrix[:, :2], matrix[:, 2])), shown(ops.solve_triangular(np.triu(matrix), matrix[0])), shown(ops.svd(matrix, compute_uv=False)))
print([shown(ops.norm(matrix, ord=order)) for order in (None, "fro", "nuc", 1, -1, 2, -2, np.inf)], [shown(ops.norm(matrix, ord=order, axis=1)) for order in (0, 1, 3, np.inf)])
print(shown(ops.solve(matrix, matrix[0])), shown(ops.slogdet(matrix)), [one.shape for one in ops.qr(matrix[:, :2], mode="complete")], shown(ops.linalg.det(matrix)))
print(shown(ops.switch(1, [lambda a, b: a + b, lambda a, b: a - b], signal[:2], signal[2:4])), shown(ops.associative_scan(lambda a, b: a * b, np.arange(1, 7))))
print(shown(ops.associative_scan(lambda a, b: [a[0] + b[0], a[1] * b[1]], [np.arange(5), np.arange(1, 6)], reverse=True)))
print(shown(ops.rearrange(np.arange(24).reshape(2, 12), "a (b c) -> (c a) b", c=4)), shown(ops.rearrange(photo, "n h w c -> n (h w) c")))
print(shown(ops.jvp(lambda x, y: ops.sin(x) * y, (tf.constant(signal[:2]), tf.constant([1.0, 2.0])), (tf.constant([1.0, 0.0]), tf.constant([0.0, 1.0])))))

inputs = tf.keras.Input((4, 5, 3))
model = tf.keras.Model(inputs, [image.resize(inputs, (2, 2)), image.rgb_to_grayscale(inputs), ops.rfft(inputs)[0], image.gaussian_blur(inputs)])
print([one.shape for one in model.outputs], shown(model(photo)[2]))
with tf.GradientTape() as tape:
    value = tf.Variable(signal[:8])
    total = ops.sum(ops.square(ops.rfft(value)[1])) + ops.sum(ops.stft(value, 4, 2, 4)[0])
print(shown(tape.gradient(total, value)), shown(tf.function(lambda x: ops.istft(ops.stft(x, 8, 4, 8), 8, 4, 8))(signal)))
