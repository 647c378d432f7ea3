#!/bin/sh
# Makes a virtual environment for each peer that the benchmarks compare with, and
# one for this project's embedding, so that each runs beside what it needs only.
#
#     benchmarks/peers.sh [FOLDER [NAME...]]
#
# FOLDER is benchmarks/environments by default. The names, and the Python that
# each needs (the environment variable names another one than that on PATH):
#
#     elmo_tf      python3.11  PYTHON_ELMO_TF      requirements-embed.txt
#     simple_elmo  python3.11  PYTHON_SIMPLE_ELMO  simple_elmo 0.9.2, TensorFlow 2.15
#     bilm_tf      python3.7   PYTHON_BILM_TF      bilm 0.1.post5, TensorFlow 1.15
#     allennlp     python3.9   PYTHON_ALLENNLP     allennlp 2.10.1, PyTorch 1.12
#
# benchmarks/peers/PEER.txt pins every distribution of a peer,
# requirements-embed-lock.txt those of this project. An environment that is there
# already, whole and of the same pins, is left alone.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

fail() {
    echo "peers.sh: error: $1" >&2
    exit 1
}

make_environment() {
    peer=$1
    requirements=$here/peers/$peer.txt
    case $peer in
        elmo_tf)
            needed=3.11
            variable=PYTHON_ELMO_TF
            python=${PYTHON_ELMO_TF:-python3.11}
            module=elmo_tf
            requirements=$here/../requirements-embed-lock.txt
            ;;
        simple_elmo)
            needed=3.11
            variable=PYTHON_SIMPLE_ELMO
            python=${PYTHON_SIMPLE_ELMO:-python3.11}
            module=simple_elmo
            ;;
        bilm_tf)
            needed=3.7
            variable=PYTHON_BILM_TF
            python=${PYTHON_BILM_TF:-python3.7}
            module=bilm
            ;;
        allennlp)
            needed=3.9
            variable=PYTHON_ALLENNLP
            python=${PYTHON_ALLENNLP:-python3.9}
            module=allennlp.modules.elmo
            ;;
        *)
            fail "there is no environment $peer, only elmo_tf, simple_elmo, bilm_tf and allennlp"
            ;;
    esac
    environment=$folder/$peer
    # Written last, so that half an environment never looks like a whole one.
    stamp=$environment/installed.txt
    if cmp -s "$requirements" "$stamp"; then
        echo "$environment is there already"
        return
    fi
    other="install it, or name another: $variable=/path/to/python$needed $0"
    version=$("$python" -c \
        'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) ||
        fail "$peer needs Python $needed, but $python does not run; $other"
    [ "$version" = "$needed" ] ||
        fail "$peer needs Python $needed, but $python is $version; $other"
    echo "Making $environment; this takes some minutes."
    rm -rf "$environment"
    "$python" -m venv "$environment" ||
        fail "$python cannot make virtual environments; Debian and Ubuntu package that apart, as python$needed-venv"
    # The pins are complete; some contradict what the packages ask for (the
    # peers are old), so nothing is left to pip's resolver.
    "$environment/bin/python" -m pip --disable-pip-version-check --no-input \
        install --quiet --no-deps --requirement "$requirements" ||
        fail "$peer: pip could not install $requirements"
    # elmo_tf itself is not installed but imported from the checkout.
    (cd "$here/.." && "$environment/bin/python" -W ignore -c "import $module") \
        2>/dev/null ||
        fail "$peer: $module is installed in $environment, but its import fails: $environment/bin/python -c 'import $module'"
    cp "$requirements" "$stamp"
}

folder=${1:-$here/environments}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- elmo_tf simple_elmo bilm_tf allennlp
mkdir -p "$folder"
folder=$(CDPATH='' cd -- "$folder" && pwd)
for peer in "$@"; do
    make_environment "$peer"
done
