# The worker, for the platform of the stack (arm64). The program is bundled, so the image has no node_modules. The bundle is
# the same on every platform, so it is built on the platform of the build machine. The tests use lib/bundling/bundle.ts too.
FROM --platform=$BUILDPLATFORM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# The packages work without install scripts, so none is run.
RUN npm ci --ignore-scripts
COPY lib/bundling lib/bundling
COPY src src
COPY tasks tasks
RUN node lib/bundling/bundle.ts worker dist

FROM node:24-slim
ENV NODE_ENV=production NODE_OPTIONS=--enable-source-maps
# tini is process 1. It forwards SIGTERM and reaps child processes of tasks.
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=build /build/dist ./
# The only writable folder. The declaration gives Fargate's volume the permissions of this folder.
VOLUME /tmp
USER node
HEALTHCHECK --interval=30s --timeout=5s --retries=3 --start-period=30s \
  CMD test -n "$(find "${PUNCTUAL_ALIVE_FILE:-/tmp/punctual-alive}" -mmin -1)"
ENV PUNCTUAL_ALIVE_FILE=/tmp/punctual-alive
ENTRYPOINT ["/usr/bin/tini", "--"]
# A larger young generation collects short-lived objects less often: less CPU for more memory (docs/performance.md).
CMD ["node", "--max-semi-space-size=32", "index.mjs"]
