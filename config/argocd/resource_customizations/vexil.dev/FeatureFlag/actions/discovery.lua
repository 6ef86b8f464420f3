-- The actions for the present state of a flag.
local spec = obj.spec or {}
local archived = spec.archived == true
local over = obj.metadata.deletionTimestamp ~= nil

-- Whether an environment has an enabled strategy.
local function active(environment)
  for _, strategy in pairs(environment.strategies or {}) do
    if strategy.disabled ~= true then
      return true
    end
  end
  return false
end

local on, off = {}, {}
for name, environment in pairs(spec.environments or {}) do
  if environment.enabled == true then
    table.insert(on, name)
  elseif active(environment) then
    table.insert(off, name)
  end
end

-- A default is set only if there is one environment, so that a default never switches production by accident.
local function switch(names, label, icon)
  local environment = { name = "environment", type = "string" }
  if #names == 1 then
    environment.default = names[1]
  end
  return {
    disabled = over or archived or #names == 0,
    displayName = label,
    iconClass = icon,
    params = { environment },
  }
end

local function action(possible, label, icon)
  return { disabled = over or not possible, displayName = label, iconClass = icon }
end

local actions = {}
actions["enable"] = switch(off, "Switch on in an environment", "fa fa-fw fa-toggle-on")
actions["disable"] = switch(on, "Switch off in an environment", "fa fa-fw fa-toggle-off")
actions["archive"] = action(not archived, "Archive", "fa fa-fw fa-box-archive")
actions["revive"] = action(archived, "Revive, off everywhere", "fa fa-fw fa-box-open")
actions["mark-stale"] = action(not archived and spec.stale ~= true, "Mark as stale", "fa fa-fw fa-hourglass-end")
actions["mark-not-stale"] = action(not archived and spec.stale == true, "Mark as not stale", "fa fa-fw fa-hourglass-start")
return actions
