# Targets: `web` (pages, crowd and default workers, beat), `metrics` (gpu workers) and `nginx`.
# BASE may be any Debian 12.
ARG BASE=docker.io/library/debian:bookworm-slim

FROM ${BASE} AS base
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates python3 && rm -rf /var/lib/apt/lists/*
RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin da \
    && install -d -o da -g da /data /run/daplatform
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 DATA_DIR=/data STATIC_ROOT=/srv/daplatform/var/static
WORKDIR /srv/daplatform

FROM base AS packages
RUN apt-get update && apt-get install -y --no-install-recommends python3-venv && rm -rf /var/lib/apt/lists/*
COPY requirements-web.txt constraints.txt ./
RUN python3 -m venv /opt/venv && pip install --no-cache-dir -r requirements-web.txt

FROM packages AS metric-packages
COPY requirements.txt ./
RUN pip install --no-cache-dir -r requirements.txt

FROM base AS web
COPY --from=packages /opt/venv /opt/venv
COPY . .
RUN SECRET_KEY=only-for-building DATA_DIR=/tmp/building python3 manage.py collectstatic --no-input && rm -r /tmp/building
USER da
EXPOSE 8000
CMD ["gunicorn", "daplatform.wsgi", "--config", "deploy/gunicorn.conf.py", "--bind", "0.0.0.0:8000"]

FROM web AS metrics
COPY --from=metric-packages /opt/venv /opt/venv
CMD ["celery", "-A", "daplatform", "worker", "--queues", "gpu", "--concurrency", "1"]

FROM base AS nginx
RUN apt-get update && apt-get install -y --no-install-recommends libnginx-mod-http-headers-more-filter nginx-light \
    && rm -rf /var/lib/apt/lists/* /etc/nginx/sites-enabled/default
COPY --from=web /srv/daplatform/var/static /srv/daplatform/var/static
COPY deploy/nginx.conf /etc/nginx/conf.d/daplatform.conf
EXPOSE 80 443
CMD ["nginx", "-g", "daemon off;"]
