"""The checks that every layer of `elmo_tf.layers` has to pass.

`check_layer` is called with the layer's arguments and some inputs as data, in
the manner of KerasHub's `run_layer_test`.
"""

import inspect
import json

import keras
import numpy as np
import tensorflow as tf


def check_layer(
    cls,
    init_kwargs,
    inputs,
    weight_shapes,
    output_shape,
    reference=None,
    tolerance=1e-5,
    bfloat16_tolerance=0.05,
    dynamic_time=True,
    jit_compile=True,
    training=True,
    bfloat16_output=True,
    folder=None,
):
    """Runs all checks below.

    Args:
        cls: The class of the layer.
        init_kwargs: Arguments of the class.
        inputs: A dict from the names of the arguments of `call`, the first one
            first, to NumPy arrays or nested lists of them.
        weight_shapes: A dict from the name of each weight, a sub-layer's name
            in front, to its shape.
        output_shape: Expected shape of the output, nested as the output is.
        reference: A function of a dict with the layer's weights and of the
            arguments in `inputs` that computes the output in NumPy; no
            comparison if None.
        tolerance: Largest difference from the reference in float32.
        bfloat16_tolerance: Largest difference in bfloat16, as a part of the
            largest expected value.
        dynamic_time: Whether the second axis is left open in the functional
            model.
        jit_compile: Whether the layer supports XLA.
        training: The argument `training` of the calls that are differentiated,
            where the layer has one.
        bfloat16_output: Whether the (first) output has the compute dtype.
        folder: Where to save a model.
    """
    check_config(cls, init_kwargs)
    layer = make_layer(cls, init_kwargs, inputs)
    check_weights(layer, weight_shapes)
    check_output(layer, inputs, output_shape, reference, tolerance)
    check_symbolic_output(layer, inputs)
    check_computed_shape(layer, inputs)
    check_saved_model(layer, inputs, dynamic_time, folder)
    check_mixed_precision(
        cls,
        init_kwargs,
        inputs,
        layer,
        reference,
        bfloat16_tolerance,
        bfloat16_output,
    )
    if jit_compile:
        check_jit_compile(layer, inputs, training)
    check_gradients(layer, inputs, training)
    check_two_replicas(cls, init_kwargs, inputs, layer, training)


def call(layer, inputs, **kwargs):
    """Calls the layer, its first argument by position as Keras wants it."""
    first, *rest = inputs
    return layer(
        inputs[first], **{name: inputs[name] for name in rest}, **kwargs
    )


def flatten(structure):
    """The tensors of a nested structure, without its Nones."""
    return [leaf for leaf in tf.nest.flatten(structure) if leaf is not None]


def make_layer(cls, init_kwargs, inputs, seed=0):
    """Builds a layer and gives every weight random values."""
    layer = cls(**init_kwargs)
    call(layer, inputs)
    generator = np.random.default_rng(seed)
    for weight in layer.weights:
        value = generator.normal(size=weight.shape)
        if len(weight.shape) > 1:
            value /= np.sqrt(np.prod(weight.shape[:-1]))
        weight.assign(value)
    return layer


def weight_values(layer):
    """A dict from a weight's name inside the layer to its value."""
    return {
        weight.path.split("/", 1)[1]: weight.numpy() for weight in layer.weights
    }


def check_config(cls, init_kwargs):
    """Every argument is in the config, and the config makes the same layer."""
    layer = cls(**init_kwargs)
    config = layer.get_config()
    for name, parameter in inspect.signature(cls.__init__).parameters.items():
        if name == "self" or parameter.kind == parameter.VAR_KEYWORD:
            continue
        assert name in config, f"get_config() leaves out {name!r}"
    written = json.loads(json.dumps(config))
    for name, value in json.loads(json.dumps(init_kwargs)).items():
        assert written[name] == value, name
    assert cls.from_config(written).get_config() == config
    serialized = json.loads(json.dumps(keras.layers.serialize(layer)))
    again = keras.layers.deserialize(serialized)
    assert type(again) is cls
    assert again.get_config() == config


def check_weights(layer, weight_shapes):
    shapes = {name: value.shape for name, value in weight_values(layer).items()}
    assert shapes == {k: tuple(v) for k, v in weight_shapes.items()}
    assert len(layer.trainable_weights) == len(weight_shapes)


def check_output(layer, inputs, output_shape, reference, tolerance):
    outputs = call(layer, inputs)
    assert shapes_of(outputs) == lists(output_shape)
    if reference is not None:
        expected = reference(weight_values(layer), **inputs)
        assert_close(outputs, expected, tolerance)


def check_symbolic_output(layer, inputs):
    """Symbolic outputs have the shapes and types of real ones."""
    outputs = call(layer, inputs)
    symbolic = call(layer, symbolic_inputs(inputs))
    assert [leaf.shape for leaf in flatten(symbolic)] == [
        (None, *leaf.shape[1:]) for leaf in flatten(outputs)
    ]
    assert [
        keras.backend.standardize_dtype(leaf.dtype)
        for leaf in flatten(symbolic)
    ] == [leaf.dtype.name for leaf in flatten(outputs)]


def check_computed_shape(layer, inputs):
    first, *rest = inputs
    accepted = inspect.signature(layer.compute_output_shape).parameters
    computed = layer.compute_output_shape(
        np.shape(inputs[first]),
        **{
            f"{name}_shape": keras.tree.map_structure(np.shape, inputs[name])
            for name in rest
            if f"{name}_shape" in accepted
        },
    )
    assert lists(computed) == shapes_of(call(layer, inputs))


