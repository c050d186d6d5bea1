# The image of a job's processes: the runner, Spark's masters, workers and executors; and of the gateway. docs/containers.md explains it.
#
#   docker build -t datastream .
#
# The base image is one, so that a mirror or another build of it can be named:
#   docker build --build-arg PYTHON_IMAGE=registry.example/python:3.12-slim-bookworm@sha256:... -t datastream .

ARG PYTHON=3.12
ARG PYTHON_IMAGE=python:${PYTHON}-slim-bookworm

# -- Java: a runtime of the modules that Spark uses ------------------------------------------------------------------
FROM ${PYTHON_IMAGE} AS java
ARG JAVA_PACKAGE=openjdk-17-jdk-headless
# The folder of manual pages: Java's packages fail without it, and slim images lack it.
RUN mkdir -p /usr/share/man/man1 \
 && apt-get update \
 && apt-get install -y --no-install-recommends ${JAVA_PACKAGE} binutils tini \
 && rm -rf /var/lib/apt/lists/*
# jdk.incubator.vector: Spark's own scripts ask for it. jdk.jcmd: thread dumps and heap histograms of a running job.
RUN jlink --output /opt/java \
      --add-modules java.se,jdk.crypto.ec,jdk.incubator.vector,jdk.jcmd,jdk.jfr,jdk.management,jdk.management.agent,jdk.naming.dns,jdk.net,jdk.security.auth,jdk.security.jgss,jdk.unsupported,jdk.zipfs \
      --strip-java-debug-attributes --no-header-files --no-man-pages --compress=2 \
 && cp -L /etc/ssl/certs/java/cacerts /opt/java/lib/security/cacerts \
 && find /opt/java/lib -name '*.so' -exec strip --strip-unneeded {} + \
 && /opt/java/bin/java -Xshare:dump \
 && /opt/java/bin/java -version

# -- Python's packages: locked, and without what no job uses ---------------------------------------------------------
FROM ${PYTHON_IMAGE} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PYTHONDONTWRITEBYTECODE=1
COPY requirements/image-build.lock /src/requirements/
RUN --mount=type=cache,target=/root/.cache/pip \
    pip install --no-compile --require-hashes -r /src/requirements/image-build.lock

FROM build AS packages
COPY requirements/image.lock /src/requirements/
# PySpark comes as sources; the tools that make a wheel of it are those of the lock above.
RUN --mount=type=cache,target=/root/.cache/pip \
    pip wheel --no-build-isolation --no-deps --require-hashes -r /src/requirements/image.lock -w /wheels \
 && python -m venv --without-pip /opt/venv \
 && pip --python /opt/venv/bin/python install --no-compile --no-deps --no-index /wheels/*.whl \
 && rm -rf /wheels
COPY container/slim.py /src/container/
RUN python /src/container/slim.py "$(/opt/venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" \
      /usr/java/packages/lib \
 && find /opt/venv -name __pycache__ -prune -exec rm -r {} + \
 && rm -f /opt/venv/bin/*.cmd /opt/venv/bin/*beeline* /opt/venv/bin/*R /opt/venv/bin/docker-image-tool.sh /opt/venv/bin/[Aa]ctivate*

# -- The project ------------------------------------------------------------------------------------------------------
FROM build AS project
COPY pyproject.toml LICENSE NOTICE /src/
COPY connectors /src/connectors
COPY services /src/services
COPY datastream /src/datastream
COPY --from=packages /opt/venv /opt/venv
RUN cd /src \
 && pip wheel --no-build-isolation --no-deps -w /wheels . \
 && pip --python /opt/venv/bin/python install --no-compile --no-deps --no-index --prefix /opt/project /wheels/*.whl

# -- All files but those that are made by running them -----------------------------------------------------------------
FROM ${PYTHON_IMAGE} AS files
# A name for the user id: Hadoop asks for it.
RUN useradd --uid 10001 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin datastream \
 && install -d -o datastream -g datastream /checkpoints /job /var/lib/datastream/tokens \
    /var/lib/datastream/tokens-of-job /var/lib/datastream/tokens-of-prometheus \
 && install -d -o datastream -g datastream -m 0700 /var/lib/datastream/gateway
COPY --from=java /usr/bin/tini /usr/bin/tini
COPY --from=java /opt/java /opt/java
COPY --from=packages /usr/java/packages/lib /usr/java/packages/lib
COPY --from=packages /opt/venv /opt/venv
COPY --from=project /opt/project /opt/venv
COPY container/healthcheck /usr/local/bin/
# /tmp is the only folder that processes write to, beside the checkpoints.
ENV PATH=/opt/venv/bin:/opt/java/bin:$PATH \
    JAVA_HOME=/opt/java \
    HOME=/tmp \
    SPARK_LOCAL_DIRS=/tmp \
    SPARK_WORKER_DIR=/tmp/spark-work \
    SPARK_SCALA_VERSION=2.13 \
    SPARK_NO_DAEMONIZE=1 \
    DATASTREAM_JAVA_ARCHIVE=/opt/datastream/classes \
    PYTHONPYCACHEPREFIX=/opt/datastream/bytecode \
    PYTHONUNBUFFERED=1 \
    # In a container of its own: what is published is the platform's choice.
    DATASTREAM_ADDRESS=0.0.0.0 \
    # `pip install` in images that are built on this one goes to the environment.
    PIP_PYTHON=/opt/venv/bin/python \
    PIP_NO_CACHE_DIR=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_ROOT_USER_ACTION=ignore
WORKDIR /job

# -- What speeds up starts: bytecode of the modules that a job imports, and an archive of Java's classes -----------------
FROM files AS start
COPY container/warm_imports.py /src/container/
# As on a machine of two cores: the archive fits the flags of up to four.
RUN mkdir -p /opt/datastream/classes /opt/datastream/bytecode \
 && taskset -c 0 python -m datastream.cli warm \
 && python /src/container/warm_imports.py \
 && rm -f /opt/datastream/classes/*.lock

# -- What is in the image ---------------------------------------------------------------------------------------------
FROM build AS bill
COPY container/sbom.py /src/container/
RUN --mount=type=bind,from=files,target=/image python /src/container/sbom.py /image /sbom.cdx.json

# -- The image --------------------------------------------------------------------------------------------------------
FROM files AS image
COPY --from=bill /sbom.cdx.json /usr/share/sbom/datastream.cdx.json
COPY --from=start /opt/datastream /opt/datastream
ARG VERSION=0.1.0.dev0
ARG REVISION=
ARG CREATED=
LABEL org.opencontainers.image.title="datastream" \
      org.opencontainers.image.description="The Flink DataStream API for Python, run by Apache Spark Structured Streaming" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}"
USER 10001:10001
EXPOSE 9249
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["healthcheck"]
ENTRYPOINT ["tini", "--", "python", "-P", "-m", "datastream.services.runner"]
