/** From an object on a cluster back to the unit that has applied it, the sources of that, and their revisions, as `flux trace` does. */
import * as z from 'zod'
import { type Needing, sourceNames } from '../foundations/fleet/needed-by.ts'
import { objectStateOf } from '../foundations/fleet/object-state.ts'
import { ownerOn } from '../foundations/fleet/owner-labels.ts'
import type { UnitPage } from '../foundations/fleet/unit-rows.ts'
import { apiVersionOf } from '../foundations/kinds/all.ts'
import type { InventoryEntry } from '../foundations/kinds/applied.ts'
import { isNamedBy, type NamedObject } from '../foundations/kinds/named-object.ts'
import { describeRef, groupOf, type KubernetesObject, type ObjectRef } from '../foundations/kinds/object.ts'
import { inventoryObject } from '../foundations/rules/inventory.ts'
import { ApiFailure, type HubApi } from '../hub-client/hub-api.ts'
import { hubKind } from '../hub-client/read-object.ts'
import { resourcePath } from '../hub-client/resource-path.ts'
import { reportPath } from './terms.ts'
import { type Tool, type ToolContext, ToolFailure, tool } from './tool.ts'

const item = z.looseObject({})

const trace = tool({
  name: 'trace',
  title: 'Where an object on a cluster comes from',
  description:
    'From an object on a cluster, such as a Deployment, back to the unit that has applied it, the path or chart of that, and its sources with their revisions. Pods and other objects that controllers create have no unit: trace their owner.',
  input: z.object({
    cluster: z.string().describe('As list_units names it: `Cluster/apps/prod`, `Secret/apps/access` or `hub`.'),
    kind: z.string().describe('Kind of the object, its plural or a common short name: Deployment, configmaps, svc.'),
    apiVersion: z.string().optional().describe('Such as `apps/v1`, if several groups have the kind.'),
    namespace: z.string().default('').describe('Namespace of the object on the cluster. Empty if it has none.'),
    name: z.string().describe('Name of the object.'),
  }),
  output: z.looseObject({ object: z.string(), units: z.array(item), refused: z.array(z.string()) }),
  run: async ({ cluster, apiVersion, ...named }, context) => {
    const wanted = { ...named, ...(apiVersion !== undefined && { group: groupOf(apiVersion) }) }
    const { names, refused } = await unitsOn(cluster, context)
    const appliers = await appliersOf(wanted, names, context)
    const [first] = appliers
    if (!first)
      throw new ToolFailure(
        [`none of ${names.length} units on ${cluster} that you may see has ${describe(wanted)} in its inventory`]
          .concat(names.length === 0 ? ['list_units shows the names of clusters'] : [], refused)
          .join('; '),
      )
    const units = await Promise.all(appliers.map(({ unit }) => tracedUnit(unit, context)))
    const object = describeRef(first.ref)
    return {
      summary: `${object} on ${cluster} is applied by ${units.map(({ unit }) => unit).join(' and ')}.`,
      data: { object, cluster, units, refused },
    }
  },
})

const describe = ({ kind, namespace, name }: NamedObject): string => [kind, namespace, name].filter(Boolean).join('/')

/** `Kind/namespace/name` of the units that the caller may list. */
const unitsOn = async (cluster: string, { api, signal }: ToolContext) => {
  const names: string[] = []
  const refused = new Set<string>()
  for (let next: string | undefined; ; ) {
    const terms = { cluster, limit: '5000', continue: next }
    const page = await api.get<UnitPage & { readonly refused: readonly string[] }>(
      reportPath('units', undefined, terms),
      signal,
    )
    names.push(...page.items.map(({ kind, namespace, name }) => `${kind}/${namespace}/${name}`))
    for (const line of page.refused) refused.add(line)
    next = page.continue
    if (!next) return { names, refused: [...refused] }
  }
}

/** Units that are read at a time. */
const width = 32

interface Applier {
  readonly unit: Traced
  readonly ref: ObjectRef
}

