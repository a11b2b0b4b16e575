# A gateway with HTTP on port 7423 of the container. See docs/guides/containers.md.
# No container engine was at hand when this was written: the file has not been built, only its steps were tried by hand
# (npm ci, npm pack, npm install of the packed file, a start from there).
FROM node:20.20-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm pack --pack-destination /tmp

FROM node:20.20-bookworm-slim
COPY --from=build /tmp/casys-pml-*.tgz /tmp/pml.tgz
RUN npm install --global /tmp/pml.tgz && rm -r /tmp/pml.tgz /root/.npm \
 && install -d -o node -g node -m 700 /data /keys
# Data and the signing key are two volumes: whoever gets the data must not get the key.
ENV PML_KEY_DIR=/keys
VOLUME ["/data", "/keys"]
USER node
WORKDIR /home/node
EXPOSE 7423
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:7423/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["pml"]
CMD ["serve", "--config", "/config/pml.json", "--data-dir", "/data", "--http", "7423"]
