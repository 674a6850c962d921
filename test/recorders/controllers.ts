/**
 * node test/recorders/controllers.ts PROGRAMS [REGEX]
 *
 * Plays the scenarios of test/cluster/recorded, and the stories of test/recorders/releases, to Flux's own controllers, on real
 * clusters, and writes down what they do: the expectations of each scenario are made anew. PROGRAMS is a directory with the programs
 * source-controller, kustomize-controller and helm-controller; REGEX chooses scenarios by their ids. Takes some ten seconds for each, six
 * at a time. What is applied by the helm-controller is played twice, on clusters of their own, as much of it is a matter of time.
 */

import { writeFileSync } from 'node:fs'
import { stringify } from 'yaml'
import type { InventoryEntry } from '../../lib/foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import { inventoryObject } from '../../lib/foundations/rules/inventory.ts'
import { startCluster } from '../bed/cluster.ts'
import { patienceOf } from '../bed/patience.ts'
import { recordedHere, recordingFile } from '../cluster/recorded.ts'
import { corpusFile } from '../conformance/corpus.ts'
import { lookAtLive } from '../conformance/flux/live.ts'
import { perform } from '../conformance/flux/perform.ts'
import { type Named, objectNamed } from '../conformance/flux/refs.ts'
import { releasesOf } from '../conformance/flux/release-storage.ts'
import type { Expectation, Rejection, Scenario, Step } from '../conformance/flux/scenario.ts'
import { statusesOf } from '../conformance/flux/statuses.ts'
import { mapTexts, named } from '../conformance/flux/texts.ts'
import { isReached } from '../conformance/flux/until.ts'
import { startWatching, type Watching } from '../conformance/flux/watching.ts'
import type { World } from '../conformance/flux/world.ts'
import { type FluxBeds, openFluxWorld } from './controllers/flux-world.ts'
import { flagsOf } from './controllers/profile-flags.ts'
import { type Applier, startControllers } from './controllers/programs.ts'
import { commonOf, withoutEchoes, withoutRepeats } from './controllers/runs.ts'
import { releaseStories } from './releases/stories.ts'

const atOnce = 6
const longestWaitMs = 120_000
const quietMs = 2_500

/** What the controllers do in each step. */
const play = async (scenario: Scenario, beds: FluxBeds): Promise<readonly Expectation[]> => {
  await using world = await openFluxWorld(scenario, beds)
  const keys = new Set((scenario.observe ?? []).map(text => liveKey(objectNamed(text, scenario.id))))
  const seen: Expectation[] = []
  for (const step of scenario.steps) {
    const watching = await startWatching(world)
    try {
      seen.push(await playStep(world, step, watching, keys))
    } finally {
      await watching.stop()
    }
  }
  await beds.hub.kubectl('delete', kindsOf(scenario), '--all', '--wait=false', '-n', scenario.id)
  return seen
}

const playStep = async (world: World, step: Step, watching: Watching, keys: Set<string>): Promise<Expectation> => {
  const rejected: Rejection[] = []
  for (const operation of step.do) rejected.push(...(await perform(world, operation)))
  await reach(world, step, watching)
  const objects = await statusesOf(world)
  const live = await liveObjects(world, keys)
  const storage = world.scenario.area === 'helmrelease' ? await releasesOf(world) : {}
  const expect: Expectation = {
    objects,
    transitions: Object.fromEntries(watching.states),
    events: watching.events.filter(({ object }) => fluxObject.test(object)),
    ...(Object.keys(live).length > 0 && { live }),
    ...(rejected.length > 0 && { rejected }),
    ...(Object.keys(storage).length > 0 && { storage }),
  }
  return folded(withoutDurations(mapTexts(named(expect, world.placeholders), withoutChance)) as Expectation)
}

const kindsOf = ({ area }: Scenario): string =>
  `gitrepositories,ocirepositories,helmrepositories,${area === 'helmrelease' ? 'helmreleases' : 'helmcharts'}`

/** How long an action took is told in a field of its own. */
const withoutDurations = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, item) =>
    key === 'lastAttemptedReleaseActionDuration' ? '${DURATION}' : item,
  )

const fluxObject =
  /^(Kustomization|HelmRelease|GitRepository|OCIRepository|HelmRepository|HelmChart|Bucket|ExternalArtifact)\//

/** Fails when what is waited for does not come: then the scenario is not what its author thinks. */
const reach = async (world: World, { until }: Step, watching: Watching): Promise<void> => {
  const patience = patienceOf(longestWaitMs)
  for (const wanted of until) {
    while (!(await isReached(world, wanted, watching))) {
      if (patience.isOver())
        throw new Error(
          `never came: ${JSON.stringify(wanted)}; at the end: ${JSON.stringify([...watching.states.values()].map(states => states.at(-1)))}`,
        )
      await world.clock.sleep(50)
    }
  }
  if (!until.some(({ during }) => during)) await world.clock.sleep(quietMs)
}

