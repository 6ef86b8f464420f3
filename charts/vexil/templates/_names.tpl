{{/* Names and labels of objects. */}}

{{- define "vexil.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{/* At most 50 characters, because some names have a suffix. */}}
{{- define "vexil.fullname" -}}
{{- $name := include "vexil.name" . }}
{{- $full := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) }}
{{- .Values.fullnameOverride | default ($full | replace "." "-") | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "vexil.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "vexil.fullname" .) }}
{{- end }}

{{/* The selector labels of a component: (list $ "operator"). */}}
{{- define "vexil.selector" -}}
{{- $ := index . 0 -}}
app.kubernetes.io/name: {{ include "vexil.name" $ }}
app.kubernetes.io/instance: {{ $.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "vexil.labels" -}}
{{- $ := index . 0 -}}
{{ include "vexil.selector" . }}
app.kubernetes.io/part-of: vexil
app.kubernetes.io/version: {{ $.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $.Chart.Name $.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- with $.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "vexil.image" -}}
{{- .Values.image.repository }}
{{- if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
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

{{/* A value for an environment variable: lists with commas, large numbers with all digits. */}}
{{- define "vexil.text" -}}
{{- if kindIs "slice" . }}{{ join "," . }}{{ else if kindIs "float64" . }}{{ printf "%.0f" . }}{{ else }}{{ . }}{{ end }}
{{- end }}

{{/* Like vexil.text, for settings with the value `off`, which Helm parses as false without quotes. */}}
{{- define "vexil.orOff" -}}
{{- if kindIs "bool" . }}off{{ else }}{{ include "vexil.text" . }}{{ end }}
{{- end }}

{{/* The security context of all pods of the chart, as the restricted Pod Security Standard requires. */}}
{{- define "vexil.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "vexil.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* Scheduling and pull secrets of all pods of the chart. */}}
{{- define "vexil.placement" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}
