-- Revives the archived flag, off in all environments, as the admin API does.
local spec = obj.spec or {}
if spec.archived ~= true then
  error("The flag is not archived.", 0)
end
spec.archived = nil
for _, environment in pairs(spec.environments or {}) do
  if environment.enabled == true then
    environment.enabled = false
  end
end
return obj
