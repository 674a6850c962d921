import type { ChartFile } from '../../engines/helm/chart.ts'
import { groupOf, type KubernetesObject, refKey, refOf } from '../../foundations/kinds/object.ts'
import { type Definition, isDefinition, versionsOf } from '../apply/definition.ts'
import { ClusterError } from '../client/client.ts'
import type { ActionDeps, CrdPolicy } from './action.ts'
import { objectsOf, readLive } from './objects.ts'
import { ActionFailed, NotYet, withContext } from './run.ts'
import { waitForObjects, waitUntil } from './wait.ts'
import { createObject, updateObjects } from './write-objects.ts'

interface CrdOptions {
  readonly policy: CrdPolicy
  readonly serverSideApply: boolean
  readonly fieldManager: string
  readonly labels: Readonly<Record<string, string>>
}

/** Helm waits a minute for CRDs, longer than a pass may take: a pass waits for this long, then fails and is retried. */
const MAX_POLL_MS = 20_000

/**
 * Applies the CRDs of a chart's `crds/` and waits until they are established. Resolves with their objects, or with none
 * if the policy skips them. Skips other objects in that directory, and names them in `logs`.
 */
export const applyCrds = async (
  deps: ActionDeps,
  files: readonly ChartFile[],
  options: CrdOptions,
  logs: string[],
): Promise<readonly KubernetesObject[]> => {
  const { policy, labels } = options
  if (files.length === 0 || policy === 'Skip') return []
  try {
    const { definitions, others } = await definitionsIn(deps, files, labels)
    if (others.length > 0)
      logs.push(`ignoring non-CRD resources found in the chart's crds/ directory: ${others.map(describe).join(', ')}`)
    const applied = await (policy === 'Create' ? create : replace)(deps, definitions, options)
    await waitUntilEstablished(deps, applied)
    return definitions
  } catch (error) {
    throw withContext('failed to apply CustomResourceDefinitions', error)
  }
}

/** The CRDs in a chart's files, with labels added, and the other objects beside them. Throws ActionFailed. */
export const definitionsIn = async (
  deps: Pick<ActionDeps, 'cluster' | 'signal'>,
  files: readonly ChartFile[],
  labels: Readonly<Record<string, string>>,
): Promise<{ readonly definitions: readonly Definition[]; readonly others: readonly KubernetesObject[] }> => {
  const objects: KubernetesObject[] = []
  for (const { name, data } of files) {
    try {
      objects.push(...(await objectsOf(deps, Buffer.from(data).toString('utf8'), '')))
    } catch (error) {
      throw withContext(`failed to parse CustomResourceDefinitions from ${name}`, error)
    }
  }
  return {
    definitions: objects.filter(isDefinition).map(definition => withLabels(definition, labels)),
    others: objects.filter(object => !isDefinition(object)),
  }
}

const create = async (deps: ActionDeps, definitions: readonly KubernetesObject[], options: CrdOptions) => {
  const write = { ...options, forceConflicts: options.serverSideApply, upgradeManagers: false, force: false }
  const live = await readLive(
    deps,
    definitions,
    ({ metadata }) => `failed to get CustomResourceDefinition ${metadata.name}`,
  )
  const missing = definitions.filter(definition => !live.has(refKey(refOf(definition))))
  for (const definition of missing) {
    try {
      await createObject(deps, definition, write)
    } catch (error) {
      if (error instanceof ClusterError && error.code === 'alreadyExists') continue
      throw withContext(`failed to create CustomResourceDefinition ${definition.metadata.name}`, error)
    }
  }
  return missing
}

const replace = async (deps: ActionDeps, definitions: readonly KubernetesObject[], options: CrdOptions) => {
  const { serverSideApply } = options
  const write = {
    ...options,
    forceConflicts: serverSideApply,
    upgradeManagers: serverSideApply,
    force: !serverSideApply,
  }
  const live = await readLive(
    deps,
    definitions,
    ({ metadata }) => `failed to get CustomResourceDefinition ${metadata.name}`,
  )
  try {
    await updateObjects(deps, [], definitions, live, write)
  } catch (error) {
    throw withContext('failed to update CustomResourceDefinition(s)', error)
  }
  return definitions
}

const waitUntilEstablished = async (deps: ActionDeps, definitions: readonly KubernetesObject[]): Promise<void> => {
  if (definitions.length === 0) return
  const deadline = { since: deps.clock.now(), timeoutMs: 60_000 }
  try {
    const pollingLonger = { ...deps, maxPollMs: MAX_POLL_MS }
    await waitForObjects(pollingLonger, definitions, { wait: 'poller', waitForJobs: false }, deadline)
    // An established CRD is served a moment later.
    for (const definition of definitions.filter(isDefinition))
      await waitUntil(pollingLonger, deadline, async () =>
        (await isServed(deps, definition)) ? undefined : describe(definition),
      )
  } catch (error) {
    const timedOut =
      error instanceof NotYet ? new ActionFailed(`timeout waiting for: [${error.waitingFor}]`, error) : error
    throw withContext('failed to wait for CustomResourceDefinition(s)', timedOut)
  }
}

const isServed = async ({ cluster, signal }: ActionDeps, definition: Definition): Promise<boolean> => {
  const { group, names } = definition.spec
  const version = versionsOf(definition).find(({ served }) => served)?.name
  if (!version) return true
  try {
    await cluster.resourceFor(`${group}/${version}`, names.kind, { signal })
    return true
  } catch (error) {
    if (error instanceof ClusterError && error.code === 'noMatch') return false
    throw error
  }
}

const withLabels = (object: Definition, labels: Readonly<Record<string, string>>): Definition => ({
  ...object,
  metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...labels } },
})

const describe = ({ apiVersion, kind, metadata }: KubernetesObject): string =>
  [groupOf(apiVersion), kind, metadata.namespace, metadata.name].filter(Boolean).join('/')