/** What Kustomizations and HelmReleases have in their inventories, or had, and what is observed besides. */
const liveObjects = async (world: World, keys: Set<string>): Promise<NonNullable<Expectation['live']>> => {
  const [units, releases] = await Promise.all([
    world.hub.list<Inventoried>({ group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization' }),
    world.hub.list<Inventoried>({ group: 'helm.toolkit.fluxcd.io', kind: 'HelmRelease' }),
  ])
  for (const { spec, status } of [...units.items, ...releases.items]) {
    const cluster = spec.kubeConfig ? 'target' : 'hub'
    for (const entry of status?.inventory?.entries ?? []) keys.add(liveKey({ cluster, ...inventoryObject(entry) }))
  }
  const live: Record<string, NonNullable<Expectation['live']>[string]> = {}
  for (const key of keys) {
    const { shown, object } = await lookAtLive(world, key)
    live[key] = shown
    if (object) world.live.set(key, object)
    else world.live.delete(key)
  }
  return live
}

interface Inventoried extends KubernetesObject {
  readonly spec: { readonly kubeConfig?: unknown }
  readonly status?: { readonly inventory?: { readonly entries: readonly InventoryEntry[] } }
}

const liveKey = ({ cluster, apiVersion, ref }: Named): string =>
  `${cluster} ${apiVersion}/${ref.kind}/${ref.namespace}/${ref.name}`

/** Texts without what is different in each run. */
const withoutChance = (text: string): string =>
  text
    .replace(/\/tmp\/kustomization-\d+/g, '${TMPDIR}')
    .replace(/\/tmp\/(flux-include-\d+\/unpack|(gitrepository|helmchart)-[\w-]+?-\d{6,}(\/source)?)/g, '${DIR}')
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '${UID}')
    .replace(/^2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, '${TIME}')
    // What a wait is ended by: its last poll, or the next one, which would come too late.
    .replace(/client rate limiter Wait returned an error: rate: Wait\(n=1\) would exceed context deadline/g, '${ANY}')
    // Helm's library logs for those who debug it.
    .replace(/(?<=\n\nLast Helm logs:\n\n)[\s\S]*$/, '${ANY}')

/** What is the same once chance is out of it is told once. */
const folded = ({ transitions = {}, events = [], ...more }: Expectation): Expectation => ({
  ...more,
  transitions: Object.fromEntries(Object.entries(transitions).map(([key, states]) => [key, [...new Set(states)]])),
  events: [...new Map(events.map(event => [JSON.stringify(event), event])).values()],
})

/** Each of the scenarios that share flags, once; on clusters of their own. */
const playAll = async (
  programs: string,
  applier: Applier,
  profile: string,
  scenarios: readonly Scenario[],
): Promise<ReadonlyMap<string, readonly Expectation[]>> => {
  await using hub = await startCluster({ name: 'hub' })
  await using target = await startCluster({ name: 'target' })
  await hub.kubectl('apply', '--server-side', '-f', corpusFile('crds'))
  await hub.kubectl('wait', '--for=condition=Established', 'customresourcedefinitions', '--all')
  await hub.kubectl('create', 'namespace', 'flux-system')
  await using controllers = await startControllers(programs, hub.kubeconfig, applier, flagsOf(applier, profile))
  const beds = { hub, target, storageHost: controllers.storageHost }
  const played = new Map<string, readonly Expectation[]>()
  const waiting = [...scenarios]
  const work = async (): Promise<void> => {
    for (let scenario = waiting.shift(); scenario; scenario = waiting.shift()) {
      try {
        played.set(scenario.id, await play(scenario, beds))
      } catch (error) {
        process.exitCode = 1
        console.log(`${scenario.id}: ${(error as Error).message}`)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return played
}

const recordAll = async (programs: string, profile: string, scenarios: readonly Scenario[]): Promise<void> => {
  for (const [area, ours] of Map.groupBy(scenarios, ({ area }) => area)) {
    const [applier, times] =
      area === 'helmrelease' ? (['helm-controller', 2] as const) : (['kustomize-controller', 1] as const)
    const runs: ReadonlyMap<string, readonly Expectation[]>[] = []
    for (let run = 0; run < times; run++) runs.push(await playAll(programs, applier, profile, ours))
    for (const scenario of ours) {
      const seen = runs.map(run => run.get(scenario.id)).filter(steps => steps !== undefined)
      if (seen.length < times) continue
      const steps = scenario.steps.map((step, at) => ({ ...step, expect: commonOf(seen.map(run => run[at]!)) }))
      const recorded = { ...scenario, steps: area === 'helmrelease' ? withoutRepeats(withoutEchoes(steps)) : steps }
      writeFileSync(recordingFile(scenario), stringify(recorded, { lineWidth: 0, aliasDuplicateObjects: false }))
      console.log(`${scenario.id}: recorded`)
    }
  }
}

const [programs, ids = ''] = process.argv.slice(2)
if (!programs) {
  console.error('usage: node test/recorders/controllers.ts PROGRAMS [REGEX]')
  process.exit(2)
}
const chosen = [...recordedHere(), ...releaseStories].filter(({ id }) => new RegExp(ids).test(id))
for (const [profile, scenarios] of Map.groupBy(chosen, one => one.profile))
  await recordAll(programs, profile, scenarios)
