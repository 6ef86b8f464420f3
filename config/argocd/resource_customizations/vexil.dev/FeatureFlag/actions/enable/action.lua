-- Switches the flag on in one environment where it has an enabled strategy.
local spec = obj.spec or {}
local environments = spec.environments or {}

local function active(environment)
  for _, strategy in pairs(environment.strategies or {}) do
    if strategy.disabled ~= true then
      return true
    end
  end
  return false
end

local function join(names)
  table.sort(names)
  return #names == 0 and "none" or table.concat(names, ", ")
end

if spec.archived == true then
  error("The flag is archived: revive it first.", 0)
end

local possible = {}
for name, environment in pairs(environments) do
  if environment.enabled ~= true and active(environment) then
    table.insert(possible, name)
  end
end

-- Older versions of Argo CD have no parameters.
local name = (actionParams or {}).environment
if name == nil or name == "" then
  if #possible ~= 1 then
    error("Say in which environment, with the parameter environment. Possible: " .. join(possible) .. ".", 0)
  end
  name = possible[1]
end
local environment = environments[name]
if environment == nil then
  error('The flag says nothing about the environment "' .. name .. '". Possible: ' .. join(possible) .. ".", 0)
end
if not active(environment) then
  error('The flag has no strategy in "' .. name .. '" that is not disabled: add one first.', 0)
end
environment.enabled = true
return obj
