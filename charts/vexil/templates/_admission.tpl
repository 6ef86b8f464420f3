{{/* Generated from config/admission by `npm run generate`; do not edit. */}}
{{- define "vexil.policy.author" -}}
failurePolicy: Fail
reinvocationPolicy: IfNeeded
matchConstraints:
  resourceRules:
    - apiGroups: [vexil.dev]
      apiVersions: ["*"]
      operations: [CREATE, UPDATE]
      # Without subresources: a write of a status cannot change annotations.
      resources: ["*"]
matchConditions:
  - name: not-vexil
    expression: "!(request.userInfo.username in {{ include `vexil.operators` . }})"
  # Other writes, such as an unchanged re-apply or a new label, leave all stamps as they are: the rest need not be computed.
  - name: may-change-stamps
    expression: |-
      request.operation == 'CREATE' || object.?spec != oldObject.?spec || object.metadata.?annotations != oldObject.metadata.?annotations
variables:
  # Absent at first, and never changed: the creator, and what alerts did to a flag.
  - name: creation
    expression: "['vexil.dev/created-by', 'vexil.dev/alert-actions']"
  - name: change
    expression: |-
      ['vexil.dev/changed-by', 'vexil.dev/changed-generation', 'vexil.dev/changed-via', 'vexil.dev/changed-from', 'vexil.dev/changed-channel', 'vexil.dev/changed-reason', 'vexil.dev/changed-bypassing', 'vexil.dev/changed-trace']
  - name: deletion
    expression: |-
      ['vexil.dev/deleted-by', 'vexil.dev/deleted-at', 'vexil.dev/deleted-via', 'vexil.dev/deleted-from', 'vexil.dev/deleted-channel', 'vexil.dev/deleted-reason']
  - name: isNew
    expression: request.operation == 'CREATE'
  - name: isChange
    expression: variables.isNew || object.?spec != oldObject.?spec
  # A change of the spec removes the stamp of a deletion that was requested and did not happen.
  - name: isGoing
    expression: "!variables.isNew && has(oldObject.metadata.deletionTimestamp)"
  - name: kept
    expression: |-
      (variables.isNew ? [] : variables.creation) + (variables.isChange ? [] : variables.change) + (variables.isChange && !variables.isGoing ? [] : variables.deletion)
  - name: before
    expression: "variables.isNew ? {} : oldObject.metadata.?annotations.orValue({})"
  - name: stamp
    expression: |-
      {
        'vexil.dev/created-by': request.userInfo.username,
        'vexil.dev/changed-by': request.userInfo.username,
        'vexil.dev/changed-generation': variables.isNew ? '1' : string(oldObject.metadata.generation + 1)
      }
  - name: now
    expression: object.metadata.?annotations.orValue({})
  - name: wrong
    expression: |-
      (variables.creation + variables.change + variables.deletion).filter(k, variables.now[?k] != (k in variables.kept ? variables.before : variables.stamp)[?k])
mutations:
  - patchType: JSONPatch
    jsonPatch:
      expression: |-
        (variables.wrong.size() == 0 || has(object.metadata.annotations) ? [] : [JSONPatch{op: 'add', path: '/metadata/annotations', value: {}}]) + variables.wrong.map(k, k in (k in variables.kept ? variables.before : variables.stamp) ? JSONPatch{
          op: 'add', path: '/metadata/annotations/' + jsonpatch.escapeKey(k),
          value: (k in variables.kept ? variables.before : variables.stamp)[k]
        } : JSONPatch{op: 'remove', path: '/metadata/annotations/' + jsonpatch.escapeKey(k)})
{{- end }}

{{- define "vexil.policy.stamps" -}}
failurePolicy: Fail
matchConstraints:
  resourceRules:
    - apiGroups: [vexil.dev]
      apiVersions: ["*"]
      operations: [CREATE, UPDATE]
      # Without subresources: a write of a status cannot change annotations.
      resources: ["*"]
matchConditions:
  - name: not-vexil
    expression: "!(request.userInfo.username in {{ include `vexil.operators` . }})"
variables:
  - name: stamps
    expression: |-
      [
        'vexil.dev/created-by', 'vexil.dev/alert-actions',
        'vexil.dev/changed-by', 'vexil.dev/changed-generation', 'vexil.dev/changed-via', 'vexil.dev/changed-from',
        'vexil.dev/changed-channel', 'vexil.dev/changed-reason', 'vexil.dev/changed-bypassing',
        'vexil.dev/changed-trace',
        'vexil.dev/deleted-by', 'vexil.dev/deleted-at', 'vexil.dev/deleted-via', 'vexil.dev/deleted-from',
        'vexil.dev/deleted-channel', 'vexil.dev/deleted-reason'
      ]
  - name: isNew
    expression: request.operation == 'CREATE'
  - name: before
    expression: "variables.isNew ? {} : oldObject.metadata.?annotations.orValue({})"
  - name: now
    expression: object.metadata.?annotations.orValue({})
  # The stamp that the author policy would write, so that the policies agree while one replaces the other.
  - name: own
    expression: |-
      variables.isNew ? {
        'vexil.dev/created-by': request.userInfo.username,
        'vexil.dev/changed-by': request.userInfo.username,
        'vexil.dev/changed-generation': '1'
      } : object.?spec == oldObject.?spec ? {} : {
        'vexil.dev/changed-by': request.userInfo.username,
        'vexil.dev/changed-generation': string(oldObject.metadata.generation + 1)
      }
  - name: wrong
    expression: |-
      variables.stamps.filter(k, k in variables.now && variables.now[?k] != variables.before[?k] && variables.now[?k] != variables.own[?k])
