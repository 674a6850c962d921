/** The whole fleet: what is wrong anywhere, and what runs where. */
import * as z from 'zod'
import type { ClusterSummary } from '../foundations/fleet/cluster-summary.ts'
import type { FleetSummary } from '../foundations/fleet/fleet-summary.ts'
import type { Page } from '../foundations/fleet/page.ts'
import type { UnitPage, UnitRow } from '../foundations/fleet/unit-rows.ts'
import type { RunningVersion } from '../foundations/fleet/versions.ts'
import { continueTerm, namespaceTerm, pageTerms, reportPath } from './terms.ts'
import { type Tool, type ToolContext, ToolFailure, tool } from './tool.ts'

const item = z.looseObject({})
const counts = z.record(z.string(), z.number()).describe('Number of units by state.')
const refused = z.array(z.string()).describe('What you may not list, and is left out.')

type Report<T> = T & { readonly refused: readonly string[] }

const fleetSummary = tool({
  name: 'fleet_summary',
  title: 'Fleet summary',
  description:
    'What is wrong anywhere right now: the causes of failures over all clusters, the most severe first, with the clusters and units that each affects. Start here.',
  input: z.object({ namespace: namespaceTerm }),
  output: z.looseObject({ causes: z.array(item), refused }),
  run: async ({ namespace }, { api, signal }) => {
    const data = await api.get<Report<FleetSummary>>(reportPath('summary', namespace), signal)
    const { clusters, units, causes } = data
    const summary = `${units.total} units on ${clusters.total} clusters: ${units.ready} units ready, ${units.failed + units.stalled} failing; ${clusters.unreachable} clusters unreachable; ${causes.length + data.moreCauses} causes.`
    return { summary, data: { ...data } }
  },
})

const states = ['ready', 'progressing', 'failed', 'stalled', 'suspended'] as const

const listUnits = tool({
  name: 'list_units',
  title: 'List units',
  description:
    'Kustomizations, HelmReleases and ResourceSets with state, cluster, revision and source, a page at a time. The counts are of everything that matches.',
  input: z.object({
    namespace: namespaceTerm,
    kind: z.enum(['Kustomization', 'HelmRelease', 'ResourceSet']).optional(),
    cluster: z.string().optional().describe('As in the rows: `Cluster/apps/prod`, `Secret/apps/access` or `hub`.'),
    state: z.array(z.enum(states)).optional(),
    search: z.string().optional().describe('A part of `Kind/namespace/name`.'),
    labelSelector: z.string().optional().describe('As of kubectl.'),
    clusterSelector: z.string().optional().describe('Of the labels of their Clusters, as of kubectl.'),
    age: z.string().optional().describe('`<1h`: whose state has changed within an hour; `>24h`: not for a day.'),
    drifted: z.boolean().optional().describe('Only those that differ on their cluster, where that is only reported.'),
    undone: z.boolean().optional().describe('Only those that were undone: they keep an earlier revision.'),
    waiting: z.boolean().optional().describe('Only those whose changes wait for a window or an approval.'),
    holding: z.boolean().optional().describe('Only those that hold deletions back until somebody allows them.'),
    ...pageTerms,
  }),
  output: z.looseObject({ total: z.number(), counts, items: z.array(item), continue: continueTerm, refused }),
  run: async ({ namespace, state, drifted, undone, waiting, holding, limit, ...terms }, { api, signal }) => {
    const parameters = {
      ...terms,
      ...(state && { state: state.join(',') }),
      ...(drifted && { drifted: 'true' }),
      ...(undone && { undone: 'true' }),
      ...(waiting && { waiting: 'true' }),
      ...(holding && { holding: 'true' }),
      limit: String(limit),
    }
    const data = await api.get<Report<UnitPage>>(reportPath('units', namespace, parameters), signal)
    return { summary: `${data.total} units match; ${data.items.length} are in this page.`, data: { ...data } }
  },
})

const listClusters = tool({
  name: 'list_clusters',
  title: 'List clusters',
  description:
    'The clusters of the fleet: reachable, version, latency, expiry of credentials, and their units by state.',
  input: z.object({ namespace: namespaceTerm, ...pageTerms }),
  output: z.looseObject({ total: z.number(), items: z.array(item), continue: continueTerm, refused }),
  run: async ({ namespace, limit, continue: from }, { api, signal }) => {
    const page = { limit: String(limit), continue: from }
    const found = await api.get<Report<Page<ClusterSummary>>>(reportPath('clusters', namespace, page), signal)
    const items = found.items.map(withoutUnits)
    return { summary: `${found.total} clusters; ${items.length} are in this page.`, data: { ...found, items } }
  },
})

const withoutUnits = ({ failing: _, moreFailing, units, ...cluster }: ClusterSummary) => ({
  ...cluster,
  units,
  failing: units.failed + units.stalled,
})

