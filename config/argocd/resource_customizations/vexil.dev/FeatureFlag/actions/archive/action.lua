-- Archives the flag: it is off everywhere and hidden, and keeps its configuration.
obj.spec = obj.spec or {}
obj.spec.archived = true
return obj
