{{/* Fails for invalid values before anything is written, with a message on what to do. */}}

{{- define "vexil.refuse" -}}
{{- include "vexil.refuseHistory" . }}
{{- include "vexil.refuseAuditLog" . }}
{{- include "vexil.refuseAccess" . }}
{{- include "vexil.refusePlaces" . }}
{{- end }}

{{- define "vexil.refuseHistory" -}}
{{- $replicas := int .Values.replicas }}
{{- $postgres := .Values.audit.postgres.existingSecret }}
{{- if and (gt $replicas 1) (not $postgres) }}
{{- fail (printf "replicas is %d, but the history is in SQLite, a file that only one replica can use: name the Secret with the URL of a PostgreSQL database in audit.postgres.existingSecret, or set replicas to 1" $replicas) }}
{{- end }}
{{- if and $postgres .Values.audit.sqlite.existingClaim }}
{{- fail (printf "audit.postgres.existingSecret is %q and audit.sqlite.existingClaim is %q, but the history has one store: set one of them" $postgres .Values.audit.sqlite.existingClaim) }}
{{- end }}
{{- if and (gt $replicas 1) (hasKey .Values.config "leaderElection") (not .Values.config.leaderElection) }}
{{- fail (printf "replicas is %d, but config.leaderElection is false, so that all of them would reconcile: leave it out, or set replicas to 1" $replicas) }}
{{- end }}
{{- end }}

{{- define "vexil.refuseAuditLog" -}}
{{- with .Values.audit.log.receiver }}
{{- if and .secretName (not .token) (not .clientCa) }}
{{- fail (printf "audit.log.receiver.secretName is %q, but audit.log.receiver.token and audit.log.receiver.clientCa are false, so that anyone could write into the history: set one of them to true" .secretName) }}
{{- end }}
{{- end }}
{{- end }}

{{- define "vexil.refuseAccess" -}}
{{- if and (eq .Values.auth "none") (not .Values.config.allowAnonymous) }}
{{- fail "auth is none, so everyone who reaches the Service could change every flag: use auth=token, or accept it with config.allowAnonymous=true" }}
{{- end }}
{{- if and .Values.adminToken.create .Values.adminToken.existingSecret }}
{{- fail (printf "adminToken.existingSecret is %q while adminToken.create is true: set adminToken.create=false to use that Secret, or leave existingSecret out to have a token generated" .Values.adminToken.existingSecret) }}
{{- end }}
{{- if and (not .Values.serviceAccount.create) (not .Values.serviceAccount.name) }}
{{- fail "serviceAccount.create is false, and serviceAccount.name is empty: set serviceAccount.name to an existing ServiceAccount" }}
{{- end }}
{{- range .Values.extraEnv }}
{{- if or (hasPrefix "VEXIL_" .name) (eq .name "KUBECONFIG") }}
{{- fail (printf "extraEnv sets %s, which is a setting of Vexil: use its own value, or config (docs/install.md)" .name) }}
{{- end }}
{{- end }}
{{- end }}

{{- define "vexil.refusePlaces" -}}
{{- if and (include "vexil.everywhere" .) (gt (len .Values.watch.namespaces) 1) }}
{{- fail (printf "watch.namespaces is %s, but \"*\" means all namespaces: use only \"*\", or leave it out" (toJson .Values.watch.namespaces)) }}
{{- end }}
{{- if .Values.rbac.create }}
{{- include "vexil.refuseBesideAll" . }}
{{- range include "vexil.watched" . | fromYamlArray }}
{{- $advice := ne . $.Release.Namespace | ternary (printf "leave %s out of watch.namespaces" .) "install into a namespace of its own" }}
{{- include "vexil.refuseOwned" (dict "root" $ "kind" "RoleBinding" "apiVersion" "rbac.authorization.k8s.io/v1" "namespace" . "name" "vexil-flags" "advice" (printf "a namespace can have one operator, so %s" $advice)) }}
{{- end }}
{{- end }}
{{- if .Values.rbac.aggregate }}
{{- include "vexil.refuseOwned" (dict "root" $ "kind" "ClusterRole" "apiVersion" "rbac.authorization.k8s.io/v1" "namespace" "" "name" "vexil-view" "advice" "the roles for users exist once per cluster, so set rbac.aggregate=false") }}
{{- end }}
{{- if .Values.crds.install }}
{{- include "vexil.refuseOwned" (dict "root" $ "kind" "CustomResourceDefinition" "apiVersion" "apiextensions.k8s.io/v1" "namespace" "" "name" "featureflags.vexil.dev" "advice" "the CRDs exist once per cluster: set crds.install=false, or take them over with --take-ownership if that release is gone" "stays" true) }}
{{- end }}
{{- end }}

{{/* A release that watches all namespaces must be the only one. Namespaced releases may lack permission for this lookup. */}}
{{- define "vexil.refuseBesideAll" -}}
{{- if or (include "vexil.everywhere" .) .Values.identities .Values.rbac.aggregate .Values.crds.install }}
{{- include "vexil.refuseOwned" (dict "root" . "kind" "ClusterRoleBinding" "apiVersion" "rbac.authorization.k8s.io/v1" "namespace" "" "name" "vexil-flags" "advice" "it watches all namespaces, so there can be no other operator: restrict its watch.namespaces, or uninstall it") }}
{{- end }}
{{- if include "vexil.everywhere" . }}
{{- range (lookup "rbac.authorization.k8s.io/v1" "RoleBinding" "" "").items }}
{{- if eq .metadata.name "vexil-flags" }}
{{- include "vexil.refuseOwned" (dict "root" $ "kind" "RoleBinding" "apiVersion" "rbac.authorization.k8s.io/v1" "namespace" .metadata.namespace "name" "vexil-flags" "advice" "a namespace can have one operator: list the namespaces of this one in watch.namespaces, or uninstall the other") }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/*
Fails if another release owns an object. An object with "stays" outlives its release: if that release is gone, this does
not fail, and Helm itself refuses without --take-ownership.
*/}}
{{- define "vexil.refuseOwned" -}}
{{- $ := .root }}
{{- $existing := lookup .apiVersion .kind .namespace .name }}
{{- $notes := (($existing).metadata).annotations | default dict }}
{{- $release := index $notes "meta.helm.sh/release-name" | default "" }}
{{- $home := index $notes "meta.helm.sh/release-namespace" | default "" }}
{{- $isOther := and $release (or (ne $release $.Release.Name) (ne $home $.Release.Namespace)) }}
{{- $lives := or (not .stays) (and $isOther (lookup "rbac.authorization.k8s.io/v1" "RoleBinding" $home "vexil-flags")) }}
{{- if and $isOther $lives }}
{{- $where := .namespace | default "the cluster" }}
{{- fail (printf "the %s %s of %s belongs to the release %s in the namespace %s: %s" .kind .name $where $release $home .advice) }}
{{- end }}
{{- end }}
