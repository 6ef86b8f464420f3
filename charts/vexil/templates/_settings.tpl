{{/* Generated from src/config/settings.ts by `npm run generate`; do not edit. */}}
{{- define "vexil.settings" -}}
httpHost: VEXIL_HTTP_HOST
allowAnonymous: VEXIL_ALLOW_ANONYMOUS
protectedManagers: VEXIL_PROTECTED_MANAGERS
trustProxy: VEXIL_TRUST_PROXY
publicUrl: VEXIL_PUBLIC_URL
console: VEXIL_CONSOLE
oidcIssuer: VEXIL_OIDC_ISSUER
oidcClientId: VEXIL_OIDC_CLIENT_ID
oidcRedirectUrl: VEXIL_OIDC_REDIRECT_URL
oidcScopes: VEXIL_OIDC_SCOPES
oidcUsernameClaim: VEXIL_OIDC_USERNAME_CLAIM
oidcUsernamePrefix: VEXIL_OIDC_USERNAME_PREFIX
oidcGroupsClaim: VEXIL_OIDC_GROUPS_CLAIM
oidcGroupsPrefix: VEXIL_OIDC_GROUPS_PREFIX
contextFields: VEXIL_CONTEXT_FIELDS
userSearch: VEXIL_USER_SEARCH
auditLogLate: VEXIL_AUDIT_LOG_LATE
historySigningInterval: VEXIL_HISTORY_SIGNING_INTERVAL
historyExportInterval: VEXIL_HISTORY_EXPORT_INTERVAL
nameTenure: VEXIL_NAME_TENURE
changeRequestRetention: VEXIL_CHANGE_REQUEST_RETENTION
rateLimit: VEXIL_RATE_LIMIT
sdkRateLimit: VEXIL_SDK_RATE_LIMIT
sdkStreamLimit: VEXIL_SDK_STREAM_LIMIT
sdkStreamsPerToken: VEXIL_SDK_STREAMS_PER_TOKEN
sdkStreamsPerAddress: VEXIL_SDK_STREAMS_PER_ADDRESS
changeStreamLimit: VEXIL_CHANGE_STREAM_LIMIT
frontendOrigins: VEXIL_FRONTEND_ORIGINS
bodyLimit: VEXIL_BODY_LIMIT
importLimit: VEXIL_IMPORT_LIMIT
leaderElection: VEXIL_LEADER_ELECTION
staleDays: VEXIL_STALE_DAYS
usageHourlyRetention: VEXIL_USAGE_HOURLY_RETENTION
usageDailyRetention: VEXIL_USAGE_DAILY_RETENTION
usageFlagMetrics: VEXIL_USAGE_FLAG_METRICS
sinkAllowedNetworks: VEXIL_SINK_ALLOWED_NETWORKS
leaseDuration: VEXIL_LEASE_DURATION
leaseRenewDeadline: VEXIL_LEASE_RENEW_DEADLINE
leaseRetryPeriod: VEXIL_LEASE_RETRY_PERIOD
apiServerTimeout: VEXIL_API_SERVER_TIMEOUT
reviewTimeout: VEXIL_REVIEW_TIMEOUT
accessCache: VEXIL_ACCESS_CACHE
tokenWait: VEXIL_TOKEN_WAIT
cloneWait: VEXIL_CLONE_WAIT
memberWait: VEXIL_MEMBER_WAIT
importProgressInterval: VEXIL_IMPORT_PROGRESS_INTERVAL
nameClaimDelay: VEXIL_NAME_CLAIM_DELAY
countDelay: VEXIL_COUNT_DELAY
sdkStreamKeepAlive: VEXIL_SDK_STREAM_KEEP_ALIVE
auditBatchDelay: VEXIL_AUDIT_BATCH_DELAY
usageRefresh: VEXIL_USAGE_REFRESH
usageFlushInterval: VEXIL_USAGE_FLUSH_INTERVAL
sinkTimeout: VEXIL_SINK_TIMEOUT
sinkRetryMax: VEXIL_SINK_RETRY_MAX
sinkStatusInterval: VEXIL_SINK_STATUS_INTERVAL
watchRetryMax: VEXIL_WATCH_RETRY_MAX
logLevel: VEXIL_LOG_LEVEL
{{- end }}

{{- define "vexil.switchable" -}}
- changeRequestRetention
- rateLimit
- sdkRateLimit
- sdkStreamsPerToken
- sdkStreamsPerAddress
{{- end }}