validations:
  - expression: variables.wrong.size() == 0
    messageExpression: "'only Vexil writes the annotation ' + variables.wrong[0] + ': leave it out'"
    reason: Forbidden
{{- end }}

{{- define "vexil.policy.audit-events" -}}
failurePolicy: Fail
matchConstraints:
  resourceRules:
    - apiGroups: ["", events.k8s.io]
      apiVersions: [v1]
      operations: [CREATE, UPDATE]
      resources: [events]
matchConditions:
  # Checks the object before and after the write, so that no user can remove the label. Also matches names that only
  # resemble that of Vexil.
  - name: claims-to-be-vexil
    expression: |-
      [object, oldObject].exists(event, event != null && ('vexil.dev/audit' in event.metadata.?labels.orValue({}) || [event.?reportingController, event.?reportingComponent, event.?source.?component, event.?deprecatedSource.?component] .exists(name, name.orValue('').lowerAscii().contains('vexil.dev'))))
validations:
  - expression: "request.userInfo.username in {{ include `vexil.operators` . }}"
    message: only Vexil writes Events with the label vexil.dev/audit, or with a name of vexil.dev as their source or reporting controller
    reason: Forbidden
{{- end }}

{{- define "vexil.policy.protected-environment" -}}
failurePolicy: Fail
matchConstraints:
  resourceRules:
    - apiGroups: [vexil.dev]
      apiVersions: ["*"]
      operations: [DELETE]
      resources: [environments]
validations:
  - expression: |-
      !oldObject.?spec.?protected.orValue(false) || namespaceObject.?status.?phase.orValue('') == 'Terminating'
    messageExpression: "'environment ' + oldObject.metadata.name + ' is protected; set spec.protected to false first'"
    reason: Forbidden
{{- end }}

{{- define "vexil.policy.environment-changes" -}}
failurePolicy: Fail
# The API server needs half a minute to learn of a version, and refuses writes until it has read these objects. This
# version is there before an upgrade from 0.1.0, and after a rollback.
paramKind:
  apiVersion: vexil.dev/v1alpha1
  kind: Environment
matchConstraints:
  resourceRules:
    - apiGroups: [vexil.dev]
      apiVersions: ["*"]
      operations: [CREATE, UPDATE, DELETE]
      resources: [featureflags, projects]
    - apiGroups: [vexil.dev]
      apiVersions: ["*"]
      operations: [UPDATE, DELETE]
      resources: [segments, environments]
    - apiGroups: [vexil.dev]
      apiVersions: ["*"]
      operations: [DELETE]
      resources: [strategydefinitions]
matchConditions:
  - name: not-vexil
    expression: "!(request.userInfo.username in {{ include `vexil.operators` . }})"
  - name: is-guarded
    expression: has(params.status) && has(params.status.freeze) || has(params.spec) && has(params.spec.approvals)
  # RBAC alone decides who may delete a namespace with all its objects.
  - name: is-not-emptied
    expression: request.operation != 'DELETE' || namespaceObject.?status.?phase.orValue('') != 'Terminating'
