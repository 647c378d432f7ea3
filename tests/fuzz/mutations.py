"""Changes valid input into what is perhaps not."""

import gzip
import json

# What often is one thing too many.
_ODD_BYTES = (
    b"",
    b"\0",
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\xfe\xff",
    b"\r",
    b"\n",
    b"\n\n",
    b"\t",
    b" ",
    b"\xc2\x85",
    b"\xc2\xa0",
    b"\xe2\x80\xa8",
    b"\x1f\x8b",
    b"-1",
    b"0",
    b"4294967296",
    b"9223372036854775808",
    b"1e999",
    b"NaN",
    b"9" * 5000,
    b"[" * 1200,
    b"(" * 1200,
    b"\\ud800",
)
_ODD_VALUES = (
    None,
    True,
    0,
    -1,
    1.5,
    1e300,
    float("nan"),
    float("inf"),
    2**31,
    2**63,
    2**64,
    10**400,
    "",
    " ",
    "\0",
    "\ud800",
    "é" * 300,
    "../../etc/passwd",
    [],
    {},
    [[]],
    [None],
    {"": None},
    {"b64": "AAA="},
    {"b64": "!"},
)
_DEEP = 900
_LARGEST = 2**20


def mutate(data, target, random):
    """Changes bytes at one or several places.

    Args:
        data: The bytes.
        target: The `FuzzTarget` that they are for.
        random: A `random.Random`.

    Returns:
        Other bytes.
    """
    for _ in range(random.randint(1, 4)):
        kind = random.randint(0, 9)
        if target.is_json and kind < 6:
            data = _mutate_json(data, random)
        elif kind == 9 and random.randint(0, 4) == 0:
            data = gzip.compress(data, 1)
        else:
            data = _mutate_bytes(data, target.tokens, random)
    return data[:_LARGEST]


def _mutate_bytes(data, tokens, random):
    start = random.randint(0, len(data))
    end = min(len(data), start + random.choice((0, 1, 2, 4, 8, 64)))
    kind = random.randint(0, 6)
    if kind == 0:
        middle = random.choice(_ODD_BYTES)
    elif kind == 1 and tokens:
        middle = random.choice(tokens)
    elif kind == 2:
        # Once more, what stands elsewhere.
        place = random.randint(0, len(data))
        middle = data[place : place + random.choice((1, 4, 16, 256))]
    elif kind == 3:
        middle = data[start:end] * random.choice((2, 3, 100))
    elif kind == 4:
        middle = bytes(
            byte ^ (1 << random.randint(0, 7)) for byte in data[start:end]
        )
    elif kind == 5:
        middle = bytes(random.randint(0, 255) for _ in range(end - start))
    else:
        return _swap_lines(data, random)
    return data[:start] + middle + data[end:]


def _swap_lines(data, random):
    lines = data.split(b"\n")
    first, second = (random.randint(0, len(lines) - 1) for _ in range(2))
    lines[first], lines[second] = lines[second], lines[first]
    return b"\n".join(lines)


def _mutate_json(data, random):
    """Changes a value in JSON, or in a line of it."""
    lines = data.split(b"\n")
    number = random.randint(0, len(lines) - 1)
    for start, end in ((0, len(lines)), (number, number + 1)):
        try:
            document = json.loads(b"\n".join(lines[start:end]))
        except (RecursionError, ValueError):
            continue
        text = _dump(_changed(document, random))
        return b"\n".join([*lines[:start], text, *lines[end:]])
    return data


def _changed(value, random):
    """A value with something else at a place of it."""
    if isinstance(value, dict | list) and value and random.randint(0, 5):
        keys = list(value) if isinstance(value, dict) else range(len(value))
        key = random.choice(list(keys))
        value = value.copy()
        if random.randint(0, 9) == 0:
            del value[key]
        else:
            value[key] = _changed(value[key], random)
        return value
    kind = random.randint(0, 9)
    if kind == 0:
        for _ in range(_DEEP):
            value = [value] if random.randint(0, 1) else {"a": value}
        return value
    if kind == 1:
        return [value] * random.choice((2, 3, 300))
    if kind == 2:
        return {"data": value, "tokens": value}
    return random.choice(_ODD_VALUES)


def _dump(value):
    try:
        return json.dumps(value).encode()
    except (RecursionError, ValueError):
        return b"[" * 1200 + b"]" * 1200
