# For training on NVIDIA GPUs; docs/serving.md tells how models are served.
#
#   docker build --tag elmo-tf .
#   docker run --rm --gpus all --volume "$PWD:/work" elmo-tf \
#       elmo_tf.train --experiment=elmo/original --mode=train_and_eval …
FROM python:3.12-slim

WORKDIR /opt/elmo-tf
COPY requirements-gpu-lock.txt ./
# CUDA comes in wheels; of the host only the driver is needed.
RUN pip install --no-cache-dir --require-hashes \
        --requirement requirements-gpu-lock.txt
COPY pyproject.toml requirements.txt README.md LICENSE ./
COPY elmo_tf elmo_tf
COPY bidaf_tf bidaf_tf
COPY tasks tasks
RUN pip install --no-cache-dir --no-deps .

WORKDIR /work
ENTRYPOINT ["python", "-m"]