variables:
  - name: isFrozen
    expression: has(params.status) && has(params.status.freeze)
  - name: approvals
    expression: "dyn(has(params.spec) && has(params.spec.approvals) ? params.spec.approvals : null)"
  - name: resource
    expression: request.resource.resource
  - name: isFlag
    expression: variables.resource == 'featureflags'
  - name: env
    expression: params.?spec.?name.orValue(params.metadata.name)
  # Null counts as absent everywhere.
  - name: oldSpec
    expression: "request.operation == 'CREATE' || !has(oldObject.spec) || oldObject.spec == null ? {} : dyn(oldObject.spec)"
  - name: newSpec
    expression: "request.operation == 'DELETE' || !has(object.spec) || object.spec == null ? {} : dyn(object.spec)"
  - name: before
    expression: |-
      dyn(variables.oldSpec.?environments.orValue(null) == null ? null : variables.oldSpec.environments[?variables.env].orValue(null))
  - name: after
    expression: |-
      dyn(variables.newSpec.?environments.orValue(null) == null ? null : variables.newSpec.environments[?variables.env].orValue(null))
  # Changes of a flag that affect every environment that it names.
  - name: changesAllNamed
    expression: |-
      (variables.oldSpec.?archived.orValue(false) == true) != (variables.newSpec.?archived.orValue(false) == true) || [variables.oldSpec.?variants.orValue(null)].map(v, v == null ? [] : v) != [variables.newSpec.?variants.orValue(null)].map(v, v == null ? [] : v) || [variables.oldSpec.?dependencies.orValue(null)].map(v, v == null ? [] : v) != [variables.newSpec.?dependencies.orValue(null)].map(v, v == null ? [] : v)
  - name: touches
    expression: |-
      variables.isFlag && (variables.before != variables.after || variables.after != null && variables.changesAllNamed)
  - name: strategiesBefore
    expression: "dyn(variables.before == null || variables.before.?strategies.orValue(null) == null ? {} : variables.before.strategies)"
  - name: strategiesAfter
    expression: "dyn(variables.after == null || variables.after.?strategies.orValue(null) == null ? {} : variables.after.strategies)"
  # Nothing but enabled, disabled of strategies and pausedAt of ramps differs, and each of them takes away.
  - name: onlyTakesAway
    expression: |-
      variables.before != null && variables.after != null && !variables.changesAllNamed && (variables.after.?enabled.orValue(false) != true || variables.before.?enabled.orValue(false) == true) && (variables.before.map(k, k) + variables.after.map(k, k)).all(k, k in ['enabled', 'strategies'] || variables.before[?k] == variables.after[?k]) && (variables.strategiesBefore.map(k, k) + variables.strategiesAfter.map(k, k)).all(k, variables.strategiesBefore[?k].orValue(null) == variables.strategiesAfter[?k].orValue(null) || [dyn(variables.strategiesBefore[?k].orValue(null))].exists(old, old != null && [dyn(variables.strategiesAfter[?k].orValue(null))].exists(new, new != null && (new.?disabled.orValue(false) == true || old.?disabled.orValue(false) != true) && (old.map(f, f) + new.map(f, f)).all(f, f in ['disabled', 'ramp'] || old[?f] == new[?f]) && (old.?ramp.orValue(null) == new.?ramp.orValue(null) || old.?ramp.orValue(null) != null && new.?ramp.orValue(null) != null && old.ramp.?pausedAt.orValue(null) == null && (old.ramp.map(f, f) + new.ramp.map(f, f)).all(f, f == 'pausedAt' || old.ramp[?f] == new.ramp[?f])))))
  # An entry that says at most that the flag is off, which comes or goes.
  - name: onlySaysOff
    expression: |-
      (variables.before == null) != (variables.after == null) && !variables.changesAllNamed && [dyn(variables.before == null ? variables.after : variables.before)].all(entry, entry.all(k, k == 'enabled' ? entry[k] != true : entry[k] == null || k == 'strategies' && entry[k].size() == 0))
  # Other objects that decide what is in effect: a segment that strategies use there, whether the project uses the
  # environment, a strategy type, and the environment itself. A project that is deleted could come back with another list.
  - name: touchesByOthers
    expression: |-
      variables.resource == 'strategydefinitions' || variables.resource == 'segments' && variables.env in oldObject.?status.?environments.orValue([]) && (request.operation == 'DELETE' || variables.oldSpec.?project.orValue(null) != variables.newSpec.?project.orValue(null) || [variables.oldSpec.?constraints.orValue(null)].map(v, v == null ? [] : v) != [variables.newSpec.?constraints.orValue(null)].map(v, v == null ? [] : v)) || variables.resource == 'projects' && request.operation == 'DELETE' && oldObject.?status.?flags.orValue(1) != 0 || variables.resource == 'projects' && request.operation == 'UPDATE' && [dyn(variables.oldSpec.?environments.orValue(null))].exists(list, list == null || variables.env in list) != [dyn(variables.newSpec.?environments.orValue(null))].exists(list, list == null || variables.env in list) || variables.resource == 'environments' && object != null && oldObject.metadata.name == params.metadata.name && variables.oldSpec.?enabled.orValue(true) != variables.newSpec.?enabled.orValue(true)
  # Members with a role that may permit approvals, and the rules of the environment.
  - name: changesRules
    expression: |-
      variables.resource == 'projects' && request.operation != 'DELETE' && [variables.newSpec.?members.orValue(null)].map(v, dyn(v == null ? {} : v)).exists(members, members.exists(k, members[k] != null && !(members[k].lowerAscii() in ['owner', 'member']) && (variables.oldSpec.?members.orValue(null) == null || variables.oldSpec.members[?k].orValue(null) != members[k]))) || variables.resource == 'environments' && oldObject.metadata.name == params.metadata.name && (request.operation == 'DELETE' || ['approvals', 'freezes'].exists(k, variables.oldSpec[?k].orValue(null) != variables.newSpec[?k].orValue(null)) || variables.oldSpec.?protected.orValue(false) && !variables.newSpec.?protected.orValue(false))
  # CEL knows no clock, but the API server has noted the time of this write in the managed fields, unless the write resets
  # them.
  - name: grants
    expression: |-
      request.operation == 'CREATE' ? [] : oldObject.?status.?grants.orValue([]).filter(grant, grant.generation == oldObject.metadata.generation && variables.env in grant.environments && (request.operation == 'DELETE' || object.metadata.?managedFields.orValue([]).size() > 0 && object.metadata.managedFields.all(one, !has(one.time) || timestamp(one.time) < timestamp(grant.expiresAt))))
  # Vexil grants the whole value. A deletion is granted as an entry that says nothing.
  - name: isGranted
    expression: |-
      variables.isFlag && variables.grants.exists(grant, [dyn(grant.environments[variables.env])].exists(entry, entry == (variables.after == null ? {} : variables.after)) && (request.operation == 'DELETE' || grant.archived == (variables.newSpec.?archived.orValue(false) == true) && [variables.newSpec.?variants.orValue(null)].exists(v, dyn(grant.variants) == dyn(v == null ? [] : v)) && [variables.newSpec.?dependencies.orValue(null)].exists(v, dyn(grant.dependencies) == dyn(v == null ? [] : v))))
  # No request asks for a new object, for a deletion, or for another project of a segment.
  - name: canBeGranted
    expression: |-
      request.operation == 'UPDATE' && (variables.resource in ['projects', 'environments'] || variables.resource == 'segments' && variables.oldSpec.?project.orValue(null) == variables.newSpec.?project.orValue(null))
  - name: isGrantedOther
    expression: |-
      variables.canBeGranted && variables.grants.exists(grant, variables.resource == 'segments' ? [variables.newSpec.?constraints.orValue(null)].exists(v, dyn(grant.constraints) == dyn(v == null ? [] : v)) : variables.resource == 'projects' ? [[dyn(grant.settings[?'environments'].orValue(null)), dyn(variables.newSpec.?environments.orValue(null))]].exists( lists, lists[0] == null || lists[1] == null ? lists[0] == lists[1] : lists[0].all(one, one in lists[1]) && lists[1].all(one, one in lists[0])) && [variables.newSpec.?members.orValue(null)].map(v, dyn(v == null ? {} : v)).exists(members, members.all(k, members[k] == null || grant.settings.members[?k].orValue(null) == members[k]) && grant.settings.members.all(k, members[?k].orValue(null) == grant.settings.members[k])) : grant.settings.enabled == (variables.newSpec.?enabled.orValue(true) != false) && grant.settings.protected == (variables.newSpec.?protected.orValue(false) == true) && ['approvals', 'freezes'].all(k, grant.settings[?k].orValue(null) == variables.newSpec[?k].orValue(null)))
  - name: isExempt
    expression: |-
      variables.approvals != null && [variables.approvals.?exempt.orValue(null)].exists(list, list != null && list.exists(one, one.kind == 'Group' ? one.name in request.userInfo.?groups.orValue([]) : request.userInfo.username == (one.kind == 'User' ? one.name : 'system:serviceaccount:' + one.namespace + ':' + one.name)))
  - name: required
    expression: "variables.approvals == null ? 1 : int(variables.approvals.required)"
  - name: reason
    expression: |-
      [params.?spec.?freezes.orValue(null)].filter(list, list != null).map(list, list.filter(one, one.name == params.status.freeze.name).map(one, one.?reason.orValue('')).join('')) .filter(text, text != '').map(text, ' (' + text + ')').join('')
