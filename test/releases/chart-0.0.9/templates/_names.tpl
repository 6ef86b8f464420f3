{{/* What objects are called, and what they are labelled with. */}}

{{- define "vexil.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{/* At most 50 characters, as some names have more behind it. */}}
{{- define "vexil.fullname" -}}
{{- $name := include "vexil.name" . }}
{{- $full := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) }}
{{- .Values.fullnameOverride | default ($full | replace "." "-") | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "vexil.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "vexil.fullname" .) }}
{{- end }}

{{/* What one part of a release is selected by: (list $ "operator"). */}}
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

{{/* Empty where PostgreSQL has the history. */}}
{{- define "vexil.claim" -}}
{{- if not .Values.audit.postgres.existingSecret }}
{{- .Values.audit.sqlite.existingClaim | default (printf "%s-history" (include "vexil.fullname" .)) }}
{{- end }}
{{- end }}

{{/* The Secret of the token for the first steps; empty where there is none. */}}
{{- define "vexil.adminTokenSecret" -}}
{{- if ne .Values.auth "none" }}
{{- .Values.adminToken.existingSecret | default (.Values.adminToken.create | ternary (printf "%s-admin-token" (include "vexil.fullname" .)) "") }}
{{- end }}
{{- end }}

{{/* Not empty where every namespace is watched. */}}
{{- define "vexil.everywhere" -}}
{{- if has "*" .Values.watch.namespaces }}yes{{ end }}
{{- end }}

{{/* Where flags are watched, as a list in YAML, home first. */}}
{{- define "vexil.watched" -}}
{{- prepend (without .Values.watch.namespaces "*") .Release.Namespace | uniq | toYaml }}
{{- end }}

{{/* Keeps a policy to the namespaces of a list in YAML: two releases know nothing of each other then. */}}
{{- define "vexil.onlyIn" -}}
matchResources:
  namespaceSelector:
    matchExpressions:
    - key: kubernetes.io/metadata.name
      operator: In
      values:
        {{- . | nindent 8 }}
{{- end }}

{{/* Those whose stamps and Events are believed, as a list in CEL. */}}
{{- define "vexil.operators" -}}
{{- $own := printf "system:serviceaccount:%s:%s" .Release.Namespace (include "vexil.serviceAccount" .) }}
{{- printf "['%s']" (prepend .Values.admission.trustedUsers $own | join "', '") }}
{{- end }}

{{/* A value as a variable holds it: lists with commas, large numbers with all their digits. */}}
{{- define "vexil.text" -}}
{{- if kindIs "slice" . }}{{ join "," . }}{{ else if kindIs "float64" . }}{{ printf "%.0f" . }}{{ else }}{{ . }}{{ end }}
{{- end }}

{{/* The same where `off` is a value, which is false to Helm without quotes. */}}
{{- define "vexil.orOff" -}}
{{- if kindIs "bool" . }}off{{ else }}{{ include "vexil.text" . }}{{ end }}
{{- end }}

{{/* Of all pods of the chart, as the restricted standard wants it. */}}
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

{{/* Where pods run; the same for all of the chart. */}}
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
