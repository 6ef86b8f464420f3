-- Archives the flag: off everywhere and out of sight, with everything that it says kept.
obj.spec = obj.spec or {}
obj.spec.archived = true
return obj