validations:
  - expression: |-
      !variables.isFrozen || !(variables.touches && !variables.onlyTakesAway && !variables.onlySaysOff || variables.touchesByOthers) || authorizer.group('vexil.dev').resource('environments').namespace(params.metadata.namespace) .name(params.metadata.name).check('bypass-freeze').allowed()
    messageExpression: |-
      'environment ' + variables.env + ' is frozen until ' + string(params.status.freeze.until) + ' by the freeze ' + params.status.freeze.name + variables.reason + '; until then flags can only be switched off there'
    reason: Forbidden
  - expression: |-
      variables.approvals == null || !variables.touches || variables.onlyTakesAway || variables.onlySaysOff || variables.isGranted || variables.isExempt || authorizer.group('vexil.dev').resource('environments').namespace(request.namespace).name(variables.env) .check('bypass-approval').allowed()
    messageExpression: |-
      'a change in environment ' + variables.env + ' needs ' + (variables.required == 1 ? 'the approval of another person' : 'the approvals of ' + string(variables.required) + ' people') + ': make a ChangeRequest, for example with ' + '"vexil request", and write exactly what was approved; flags can always be switched off there'
    reason: Forbidden
  - expression: |-
      variables.approvals == null || !variables.touchesByOthers && !variables.changesRules || variables.isGrantedOther || variables.isExempt || authorizer.group('vexil.dev').resource('environments').namespace(request.namespace).name(variables.env) .check('bypass-approval').allowed()
    messageExpression: |-
      variables.canBeGranted ? (variables.resource == 'segments' ? 'a change of a segment that flags use in environment ' + variables.env : 'a change of what is in effect in environment ' + variables.env + ', or of who may approve it,') + ' needs approval: make a ChangeRequest, for example with "vexil request", and write exactly what was approved' : 'this may change what is in effect in environment ' + variables.env + ', where changes need approval, and no ' + 'ChangeRequest can ask for it: it needs the verb bypass-approval on environments.vexil.dev/' + variables.env + ' in the namespace ' + request.namespace
    reason: Forbidden
{{- end }}

