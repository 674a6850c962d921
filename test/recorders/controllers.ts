/**
 * node test/recorders/controllers.ts PROGRAMS [REGEX]
 *
 * Plays the scenarios of test/cluster/recorded to Flux's own controllers, on real clusters, and writes down what they do: the
 * expectations of each scenario are made anew. PROGRAMS is a directory with the programs source-controller and
 * kustomize-controller; REGEX chooses scenarios by their ids. Takes some ten seconds for each, six at a time.
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
import type { Expectation, Rejection, Scenario, Step } from '../conformance/flux/scenario.ts'
import { statusesOf } from '../conformance/flux/statuses.ts'
import { mapTexts, named } from '../conformance/flux/texts.ts'
import { isReached } from '../conformance/flux/until.ts'
import { startWatching, type Watching } from '../conformance/flux/watching.ts'
import type { World } from '../conformance/flux/world.ts'
import { type FluxBeds, openFluxWorld } from './controllers/flux-world.ts'
import { startControllers } from './controllers/programs.ts'

const atOnce = 6
const longestWaitMs = 60_000
const quietMs = 2_500

const record = async (scenario: Scenario, beds: FluxBeds): Promise<Scenario> => {
  await using world = await openFluxWorld(scenario, beds)
  const keys = new Set((scenario.observe ?? []).map(text => liveKey(objectNamed(text, scenario.id))))
  const steps: Step[] = []
  for (const step of scenario.steps) {
    const watching = await startWatching(world)
    const rejected: Rejection[] = []
    for (const operation of step.do) rejected.push(...(await perform(world, operation)))
    await reach(world, step, watching)
    const objects = await statusesOf(world)
    const live = await liveObjects(world, keys)
    await watching.stop()
    const expect: Expectation = {
      objects,
      transitions: Object.fromEntries(watching.states),
      events: watching.events.filter(({ object }) => fluxObject.test(object)),
      ...(Object.keys(live).length > 0 && { live }),
      ...(rejected.length > 0 && { rejected }),
    }
    steps.push({ ...step, expect: folded(mapTexts(named(expect, world.placeholders), withoutChance) as Expectation) })
  }
  await beds.hub.kubectl(
    'delete',
    'gitrepositories,ocirepositories,helmrepositories,helmcharts',
    '--all',
    '--wait=false',
    '-n',
    scenario.id,
  )
  return { ...scenario, steps }
}

const fluxObject = /^(Kustomization|GitRepository|OCIRepository|HelmRepository|HelmChart|Bucket|ExternalArtifact)\//

/** Fails when what is waited for does not come: then the scenario is not what its author thinks. */
const reach = async (world: World, { until }: Step, watching: Watching): Promise<void> => {
  const patience = patienceOf(longestWaitMs)
  for (const wanted of until) {
    while (!(await isReached(world, wanted, watching))) {
      if (patience.isOver()) throw new Error(`never came: ${JSON.stringify(wanted)}`)
      await world.clock.sleep(50)
    }
  }
  if (!until.some(({ during }) => during)) await world.clock.sleep(quietMs)
}

/** What Kustomizations have in their inventories, or had, and what is observed besides. */
const liveObjects = async (world: World, keys: Set<string>): Promise<NonNullable<Expectation['live']>> => {
  const { items } = await world.hub.list<Inventoried>({ group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization' })
  for (const { spec, status } of items) {
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
    .replace(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, '${UID}')
    .replace(/^2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, '${TIME}')

/** What is the same once chance is out of it is told once. */
const folded = ({ transitions = {}, events = [], ...more }: Expectation): Expectation => ({
  ...more,
  transitions: Object.fromEntries(Object.entries(transitions).map(([key, states]) => [key, [...new Set(states)]])),
  events: [...new Map(events.map(event => [JSON.stringify(event), event])).values()],
})

/** The flags of kustomize-controller that a profile stands for. */
const flagsOf: Readonly<Record<string, readonly string[]>> = {
  default: [],
  'no-cross-namespace-refs': ['--no-cross-namespace-refs=true'],
  'external-artifact': ['--feature-gates=ExternalArtifact=true'],
  'no-strict': ['--feature-gates=StrictPostBuildSubstitutions=false'],
  'additive-cel': ['--feature-gates=AdditiveCELDependencyCheck=true'],
  'cancel-health-check': ['--feature-gates=CancelHealthCheckOnNewRevision=true'],
  'no-remote-bases': ['--no-remote-bases=true'],
  'default-service-account': ['--default-service-account=tenant'],
  'override-manager': ['--override-manager=tool-x'],
  'no-fail-fast': ['--feature-gates=DisableFailFastBehavior=true'],
  'sops-age-secret': ['--sops-age-secret=sops-age-global'],
}

const recordAll = async (programs: string, profile: string, scenarios: Scenario[]): Promise<void> => {
  await using hub = await startCluster({ name: 'hub' })
  await using target = await startCluster({ name: 'target' })
  await hub.kubectl('apply', '--server-side', '-f', corpusFile('crds'))
  await hub.kubectl('create', 'namespace', 'flux-system')
  await using controllers = await startControllers(programs, hub.kubeconfig, flagsOf[profile]!)
  const beds = { hub, target, storageHost: controllers.storageHost }
  const work = async (): Promise<void> => {
    for (let scenario = scenarios.shift(); scenario; scenario = scenarios.shift()) {
      try {
        const recorded = await record(scenario, beds)
        writeFileSync(recordingFile(recorded.id), stringify(recorded, { lineWidth: 0, aliasDuplicateObjects: false }))
        console.log(`${scenario.id}: recorded`)
      } catch (error) {
        process.exitCode = 1
        console.log(`${scenario.id}: ${(error as Error).message}`)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

const [programs, ids = ''] = process.argv.slice(2)
if (!programs) {
  console.error('usage: node test/recorders/controllers.ts PROGRAMS [REGEX]')
  process.exit(2)
}
const chosen = recordedHere().filter(({ id }) => new RegExp(ids).test(id))
for (const [profile, scenarios] of Map.groupBy(chosen, one => one.profile))
  await recordAll(programs, profile, scenarios)
