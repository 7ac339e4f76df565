# The worker. The folder `app` has the bundled program (lib/bundling/deployed-files.ts), so the image has no node_modules. There is
# no RUN: a build for arm64 on another machine needs no emulation. The task definition has an init process
# (initProcessEnabled). Elsewhere use `docker run --init`.
# node:24.21.0-slim: Node 24, sh, find, a user `node`, and a /tmp for everybody. By digest, because a tag can be moved
# (CONTRIBUTING.md#actions-and-images).
ARG BASE=node@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
FROM ${BASE}
ENV NODE_ENV=production NODE_OPTIONS=--enable-source-maps
WORKDIR /app
COPY app ./
# The only writable folder. The declaration gives Fargate's volume the permissions of this folder.
VOLUME /tmp
USER node
HEALTHCHECK --interval=30s --timeout=5s --retries=3 --start-period=30s \
  CMD test -n "$(find "${PUNCTUAL_ALIVE_FILE:-/tmp/punctual-alive}" -mmin -1)"
ENV PUNCTUAL_ALIVE_FILE=/tmp/punctual-alive
# A larger young generation collects short-lived objects less often: less CPU for more memory (docs/performance.md).
CMD ["node", "--max-semi-space-size=32", "index.mjs"]
