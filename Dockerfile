# The picker as an image: Node and the picker, nothing else, no shell, not root. docs/deployment.md tells how to build and run it.
# The base images are arguments, for registries of one's own.
ARG BUILD_BASE=node:24.21.0-bookworm-slim
ARG RUNTIME_BASE=gcr.io/distroless/cc-debian12:nonroot

FROM ${BUILD_BASE} AS modules
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# Packages come with their binaries: no script of theirs runs, and nothing is fetched besides.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error
# Of what is installed: `npm sbom --omit=dev` leaves out whatever a development dependency needs as well.
RUN npm pkg delete devDependencies && \
    npm sbom --sbom-type=application --sbom-format=spdx --loglevel=error > sbom.spdx.json
COPY scripts/image scripts/image

FROM modules AS compile
RUN node scripts/image/compiler-lock.ts /compiler && cd /compiler && \
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
COPY tsconfig.json tsconfig.build.json ./
COPY src src
RUN node /compiler/node_modules/typescript/bin/tsc -p tsconfig.build.json --sourceMap false

FROM modules AS production
RUN node scripts/image/prune-modules.ts .

FROM ${RUNTIME_BASE}
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Pointsman" \
      org.opencontainers.image.description="KV-cache aware endpoint picker for LLM gateways" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=production /usr/local/bin/node /usr/local/bin/node
COPY --from=production /build/package.json /build/sbom.spdx.json /app/
COPY --from=production /build/node_modules /app/node_modules
COPY --from=compile /build/dist /app/dist
COPY src/surface/admin/page /app/dist/surface/admin/page
COPY proto /app/proto
COPY LICENSE /app/
ENV NODE_ENV=production
# "nonroot" of distroless images; a number, so that runAsNonRoot can be checked.
USER 65532:65532
WORKDIR /app
# ext_proc, its health, metrics; the route API, the proxy and the console where the settings ask for them.
EXPOSE 9002 9003 9090 8092 8000 9099
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/node", "/app/dist/main.js"]
CMD ["serve", "--config", "/etc/pointsman/picker.yaml"]
