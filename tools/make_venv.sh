#!/bin/sh
# Makes the virtual environment FOLDER with a Python that TensorFlow has wheels
# for: the one given, else the first that is found.
#
#     tools/make_venv.sh FOLDER [PYTHON]
set -eu

folder=$1
seen=
without_venv=

for python in ${2:-python3.11 python3.12 python3.13 python3}; do
    version=$("$python" -c \
        'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) ||
        continue
    case $version in
        3.11 | 3.12 | 3.13) ;;
        *)
            seen="${seen:+$seen, }$python is $version"
            continue
            ;;
    esac
    # Debian and Ubuntu package ensurepip apart, with python3-venv.
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        without_venv=$version
        continue
    fi
    exec "$python" -m venv "$folder"
done

if [ -n "$without_venv" ]; then
    echo "make_venv: error: Python $without_venv cannot make virtual" \
        "environments: apt-get install python3-venv" \
        "(or python$without_venv-venv)" >&2
else
    echo "make_venv: error: TensorFlow 2.20 needs Python 3.11, 3.12 or 3.13;" \
        "found none${2:+ at $2}${seen:+ ($seen)}." \
        "Install one, or name one: make PYTHON=/path/to/python3.12" >&2
fi
exit 1
