import type { Applier } from './programs.ts'

/** The flags of a controller that a profile stands for, in the names of `test/conformance/flux/profiles.ts`. */
export const flagsOf = (applier: Applier, profile: string): readonly string[] => {
  const flags = { ...shared, ...own[applier] }[profile]
  if (!flags) throw new Error(`no flags of ${applier} for the profile ${profile}`)
  return flags
}

const shared: Readonly<Record<string, readonly string[]>> = {
  default: [],
  'no-cross-namespace-refs': ['--no-cross-namespace-refs=true'],
  'external-artifact': ['--feature-gates=ExternalArtifact=true'],
  'additive-cel': ['--feature-gates=AdditiveCELDependencyCheck=true'],
  'cancel-health-check': ['--feature-gates=CancelHealthCheckOnNewRevision=true'],
  'default-service-account': ['--default-service-account=tenant'],
  'override-manager': ['--override-manager=tool-x'],
}

const own: Readonly<Record<Applier, Readonly<Record<string, readonly string[]>>>> = {
  'kustomize-controller': {
    'no-strict': ['--feature-gates=StrictPostBuildSubstitutions=false'],
    'no-remote-bases': ['--no-remote-bases=true'],
    'no-fail-fast': ['--feature-gates=DisableFailFastBehavior=true'],
    'sops-age-secret': ['--sops-age-secret=sops-age-global'],
  },
  'helm-controller': {
    'retry-default': ['--feature-gates=DefaultToRetryOnFailure=true'],
    'no-digest-tracking': ['--feature-gates=DisableChartDigestTracking=true'],
    'helm3-defaults': ['--feature-gates=UseHelm3Defaults=true'],
  },
}
