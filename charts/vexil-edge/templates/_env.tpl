{{/* The settings of the edge as environment variables of its container: a change replaces the pods. */}}
{{- define "vexil-edge.env" -}}
- name: VEXIL_EDGE_UPSTREAM_URL
  value: {{ join "," .Values.upstream.urls | quote }}
- name: VEXIL_EDGE_PORT
  value: "3063"
{{- if .Values.upstream.ca.existingSecret }}
- name: VEXIL_EDGE_UPSTREAM_CERTIFICATE_FILE
  value: /etc/vexil-edge/upstream-ca/ca.crt
{{- end }}
{{- if .Values.upstream.clientCertificate.secretName }}
- name: VEXIL_EDGE_CLIENT_CERTIFICATE_FILE
  value: /etc/vexil-edge/client-certificate/tls.crt
- name: VEXIL_EDGE_CLIENT_KEY_FILE
  value: /etc/vexil-edge/client-certificate/tls.key
{{- end }}
{{- with .Values.upstream.headers.existingSecret }}
- name: VEXIL_EDGE_CUSTOM_CLIENT_HEADERS
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: {{ $.Values.upstream.headers.key }}
{{- end }}
{{- if .Values.tokens.existingSecret }}
- name: VEXIL_EDGE_TOKENS_FILE
  value: /etc/vexil-edge/tokens/tokens
{{- end }}
{{- if .Values.backup.enabled }}
- name: VEXIL_EDGE_BACKUP_FOLDER
  value: /var/lib/vexil-edge/backup
{{- end }}
{{- if .Values.tls.secretName }}
- name: VEXIL_EDGE_TLS_SERVER_CERT
  value: /etc/vexil-edge/tls/tls.crt
- name: VEXIL_EDGE_TLS_SERVER_KEY
  value: /etc/vexil-edge/tls/tls.key
{{- end }}
{{- range $key, $variable := include "vexil-edge.settings" . | fromYaml }}
{{- if hasKey $.Values.config $key }}
- name: {{ $variable }}
  value: {{ include "vexil-edge.text" (index $.Values.config $key) | quote }}
{{- end }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The volumes of the files that the settings name, as a map: mountPath and source of each. */}}
{{- define "vexil-edge.volumes" -}}
tmp:
  path: /tmp
  source:
    emptyDir: {}
{{- with .Values.tokens.existingSecret }}
tokens:
  path: /etc/vexil-edge/tokens
  source:
    secret:
      secretName: {{ . }}
      defaultMode: 0440
      items:
      - key: {{ $.Values.tokens.key }}
        path: tokens
{{- end }}
{{- with .Values.upstream.ca.existingSecret }}
upstream-ca:
  path: /etc/vexil-edge/upstream-ca
  source:
    secret:
      secretName: {{ . }}
      defaultMode: 0440
      items:
      - key: {{ $.Values.upstream.ca.key }}
        path: ca.crt
{{- end }}
{{- with .Values.upstream.clientCertificate.secretName }}
client-certificate:
  path: /etc/vexil-edge/client-certificate
  source:
    secret:
      secretName: {{ . }}
      defaultMode: 0440
{{- end }}
{{- with .Values.tls.secretName }}
tls:
  path: /etc/vexil-edge/tls
  source:
    secret:
      secretName: {{ . }}
      defaultMode: 0440
{{- end }}
{{- if .Values.backup.enabled }}
backup:
  path: /var/lib/vexil-edge
  {{- if not .Values.backup.persistent.enabled }}
  source:
    emptyDir:
      sizeLimit: {{ .Values.backup.size }}
  {{- end }}
{{- end }}
{{- end }}
