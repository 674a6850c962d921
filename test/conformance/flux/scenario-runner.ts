import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TransportRequest } from '../../../lib/clusters/client/transport.ts'
import { composeCopiedSources } from '../../../lib/compose/copied-sources.ts'
import type { ComposedHub } from '../../../lib/compose/hub.ts'
import type { CoreSettings, Ports } from '../../../lib/compose/platform.ts'
import { runSession } from '../../../lib/compose/runner.ts'
import { runnerFolder } from '../../../lib/compose/runner-folder.ts'
import { composeRunners } from '../../../lib/compose/runners.ts'
import { groupOf, type KubernetesObject, refOf } from '../../../lib/foundations/kinds/object.ts'
import { kubeConfigAnnotation, kubeConfigOfSet } from '../../../lib/foundations/kinds/target-reference.ts'
import { hubLink, publicKeyText } from '../../../lib/hub/runners/hub-link.ts'
import { type ReportRequest, runnerPath } from '../../../lib/hub/runners/protocol.ts'
import { runnerSecretRef, secretWithToken } from '../../../lib/hub/runners/runner-secret.ts'
import { embeddedPlatform } from '../../../lib/platform/adapters/embedded/embedded-platform.ts'
import type { Random } from '../../../lib/platform/ports/random.ts'
import type { Addressed } from '../../../lib/reconcile/runtime/reconciler.ts'
import type { Bed } from './beds.ts'
import type { FastClock } from './clock.ts'
import type { Scenario } from './scenario.ts'

interface RunnerScene {
  /** The scenario's. */
  readonly namespace: string
  readonly directory: string
  readonly clock: FastClock
  readonly random: Random
  /** What it runs beside. */
  readonly bed: Bed
  readonly ports: Ports
  readonly settings: CoreSettings
  readonly composed: Pick<ComposedHub, 'hub' | 'hubCluster' | 'signRun'>
  readonly addressed: readonly Addressed[]
}

export interface ScenarioRunner extends AsyncDisposable {
  /** Statuses of units that the hub has taken from it. */
  readonly reports: number
}

/** Name of the Cluster, and of the ConfigMap with the access to it. */
const name = 'behind-a-runner'

const unitGroups: Readonly<Record<string, string>> = {
  Kustomization: 'kustomize.toolkit.fluxcd.io',
  ResourceSet: 'fluxcd.controlplane.io',
}

const isUnit = ({ apiVersion, kind }: Pick<KubernetesObject, 'apiVersion' | 'kind'>): boolean =>
  unitGroups[kind] === groupOf(apiVersion)

const isForRunner = (object: KubernetesObject, namespace: string): boolean => {
  const { metadata, spec } = object as KubernetesObject & { readonly spec?: { kubeConfig?: unknown } }
  const isOwn = (metadata.namespace ?? namespace) === namespace
  return isUnit(object) && spec !== undefined && !spec.kubeConfig && !kubeConfigOfSet(object) && isOwn
}

/** A unit that is left to the runner, unless it names a cluster itself; any other object as it is. */
export const leftToScenarioRunner = (object: KubernetesObject, namespace: string): KubernetesObject => {
  if (!isForRunner(object, namespace)) return object
  const { metadata, spec } = object
  if (object.kind === 'Kustomization')
    return { ...object, spec: { ...(spec as object), kubeConfig: { configMapRef: { name } } } }
  const annotations = { ...metadata.annotations, [kubeConfigAnnotation]: `ConfigMap/${name}` }
  return { ...object, metadata: { ...metadata, annotations } }
}

/** A patch that sets another access: it takes the place of that of a runner, if there is one. */
export const withoutRunner = (patch: unknown): unknown => {
  const { spec } = patch as { readonly spec?: { readonly kubeConfig?: object } }
  return spec?.kubeConfig
    ? { ...(patch as object), spec: { ...spec, kubeConfig: { configMapRef: null, ...spec.kubeConfig } } }
    : patch
}

/** Whether a scenario has a unit that can be left to the runner. */
export const hasWorkForRunner = ({ id, steps }: Scenario): boolean =>
  steps
    .flatMap(step => step.do)
    .flatMap(({ apply }) => (apply as { readonly objects: readonly KubernetesObject[] } | undefined)?.objects ?? [])
    .some(object => isForRunner(object, id))

/** A runner for the real cluster that recordings call the hub: with a store and a session of its own, in this process. */
export const startScenarioRunner = async (scene: RunnerScene): Promise<ScenarioRunner> => {
  const { namespace, directory, clock, random, bed, ports, settings, composed, addressed } = scene
  const notFound = async () => new Response(null, { status: 404 })
  const api = composeRunners(ports, settings, composed, addressed, notFound, {
    copiedSources: composeCopiedSources(ports, settings, composed),
  })
  let reports = 0
  const send = async ({ method, path, headers, body }: TransportRequest) => {
    const request = new Request(`${hubUrl}${path}`, {
      method,
      headers: Object.entries(headers) as [string, string][],
      body: body!,
    })
    const response = await api(request)
    const isReport = path === `${runnerPath}report` && response.ok
    if (isReport && Object.hasOwn(unitGroups, (JSON.parse(body as string) as ReportRequest).ref.kind)) reports++
    return {
      status: response.status,
      header: (name: string) => response.headers.get(name) ?? undefined,
      body: await response.text(),
    }
  }

  const apply = (object: KubernetesObject) =>
    composed.hub.patch(refOf(object), { type: 'apply', object }, { fieldManager: 'recorder', force: true })
  const metadata = { namespace, name }
  const token = 'token-of-the-scenario'
  await apply(secretWithToken(runnerSecretRef(metadata), token, clock.now()))
  await apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { provider: 'runner' } } as KubernetesObject)
  const spec = { kubeConfig: { configMapRef: { name } } }
  await apply({ apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'Cluster', metadata, spec } as KubernetesObject)

  const data = join(directory, 'runner')
  mkdirSync(data, { mode: 0o700 })
  const platform = await embeddedPlatform(data, { clock, random })
  const { queue } = platform
  const consume: typeof queue.consume = (stage, options, handle) =>
    queue.consume(stage, options, message => clock.whileBusy(() => handle(message)))
  const folder = await runnerFolder(data)
  const cluster = `${namespace}/${name}`
  const link = hubLink({ clock, keys: folder.keys, cluster, send })
  await link.request('enrol', { cluster, token, publicKey: publicKeyText(folder.keys.current) })
  const stopping = new AbortController()
  const work = () =>
    runSession(
      {
        ...{ hub: hubUrl, cluster, dataDirectory: data, pollMs: 500 },
        kubeconfig: async () => readFileSync(bed.cluster.kubeconfig, 'utf8'),
        log: { info: () => {}, error: () => {} },
        onReady: () => {},
        pacing: { momentMs: 0, routineMomentMs: 0 },
      },
      { ...platform, queue: { ...queue, consume } },
      { link, waitAt: () => Promise.reject(new Error('an embedded hub has no queue')) },
      folder,
      stopping.signal,
    )
  // The first unit of some kinds begins another session.
  const running = (async () => {
    while (!stopping.signal.aborted) await work()
  })()
  return {
    get reports() {
      return reports
    },
    async [Symbol.asyncDispose]() {
      stopping.abort('over')
      await running
      await platform.close()
    },
  }
}

const hubUrl = 'https://hub.example.org'
