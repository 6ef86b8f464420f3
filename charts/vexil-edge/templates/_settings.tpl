{{/* Generated from src/edge/setting-table.ts by `npm run generate`; do not edit. */}}
{{- define "vexil-edge.settings" -}}
strict: VEXIL_EDGE_STRICT
trustTokensFor: VEXIL_EDGE_TRUST_TOKENS_FOR
maxStaleness: VEXIL_EDGE_MAX_STALENESS
featuresRefreshIntervalSeconds: VEXIL_EDGE_FEATURES_REFRESH_INTERVAL_SECONDS
metricsIntervalSeconds: VEXIL_EDGE_METRICS_INTERVAL_SECONDS
basePath: VEXIL_EDGE_BASE_PATH
corsOrigin: VEXIL_EDGE_CORS_ORIGIN
trustedProxies: VEXIL_EDGE_TRUSTED_PROXIES
maxStreams: VEXIL_EDGE_MAX_STREAMS
maxConnections: VEXIL_EDGE_MAX_CONNECTIONS
requestsPerMinute: VEXIL_EDGE_REQUESTS_PER_MINUTE
logLevel: VEXIL_EDGE_LOG_LEVEL
{{- end }}

{{- define "vexil-edge.instead" -}}
VEXIL_EDGE_UPSTREAM_URL: use upstream.urls
UPSTREAM_URL: use upstream.urls
VEXIL_EDGE_FROM: use upstream.urls, because the chart is for an edge with an upstream
BOOTSTRAP_FILE: use upstream.urls, because the chart is for an edge with an upstream
VEXIL_EDGE_TOKENS: use tokens.existingSecret
TOKENS: use tokens.existingSecret
CLIENT_TOKENS: use tokens.existingSecret
VEXIL_EDGE_TOKENS_FILE: use tokens.existingSecret
VEXIL_EDGE_STRICT: use config.strict
STRICT: use config.strict
VEXIL_EDGE_BACKUP_FOLDER: use backup
BACKUP_FOLDER: use backup
VEXIL_EDGE_TRUST_TOKENS_FOR: use config.trustTokensFor
VEXIL_EDGE_MAX_STALENESS: use config.maxStaleness
VEXIL_EDGE_FEATURES_REFRESH_INTERVAL_SECONDS: use config.featuresRefreshIntervalSeconds
FEATURES_REFRESH_INTERVAL_SECONDS: use config.featuresRefreshIntervalSeconds
VEXIL_EDGE_METRICS_INTERVAL_SECONDS: use config.metricsIntervalSeconds
METRICS_INTERVAL_SECONDS: use config.metricsIntervalSeconds
VEXIL_EDGE_INSTANCE_ID: use nothing, because the name of each pod is used
INSTANCE_ID: use nothing, because the name of each pod is used
VEXIL_EDGE_INTERFACE: use nothing, because each pod listens on all of its addresses
INTERFACE: use nothing, because each pod listens on all of its addresses
VEXIL_EDGE_PORT: use service.port
PORT: use service.port
VEXIL_EDGE_BASE_PATH: use config.basePath
BASE_PATH: use config.basePath
VEXIL_EDGE_TLS_SERVER_CERT: use tls.secretName
TLS_SERVER_CERT: use tls.secretName
VEXIL_EDGE_TLS_SERVER_KEY: use tls.secretName
TLS_SERVER_KEY: use tls.secretName
VEXIL_EDGE_UPSTREAM_CERTIFICATE_FILE: use upstream.ca.existingSecret
UPSTREAM_CERTIFICATE_FILE: use upstream.ca.existingSecret
VEXIL_EDGE_CLIENT_CERTIFICATE_FILE: use upstream.clientCertificate.secretName
PKCS8_CLIENT_CERTIFICATE_FILE: use upstream.clientCertificate.secretName
VEXIL_EDGE_CLIENT_KEY_FILE: use upstream.clientCertificate.secretName
PKCS8_CLIENT_KEY_FILE: use upstream.clientCertificate.secretName
VEXIL_EDGE_CUSTOM_CLIENT_HEADERS: use upstream.headers.existingSecret
CUSTOM_CLIENT_HEADERS: use upstream.headers.existingSecret
VEXIL_EDGE_CORS_ORIGIN: use config.corsOrigin
CORS_ORIGIN: use config.corsOrigin
VEXIL_EDGE_TRUSTED_PROXIES: use config.trustedProxies
PROXY_TRUSTED_SERVERS: use config.trustedProxies
VEXIL_EDGE_MAX_STREAMS: use config.maxStreams
VEXIL_EDGE_MAX_CONNECTIONS: use config.maxConnections
VEXIL_EDGE_REQUESTS_PER_MINUTE: use config.requestsPerMinute
VEXIL_EDGE_LOG_LEVEL: use config.logLevel
REDIS_URL: 'use BACKUP_FOLDER: each edge keeps its own state'
REDIS_HOST: 'use BACKUP_FOLDER: each edge keeps its own state'
S3_BUCKET_NAME: use BACKUP_FOLDER on a volume
PKCS12_IDENTITY_FILE: use PKCS8_CLIENT_CERTIFICATE_FILE and PKCS8_CLIENT_KEY_FILE
PEM_CERT_FILE: use PKCS8_CLIENT_CERTIFICATE_FILE and PKCS8_CLIENT_KEY_FILE, which may both name this file
SKIP_SSL_VERIFICATION: use UPSTREAM_CERTIFICATE_FILE with the authority of the upstream
TOKEN_HEADER: tokens are read from the header Authorization, and sent in it
EDGE_AUTH_HEADER: tokens are read from the header Authorization
UPSTREAM_AUTH_HEADER: tokens are sent to the upstream in the header Authorization
TLS_SERVER_PORT: 'use PORT: with a certificate, it serves https'
TRUST_PROXY: use PROXY_TRUSTED_SERVERS with the number of proxies, or their addresses
ALLOW_LIST: use a NetworkPolicy, or the proxy in front of the edge
DENY_LIST: use a NetworkPolicy, or the proxy in front of the edge
DISABLE_ALL_ENDPOINT: let the proxy in front of the edge refuse /api/frontend/all
DISABLE_METRICS_ENDPOINT: let the proxy in front of the edge refuse /internal-backstage
PRETRUSTED_TOKENS: 'use TOKENS: the upstream confirms them'
FRONTEND_TOKENS: use TOKENS, which any endpoint takes
PROMETHEUS_REMOTE_WRITE_URL: let Prometheus read /internal-backstage/metrics
{{- end }}