const getCluster = tool({
  name: 'get_cluster',
  title: 'Get a cluster',
  description:
    'One cluster: its probe, its credentials, the windows that hold it, and which of its units fail and why.',
  input: z.object({ namespace: z.string(), name: z.string().describe('Name of the Cluster object.') }),
  output: z.looseObject({ cluster: item }),
  run: async ({ namespace, name }, { api, signal }) => {
    const path = reportPath('clusters', namespace, { cluster: `Cluster/${namespace}/${name}` })
    const { items, refused } = await api.get<Report<Page<ClusterSummary>>>(path, signal)
    const [cluster] = items
    if (!cluster) throw new ToolFailure([`no Cluster ${namespace}/${name} that you may see`, ...refused].join('; '))
    return { summary: `Cluster ${namespace}/${name}.`, data: { cluster, refused } }
  },
})

const unitsOn = async (cluster: string, { api, signal }: ToolContext): Promise<readonly UnitRow[]> => {
  const found: UnitRow[] = []
  for (let next: string | undefined; ; ) {
    const parameters = { cluster, limit: '5000', continue: next }
    const page = await api.get<UnitPage>(reportPath('units', undefined, parameters), signal)
    found.push(...page.items)
    next = page.continue
    if (!next) return found
  }
}

const compareClusters = tool({
  name: 'compare_clusters',
  title: 'Compare two clusters',
  description:
    'Which units run on only one of two clusters, and which differ in revision or state. Units are the same if kind and name are the same.',
  input: z.object({
    first: z.string().describe('As list_units names it: `Cluster/apps/eu`.'),
    second: z.string().describe('The same of the other one.'),
  }),
  output: z.looseObject({
    onlyOnFirst: z.array(z.string()),
    onlyOnSecond: z.array(z.string()),
    different: z.array(item),
    same: z.number(),
  }),
  run: async ({ first, second }, context) => {
    const [ofFirst, ofSecond] = await Promise.all([unitsOn(first, context), unitsOn(second, context)])
    if (ofFirst.length === 0 && ofSecond.length === 0)
      throw new ToolFailure(
        `no units that you may see on ${first} or ${second}: list_units shows the names of clusters`,
      )
    const data = comparison(ofFirst, ofSecond)
    const { onlyOnFirst, onlyOnSecond, different, same } = data
    const summary = `${same} units are the same, ${different.length} differ, ${onlyOnFirst.length} run only on the first and ${onlyOnSecond.length} only on the second.`
    return { summary, data }
  },
})

/** By kind and name: units of the same application stand in different namespaces, or have their cluster in their labels. */
const comparison = (first: readonly UnitRow[], second: readonly UnitRow[]) => {
  const keyOf = ({ kind, name }: UnitRow) => `${kind}/${name}`
  const others = new Map(second.map(unit => [keyOf(unit), unit]))
  const known = new Set(first.map(keyOf))
  const pairs = first.flatMap(unit => {
    const other = others.get(keyOf(unit))
    return other ? [[unit, other] as const] : []
  })
  const different = pairs
    .filter(([one, other]) => one.revision !== other.revision || one.state !== other.state)
    .map(([one, other]) => ({ unit: keyOf(one), first: standing(one), second: standing(other) }))
  return {
    onlyOnFirst: first.map(keyOf).filter(key => !others.has(key)),
    onlyOnSecond: second.map(keyOf).filter(key => !known.has(key)),
    different,
    same: pairs.length - different.length,
  }
}

const standing = ({ namespace, state, revision, message }: UnitRow) => ({ namespace, state, revision, message })

const listVersions = tool({
  name: 'list_versions',
  title: 'List versions',
  description: 'Which clusters run which revision of a source and which version of a chart.',
  input: z.object({ namespace: namespaceTerm, search: z.string().optional().describe('A part of the name.') }),
  output: z.looseObject({ items: z.array(item), refused }),
  run: async ({ namespace, search }, { api, signal }) => {
    const terms = { limit: String(maxVersions), names: String(maxNames), search }
    const { total, items, refused } = await api.get<Report<Page<RunningVersion>>>(
      reportPath('versions', namespace, terms),
      signal,
    )
    const shown = items.map(({ clusters, units, moreClusters = 0, moreUnits = 0, ...version }) => ({
      ...{ ...version, clusters },
      ...{ clustersTotal: clusters.length + moreClusters, unitsTotal: units.length + moreUnits },
    }))
    return { summary: `${total} versions; ${shown.length} are shown.`, data: { items: shown, refused } }
  },
})

const maxVersions = 200
const maxNames = 20

export const fleetTools: readonly Tool[] = [
  ...[fleetSummary, listUnits, listClusters, getCluster, compareClusters, listVersions],
]
