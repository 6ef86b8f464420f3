-- Marks the flag as stale: it can be removed from the code.
obj.spec = obj.spec or {}
obj.spec.stale = true
return obj
