"""The metrics of coreference, slow and from their definitions.

For clusters without repeated mentions, lists of lists; of one document. Each
function returns numerator and denominator of recall and those of precision.
"""

import itertools


def muc(key, response):
    """Vilain et al. 1995: a cluster of n, cut into c pieces, lacks c − 1."""

    def one_side(clusters, others):
        correct = sum(len(c) - n_components(c, others) for c in clusters)
        return correct, sum(len(cluster) - 1 for cluster in clusters)

    return *one_side(key, response), *one_side(response, key)


def n_components(cluster, others):
    """The components of a cluster's mentions, linked as in other clusters."""
    components = [{mention} for mention in cluster]
    links = [
        link
        for other in others
        for link in itertools.combinations(other, 2)
        if link[0] in cluster and link[1] in cluster
    ]
    for a, b in links:
        (with_a,) = (c for c in components if a in c)
        (with_b,) = (c for c in components if b in c)
        if with_a is not with_b:
            components.remove(with_b)
            with_a |= with_b
    return len(components)


def bcub(key, response):
    """Bagga and Baldwin 1998: the mean over the mentions of each side."""

    def one_side(clusters, others):
        total = 0
        for cluster in clusters:
            for mention in cluster:
                other = next((c for c in others if mention in c), [])
                total += len({*cluster} & {*other}) / len(cluster)
        return total, sum(map(len, clusters))

    return *one_side(key, response), *one_side(response, key)


def ceaf(key, response, similarity):
    """Luo 2005: the best of all ways to pair clusters."""
    fewer, more = sorted((key, response), key=len)
    best = max(
        sum(map(similarity, fewer, chosen))
        for chosen in itertools.permutations(more, len(fewer))
    )
    return (
        *(best, sum(similarity(cluster, cluster) for cluster in key)),
        *(best, sum(similarity(cluster, cluster) for cluster in response)),
    )


def by_entities(a, b):
    return 2 * len({*a} & {*b}) / (len(a) + len(b))


def by_mentions(a, b):
    return len({*a} & {*b})


def lea(key, response):
    """Moosavi and Strube 2016: links, weighted with the clusters' sizes."""

    def links(cluster):
        if len(cluster) == 1:
            return {(*cluster, *cluster)}
        return set(itertools.combinations(sorted(cluster), 2))

    def one_side(clusters, others):
        other_links = set().union(*map(links, others))
        total = sum(
            len(cluster)
            * len(links(cluster) & other_links)
            / len(links(cluster))
            for cluster in clusters
        )
        return total, sum(map(len, clusters))

    return *one_side(key, response), *one_side(response, key)


def blanc(key, response):
    """Luo et al. 2014: links within clusters, and those between them.

    Clusters may have repeated mentions, on which the reference scorer has links
    of a mention with itself.
    """

    def links(clusters):
        within, between = set(), set()
        for cluster in clusters:
            for pair in itertools.combinations(cluster, 2):
                within.add(tuple(sorted(pair)))
        for a, b in itertools.combinations(clusters, 2):
            for pair in itertools.product(a, b):
                between.add(tuple(sorted(pair)))
        return within, between

    return [
        (len(a & b), len(a), len(a & b), len(b))
        for a, b in zip(links(key), links(response), strict=True)
    ]
