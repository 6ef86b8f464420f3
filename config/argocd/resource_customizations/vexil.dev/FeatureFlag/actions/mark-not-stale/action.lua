-- Marks the flag as not stale: it is still needed.
obj.spec = obj.spec or {}
obj.spec.stale = false
return obj