{{- define "vexil.policy.change-requests" -}}
failurePolicy: Fail
matchConstraints:
  resourceRules:
    - apiGroups: [vexil.dev]
      apiVersions: ["*"]
      operations: [CREATE, UPDATE]
      resources: [changerequests]
matchConditions:
  - name: changes-spec
    expression: request.operation == 'CREATE' || object.?spec != oldObject.?spec
variables:
  - name: isVexil
    expression: "request.userInfo.username in {{ include `vexil.operators` . }}"
  - name: resource
    expression: |-
      object.spec.target.kind == 'FeatureFlag' ? 'featureflags' : object.spec.target.kind == 'Segment' ? 'segments' : object.spec.target.kind == 'Project' ? 'projects' : 'environments'
validations:
  - expression: |-
      request.operation != 'CREATE' || variables.isVexil || object.spec.author.kind == 'User' && object.spec.author.name == request.userInfo.username
    messageExpression: |-
      'spec.author must be who makes the request: kind User, name ' + request.userInfo.username
    reason: Forbidden
  # Vexil makes approved changes, so it must not do what the author may not.
  - expression: |-
      request.operation != 'CREATE' || variables.isVexil || authorizer.group('vexil.dev').resource(variables.resource).namespace(request.namespace) .name(object.spec.target.name).check('patch').allowed()
    messageExpression: |-
      request.userInfo.username + ' cannot patch ' + variables.resource + '.vexil.dev/' + object.spec.target.name + ' in the namespace ' + request.namespace
    reason: Forbidden
  - expression: |-
      request.operation == 'CREATE' || (object.spec.map(k, k) + oldObject.spec.map(k, k)).all(k, k == 'cancelled' || dyn(object.spec)[?k] == dyn(oldObject.spec)[?k]) && (oldObject.spec.?cancelled.orValue(false) != true || object.spec.?cancelled.orValue(false) == true)
    message: a ChangeRequest cannot be edited, so that what ships is what was approved; set spec.cancelled, and make another
    reason: Forbidden
{{- end }}

{{- define "vexil.policy.change-approvals" -}}
failurePolicy: Fail
matchConstraints:
  resourceRules:
    - apiGroups: [vexil.dev]
      apiVersions: ["*"]
      operations: [CREATE, UPDATE]
      resources: [changeapprovals]
matchConditions:
  - name: changes-spec
    expression: request.operation == 'CREATE' || object.?spec != oldObject.?spec
variables:
  - name: isVexil
    expression: "request.userInfo.username in {{ include `vexil.operators` . }}"
  - name: names
    expression: "object.spec.environments == null ? [] : object.spec.environments"
  - name: environments
    expression: authorizer.group('vexil.dev').resource('environments').namespace(request.namespace)
  - name: needs
    expression: "' needs the verb approve on environments.vexil.dev of that name in the namespace ' + request.namespace"
