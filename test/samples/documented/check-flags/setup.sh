# The branch origin/main has one-page-checkout off.
switch() { sed "8s/enabled: .*/enabled: $1/" flags/shop.yaml > shop.yaml && mv shop.yaml flags/shop.yaml; }
git init --quiet .
switch false
git add .
git -c user.name=test -c user.email=test@example.com commit --quiet --message 'Add the flags'
git update-ref refs/remotes/origin/main HEAD
switch true
