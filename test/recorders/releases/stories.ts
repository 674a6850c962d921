import type { Scenario } from '../../conformance/flux/scenario.ts'
import { chartStories } from './charts.ts'
import { clusterStories } from './clusters.ts'
import { hookStories } from './hooks.ts'
import { installStories } from './installs.ts'
import { sourceStories } from './sources.ts'
import { upgradeStories } from './upgrades.ts'
import { valuesStories } from './values.ts'

/** Stories of HelmReleases that are played to the real helm-controller. */
export const releaseStories: readonly Scenario[] = [
  ...installStories,
  ...upgradeStories,
  ...hookStories,
  ...sourceStories,
  ...valuesStories,
  ...clusterStories,
  ...chartStories,
]
