{{/* Generated from config/rbac by `npm run generate`; do not edit. */}}
{{- define "vexil.rules.home" -}}
- apiGroups: [vexil.dev]
  resources: [flagusers]
  verbs: [list, watch]
- apiGroups: [vexil.dev]
  resources: [flagroles]
  verbs: [get, list, watch, patch]
- apiGroups: [vexil.dev]
  resources: [environments, strategydefinitions, apitokens]
  verbs: [get, list, watch, create, patch, delete]
# The API creates projects here; the other permissions for projects are in watched.yaml.
- apiGroups: [vexil.dev]
  resources: [projects]
  verbs: [create]
- apiGroups: [vexil.dev]
  resources: [environments/status, flagusers/status, flagroles/status, apitokens/status, strategydefinitions/status]
  verbs: [patch]
# Events of the history for kubectl. They are listed after a loss of the archive, which is restored from them, and to
# forget a person: then those that name the person are deleted and created again.
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, list, delete]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [vexil]
  verbs: [get, update]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
# The values of API tokens, each by name: the operator does not list, watch or change Secrets.
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, create]
# The highest ids that were given. RBAC cannot restrict create by name.
- apiGroups: [""]
  resources: [configmaps]
  resourceNames: [vexil-ids]
  verbs: [get, patch]
# The namespaces that names of projects, flags and segments belong to. Each ConfigMap is listed and watched by name.
- apiGroups: [""]
  resources: [configmaps]
  resourceNames: [vexil-names-0, vexil-names-1, vexil-names-2, vexil-names-3, vexil-names-4, vexil-names-5, vexil-names-6, vexil-names-7]
  verbs: [list, watch, patch]
- apiGroups: [""]
  resources: [configmaps]
  verbs: [create]
{{- end }}

{{- define "vexil.rules.watched" -}}
- apiGroups: [vexil.dev]
  resources: [featureflags, segments]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [vexil.dev]
  resources: [changerequests, changeapprovals]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [vexil.dev]
  resources: [projects]
  verbs: [get, list, watch, patch, delete]
- apiGroups: [vexil.dev]
  resources: [notificationsinks]
  verbs: [get, list, watch]
- apiGroups: [vexil.dev]
  resources: [featureflags/status, projects/status, segments/status, changerequests/status, changeapprovals/status, notificationsinks/status]
  verbs: [patch]
# Events of the history for kubectl. They are listed after a loss of the archive, which is restored from them, and to
# forget a person: then those that name the person are deleted and created again.
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, list, delete]
# Demanded by the opt-in policy environment-permission. The operator demands it of callers of the admin API itself.
- apiGroups: [vexil.dev]
  resources: [environments]
  verbs: [change-flags]
{{- end }}

{{- define "vexil.rules.everywhere" -}}
- apiGroups: [vexil.dev]
  resources: [featureflags, segments]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [vexil.dev]
  resources: [changerequests, changeapprovals]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [vexil.dev]
  resources: [projects]
  verbs: [get, list, watch, patch, delete]
- apiGroups: [vexil.dev]
  resources: [notificationsinks]
  verbs: [get, list, watch]
- apiGroups: [vexil.dev]
  resources: [featureflags/status, projects/status, segments/status, changerequests/status, changeapprovals/status, notificationsinks/status]
  verbs: [patch]
# Events of the history for kubectl. They are listed after a loss of the archive, which is restored from them, and to
# forget a person: then those that name the person are deleted and created again.
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, list, delete]
# Demanded by the opt-in policy environment-permission. The operator demands it of callers of the admin API itself.
- apiGroups: [vexil.dev]
  resources: [environments]
  verbs: [change-flags]
{{- end }}

{{- define "vexil.rules.sinkSecrets" -}}
- apiGroups: [""]
  resources: [secrets]
  verbs: [get]
{{- end }}

{{- define "vexil.people" -}}
vexil-view:
  labels:
    rbac.authorization.k8s.io/aggregate-to-view: "true"
    rbac.authorization.k8s.io/aggregate-to-edit: "true"
    rbac.authorization.k8s.io/aggregate-to-admin: "true"
  rules:
    # No FlagUsers, which have e-mail addresses; no ApiTokens, which have digests of secrets; no NotificationSinks, whose URLs
    # may have secrets.
    - apiGroups: [vexil.dev]
      resources: [featureflags, projects, segments, environments, strategydefinitions, flagroles, changerequests, changeapprovals]
      verbs: [get, list, watch]
vexil-edit:
  labels:
    rbac.authorization.k8s.io/aggregate-to-edit: "true"
    rbac.authorization.k8s.io/aggregate-to-admin: "true"
  rules:
    - apiGroups: [vexil.dev]
      resources: [environments, flagroles]
      verbs: [get, list, watch]
    - apiGroups: [vexil.dev]
      resources: [featureflags, projects, segments, strategydefinitions, changerequests, changeapprovals]
      verbs: [get, list, watch, create, update, patch, delete, deletecollection]
vexil-admin:
  labels:
    rbac.authorization.k8s.io/aggregate-to-admin: "true"
  rules:
    - apiGroups: [vexil.dev]
      resources: [featureflags, projects, segments, strategydefinitions, environments, flagusers, flagroles, apitokens, changerequests, changeapprovals, notificationsinks]
      verbs: [get, list, watch, create, update, patch, delete, deletecollection]
    # Changes of flags in environments, if config/admission/opt-in demands this permission.
    - apiGroups: [vexil.dev]
      resources: [environments]
      verbs: [change-flags]
    # Changes of flags during a freeze of an environment, in the operator namespace alone.
    - apiGroups: [vexil.dev]
      resources: [environments]
      verbs: [bypass-freeze]
vexil-approve:
  rules:
    - apiGroups: [vexil.dev]
      resources: [featureflags, environments, changerequests, changeapprovals]
      verbs: [get, list, watch]
    - apiGroups: [vexil.dev]
      resources: [changeapprovals]
      verbs: [create, delete]
    - apiGroups: [vexil.dev]
      resources: [environments]
      verbs: [approve]
{{- end }}
