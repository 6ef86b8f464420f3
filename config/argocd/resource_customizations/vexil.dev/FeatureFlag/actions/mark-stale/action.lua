-- Says that the flag has done its work, and can be taken out of the code.
obj.spec = obj.spec or {}
obj.spec.stale = true
return obj
