-- The health of every kind of Vexil, from the conditions that the operator writes into the status.
local function is(status, message)
  return { status = status, message = message }
end

local metadata, spec, status = obj.metadata, obj.spec or {}, obj.status or {}
if metadata.deletionTimestamp ~= nil then
  return is("Progressing", "It is being deleted")
end
if status.conditions == nil or status.observedGeneration == nil then
  return is("Progressing", "Vexil has not reconciled it yet")
end
if status.observedGeneration ~= metadata.generation then
  return is("Progressing", "Vexil has not reconciled the latest change yet")
end

local byType = {}
for _, condition in ipairs(status.conditions) do
  byType[condition.type] = condition
end
local ready, stalled = byType.Ready, byType.Stalled

-- Stalled: only an edit of this object helps. Otherwise another object, or time, may make it Ready.
if stalled ~= nil and stalled.status == "True" then
  return is("Degraded", stalled.message)
end
if ready == nil or ready.status ~= "True" then
  return is("Progressing", ready ~= nil and ready.message or "Vexil has not reported Ready yet")
end

-- Archived and stale are intended states, and warnings have no effect: the object stays Healthy, with a message.
local remarks = {}
if obj.kind == "FeatureFlag" and spec.archived == true then
  table.insert(remarks, "archived, so off everywhere")
elseif obj.kind == "FeatureFlag" and spec.stale == true then
  table.insert(remarks, "marked stale")
end
for _, problem in ipairs(status.problems or {}) do
  table.insert(remarks, problem.path .. ": " .. problem.message)
end
if #remarks == 0 then
  return is("Healthy", ready.message)
end
return is("Healthy", ready.message .. "; " .. table.concat(remarks, "; "))
