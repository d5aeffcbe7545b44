# One image for all processes of the site: see compose.yaml and docs/deploy.md.
ARG BASE=debian:bookworm-slim
FROM $BASE

RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates ffmpeg python3-venv \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 900 socialsite \
    && useradd --uid 900 --gid 900 --home-dir /var/lib/socialsite --create-home socialsite

WORKDIR /opt/socialsite
COPY requirements.lock .
RUN python3 -m venv .venv && .venv/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY . .
RUN .venv/bin/python socialsite/local/compile_translations.py

ENV PATH=/opt/socialsite/.venv/bin:$PATH DATA_DIR=/var/lib/socialsite PYTHONUNBUFFERED=1
USER socialsite
# Other users of the host cannot read new files.
ENTRYPOINT ["sh", "-c", "umask 027 && exec \"$@\"", "--"]
CMD ["gunicorn", "socialsite.wsgi", "--bind", "0.0.0.0:8000"]
