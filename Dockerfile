# The image of the operator: Node.js, what `npm run build` makes, and nothing else. Its last stage is read by
# test/e2e/image/read-dockerfile.ts too, which makes the same image from files where there is no container engine.
#
#   make image                                                       # docker, or ENGINE=buildah, ENGINE=podman
#   docker build --build-arg BUILD_IMAGE=… --build-arg RUN_IMAGE=… .   # over bases of your own
#   make release-image BUILD_IMAGE=NAME@sha256:… RUN_IMAGE=NAME@sha256:…  # a release: refuses bases without a digest
#
# BUILD_IMAGE needs a Node.js with npm and a shell, RUN_IMAGE the C and C++ libraries of Debian 12 or newer.
ARG BUILD_IMAGE=docker.io/library/node:26-bookworm-slim
ARG RUN_IMAGE=gcr.io/distroless/cc-debian12:nonroot

FROM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
COPY scripts/link-node.js ./scripts/
RUN npm ci
COPY tsconfig.json ./
COPY scripts ./scripts
COPY src ./src
COPY cli ./cli
COPY console ./console
ARG REVISION=unknown
RUN npm run build
# The one library of Node.js that a base for C++ lacks.
RUN mkdir /libraries && cp --dereference "$(find /lib /usr/lib -name libatomic.so.1 | sed q)" /libraries/
# Layers carry the times of files: with the same sources they are the same to the byte.
ARG SOURCE_DATE_EPOCH=0
RUN find dist node_modules/.bin/node /libraries -exec touch --date="@${SOURCE_DATE_EPOCH}" {} +

FROM ${RUN_IMAGE}
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="vexil" \
      org.opencontainers.image.description="Feature flags as Kubernetes resources, with an Unleash-compatible admin API" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# The Node.js whose hash is in the lockfile, which is the one that the tests run on. npm checks the hash; the link leads to it.
COPY --from=build /src/node_modules/.bin/node /usr/local/bin/node
COPY --from=build /libraries /usr/lib
COPY --from=build /src/dist /app
# Each thread would have a heap of its own for what is not JavaScript: 8 MB, of which there is nothing to gain.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2
WORKDIR /app
USER 65532:65532
EXPOSE 4242 8081
# Objects that live long are not copied often enough to gain from more than 3 times 8 MiB for new ones.
ENTRYPOINT ["/usr/local/bin/node", "--max-semi-space-size=8"]
CMD ["/app/main.js"]
