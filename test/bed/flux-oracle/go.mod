module keelson.test/flux-oracle

go 1.26.0

require (
	github.com/Masterminds/semver/v3 v3.5.0
	github.com/fluxcd/pkg/envsubst v1.8.0
	github.com/fluxcd/pkg/sourceignore v0.19.0
)
