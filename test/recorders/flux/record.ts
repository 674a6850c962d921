import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dump, load } from 'js-yaml'
import { clusters } from '../../../lib/cluster/clusters.ts'
import type { KubernetesObject } from '../../../lib/kinds/object.ts'
import { type Cluster, startCluster } from '../../bed/cluster.ts'
import { lookAtLive } from '../../conformance/flux/live.ts'
import { perform } from '../../conformance/flux/perform.ts'
import type { Rejection, Scenario, Step } from '../../conformance/flux/scenario.ts'
import { servers } from '../../conformance/flux/servers/all.ts'
import { statusesOf } from '../../conformance/flux/statuses.ts'
import { mapTexts, named } from '../../conformance/flux/texts.ts'
import { isReached } from '../../conformance/flux/until.ts'
import { startWatching, type Watching } from '../../conformance/flux/watching.ts'
import type { World } from '../../conformance/flux/world.ts'
import { clusterHub } from './cluster-hub.ts'
import { type Controllers, startControllers } from './controllers.ts'

const [programs, from, to, only = '.'] = process.argv.slice(2) as [string, string, string, string?]
const crds = process.env.CRDS!
const chosen = new RegExp(only)
const scenarios = readdirSync(from)
  .filter(file => file.endsWith('.yaml'))
  .flatMap(file => readFileSync(join(from, file), 'utf8').split(/^---$/m))
  .map(text => load(text) as Scenario)
  .filter(one => one && chosen.test(one.id))
const atOnce = 6
const flagsOf: Record<string, string[]> = {
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
}

const bedPlaceholders = (name: string, { kubeconfig, server }: Cluster): [string, string][] => {
  const text = readFileSync(kubeconfig, 'utf8')
  return [
    [`${name}_KUBECONFIG`, text],
    [`${name}_SERVER`, server],
    [`${name}_HOST`, new URL(server).host],
    [`${name}_CA_DATA`, /certificate-authority-data: ?"?([\w+/=]+)/.exec(text)?.[1] ?? ''],
  ]
}

const openWorld = async (
  scenario: Scenario,
  hub: Cluster,
  target: Cluster,
  controllers: Controllers,
): Promise<World> => {
  const remotes = clusters({ clock: Date })
  const client = remotes.fromKubeconfig(readFileSync(hub.kubeconfig, 'utf8'))
  const targetClient = remotes.fromKubeconfig(readFileSync(target.kubeconfig, 'utf8'))
  const running = (await Promise.all(servers.map(serve => serve(scenario)))).filter(server => server !== undefined)
  const namespaces = [scenario.id, ...(scenario.extraNamespaces ?? [])]
  for (const name of namespaces)
    for (const one of [client, targetClient])
      await one.apply(
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
        { fieldManager: 'recorder', force: true },
      )
  const storageUrl = `http://${controllers.storageHost}`
  const placeholders = new Map<string, string>([
    ['STORAGE_URL', storageUrl],
    ['STORAGE_HOST', controllers.storageHost],
    ...bedPlaceholders('HUB', hub),
    ...bedPlaceholders('TARGET', target),
  ])
  const refreshPlaceholders = () => {
    for (const server of running) for (const [name, value] of server.placeholders) placeholders.set(name, value)
  }
  refreshPlaceholders()
  return {
    scenario,
    core: { hub: clusterHub(hub, client, namespaces) } as unknown as World['core'],
    artifacts: undefined as never,
    clock: {
      now: Date.now,
      sleep: (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms)),
      isBusy: false,
      whileBusy: <T>(work: () => Promise<T>) => work(),
      stop: () => {},
    },
    hubBed: { cluster: hub, client: () => client },
    placeholders,
    refreshPlaceholders,
    operations: Object.assign({}, ...running.map(({ operations }) => operations)),
    real: name => (name === 'hub' ? client : targetClient),
    live: new Map(),
    async [Symbol.asyncDispose]() {
      await remotes.close()
      for (const server of running) await server[Symbol.asyncDispose]()
    },
  }
}

const plain = (value: unknown): unknown =>
  mapTexts(value, text =>
    text
      .replace(/\/tmp\/kustomization-\d+/g, '${TMPDIR}')
      .replace(/(after|took|within|:) \d+(\.\d+)?(ms|µs|s)\b/g, '$1 ${DURATION}'),
  )