validations:
  - expression: request.operation == 'CREATE'
    message: a decision cannot be edited; delete it, and make another
    reason: Forbidden
  - expression: |-
      variables.isVexil || object.spec.approver.kind == 'User' && object.spec.approver.name == request.userInfo.username
    messageExpression: |-
      'spec.approver must be who decides: kind User, name ' + request.userInfo.username
    reason: Forbidden
  - expression: |-
      variables.isVexil || [object.spec.?groups.orValue(null)].all(list, list == null || list.all(one, one in request.userInfo.?groups.orValue([])))
    message: spec.groups must be groups of who decides
    reason: Forbidden
  # The API server allows two authorizer checks per expression, and 28 per policy. So each check is its own expression.
  - expression: |-
      variables.isVexil || variables.names.size() <= 0 || variables.environments.name(variables.names[0]).check('approve').allowed()
    messageExpression: |-
      'approving changes in the environment ' + variables.names[0] + variables.needs
    reason: Forbidden
  - expression: |-
      variables.isVexil || variables.names.size() <= 1 || variables.environments.name(variables.names[1]).check('approve').allowed()
    messageExpression: |-
      'approving changes in the environment ' + variables.names[1] + variables.needs
    reason: Forbidden
  - expression: |-
      variables.isVexil || variables.names.size() <= 2 || variables.environments.name(variables.names[2]).check('approve').allowed()
    messageExpression: |-
      'approving changes in the environment ' + variables.names[2] + variables.needs
    reason: Forbidden
  - expression: |-
      variables.isVexil || variables.names.size() <= 3 || variables.environments.name(variables.names[3]).check('approve').allowed()
    messageExpression: |-
      'approving changes in the environment ' + variables.names[3] + variables.needs
    reason: Forbidden
  - expression: |-
      variables.isVexil || variables.names.size() <= 4 || variables.environments.name(variables.names[4]).check('approve').allowed()
    messageExpression: |-
      'approving changes in the environment ' + variables.names[4] + variables.needs
    reason: Forbidden
  - expression: |-
      variables.isVexil || variables.names.size() <= 5 || variables.environments.name(variables.names[5]).check('approve').allowed()
    messageExpression: |-
      'approving changes in the environment ' + variables.names[5] + variables.needs
    reason: Forbidden
  - expression: |-
      variables.isVexil || variables.names.size() <= 6 || variables.environments.name(variables.names[6]).check('approve').allowed()
    messageExpression: |-
      'approving changes in the environment ' + variables.names[6] + variables.needs
    reason: Forbidden
  - expression: |-
      variables.isVexil || variables.names.size() <= 7 || variables.environments.name(variables.names[7]).check('approve').allowed()
    messageExpression: |-
      'approving changes in the environment ' + variables.names[7] + variables.needs
    reason: Forbidden
{{- end }}

{{- define "vexil.policy.statuses" -}}
failurePolicy: Fail
matchConstraints:
  resourceRules:
    - apiGroups: [vexil.dev]
      apiVersions: ["*"]
      operations: [UPDATE]
      resources:
        - featureflags/status
        - segments/status
        - projects/status
        - environments/status
        - changerequests/status
        - changeapprovals/status
matchConditions:
  - name: not-vexil
    expression: "!(request.userInfo.username in {{ include `vexil.operators` . }})"
validations:
  - expression: |-
      request.resource.resource in ['changerequests', 'changeapprovals'] ? object.?status == oldObject.?status : object.?status.?grants == oldObject.?status.?grants && (!has(oldObject.status) || (request.resource.resource != 'segments' || object.?status.?environments == oldObject.?status.?environments) && (request.resource.resource != 'projects' || object.?status.?flags == oldObject.?status.?flags))
    message: only Vexil grants changes, and writes the statuses of change requests and of decisions on them
    reason: Forbidden
{{- end }}

{{- define "vexil.policy.environment-permission" -}}
failurePolicy: Fail
matchConstraints:
  resourceRules:
    - apiGroups: [vexil.dev]
      apiVersions: ["*"]
      operations: [CREATE, UPDATE, DELETE]
      resources: [featureflags, projects, environments, segments]
    - apiGroups: [vexil.dev]
      apiVersions: ["*"]
      operations: [DELETE]
      resources: [strategydefinitions]
