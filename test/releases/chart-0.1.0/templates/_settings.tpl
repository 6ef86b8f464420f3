{{/* Made by `npm run generate` from src/config/settings.ts; changes here are lost. */}}
{{- define "vexil.settings" -}}
httpHost: VEXIL_HTTP_HOST
allowAnonymous: VEXIL_ALLOW_ANONYMOUS
protectedManagers: VEXIL_PROTECTED_MANAGERS
trustProxy: VEXIL_TRUST_PROXY
publicUrl: VEXIL_PUBLIC_URL
nameTenure: VEXIL_NAME_TENURE
rateLimit: VEXIL_RATE_LIMIT
bodyLimit: VEXIL_BODY_LIMIT
importLimit: VEXIL_IMPORT_LIMIT
leaderElection: VEXIL_LEADER_ELECTION
leaseDuration: VEXIL_LEASE_DURATION
leaseRenewDeadline: VEXIL_LEASE_RENEW_DEADLINE
leaseRetryPeriod: VEXIL_LEASE_RETRY_PERIOD
apiServerTimeout: VEXIL_API_SERVER_TIMEOUT
reviewTimeout: VEXIL_REVIEW_TIMEOUT
accessCache: VEXIL_ACCESS_CACHE
tokenWait: VEXIL_TOKEN_WAIT
cloneWait: VEXIL_CLONE_WAIT
memberWait: VEXIL_MEMBER_WAIT
nameClaimDelay: VEXIL_NAME_CLAIM_DELAY
countDelay: VEXIL_COUNT_DELAY
auditBatchDelay: VEXIL_AUDIT_BATCH_DELAY
watchRetryMax: VEXIL_WATCH_RETRY_MAX
logLevel: VEXIL_LOG_LEVEL
{{- end }}

{{- define "vexil.switchable" -}}
- rateLimit
{{- end }}