const record = async (scenario: Scenario, hub: Cluster, target: Cluster, controllers: Controllers) => {
  await using world = await openWorld(scenario, hub, target, controllers)
  const steps: unknown[] = []
  const known = new Set<string>(
    (scenario as unknown as { observe?: string[] }).observe?.map(text => observed(text, scenario)) ?? [],
  )
  const missedAll: string[] = []
  for (const [index, step] of scenario.steps.entries()) {
    const watching = await startWatching(world)
    const rejected: Rejection[] = []
    for (const operation of step.do) rejected.push(...(await perform(world, operation)))
    const missed = await reach(world, step, watching)
    if (missed) missedAll.push(`step ${index}: ${missed}`)
    const statuses = await statusesOf(world)
    const kustomizations = await world.core.hub.list<KubernetesObject>({
      group: 'kustomize.toolkit.fluxcd.io',
      kind: 'Kustomization',
    })
    for (const one of kustomizations.items) {
      const remote = (one.spec as { kubeConfig?: unknown }).kubeConfig ? 'target' : 'hub'
      const entries = (one.status as { inventory?: { entries: { id: string; v: string }[] } })?.inventory?.entries ?? []
      for (const { id, v } of entries) {
        const [namespace, name, group, kind] = id.split('_') as [string, string, string, string]
        known.add(`${remote} ${group ? `${group}/${v}` : v}/${kind}/${namespace}/${name.replaceAll('__', ':')}`)
      }
    }
    const live: Record<string, unknown> = {}
    for (const key of known) {
      const { shown, object } = await lookAtLive(world, key)
      live[key] = withoutOwn(named(shown, world.placeholders))
      if (object) world.live.set(key, object)
      else world.live.delete(key)
    }
    await watching.stop()
    const transitions = Object.fromEntries(watching.states)
    steps.push({
      ...step,
      expect: {
        objects: plain(named(statuses, world.placeholders)),
        transitions: plain(named(transitions, world.placeholders)),
        events: plain(
          named(
            watching.events
              .filter(({ object }) => /^(Kustomization|Git|OCI|Helm|Bucket|External)/.test(object))
              .map(({ annotations, ...event }) => ({ ...event, annotations: withoutDigests(annotations) })),
            world.placeholders,
          ),
        ),
        ...(known.size > 0 && { live }),
        ...(rejected.length > 0 && { rejected: named(rejected, world.placeholders) }),
      },
    })
  }
  for (const namespace of [scenario.id]) void namespace
  const folder = join(to, 'flux', scenario.area, scenario.id)
  mkdirSync(folder, { recursive: true })
  const { steps: _, ...rest } = scenario
  writeFileSync(
    join(folder, 'scenario.yaml'),
    dump({ ...rest, profile: scenario.profile ?? 'default', steps }, { lineWidth: -1, noRefs: true }),
  )
  // what was applied goes, so that it does not work on
  const items = async () => {
    for (const kind of ['kustomizations.kustomize.toolkit.fluxcd.io'])
      await hub
        .kubectl('-n', scenario.id, 'patch', kind, '--all', '--type=merge', '-p', '{"spec":{"suspend":true}}')
        .catch(() => {})
    for (const kind of ['gitrepositories', 'ocirepositories', 'helmrepositories', 'helmcharts', 'buckets'])
      await hub
        .kubectl('-n', scenario.id, 'delete', `${kind}.source.toolkit.fluxcd.io`, '--all', '--wait=false')
        .catch(() => {})
  }
  await items()
  return missedAll
}

const withoutOwn = (value: unknown) =>
  mapTexts(value, text => text.replace(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, '${UID}'))

const withoutDigests = (annotations: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(Object.entries(annotations).filter(([key]) => !/checksum|digest|token/.test(key)))

const observed = (text: string, { id }: Scenario): string => {
  const [, target, version = 'v1', kind, rest = ''] = /^(target!)?(?:([^:]+):)?(\w+)\/(.+)$/.exec(text) ?? []
  const [
    name = '',
    namespace = /^(Namespace|ClusterRole|ClusterRoleBinding|CustomResourceDefinition)$/.test(kind!) ? '' : id,
  ] = rest.split('/').reverse()
  return `${target ? 'target' : 'hub'} ${version}/${kind}/${namespace}/${name}`
}

const reach = async (world: World, { until = [] }: Step, watching: Watching): Promise<string | undefined> => {
  const giveUpAt = performance.now() + 45_000
  const pending = [...until]
  while (pending.length > 0 && performance.now() < giveUpAt) {
    if (await isReached(world, pending[0]!, watching)) pending.shift()
    else await new Promise(resolve => setTimeout(resolve, 50))
  }
  if (!until.some(({ during }) => during)) await new Promise(resolve => setTimeout(resolve, 2_500))
  return pending[0] && JSON.stringify(pending[0])
}

const byProfile = Map.groupBy(scenarios, one => one.profile ?? 'default')
for (const [profile, group] of byProfile) {
  const hub = await startCluster({ name: 'hub' })
  const target = await startCluster({ name: 'target' })
  await hub.kubectl('apply', '--server-side', '-f', crds)
  await hub.kubectl('create', 'namespace', 'flux-system')
  mkdirSync(to, { recursive: true })
  const controllers = await startControllers(programs, hub.kubeconfig, flagsOf[profile]!, to)
  await new Promise(resolve => setTimeout(resolve, 3_000))
  const waiting = [...group]
  const work = async () => {
    for (let one = waiting.shift(); one; one = waiting.shift()) {
      const began = performance.now()
      try {
        const missed = await record({ ...one, profile }, hub, target, controllers)
        console.log(
          `${one.id}: ${((performance.now() - began) / 1000).toFixed(1)} s ${missed.length ? `MISSED ${missed.join('; ')}` : ''}`,
        )
      } catch (error) {
        console.log(`${one.id}: FAILED ${(error as Error).stack}`)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  await controllers[Symbol.asyncDispose]()
  await hub[Symbol.asyncDispose]()
  await target[Symbol.asyncDispose]()
}
process.exit(0)
