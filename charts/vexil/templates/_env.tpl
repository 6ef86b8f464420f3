{{/* The settings of the operator as environment variables of its container: a change restarts the pods. */}}
{{- define "vexil.env" -}}
- name: VEXIL_NAMESPACE
  value: {{ .Release.Namespace | quote }}
{{- with .Values.watch.namespaces }}
- name: VEXIL_WATCH_NAMESPACES
  value: {{ join "," . | quote }}
{{- end }}
- name: VEXIL_HTTP_PORT
  value: "4242"
- name: VEXIL_OPS_PORT
  value: "8081"
- name: VEXIL_AUTH
  value: {{ .Values.auth }}
{{- with include "vexil.adminTokenSecret" . }}
- name: VEXIL_ADMIN_TOKEN
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: {{ $.Values.adminToken.create | ternary "token" $.Values.adminToken.key }}
{{- end }}
{{- with .Values.oidcClientSecret.existingSecret }}
- name: VEXIL_OIDC_CLIENT_SECRET
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: {{ $.Values.oidcClientSecret.key }}
{{- end }}
- name: VEXIL_AUDIT_URL
{{- if .Values.audit.postgres.existingSecret }}
  valueFrom:
    secretKeyRef:
      name: {{ .Values.audit.postgres.existingSecret }}
      key: {{ .Values.audit.postgres.key }}
{{- else }}
  value: sqlite:/var/lib/vexil/audit.db
{{- end }}
{{- if ne (toString .Values.audit.retention) "" }}
- name: VEXIL_AUDIT_RETENTION
  value: {{ include "vexil.orOff" .Values.audit.retention | quote }}
{{- end }}
{{- with .Values.audit.export.url }}
- name: VEXIL_HISTORY_EXPORT_URL
  value: {{ . | quote }}
{{- end }}
{{- with .Values.audit.signing }}
{{- if .secretName }}
- name: VEXIL_HISTORY_SIGNING_KEY_FILE
  value: /etc/vexil/signing/{{ .key }}
{{- end }}
{{- end }}
{{- with .Values.audit.log.receiver }}
{{- if .secretName }}
- name: VEXIL_AUDIT_LOG_PORT
  value: "9443"
- name: VEXIL_AUDIT_LOG_TLS_CERT_FILE
  value: /etc/vexil/audit-log/tls.crt
- name: VEXIL_AUDIT_LOG_TLS_KEY_FILE
  value: /etc/vexil/audit-log/tls.key
{{- if .token }}
- name: VEXIL_AUDIT_LOG_TOKEN_FILE
  value: /etc/vexil/audit-log/token
{{- end }}
{{- if .clientCa }}
- name: VEXIL_AUDIT_LOG_CLIENT_CA_FILE
  value: /etc/vexil/audit-log/ca.crt
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.audit.log.file }}
{{- if .volume }}
- name: VEXIL_AUDIT_LOG_FILE
  value: /var/log/vexil-audit/{{ .name }}
{{- end }}
{{- end }}
{{- if .Values.admission.environmentPermissions }}
- name: VEXIL_ENVIRONMENT_PERMISSIONS
  value: "true"
{{- end }}
{{- if .Values.tls.secretName }}
- name: VEXIL_TLS_CERT_FILE
  value: /etc/vexil/tls/tls.crt
- name: VEXIL_TLS_KEY_FILE
  value: /etc/vexil/tls/tls.key
{{- end }}
{{- $switchable := include "vexil.switchable" . | fromYamlArray }}
{{- range $key, $variable := include "vexil.settings" . | fromYaml }}
{{- if hasKey $.Values.config $key }}
{{- $form := has $key $switchable | ternary "vexil.orOff" "vexil.text" }}
- name: {{ $variable }}
  value: {{ include $form (index $.Values.config $key) | quote }}
{{- end }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}