def check_saved_model(layer, inputs, dynamic_time, folder):
    """A functional model survives saving, loaded in safe mode."""
    symbolic = symbolic_inputs(inputs, dynamic_time)
    outputs = call(layer, symbolic)
    model = keras.Model(flatten(symbolic), flatten(outputs))
    before = model(flatten(inputs))
    path = folder / "model.keras"
    model.save(path)
    loaded = keras.saving.load_model(path, safe_mode=True)
    assert_equal(loaded(flatten(inputs)), before)
    assert_close(before, call(layer, inputs), 1e-6)


def check_mixed_precision(
    cls,
    init_kwargs,
    inputs,
    layer,
    reference,
    tolerance,
    bfloat16_output=True,
):
    """bfloat16 comes near to float32; the weights stay float32."""
    low = make_layer(cls, {**init_kwargs, "dtype": "mixed_bfloat16"}, inputs)
    low.set_weights(layer.get_weights())
    for weight in low.weights:
        assert weight.dtype == "float32"
    outputs = call(low, inputs)
    symbolic = call(low, symbolic_inputs(inputs))
    assert [
        keras.backend.standardize_dtype(leaf.dtype)
        for leaf in flatten(symbolic)
    ] == [leaf.dtype.name for leaf in flatten(outputs)]
    assert (flatten(outputs)[0].dtype == tf.bfloat16) == bfloat16_output
    if reference is None:
        expected = call(layer, inputs)
    else:
        expected = reference(weight_values(layer), **inputs)
    for actual, leaf in zip(flatten(outputs), flatten(expected), strict=True):
        difference = np.abs(
            tf.cast(actual, tf.float32) - tf.cast(leaf, tf.float32)
        ).max()
        assert difference <= tolerance * np.abs(leaf).max()


def check_jit_compile(layer, inputs, training=True):
    """XLA computes the same outputs and gradients."""

    def run(inputs):
        return forward_and_gradients(layer, inputs, training)

    tensors = tf.nest.map_structure(tf.convert_to_tensor, inputs)
    expected = run(tensors)
    assert_close(tf.function(run, jit_compile=True)(tensors), expected, 1e-5)


def check_gradients(layer, inputs, training=True):
    """Every weight has a gradient that is not zero everywhere."""
    _, gradients = forward_and_gradients(layer, inputs, training)
    assert len(gradients) == len(layer.trainable_weights)
    for weight, gradient in zip(
        layer.trainable_weights, gradients, strict=True
    ):
        assert gradient.shape == weight.shape, weight.path
        assert np.abs(gradient).max() > 0, f"no gradient for {weight.path}"


def check_two_replicas(cls, init_kwargs, inputs, layer, training=True):
    """Each replica computes what a layer on one device computes."""
    strategy = two_replica_strategy()
    with strategy.scope():
        mirrored = make_layer(cls, init_kwargs, inputs)
        for weight, value in zip(
            mirrored.weights, layer.get_weights(), strict=True
        ):
            weight.assign(value)
    tensors = tf.nest.map_structure(tf.convert_to_tensor, inputs)

    @tf.function
    def run():
        return strategy.run(
            lambda: flatten(forward_and_gradients(mirrored, tensors, training))
        )

    expected = flatten(forward_and_gradients(layer, tensors, training))
    results = run()
    assert len(results) == len(expected)
    for result, value in zip(results, expected, strict=True):
        replicas = strategy.experimental_local_results(result)
        assert len(replicas) == 2
        for replica in replicas:
            assert_close(replica, value, 1e-5)


def two_replica_strategy():
    """A MirroredStrategy over two logical CPU devices (see conftest.py)."""
    return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def forward_and_gradients(layer, inputs, training=True):
    """Outputs, and gradients of their weighted sum.

    The output has random but fixed weights in the sum, so that no part of the
    gradient cancels.
    """
    kwargs = {}
    if "training" in inspect.signature(layer.call).parameters:
        kwargs["training"] = training
    with tf.GradientTape() as tape:
        outputs = call(layer, inputs, **kwargs)
        total = 0.0
        for seed, leaf in enumerate(flatten(outputs)):
            factors = np.random.default_rng(seed).normal(size=leaf.shape)
            total += tf.reduce_sum(tf.cast(leaf, tf.float32) * factors)
    gradients = tape.gradient(
        total, [weight.value for weight in layer.trainable_weights]
    )
    return outputs, [tf.convert_to_tensor(value) for value in gradients]


def symbolic_inputs(inputs, dynamic_time=False):
    """Keras inputs of the same structure, the batch left open."""

    def symbolic(value):
        shape = list(np.shape(value))[1:]
        if dynamic_time and len(np.shape(value)) > 1:
            shape[0] = None
        return keras.Input(shape, dtype=np.asarray(value).dtype.name)

    return tf.nest.map_structure(symbolic, inputs)


def shapes_of(outputs):
    return lists(tf.nest.map_structure(lambda leaf: tuple(leaf.shape), outputs))


def lists(shapes):
    """Nested tuples of shapes as nested lists, to compare them."""
    return json.loads(json.dumps(shapes))


def assert_close(actual, expected, tolerance):
    """Compares two nested structures leaf by leaf."""
    for left, right in zip(flatten(actual), flatten(expected), strict=True):
        np.testing.assert_allclose(left, right, atol=tolerance, rtol=tolerance)


def assert_equal(actual, expected):
    """Compares two nested structures leaf by leaf, bit by bit."""
    for left, right in zip(flatten(actual), flatten(expected), strict=True):
        np.testing.assert_array_equal(left, right)
