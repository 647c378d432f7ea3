from elmo_tf.machine import describe_machine


def test_the_machine_is_described():
    machine = describe_machine()
    assert machine["cores"] >= 1
    assert machine["processor"]
    assert machine["python"].startswith("3.")