variables:
  - name: resource
    expression: request.resource.resource
  - name: isNew
    expression: request.operation == 'CREATE'
  - name: isDeleted
    expression: request.operation == 'DELETE'
  # RBAC alone decides who may delete a namespace with all its objects.
  - name: isEmptied
    expression: variables.isDeleted && namespaceObject.?status.?phase.orValue('') == 'Terminating'
  # Null counts as absent everywhere.
  - name: oldSpec
    expression: "variables.isNew || !has(oldObject.spec) || oldObject.spec == null ? {} : dyn(oldObject.spec)"
  - name: newSpec
    expression: "variables.isDeleted || !has(object.spec) || object.spec == null ? {} : dyn(object.spec)"
  # The configuration of a flag per environment.
  - name: before
    expression: |-
      variables.resource == 'featureflags' && variables.oldSpec.?environments.orValue(null) != null ? variables.oldSpec.environments : {}
  - name: after
    expression: |-
      variables.resource == 'featureflags' && variables.newSpec.?environments.orValue(null) != null ? variables.newSpec.environments : {}
  # Changes of a flag that affect every environment that it names.
  - name: changesAllNamed
    expression: |-
      variables.resource == 'featureflags' && ((variables.oldSpec.?archived.orValue(false) == true) != (variables.newSpec.?archived.orValue(false) == true) || [variables.oldSpec.?variants.orValue(null)].map(v, v == null ? [] : v) != [variables.newSpec.?variants.orValue(null)].map(v, v == null ? [] : v) || [variables.oldSpec.?dependencies.orValue(null)].map(v, v == null ? [] : v) != [variables.newSpec.?dependencies.orValue(null)].map(v, v == null ? [] : v))
  # The list of a project; null: all enabled environments. A new project changes nothing: its flags were checked when written.
  - name: listBefore
    expression: "(variables.isNew ? variables.newSpec : variables.oldSpec).?environments.orValue(null)"
  - name: listAfter
    expression: "variables.isDeleted ? [] : variables.newSpec.?environments.orValue(null)"
  - name: membersBefore
    expression: "variables.oldSpec.?members.orValue(null) == null ? {} : variables.oldSpec.members"
  - name: membersAfter
    expression: "variables.newSpec.?members.orValue(null) == null ? {} : variables.newSpec.members"
  # Strategies of any environment may use a segment, so its users count everywhere; its description does not.
  - name: changesUsers
    expression: |-
      variables.resource == 'segments' && (variables.isNew || variables.isDeleted || variables.oldSpec.?project.orValue(null) != variables.newSpec.?project.orValue(null) || [variables.oldSpec.?constraints.orValue(null)].map(v, v == null ? [] : v) != [variables.newSpec.?constraints.orValue(null)].map(v, v == null ? [] : v))
  # Members may act in every environment, as may Editors in the project `default`. A strategy type may be used in any.
  - name: touchesAll
    expression: |-
      !variables.isEmptied && (variables.resource == 'strategydefinitions' || variables.changesUsers || variables.resource == 'projects' && (variables.isNew && object.?spec.?name.orValue(object.metadata.name) == 'default' || (variables.listBefore == null) != (variables.listAfter == null) || variables.membersAfter.exists(k, variables.membersAfter[k] != null && variables.membersBefore[?k].orValue(null) != variables.membersAfter[k])))
  - name: touchesItself
    expression: |-
      variables.resource == 'environments' && (variables.isNew || variables.isDeleted || (variables.oldSpec.?enabled.orValue(true) == false) != (variables.newSpec.?enabled.orValue(true) == false))
  # Sorted, because maps have no order and the message is evaluated separately.
  - name: touched
    expression: |-
      (variables.isEmptied ? [] : variables.resource == 'projects' ? (variables.listBefore == null || variables.listAfter == null ? [] : variables.listAfter.filter(k, !(k in variables.listBefore)) + variables.listBefore.filter(k, !(k in variables.listAfter))) : variables.resource == 'environments' ? (variables.touchesItself ? [variables.isDeleted ? oldObject : object].map(o, o.?spec.?name.orValue(o.metadata.name)) : []) : (variables.after.map(k, k) + variables.before.map(k, k).filter(k, !(k in variables.after))) .filter(k, variables.before[?k].orValue(null) != variables.after[?k].orValue(null) || variables.changesAllNamed && variables.after[?k].orValue(null) != null)).sort()
  - name: environments
    expression: authorizer.group('vexil.dev').resource('environments').namespace(request.namespace)
  # Permission for all environments covers each.
  - name: everywhere
    expression: variables.environments.check('change-flags').allowed()
  - name: needs
    expression: |-
      ' needs the verb change-flags on environments.vexil.dev of that name in the namespace ' + request.namespace
