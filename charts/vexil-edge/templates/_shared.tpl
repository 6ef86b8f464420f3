{{/* Generated from charts/vexil/templates/_shared.tpl by `npm run generate`; do not edit. */}}
{{/* What every chart of this repository has: names, labels, the image, security contexts, scheduling. */}}

{{- define "vexil-edge.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{/* At most 50 characters, because some names have a suffix. */}}
{{- define "vexil-edge.fullname" -}}
{{- $name := include "vexil-edge.name" . }}
{{- $full := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) }}
{{- .Values.fullnameOverride | default ($full | replace "." "-") | trunc 50 | trimSuffix "-" }}
{{- end }}

{{/* The selector labels of a component: (list $ "operator"). */}}
{{- define "vexil-edge.selector" -}}
{{- $ := index . 0 -}}
app.kubernetes.io/name: {{ include "vexil-edge.name" $ }}
app.kubernetes.io/instance: {{ $.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "vexil-edge.labels" -}}
{{- $ := index . 0 -}}
{{ include "vexil-edge.selector" . }}
app.kubernetes.io/part-of: vexil
app.kubernetes.io/version: {{ $.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $.Chart.Name $.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- with $.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "vexil-edge.image" -}}
{{- .Values.image.repository }}
{{- if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{/* A value for an environment variable: lists with commas, large numbers with all digits. */}}
{{- define "vexil-edge.text" -}}
{{- if kindIs "slice" . }}{{ join "," . }}{{ else if kindIs "float64" . }}{{ printf "%.0f" . }}{{ else }}{{ . }}{{ end }}
{{- end }}

{{/* The security context of all pods of the chart, as the restricted Pod Security Standard requires. */}}
{{- define "vexil-edge.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "vexil-edge.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* Scheduling and pull secrets of all pods of the chart. */}}
{{- define "vexil-edge.placement" -}}
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
