-- Says that the flag is still needed.
obj.spec = obj.spec or {}
obj.spec.stale = false
return obj
