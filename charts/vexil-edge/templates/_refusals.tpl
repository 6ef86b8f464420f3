{{/* Fails for invalid values before anything is written, with a message on what to do. */}}

{{- define "vexil-edge.refuse" -}}
{{- include "vexil-edge.refuseUpstream" . }}
{{- include "vexil-edge.refuseVariables" . }}
{{- if and .Values.config.strict (not .Values.tokens.existingSecret) }}
{{- fail "config.strict is true, but no tokens are given, so that every caller would be refused: name the Secret with the tokens in tokens.existingSecret, or leave config.strict out" }}
{{- end }}
{{- if and .Values.backup.persistent.enabled (not .Values.backup.enabled) }}
{{- fail "backup.persistent.enabled is true, but backup.enabled is false: set both, or none" }}
{{- end }}
{{- with .Values.autoscaling }}
{{- if and .enabled (gt (int .minReplicas) (int .maxReplicas)) }}
{{- fail (printf "autoscaling.minReplicas is %d, and autoscaling.maxReplicas is %d: the first must not be greater" (int .minReplicas) (int .maxReplicas)) }}
{{- end }}
{{- if and .enabled (not (($.Values.resources).requests).cpu) }}
{{- fail "autoscaling.enabled is true, but resources.requests.cpu is absent, so that no use of CPU can be computed: set it" }}
{{- end }}
{{- end }}
{{- end }}

{{- define "vexil-edge.refuseUpstream" -}}
{{- if not .Values.upstream.urls }}
{{- fail "upstream.urls is empty: name the URL of Vexil, another edge, Unleash or Unleash Edge, for instance --set 'upstream.urls={https://flags.example.com}'" }}
{{- end }}
{{- range .Values.upstream.urls }}
{{- if hasSuffix "/api" (trimSuffix "/" .) }}
{{- fail (printf "upstream.urls has %s: name the URL without /api" .) }}
{{- end }}
{{- end }}
{{- end }}

{{- define "vexil-edge.refuseVariables" -}}
{{- $instead := include "vexil-edge.instead" . | fromYaml }}
{{- range .Values.extraEnv }}
{{- if hasKey $instead .name }}
{{- fail (printf "extraEnv sets %s, which the edge takes as a setting: %s" .name (get $instead .name)) }}
{{- end }}
{{- if hasPrefix "VEXIL_" .name }}
{{- fail (printf "extraEnv sets %s, which is no setting of the edge (docs/install-edge.md)" .name) }}
{{- end }}
{{- end }}
{{- end }}
