import type { Settings } from '../../../lib/compose/settings/settings.ts'

/** The flags that a scenario was recorded with, as our settings. */
export const profiles: Readonly<Record<string, Partial<Settings>>> = {
  default: {},
  'no-cross-namespace-refs': { noCrossNamespaceRefs: true },
  'external-artifact': { externalArtifact: true },
  'no-strict': { strictSubstitution: false },
  'additive-cel': { additiveReadyCheck: true },
  tenant: { defaultServiceAccount: 'tenant' },
  'cancel-health-check': { cancelHealthChecks: true },
  'no-remote-bases': { noRemoteBases: true },
  'default-service-account': { defaultServiceAccount: 'tenant' },
  'override-manager': { overriddenManagers: ['tool-x'] },
  'no-fail-fast': { failFast: false },
  'retry-default': { retryOnFailure: true },
  'no-digest-tracking': { ignoreChartDigests: true },
  'helm3-defaults': { helm3Defaults: true },
  'sops-age-secret': { sopsAgeSecret: { namespace: 'flux-system', name: 'sops-age-global' } },
}
