{{/* What several templates of this chart ask. */}}

{{/* A text that is not empty if there may be several pods. */}}
{{- define "vexil-edge.several" -}}
{{- if gt (int (.Values.autoscaling.enabled | ternary .Values.autoscaling.maxReplicas .Values.replicas)) 1 }}yes{{ end }}
{{- end }}

{{/* The kind of the object that makes the pods: only a StatefulSet gives each pod a volume that it keeps. */}}
{{- define "vexil-edge.kind" -}}
{{- and .Values.backup.enabled .Values.backup.persistent.enabled | ternary "StatefulSet" "Deployment" }}
{{- end }}

{{- define "vexil-edge.scheme" -}}
{{- .Values.tls.secretName | empty | ternary "http" "https" }}
{{- end }}

{{/* The ports of the upstream as a YAML list. */}}
{{- define "vexil-edge.upstreamPorts" -}}
{{- $ports := .Values.networkPolicy.upstreamPorts }}
{{- range .Values.upstream.urls }}
{{- $url := urlParse . }}
{{- $port := regexFind ":[0-9]+$" $url.host | trimPrefix ":" | default (eq $url.scheme "https" | ternary "443" "80") }}
{{- if not $.Values.networkPolicy.upstreamPorts }}{{ $ports = append $ports (int $port) }}{{ end }}
{{- end }}
{{- $ports | uniq | toYaml }}
{{- end }}