validations:
  - expression: "!variables.touchesAll || variables.everywhere"
    messageExpression: |-
      'this may change flags in every environment: it needs the verb change-flags on all environments.vexil.dev in the namespace ' + request.namespace
    reason: Forbidden
  # The API server allows two authorizer checks per expression, and 28 per policy. So each check is its own expression.
  - expression: variables.touched.size() <= 24 || variables.everywhere
    message: change at most 24 environments at once, or have the verb change-flags on all environments.vexil.dev
    reason: Forbidden
  - expression: |-
      variables.touched.size() <= 0 || variables.everywhere || variables.environments.name(variables.touched[0]).check('change-flags').allowed()
    messageExpression: "'changing the environment ' + variables.touched[0] + variables.needs"
    reason: Forbidden
  - expression: |-
      variables.touched.size() <= 1 || variables.everywhere || variables.environments.name(variables.touched[1]).check('change-flags').allowed()
    messageExpression: "'changing the environment ' + variables.touched[1] + variables.needs"
    reason: Forbidden
  - expression: |-
      variables.touched.size() <= 2 || variables.everywhere || variables.environments.name(variables.touched[2]).check('change-flags').allowed()
    messageExpression: "'changing the environment ' + variables.touched[2] + variables.needs"
    reason: Forbidden
  - expression: |-
      variables.touched.size() <= 3 || variables.everywhere || variables.environments.name(variables.touched[3]).check('change-flags').allowed()
    messageExpression: "'changing the environment ' + variables.touched[3] + variables.needs"
    reason: Forbidden
  - expression: |-
      variables.touched.size() <= 4 || variables.everywhere || variables.environments.name(variables.touched[4]).check('change-flags').allowed()
    messageExpression: "'changing the environment ' + variables.touched[4] + variables.needs"
    reason: Forbidden
  - expression: |-
      variables.touched.size() <= 5 || variables.everywhere || variables.environments.name(variables.touched[5]).check('change-flags').allowed()
    messageExpression: "'changing the environment ' + variables.touched[5] + variables.needs"
    reason: Forbidden
  - expression: |-
      variables.touched.size() <= 6 || variables.everywhere || variables.environments.name(variables.touched[6]).check('change-flags').allowed()
    messageExpression: "'changing the environment ' + variables.touched[6] + variables.needs"
    reason: Forbidden
  - expression: |-
      variables.touched.size() <= 7 || variables.everywhere || variables.environments.name(variables.touched[7]).check('change-flags').allowed()
    messageExpression: "'changing the environment ' + variables.touched[7] + variables.needs"
    reason: Forbidden
  - expression: |-
      variables.touched.size() <= 8 || variables.everywhere || variables.environments.name(variables.touched[8]).check('change-flags').allowed()
    messageExpression: "'changing the environment ' + variables.touched[8] + variables.needs"
    reason: Forbidden
  - expression: |-
      variables.touched.size() <= 9 || variables.everywhere || variables.environments.name(variables.touched[9]).check('change-flags').allowed()
    messageExpression: "'changing the environment ' + variables.touched[9] + variables.needs"
    reason: Forbidden
  - expression: |-
      variables.touched.size() <= 10 || variables.everywhere || variables.environments.name(variables.touched[10]).check('change-flags').allowed()
    messageExpression: "'changing the environment ' + variables.touched[10] + variables.needs"
    reason: Forbidden
  - expression: |-
      variables.touched.size() <= 11 || variables.everywhere || variables.environments.name(variables.touched[11]).check('change-flags').allowed()
    messageExpression: "'changing the environment ' + variables.touched[11] + variables.needs"
    reason: Forbidden
  - expression: |-
      variables.touched.size() <= 12 || variables.everywhere || variables.environments.name(variables.touched[12]).check('change-flags').allowed()
    messageExpression: "'changing the environment ' + variables.touched[12] + variables.needs"
    reason: Forbidden
  - expression: |-
      variables.touched.size() <= 13 || variables.everywhere || variables.environments.name(variables.touched[13]).check('change-flags').allowed()
    messageExpression: "'changing the environment ' + variables.touched[13] + variables.needs"
    reason: Forbidden
  - expression: |-
      variables.touched.size() <= 14 || variables.everywhere || variables.environments.name(variables.touched[14]).check('change-flags').allowed()
    messageExpression: "'changing the environment ' + variables.touched[14] + variables.needs"
    reason: Forbidden
  - expression: |-
      variables.touched.size() <= 15 || variables.everywhere || variables.environments.name(variables.touched[15]).check('change-flags').allowed()
    messageExpression: "'changing the environment ' + variables.touched[15] + variables.needs"
    reason: Forbidden
  - expression: |-
      variables.touched.size() <= 16 || variables.everywhere || variables.environments.name(variables.touched[16]).check('change-flags').allowed()
    messageExpression: "'changing the environment ' + variables.touched[16] + variables.needs"
    reason: Forbidden
  - expression: |-
      variables.touched.size() <= 17 || variables.everywhere || variables.environments.name(variables.touched[17]).check('change-flags').allowed()
    messageExpression: "'changing the environment ' + variables.touched[17] + variables.needs"
    reason: Forbidden
  - expression: |-
      variables.touched.size() <= 18 || variables.everywhere || variables.environments.name(variables.touched[18]).check('change-flags').allowed()
    messageExpression: "'changing the environment ' + variables.touched[18] + variables.needs"
    reason: Forbidden
  - expression: |-
      variables.touched.size() <= 19 || variables.everywhere || variables.environments.name(variables.touched[19]).check('change-flags').allowed()
    messageExpression: "'changing the environment ' + variables.touched[19] + variables.needs"
    reason: Forbidden
  - expression: |-
      variables.touched.size() <= 20 || variables.everywhere || variables.environments.name(variables.touched[20]).check('change-flags').allowed()
    messageExpression: "'changing the environment ' + variables.touched[20] + variables.needs"
    reason: Forbidden
  - expression: |-
      variables.touched.size() <= 21 || variables.everywhere || variables.environments.name(variables.touched[21]).check('change-flags').allowed()
    messageExpression: "'changing the environment ' + variables.touched[21] + variables.needs"
    reason: Forbidden
  - expression: |-
      variables.touched.size() <= 22 || variables.everywhere || variables.environments.name(variables.touched[22]).check('change-flags').allowed()
    messageExpression: "'changing the environment ' + variables.touched[22] + variables.needs"
    reason: Forbidden
  - expression: |-
      variables.touched.size() <= 23 || variables.everywhere || variables.environments.name(variables.touched[23]).check('change-flags').allowed()
    messageExpression: "'changing the environment ' + variables.touched[23] + variables.needs"
    reason: Forbidden
{{- end }}
