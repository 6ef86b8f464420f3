-- Switches the flag off in one environment.
local spec = obj.spec or {}
local environments = spec.environments or {}

local function join(names)
  table.sort(names)
  return #names == 0 and "none" or table.concat(names, ", ")
end

if spec.archived == true then
  error("The flag is archived, so it is off everywhere.", 0)
end

local possible = {}
for name, environment in pairs(environments) do
  if environment.enabled == true then
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
if environment.enabled == true then
  environment.enabled = false
end
return obj
