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
logLevel: VEXIL_LOG_LEVEL
{{- end }}

{{- define "vexil.switchable" -}}
- rateLimit
{{- end }}
