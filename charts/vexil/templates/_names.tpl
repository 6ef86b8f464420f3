{{/* Names of objects. */}}

{{- define "vexil.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "vexil.fullname" .) }}
{{- end }}

{{/* The PersistentVolumeClaim of the history; empty with PostgreSQL. */}}
{{- define "vexil.claim" -}}
{{- if not .Values.audit.postgres.existingSecret }}
{{- .Values.audit.sqlite.existingClaim | default (printf "%s-history" (include "vexil.fullname" .)) }}
{{- end }}
{{- end }}

{{/* The Secret of the admin token; empty if there is none. */}}
{{- define "vexil.adminTokenSecret" -}}
{{- if ne .Values.auth "none" }}
{{- .Values.adminToken.existingSecret | default (.Values.adminToken.create | ternary (printf "%s-admin-token" (include "vexil.fullname" .)) "") }}
{{- end }}
{{- end }}

{{/* A text that is not empty if all namespaces are watched. */}}
{{- define "vexil.everywhere" -}}
{{- if has "*" .Values.watch.namespaces }}yes{{ end }}
{{- end }}

{{/* The watched namespaces as a YAML list, the operator namespace first. */}}
{{- define "vexil.watched" -}}
{{- prepend (without .Values.watch.namespaces "*") .Release.Namespace | uniq | toYaml }}
{{- end }}

{{/* Restricts a policy to the namespaces of a YAML list, so that releases do not affect each other. */}}
{{- define "vexil.onlyIn" -}}
matchResources:
  namespaceSelector:
    matchExpressions:
    - key: kubernetes.io/metadata.name
      operator: In
      values:
        {{- . | nindent 8 }}
{{- end }}

{{/* The users whose stamps and Events are trusted, as a CEL list. */}}
{{- define "vexil.operators" -}}
{{- $own := printf "system:serviceaccount:%s:%s" .Release.Namespace (include "vexil.serviceAccount" .) }}
{{- printf "['%s']" (prepend .Values.admission.trustedUsers $own | join "', '") }}
{{- end }}

{{/* Like vexil.text, for settings with the value `off`, which Helm parses as false without quotes. */}}
{{- define "vexil.orOff" -}}
{{- if kindIs "bool" . }}off{{ else }}{{ include "vexil.text" . }}{{ end }}
{{- end }}
