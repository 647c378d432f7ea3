import numpy as np
import pytest
import tensorflow as tf

from elmo_tf.layers.log_uniform import log_uniform_candidates
from elmo_tf.layers.log_uniform import log_uniform_expected_count
from tests.reference import sampled_softmax


class TestCandidates:
    def test_distinct_and_in_range(self):
        for seed in range(20):
            ids, n_draws = log_uniform_candidates(30, 50, (seed, 1))
            assert ids.shape == (30,)
            assert ids.dtype == tf.int32
            assert len(set(ids.numpy())) == 30
            assert 0 <= min(ids.numpy()) and max(ids.numpy()) < 50
            assert n_draws.dtype == tf.float32
            assert n_draws >= 30

    def test_is_a_function_of_the_seed(self):
        ids, n_draws = log_uniform_candidates(30, 500, (1, 2))
        in_graph = tf.function(log_uniform_candidates)
        same_ids, same_draws = in_graph(30, 500, tf.constant([1, 2]))
        np.testing.assert_array_equal(same_ids, ids)
        assert same_draws == n_draws
        other, _ = log_uniform_candidates(30, 500, (1, 3))
        assert not np.array_equal(other, ids)

    def test_all_words(self):
        ids, n_draws = log_uniform_candidates(20, 20, (0, 0))
        np.testing.assert_array_equal(np.sort(ids), np.arange(20))
        # The rarest word comes up once in 62 draws.
        assert n_draws > 20

    def test_one_of_one(self):
        ids, n_draws = log_uniform_candidates(1, 1, (0, 0))
        assert ids.numpy().tolist() == [0]
        assert n_draws == 1

    def test_first_candidate_is_log_uniform(self):
        draw = tf.function(lambda seed: log_uniform_candidates(1, 4, seed)[0])
        first = [int(draw(tf.constant([seed, 7]))[0]) for seed in range(2000)]
        expected = sampled_softmax.log_uniform_probability(np.arange(4), 4)
        np.testing.assert_allclose(
            np.bincount(first, minlength=4) / 2000, expected, atol=0.04
        )

    def test_how_often_a_word_comes_up(self):
        draw = tf.function(lambda seed: log_uniform_candidates(10, 40, seed))
        came_up = np.zeros(40)
        expected = np.zeros(40)
        for seed in range(1000):
            ids, n_draws = draw(tf.constant([seed, 7]))
            came_up[ids.numpy()] += 1 / 1000
            expected += (
                sampled_softmax.expected_count(
                    np.arange(40), 40, float(n_draws)
                )
                / 1000
            )
        np.testing.assert_allclose(came_up, expected, atol=0.05)
        # The sum of the expected counts is near the number of candidates only
        # if the number of draws is right.
        assert abs(expected.sum() - 10) < 0.2

    def test_rare_words_of_a_large_vocabulary_come_up(self):
        # float32 cannot hold the numbers that tell these words apart.
        n = 30_000_000
        ids, _ = log_uniform_candidates(2000, n, (5, 6))
        ids = ids.numpy()
        assert ids.max() < n
        rare = ids[ids > 2**24]
        assert len(rare) > 10
        assert (rare % 2 == 1).any()

    def test_too_many(self):
        with pytest.raises(
            ValueError,
            match="cannot draw 6 distinct negative samples from 5 words",
        ):
            log_uniform_candidates(6, 5, (0, 0))


class TestExpectedCount:
    @pytest.mark.parametrize("n_draws", [1.0, 11.0, 345.0, 9000.0])
    def test_against_the_reference(self, n_draws):
        ids = np.array([[0, 1, 2], [17, 5000, 793_470]])
        np.testing.assert_allclose(
            log_uniform_expected_count(ids, 793_471, n_draws),
            sampled_softmax.expected_count(ids, 793_471, n_draws),
            rtol=1e-5,
        )