/** The units in whose inventory an object is: one, unless several fight for it. */
const appliersOf = async (
  wanted: NamedObject,
  names: readonly string[],
  { api, signal }: ToolContext,
): Promise<readonly Applier[]> => {
  const found: Applier[] = []
  for (let from = 0; from < names.length; from += width) {
    const some = await Promise.all(names.slice(from, from + width).map(name => readNamed(api, name, signal)))
    for (const unit of some) {
      if (typeof unit === 'string') continue
      const refs = (unit.status?.inventory?.entries ?? []).map(entry => inventoryObject(entry).ref)
      const ref = refs.find(one => isNamedBy(wanted, one))
      if (ref) found.push({ unit, ref })
    }
  }
  return found
}

/** What is read of units and sources. */
type Traced = Needing & {
  readonly spec?: {
    readonly path?: string
    readonly url?: string
    readonly endpoint?: string
    readonly chart?: unknown
    readonly version?: string
    readonly ref?: object
  }
  readonly status?: {
    readonly inventory?: { readonly entries?: readonly InventoryEntry[] }
    readonly lastAppliedRevision?: string
    readonly lastAttemptedRevision?: string
    readonly history?: readonly { readonly chartName?: string; readonly chartVersion?: string }[]
    readonly artifact?: { readonly revision?: string; readonly metadata?: Readonly<Record<string, string>> }
  }
}

/** An object by `Kind/namespace/name`, or why it can't be shown. */
const readNamed = async (api: HubApi, fullName: string, signal: AbortSignal): Promise<Traced | string> => {
  const [kindName = '', namespace = '', name = ''] = fullName.split('/')
  const kind = hubKind(kindName)
  if (!kind) return `${fullName} is of no kind of the hub`
  try {
    const found = await api.get<Traced>(resourcePath(kind, { namespace, name }), signal)
    return { ...found, apiVersion: apiVersionOf(kind), kind: kindName }
  } catch (error) {
    if (error instanceof ApiFailure && (error.status === 403 || error.status === 404)) return error.message
    throw error
  }
}

/** A unit with what it applies, who has applied the unit itself, and its sources. */
const tracedUnit = async (unit: Traced, context: ToolContext) => {
  const { spec = {}, status = {} } = unit
  const [release] = unit.kind === 'HelmRelease' ? (status.history ?? []) : []
  const owner = ownerOn(unit as KubernetesObject)?.unit
  return {
    ...standing('unit', unit),
    ...(spec.path && { path: spec.path }),
    ...(release?.chartName && { chart: release.chartName, chartVersion: release.chartVersion }),
    ...(status.lastAppliedRevision && { revision: status.lastAppliedRevision }),
    ...(status.lastAttemptedRevision && { attemptedRevision: status.lastAttemptedRevision }),
    ...(owner && { appliedBy: owner }),
    sources: await sourcesOf(unit, context),
  }
}

const standing = <Role extends string>(role: Role, object: Traced) => {
  const { state, message } = objectStateOf(object as KubernetesObject)
  const name = `${object.kind}/${object.metadata.namespace}/${object.metadata.name}`
  return { [role]: name, state, message } as Readonly<Record<Role | 'state' | 'message', string>>
}

/** From a HelmChart to its repository, from an ExternalArtifact to its generator and the sources of that. */
const maxSteps = 4

const sourcesOf = async (
  object: Traced,
  context: ToolContext,
  steps = maxSteps,
): Promise<readonly Readonly<Record<string, unknown>>[]> => {
  if (steps === 0) return []
  const found = await Promise.all(
    sourceNames(object).map(async name => {
      const source = await readNamed(context.api, name, context.signal)
      if (typeof source === 'string') return [{ source: name, refused: source }]
      return [sourceFacts(source), ...(await sourcesOf(source, context, steps - 1))]
    }),
  )
  return found.flat()
}

const sourceFacts = (source: Traced) => {
  const { url, endpoint, chart, version, ref } = source.spec ?? {}
  const { revision, metadata = {} } = source.status?.artifact ?? {}
  const [originRevision, originSource] = ['revision', 'source'].map(key => metadata[`org.opencontainers.image.${key}`])
  return {
    ...standing('source', source),
    ...((url ?? endpoint) && { url: url ?? endpoint }),
    ...(typeof chart === 'string' && { chart, version }),
    ...(ref && { ref }),
    ...(revision && { revision }),
    ...(originRevision && { originRevision }),
    ...(originSource && { originSource }),
  }
}

export const traceTools: readonly Tool[] = [trace]
