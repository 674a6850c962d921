/** What differs from area to area; add here what the replay of an area needs. */
import { profiles } from './profiles.ts'
import type { RecordedEvent, Scenario } from './scenario.ts'
import { servedSections } from './servers/all.ts'

export interface AreaDriver {
  /** Why a scenario of this area can't be replayed (yet); undefined when it can. */
  cannotReplay(scenario: Scenario): string | undefined
  /** Events that come and go, in the recordings as in ours. */
  isOptional?(event: RecordedEvent): boolean
  /** States and events, as text, that may come up besides those recorded: time does not run as it did then. */
  readonly byChance?: RegExp
  /** Those that were recorded and may not come up. */
  readonly missable?: RegExp
}

const anyServed = (scenario: Scenario): string | undefined => {
  const missing = (['git', 'oci', 'helm'] as const).find(
    section => scenario[section] && !servedSections.includes(section),
  )
  if (missing) return `nothing serves its section ${missing}`
  return scenario.profile in profiles ? undefined : `no settings for the profile ${scenario.profile}`
}

/** A request and a retry that meet are one pass or two. */
const isAnotherLook = ({ message }: RecordedEvent): boolean =>
  /^(no changes since last reconciliation|artifact up-to-date)/.test(message)

/** Ours keeps replaced artifacts for their time at any rate; source-controller no more than so many. */
const isGarbage = ({ message }: RecordedEvent): boolean => /^garbage collected \d+ artifacts$/.test(message)

/** The recorder's source-controller had room for few indexes in its memory. */
const isFullCache = ({ reason }: RecordedEvent): boolean => reason === 'CacheOperationFailed'

/** A runner's Cluster, which no recording has. */
const isOfCluster = ({ object }: RecordedEvent): boolean => object.startsWith('Cluster/')

/** By area. An area that is not here is not replayed. */
export const drivers: Readonly<Record<string, AreaDriver>> = {
  // A poll of a dependency may meet it in the middle of its pass.
  kustomization: { cannotReplay: anyServed, isOptional: isOfCluster, byChance: /DependencyNotReady/ },
  gitrepository: { cannotReplay: anyServed, isOptional: isAnotherLook },
  ocirepository: { cannotReplay: anyServed, isOptional: isAnotherLook },
  helmchart: { cannotReplay: anyServed, isOptional: event => isAnotherLook(event) || isGarbage(event) },
  resourceset: { cannotReplay: anyServed },
  helmrelease: {
    cannotReplay: anyServed,
    isOptional: event => isAnotherLook(event) || isGarbage(event) || isFullCache(event),
    // Whether the chart is packaged before the release is first looked at is a matter of time.
    byChance: /SourceNotReady|latest generation of object/,
    // As is whether a chart with a new version is looked for before the repository's new index is there.
    missable: /InvalidChartReference.*no '\S+' chart with version matching/s,
  },
}
