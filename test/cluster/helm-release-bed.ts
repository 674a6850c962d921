import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClusterClient } from '../../lib/clusters/client/client.ts'
import { clusters } from '../../lib/clusters/client/clusters.ts'
import {
  type ActionDeps,
  type ActionOutcome,
  type ActionRequest,
  type InstallRequest,
  ReleaseError,
  type RollbackRequest,
  type UninstallRequest,
  type UpgradeRequest,
} from '../../lib/clusters/helm-release/action.ts'
import { releaseStorage } from '../../lib/clusters/helm-release/storage.ts'
import { chartFunctions } from '../../lib/engines/helm/functions.ts'
import { newKey } from '../../lib/engines/template/certificates/private-key.ts'
import type { ValueMap } from '../../lib/engines/template/values/value.ts'
import { defaultBuildLimits } from '../../lib/foundations/budget/budget.ts'
import type { HelmRelease } from '../../lib/foundations/kinds/helm-release.ts'
import type { KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import { originLabels, postRendererOf } from '../../lib/reconcile/helm-release/post-renderer.ts'
import { loadChart } from '../../lib/sources/helm/chart.ts'
import { cluster } from '../bed/cluster.ts'
import { command } from '../bed/command.ts'
import { helmBinary } from '../bed/helm-binary.ts'
import { tempDir } from '../bed/temp-dir.ts'

export type Files = Readonly<Record<string, string>>

const clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms: number, signal?: AbortSignal) => sleep(ms, undefined, { signal }),
}

const functions = chartFunctions({ now: Date.now, bytes: randomBytes, newKey })

/** A chart of templates, `app` in version 1.0.0 unless Chart.yaml says otherwise. */
export const chartFiles = (templates: Files, version = '1.0.0'): Files => ({
  'Chart.yaml': `apiVersion: v2\nname: app\nversion: ${version}\nappVersion: "2.3.4"\n`,
  'values.yaml': 'greeting: hello\n',
  ...Object.fromEntries(
    Object.entries(templates).map(([name, text]) => [name.includes('/') ? name : `templates/${name}`, text]),
  ),
})

export const load = (files: Files) =>
  loadChart(Object.entries(files).map(([name, text]) => ({ name, data: Buffer.from(text) })))

export const configMap = (name: string, data: Files = { key: 'value' }, annotations: Files = {}): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, annotations }, data })

export const job = (name: string, annotations: Files, held = false): string =>
  JSON.stringify({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, annotations },
    spec: {
      backoffLimit: 0,
      template: {
        metadata: { annotations: held ? { 'testcluster/hold': 'unready' } : {} },
        spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'busybox:1' }] },
      },
    },
  })

/** A cluster with namespaces of a test's own, in which our actions and the real helm work on the same releases. */
export async function helmReleaseBed() {
  const bed = await cluster()
  const remotes = clusters({ clock })
  const client = remotes.fromKubeconfig(readFileSync(bed.kubeconfig, 'utf8'))
  after(() => remotes.close())
  let count = 0

  const space = async () => {
    const namespace = `rel-${++count}`
    await bed.kubectl('create', 'namespace', namespace)
    const depsWith = (cluster: ClusterClient, maxPollMs = 20_000): ActionDeps => ({
      ...{ cluster, clock, maxPollMs },
      storage: releaseStorage(cluster, namespace, clock),
    })
    const common: ActionRequest = {
      ...{ name: 'app', namespace, token: '1', timeoutMs: 30_000, wait: 'poller' as const, waitForJobs: true },
      ...{ hooks: true, fieldManager: 'helm-controller', maxHistory: 5 },
    }
    const ofApp = { metadata: { name: 'app', namespace }, spec: {} } as HelmRelease
    const chart = async (files: Files) => ({
      ...{ chart: await load(files), values: new Map() as ValueMap, functions, schemaValidation: true },
      ...{ crds: 'Create' as const, originLabels: originLabels(ofApp), takeOwnership: true },
      postRenderer: postRendererOf(ofApp, defaultBuildLimits),
    })
    return {
      namespace,
      deps: depsWith(client),
      depsWith,
      installOf: async (files: Files, more: Partial<InstallRequest> = {}): Promise<InstallRequest> => ({
        ...{ ...common, ...(await chart(files)), serverSideApply: true, createNamespace: false, replace: false },
        ...more,
      }),
      upgradeOf: async (files: Files, more: Partial<UpgradeRequest> = {}): Promise<UpgradeRequest> => ({
        ...{ ...common, ...(await chart(files)), token: '2', serverSideApply: 'auto' as const, force: false },
        ...{ preserveValues: false, cleanupOnFail: false, ...more },
      }),
      rollbackOf: (version: number, more: Partial<RollbackRequest> = {}): RollbackRequest => ({
        ...{
          ...common,
          token: 'back',
          version,
          serverSideApply: 'auto' as const,
          force: false,
          cleanupOnFail: false,
          ...more,
        },
      }),
      uninstallOf: (more: Partial<UninstallRequest> = {}): UninstallRequest => ({
        ...{ ...common, token: 'gone', keepHistory: false, propagation: 'background' as const, ...more },
      }),
      testOf: (filters: readonly { name: string; exclude?: boolean }[] = []) => ({ ...common, token: 't', filters }),
      names: async (kind: string): Promise<string[]> => {
        const { items } = await bed.get<{ items: KubernetesObject[] }>('-n', namespace, kind)
        return items.map(({ metadata }) => metadata.name).filter(name => name !== 'kube-root-ca.crt')
      },
      live: (kind: string, name: string) =>
        bed.get<KubernetesObject & { data: Files }>('-n', namespace, '--show-managed-fields', kind, name),
      kubectl: (...args: string[]) => bed.kubectl('-n', namespace, ...args),
      /** The real helm; CHART among the arguments is a folder with these files. */
      helm: async (args: readonly string[], files?: Files, program = helmBinary): Promise<string> => {
        const folder = tempDir(files)
        return command(
          await program(),
          ['--kubeconfig', bed.kubeconfig, '-n', namespace, ...args.map(arg => (arg === 'CHART' ? folder : arg))],
          { env: { HOME: folder } },
        )
      },
    }
  }
  return { ...bed, client, space }
}

/** Calls an action until it has ended, in passes that have no patience. Tells how many it took. */
export const inPasses = async (
  pass: () => Promise<ActionOutcome>,
): Promise<Extract<ActionOutcome, { state: 'finished' }> & { readonly passes: number }> => {
  for (let passes = 1; ; passes++) {
    const outcome = await pass()
    if (outcome.state === 'finished') return { ...outcome, passes }
    if (passes > 500) throw new Error(`still waiting for ${outcome.waitingFor}`)
    await sleep(100)
  }
}

/** The error of an action, which must fail. */
export const failure = async (action: Promise<unknown>): Promise<ReleaseError> => {
  try {
    await action
  } catch (error) {
    assert.ok(error instanceof ReleaseError, String(error))
    return error
  }
  throw new Error('the action did not fail')
}

const REQUESTS = ['get', 'list', 'apply', 'create', 'patch', 'delete'] as const
type Request = (typeof REQUESTS)[number]

/** A client whose requests go through the test's hands. */
export const intercepted = (
  client: ClusterClient,
  around: (name: Request, call: () => Promise<unknown>, args: readonly unknown[]) => Promise<unknown>,
): ClusterClient => {
  const own = Object.fromEntries(
    REQUESTS.map(name => {
      const method = client[name] as (...args: unknown[]) => Promise<unknown>
      return [name, (...args: unknown[]) => around(name, () => method(...args), args)]
    }),
  )
  return { ...client, ...own } as ClusterClient
}
