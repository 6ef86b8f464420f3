{{/* Made by `npm run generate` from config/rbac; changes here are lost. */}}
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
# Those that are created through the API live here; the rest is in watched.yaml.
- apiGroups: [vexil.dev]
  resources: [projects]
  verbs: [create]
- apiGroups: [vexil.dev]
  resources: [environments/status, flagusers/status, flagroles/status, apitokens/status, strategydefinitions/status]
  verbs: [patch]
# The history as people read it with kubectl. Events are listed when the archive is lost: it begins with what they tell.
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, list]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [vexil]
  verbs: [get, update]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
# The values of API tokens, each by its name: the operator neither lists nor watches Secrets, and changes none.
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, create]
# The highest ids that were ever given. A creation cannot be allowed by name.
- apiGroups: [""]
  resources: [configmaps]
  resourceNames: [vexil-ids]
  verbs: [get, patch]
# The namespaces that names of projects and flags belong to. Each is listed and watched by its name.
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
  resources: [featureflags]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [vexil.dev]
  resources: [projects]
  verbs: [get, list, watch, patch, delete]
- apiGroups: [vexil.dev]
  resources: [featureflags/status, projects/status]
  verbs: [patch]
# The history as people read it with kubectl. Events are listed when the archive is lost: it begins with what they tell.
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, list]
# Asked by the opt-in policy environment-permission: Vexil asks its callers the same itself.
- apiGroups: [vexil.dev]
  resources: [environments]
  verbs: [change-flags]
{{- end }}

{{- define "vexil.rules.everywhere" -}}
- apiGroups: [vexil.dev]
  resources: [featureflags]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [vexil.dev]
  resources: [projects]
  verbs: [get, list, watch, patch, delete]
- apiGroups: [vexil.dev]
  resources: [featureflags/status, projects/status]
  verbs: [patch]
# The history as people read it with kubectl. Events are listed when the archive is lost: it begins with what they tell.
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, list]
# Asked by the opt-in policy environment-permission: Vexil asks its callers the same itself.
- apiGroups: [vexil.dev]
  resources: [environments]
  verbs: [change-flags]
{{- end }}

{{- define "vexil.people" -}}
vexil-view:
  labels:
    rbac.authorization.k8s.io/aggregate-to-view: "true"
    rbac.authorization.k8s.io/aggregate-to-edit: "true"
    rbac.authorization.k8s.io/aggregate-to-admin: "true"
  rules:
  # No FlagUsers, as they have e-mail addresses; no ApiTokens, as they have digests of what is secret.
  - apiGroups: [vexil.dev]
    resources: [featureflags, projects, environments, strategydefinitions, flagroles]
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
    resources: [featureflags, projects, strategydefinitions]
    verbs: [get, list, watch, create, update, patch, delete, deletecollection]
vexil-admin:
  labels:
    rbac.authorization.k8s.io/aggregate-to-admin: "true"
  rules:
  - apiGroups: [vexil.dev]
    resources: [featureflags, projects, strategydefinitions, environments, flagusers, flagroles, apitokens]
    verbs: [get, list, watch, create, update, patch, delete, deletecollection]
  # What flags say of environments, where config/admission/opt-in asks for it.
  - apiGroups: [vexil.dev]
    resources: [environments]
    verbs: [change-flags]
{{- end }}
