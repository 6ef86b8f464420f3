# The image of the operator: Node.js, the output of `npm run build`, and nothing else. scripts/image/read-dockerfile.ts
# also reads the last stage, and makes the same image from files if there is no container engine.
#
#   make image                                                       # docker, or ENGINE=buildah, ENGINE=podman
#   docker build --build-arg BUILD_IMAGE=… --build-arg RUN_IMAGE=… .   # with your own base images
#
# A release does not build this file: scripts/image makes its image (docs/release.md#how-the-image-is-made).
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
# The only library of Node.js that is missing in base images for C++.
RUN mkdir /libraries && cp --dereference "$(find /lib /usr/lib -name libatomic.so.1 | sed q)" /libraries/
# Layers contain the times of files. With fixed times, the same sources give the same bytes.
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
# The Node.js of the lockfile, with which the tests run. The path is a link; npm has checked the hash of its target.
COPY --from=build /src/node_modules/.bin/node /usr/local/bin/node
COPY --from=build /libraries /usr/lib
COPY --from=build /src/dist /app
# Otherwise each thread has its own heap for memory outside of JavaScript: 8 MB without a benefit.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2
WORKDIR /app
USER 65532:65532
EXPOSE 4242 8081
# Objects that live long are copied too rarely to justify more than 3 times 8 MiB for new objects.
ENTRYPOINT ["/usr/local/bin/node", "--max-semi-space-size=8"]
CMD ["/app/main.js"]
