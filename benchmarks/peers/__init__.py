"""Workers that run in the peers' environments, which `peers.sh` makes.

Python 3.7 must understand every module here.
"""
