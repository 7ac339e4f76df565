# The worker, for the platform that the stack names (arm64). Everything it needs is bundled, so the image has no
# node_modules, and the bundle, which is the same everywhere, is made on the platform of the machine that builds.
# lib/bundling/bundle.ts is what the tests run too.
FROM --platform=$BUILDPLATFORM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# esbuild and the rest work without install scripts; none of them runs here
RUN npm ci --ignore-scripts
COPY lib/bundling lib/bundling
COPY src src
COPY tasks tasks
RUN node lib/bundling/bundle.ts worker dist

FROM node:24-slim
ENV NODE_ENV=production NODE_OPTIONS=--enable-source-maps
# an init as process 1: it hands on SIGTERM and collects what the tasks leave behind
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=build /build/dist ./
# the only place that can be written: declared here so that the volume that Fargate mounts has the rights of this folder
VOLUME /tmp
USER node
HEALTHCHECK --interval=30s --timeout=5s --retries=3 --start-period=30s \
  CMD test -n "$(find "${PUNCTUAL_ALIVE_FILE:-/tmp/punctual-alive}" -mmin -1)"
ENV PUNCTUAL_ALIVE_FILE=/tmp/punctual-alive
ENTRYPOINT ["/usr/bin/tini", "--"]
# what is short-lived (messages, requests, answers) is collected less often: less CPU for more memory (docs/performance.md)
CMD ["node", "--max-semi-space-size=32", "index.mjs"]
