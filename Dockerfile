# The event store in a container: TCP on port 8085, data in /data, user and group 10001.

FROM node:20-bookworm-slim AS build
WORKDIR /source
COPY . .
RUN npx --yes deno@2.9.6 task build

FROM debian:bookworm-slim
COPY --from=build /source/dist/eventstore-server /source/dist/eventstore-init /source/dist/eventstore-backup /source/dist/eventstore-client /usr/local/bin/
COPY --chmod=755 tools/packaging/docker/health_check.sh /usr/local/bin/eventstore-health
# The programs may have to unpack themselves. Done here, it works with a read-only root file system.
RUN groupadd --gid 10001 eventstore \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin eventstore \
 && install -d -o 10001 -g 10001 -m 0700 /data /backup \
 && for program in server init backup client; do \
      EVENTSTORE_CACHE_DIR=/var/cache/eventstore "eventstore-$program" --version || exit 1; \
    done
ENV SERVICE_BIND_ADDRESS=0.0.0.0 \
    SERVICE_PORT=8085 \
    SERVICE_DATA_DIR=/data \
    SERVICE_BACKUP_DATA_DIR=/backup \
    EVENTSTORE_URL=http://127.0.0.1:8085
# A config.toml mounted here is read, if there is one.
WORKDIR /etc/eventstore
VOLUME ["/data", "/backup"]
EXPOSE 8085
USER 10001:10001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 CMD ["eventstore-health"]
CMD ["eventstore-server"]
